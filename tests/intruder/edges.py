"""Which of the released edges are true: what an intruder says of them."""

from collections.abc import Iterable, Iterator

import numpy as np

from intruder.guesses import Guess
from intruder.judgement import Truth
from intruder.releases import Public, Release
from sfumato.core import Seed, stream
from sfumato.data.graph import Graph
from sfumato.graphs.structure import EdgeRandomisation, StructureMethod

NAME = "edge"


def edge_truth(release: Release, original: Graph) -> Truth:
    """For each released edge, in the order of the file, whether the original has it."""
    there = {tuple(sorted(pair)) for pair in original.edges.tolist()}
    pairs = release.rows[release.public.graph.edges]
    true = [tuple(sorted(pair)) in there for pair in pairs.tolist()]
    return Truth(cells={NAME: np.where(true, "true", "false")})


def edge_guesses(public: Public, seeds: Iterable[Seed]) -> Iterator[Guess]:
    """Edges at the end of the list, or far from all others in it, are new; and what the draws of a seed say."""
    graph, method = public.graph, public.structure
    for share in (0.05, 0.1, 0.2, 0.4):
        late = np.arange(graph.m) >= (1 - share) * graph.m
        span = np.abs(np.diff(graph.edges, axis=1)).ravel()
        yield "at the end", _says(late)
        yield "between nodes far apart in the file", _says(span >= np.quantile(span, 1 - share))
        yield "at nodes of few edges", _says(_few_edges(graph, share))
    if method is not None:
        made, order = (
            StructureMethod.convert(method),
            np.arange(graph.n) if public.order is None else public.order,
        )
        for seed in seeds if isinstance(made, EdgeRandomisation) and made.how == "add_delete" else ():
            yield f"drawn by seed {seed}", _says(_drawn(made, graph, order, seed))


def _says(new: np.ndarray) -> dict[str, np.ndarray]:
    return {NAME: np.where(new, "false", "true")}


def _few_edges(graph: Graph, share: float) -> np.ndarray:
    least = graph.degrees[graph.edges].min(axis=1)
    return least <= np.quantile(least, share)


def _drawn(method: EdgeRandomisation, graph: Graph, order: np.ndarray, seed: Seed) -> np.ndarray:
    """Which released edges are among those that the draws of a seed put in.

    The method numbers all pairs of nodes and draws ranks among those that are free. If i released numbers are smaller
    than e, j of them new, then e is new where e − i = r_j − j for the j-th smallest rank drawn.
    """
    rng = stream(seed, "structure", repr(sorted(method.spec().items())), 0)
    count = round(method.p * graph.m / 100)
    rng.choice(graph.m, count, replace=False)
    total = graph.n * (graph.n - 1) // 2 - (graph.m - count)
    ranks = np.sort(rng.choice(total, count, replace=False))
    pairs = np.sort(order[graph.edges], axis=1)  # by their first numbers
    numbers = pairs[:, 1] * (pairs[:, 1] - 1) // 2 + pairs[:, 0]
    order = np.argsort(numbers)
    new = np.empty(graph.m, bool)
    new[order] = np.isin(numbers[order] - np.arange(graph.m), ranks - np.arange(count))
    return new
