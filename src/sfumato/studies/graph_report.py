"""The report on protecting a social graph with several k, as one self-contained page."""

import math
from typing import Any

from sfumato.studies.evolution_report import svg
from sfumato.studies.graph_study import GraphStudy
from sfumato.version import __version__

TEMPLATE = "graph_study.html.j2"
STYLE_OF = "report.html.j2"

LOSS = (
    "Percent; lower is better. AAMIL: values beside those of their neighbours. CDIL: how often each value occurs. "
    "DBIL: how far each value moved."
)
RISK = (
    "Percent; lower is better. The share of nodes whose neighbourhood (their values, those of their neighbours, and "
    "the links among them) is still found in the protected graph by somebody who knows these attributes."
)
CHANGE = (
    "Change in percent of what it was in the original graph; nearer to 0 is better. Degree distribution: half the sum "
    "of the differences between the shares of nodes of each degree."
)
FOUND = (
    "Percent; lower is better. The share of nodes found by who picks a candidate at random, knowing the degree of a "
    "person (H1), the degrees of their neighbours (H2), and of those of the neighbours (H3)."
)
CANDIDATES = (
    "Percent of nodes to whom so many nodes of the protected graph answer; few candidates are a risk."
)


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
        edges=_described(study.structure),
        title=title,
        source=source,
        tables=_tables(study),
        figure=svg(graph_losses(study), "study", described),
        style=Markup(style.partition("<style>")[2].partition("</style>")[0]),
        version=__version__,
    )


def _described(structure: dict[str, Any] | None) -> str:
    if not structure:
        return ""
    given = ", ".join(f"{name} = {value}" for name, value in structure.items() if name != "method")
    return f"{structure['method']} ({given})" if given else str(structure["method"])


def _tables(study: GraphStudy) -> list[dict[str, Any]]:
    parts = [
        ("Information loss", "Loss", LOSS, study.losses),
        ("Disclosure risk", "What is known", RISK, study.risks),
        ("Structure", "Property", CHANGE, study.changes),
        ("Nodes found by the structure around them", "What is known", FOUND, study.found_by_structure),
        ("Candidate sets", "What is known: candidates", CANDIDATES, study.candidates),
    ]
    return [
        {"title": title, "what": what, "note": note, "k": study.k, "rows": _rows(lines)}
        for title, what, note, lines in parts
        if lines
    ]


def _rows(lines: dict[str, tuple[float, ...]]) -> dict[str, list[str]]:
    return {name.replace("_", " "): [_percent(value) for value in values] for name, values in lines.items()}


def _percent(share: float) -> str:
    return "unknown" if math.isnan(share) else f"{100 * share:.1f}"
