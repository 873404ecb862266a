"""A social graph that was protected: its picture beside that of the original, what it lost, and who is found."""

from pathlib import Path
from typing import Any

from sfumato.core import DataError
from sfumato.data import private_beside
from sfumato.data.files.graph_files import read_graph
from sfumato.data.graph import Graph
from sfumato.graphs.edge_changes import edge_changes
from sfumato.graphs.structural_losses import undirected
from sfumato.jobs import ORDER_FILE, Order
from sfumato.web.questions._graph_picture import graph_picture, held_graph, held_picture
from sfumato.web.questions._runs import run_folder, study_and_record
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.runs.run_folder import OUT

TOLD = (
    "nodes",
    "edges",
    "method",
    "structure",
    "losses",
    "means",
    "risks",
    "information_loss",
    "disclosure_risk",
)


def graph_protection(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    folder = run_folder(held, arguments)
    study, record = study_and_record(held, arguments, "graph protect")
    nodes = study.settings.get("nodes")
    how = {"nodes": Path(str(nodes)).name if nodes else "", "directed": study.settings.get("directed", False)}
    original, before = held_graph(held, how), held_picture(held, how)
    if study.settings.get("undirected", False):
        original = undirected(original)
    protected = _released(folder, directed=original.directed)
    after = graph_picture(protected, places=before.places)
    changes = edge_changes(original, protected)
    return {
        **{name: record[name] for name in TOLD},
        "structure_evaluation": record["structure_evaluation"],
        "warnings": record["warnings"],
        "attacks": record["attacks"] and record["attacks"]["results"],
        "before": before.to_dict(),
        "after": after.to_dict(),
        "change": {"added": changes.added, "removed": changes.removed},
    }


def _released(folder: Path, *, directed: bool) -> Graph:
    """The protected graph with its nodes as they stand in the original."""
    for path in sorted((folder / OUT).glob("*.graphml")):
        order = Order.read(private_beside(path) / ORDER_FILE)
        return read_graph(path, directed=directed).take(order.back())
    raise DataError("This run has written no graph yet: wait until it has finished.")
