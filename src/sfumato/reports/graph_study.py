"""The report on protecting a social graph with several k."""

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.jobs import Job
from sfumato.jobs.graph.evaluate import or_unknown
from sfumato.jobs.graph.report import GraphReport, GraphStudy
from sfumato.reports._page import page, svg
from sfumato.version import __version__

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


def graph_study(study: GraphStudy, job: Job | None = None) -> str:
    """The page as a text: loss and risk over k, drawn and as numbers."""
    source = job.graph.name if isinstance(job, GraphReport) and job.graph is not None else ""
    return page(
        "graph_study.html.j2",
        s=study,
        title="Social graph report",
        source=source,
        tables=_tables(study),
        pair=svg(study.shown.plot(), "pair", "The graph before and after it was protected"),
        figure=svg(study.plot(), "study", "Information loss and disclosure risk over k"),
        version=__version__,
    )


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


def _rows(lines: Mapping[str, Sequence[float]]) -> dict[str, list[str]]:
    return {
        name.replace("_", " "): [or_unknown(100 * value, ".1f") for value in values]
        for name, values in lines.items()
    }
