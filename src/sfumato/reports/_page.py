"""Pages of reports: one template language, one style sheet, drawings as part of the page."""

from typing import Any


def page(template: str, **context: Any) -> str:
    """A template filled in, as the text of a self-contained HTML file."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import, needed only here

    environment = Environment(
        loader=PackageLoader("sfumato", "reports/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    return environment.get_template(template).render(context)


def svg(figure: Any, prefix: str, description: str) -> Any:
    from markupsafe import Markup

    from sfumato.plots import svg_text

    return Markup(svg_text(figure, prefix=prefix, description=description))  # text is escaped by matplotlib


def number(value: float) -> str:
    """One decimal, but none for large numbers and for whole ones, be they off by what processors round differently.

    >>> number(3.14), number(12345.6), number(2.0), number(-1e-15)
    ('3.1', '12,346', '2', '0')
    """
    whole = round(value)
    if abs(value) >= 1000 or abs(value - whole) < 1e-9:
        return f"{whole:,}"
    return f"{value:,.1f}"
