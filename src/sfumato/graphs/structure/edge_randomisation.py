"""Edge randomisation: some edges are taken away and others put in at random, or pairs of edges are switched."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data.graph import Graph
from sfumato.graphs.structure._contract import StructureMethod

ROUNDS = 100  # of drawing pairs of edges that may be switched, in graphs where few can


class EdgeRandomisation(StructureMethod):
    """An intruder cannot be sure of any edge, nor of an edge that is not there.

    With `how="add_delete"`, p % of the edges, drawn at random, are removed; then as many pairs of nodes,
    drawn from all that are not joined at that moment, are joined. With `how="switch"`, p % of the edges are
    taken two by two, and a–b, c–d become a–d, c–b unless one of these is there already: every node keeps its
    degree (in a directed graph, both its degrees). Each edge is switched at most once; in small or dense
    graphs there may be fewer switches than were asked for.

    Source: Hay et al. (2007), *Anonymizing social networks*; switches as in Ying & Wu (2008); Marés,
    *thesis*, §2.6.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45, 27, 52]}))
    >>> ring = Graph(people, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)])
    >>> method = EdgeRandomisation(how="switch", p=70)
    >>> masked = method.apply(ring, np.random.default_rng(1))
    >>> masked.degrees.tolist(), bool((masked.edges == ring.edges).all())
    ([2, 2, 2, 2, 2, 2], False)
    """

    takes_directed: ClassVar[bool] = True
    for_users: ClassVar[Advice] = Advice(
        done="Some links were removed and as many others put in at random.",
        effect="The number of links is exact; degrees are evened out, clustering is lower and "
        "communities are less distinct.",
        remedy="Take clustering and the separation of communities as understated, and do not interpret "
        "who is linked with whom.",
    )

    p: float = param(default=10.0, low=0, high=100, help="percent of the edges that change")
    how: str = param(
        default="add_delete", choices=("add_delete", "switch"), help="new edges anywhere, or kept degrees"
    )

    @property
    def advice(self) -> Advice:
        """Switches keep every degree."""
        if self.how != "switch":
            return self.for_users
        return self.for_users._replace(
            done="Pairs of links exchanged one of their ends, at random.",
            effect="Everybody has as many links as before; clustering is lower and communities are less distinct.",
        )

    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        count = round(self.p * graph.m / 100)
        if self.how == "switch":
            return _switched(graph, count // 2, rng)
        keys = np.sort(_pair_numbers(graph.edges, graph.n, directed=graph.directed))
        kept = np.delete(keys, rng.choice(graph.m, count, replace=False))
        new = _others(kept, graph.n * (graph.n - 1) // (1 if graph.directed else 2), count, rng)
        return _pairs(np.concatenate([kept, new]), graph.n, directed=graph.directed)


def _switched(graph: Graph, wanted: int, rng: np.random.Generator) -> np.ndarray:
    edges = graph.edges.copy()
    unswitched, done = np.arange(graph.m), 0
    for _ in range(ROUNDS):
        tried = min(wanted - done, len(unswitched) // 2)
        if tried == 0:
            break
        first, second = rng.choice(unswitched, 2 * tried, replace=False).reshape(2, -1)
        turned = rng.random(tried) < 0.5
        c, d = edges[second].T
        if not graph.directed:
            c, d = np.where(turned, d, c), np.where(turned, c, d)
        new = np.stack([np.column_stack([edges[first, 0], d]), np.column_stack([c, edges[first, 1]])])
        good = _allowed(new, edges, graph)
        edges[first[good]], edges[second[good]] = new[0, good], new[1, good]
        unswitched = np.setdiff1d(unswitched, np.concatenate([first[good], second[good]]))
        done += int(good.sum())
    return edges


def _allowed(new: np.ndarray, edges: np.ndarray, graph: Graph) -> np.ndarray:
    """Which of the pairs of new edges are no loops, and neither there already nor made twice."""
    loops = (new[..., 0] == new[..., 1]).any(axis=0)
    numbers = _keys(new.reshape(-1, 2), graph)
    _, back, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    twice = (counts[back] > 1).reshape(2, -1).any(axis=0)
    there = np.isin(numbers, _keys(edges, graph)).reshape(2, -1).any(axis=0)
    allowed: np.ndarray = ~(loops | twice | there)
    return allowed


def _keys(edges: np.ndarray, graph: Graph) -> np.ndarray:
    ends = edges if graph.directed else np.sort(edges, axis=1)
    keys: np.ndarray = ends[:, 0] * graph.n + ends[:, 1]
    return keys


def _others(taken: np.ndarray, total: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """So many of the numbers below the total, none of the taken ones, which are in growing order."""
    ranks = rng.choice(total - len(taken), count, replace=False)
    free_below = taken - np.arange(len(taken))
    return ranks + np.searchsorted(free_below, ranks, side="right")


def _pair_numbers(edges: np.ndarray, n: int, *, directed: bool) -> np.ndarray:
    """All possible edges numbered from 0 without gaps: row by row, or along the lower triangle."""
    a, b = edges.T
    numbers: np.ndarray = a * (n - 1) + b - (b > a) if directed else b * (b - 1) // 2 + a
    return numbers


def _pairs(numbers: np.ndarray, n: int, *, directed: bool) -> np.ndarray:
    if directed:
        a, rest = np.divmod(numbers, n - 1)
        return np.column_stack([a, rest + (rest >= a)])
    b = ((1 + np.sqrt(1 + 8 * numbers.astype(float))) // 2).astype(np.int64)
    b -= b * (b - 1) // 2 > numbers  # the square root of a large number may be off by one
    b += b * (b + 1) // 2 <= numbers
    return np.column_stack([numbers - b * (b - 1) // 2, b])
