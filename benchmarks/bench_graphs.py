"""Social graphs: 100,000 nodes and 1,000,000 edges protected with k = 5 and judged, in time and in memory.

Seconds are those of the clock, after a small graph has compiled the kernels. Memory is the most the process
has held so far, the generated graph included.
"""

import resource
import sys
import time
from collections.abc import Iterator

from benchmarks.timing import Row
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.jobs.graph.evaluate import evaluate_graph
from sfumato.jobs.graph.protect import protect_graph

LONG = True
NODES, MEAN_DEGREE = 100_000, 20.0
METHODS = {
    "k = 5": AttributeProtection(k=5),
    "k = 2": AttributeProtection(k=2),
    "k = 5, farthest seeds": AttributeProtection(k=5, seeds="farthest"),
    "k = 5, refined": AttributeProtection(k=5, refine=20),
}
PER_GIGABYTE = (
    2**20 if sys.platform == "linux" else 2**30
)  # ru_maxrss counts kilobytes there, bytes elsewhere


def rows() -> Iterator[Row]:
    small = profile_graph(200, seed=1)
    evaluate_graph(small, protect_graph(small, AttributeProtection(k=5, refine=1)))
    graph = profile_graph(NODES, seed=1, mean_degree=MEAN_DEGREE)
    yield Row("graph: edges", graph.m, unit="", digits=0)
    for name, method in METHODS.items():
        yield from _measured(graph, name, method)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / PER_GIGABYTE
    yield Row("graph: largest memory", peak, unit="GB", bar=4.0, digits=2)


def _measured(graph: Graph, name: str, method: AttributeProtection) -> Iterator[Row]:
    start = time.perf_counter()
    released = protect_graph(graph, method, seed=1)
    between = time.perf_counter()
    found = evaluate_graph(graph, released)
    end = time.perf_counter()
    yield Row(f"graph, {name}: protect", between - start, digits=2)
    yield Row(f"graph, {name}: evaluate", end - between, digits=2)
    yield Row(f"graph, {name}: both", end - start, bar=90.0, digits=2)
    yield Row(f"graph, {name}: information loss", found.information_loss, unit="")
    yield Row(f"graph, {name}: disclosure risk", found.disclosure_risk, unit="")
