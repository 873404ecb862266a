"""Draws the picture of the page on social graphs with the program itself: `python docs/make_graph_pictures.py`."""

from pathlib import Path

import sfumato
from sfumato.datasets.profile_graph import profile_graph
from sfumato.jobs.graph.report import GraphPair

LOCATION = "location"
PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """A hundred people, before and after five of them share each place and number of friends."""
    graph = profile_graph(100, seed=1)
    found = sfumato.protect_graph(graph, k=5, structure="k_degree(how=move)", seed=1)
    pair = GraphPair(k=5, original=graph, protected=found.aligned, location=LOCATION)
    pair.plot().savefig(PICTURES / "graph-pair.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
