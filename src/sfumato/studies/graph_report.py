"""The report on protecting a social graph with several k, as one self-contained page."""

from typing import Any

from sfumato.studies.evolution_report import svg
from sfumato.studies.graph_study import GraphStudy
from sfumato.version import __version__

TEMPLATE = "graph_study.html.j2"
STYLE_OF = "report.html.j2"


def graph_report_html(study: GraphStudy, *, title: str = "Social graph report", source: str = "") -> str:
    """The page as a text: loss and risk over k, drawn and as numbers."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import, needed only here
    from markupsafe import Markup

    from sfumato.plots.graph_losses import graph_losses

    environment = Environment(
        loader=PackageLoader("sfumato", "studies"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, _, _ = environment.loader.get_source(environment, STYLE_OF)  # type: ignore[union-attr]
    described = "Information loss and disclosure risk over k"
    return environment.get_template(TEMPLATE).render(
        s=study,
        title=title,
        source=source,
        tables=[
            _table("Information loss", "Loss", study.k, study.losses),
            _table("Disclosure risk", "What is known", study.k, study.risks),
        ],
        figure=svg(graph_losses(study), "study", described),
        style=Markup(style.partition("<style>")[2].partition("</style>")[0]),
        version=__version__,
    )


def _table(title: str, what: str, k: tuple[int, ...], lines: dict[str, tuple[float, ...]]) -> dict[str, Any]:
    rows = {name: [100 * value for value in values] for name, values in lines.items()}
    return {"title": title, "what": what, "k": k, "rows": rows}
