"""The report on a hidden group: one self-contained page for the owner, who alone may see it."""

from typing import Any

from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.studies.evolution_report import svg
from sfumato.studies.group_comparison import GroupComparison
from sfumato.studies.group_protected import GroupProtection
from sfumato.version import __version__

TEMPLATE = "group_protection.html.j2"
STYLE_OF = "report.html.j2"
RULES_SHOWN = 12


def group_report_html(
    result: GroupProtection | GroupComparison,
    *,
    title: str = "Group anonymity report",
    source: str = "",
    model: FuzzyModel | None = None,
) -> str:
    """The page as a text: the signals before and after, what was altered, and, of a protection, how."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import, needed only here

    from sfumato.plots.group_comparison import group_comparison

    protection = result if isinstance(result, GroupProtection) else None
    comparison = result.comparison if isinstance(result, GroupProtection) else result
    truth = protection.truth if protection is not None else None
    known = protection.model if protection is not None else model
    loader = PackageLoader("sfumato", "studies")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    described = "The signal before (solid) and after (dashed), with its outliers"
    return environment.get_template(TEMPLATE).render(
        c=comparison,
        p=protection,
        truth=truth,
        title=title,
        source=source,
        rows=_rows(comparison),
        sentences=known.sentences[:RULES_SHOWN] if known is not None else (),
        more=max(len(known.rules) - RULES_SHOWN, 0) if known is not None else 0,
        figure=svg(group_comparison(comparison), "signals", described),
        truth_figure=None if truth is None else svg(group_comparison(truth), "truth", described),
        style=_style(environment),
        version=__version__,
    )


def _rows(comparison: GroupComparison) -> list[dict[str, Any]]:
    """The places that were named, that stand out, or whose signal changed."""
    return [
        row
        for row in comparison.to_dict()["signals"]
        if row["named"] or row["outlier_before"] or row["outlier_after"] or row["before"] != row["after"]
    ]


def _style(environment: Any) -> Any:
    """The style sheet of the other reports, so that all pages look alike."""
    from markupsafe import Markup

    page, _, _ = environment.loader.get_source(environment, STYLE_OF)
    return Markup(page.partition("<style>")[2].partition("</style>")[0])
