"""Intruders who know the structure around a person: candidate sets, and which nodes stand out."""

from collections.abc import Iterator

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data.graph import Graph

BUCKETS = {"0": (0, 0), "1": (1, 1), "2-4": (2, 4), "5-10": (5, 10), "11-20": (11, 20), ">20": (21, np.inf)}
"""Sizes of candidate sets, as they are reported."""


class CandidateRisk(Result):
    """How many nodes of the released graph answer to what an intruder knows about each original node."""

    query: int
    """How far the knowledge reaches: 1 is the degree, 2 the degrees of the neighbours, and so on."""
    sizes: np.ndarray
    contains: np.ndarray
    """Whether the node itself, in the released graph, is among its candidates."""

    @property
    def buckets(self) -> dict[str, float]:
        """The percent of nodes whose candidate set has so many nodes; "0" is nobody at all."""
        n = max(len(self.sizes), 1)
        return {
            name: 100 * int(((self.sizes >= low) & (self.sizes <= high)).sum()) / n
            for name, (low, high) in BUCKETS.items()
        }

    @property
    def success(self) -> float:
        """The percent of nodes found by who picks one of the candidates at random."""
        found = np.where(self.contains, 1 / np.maximum(self.sizes, 1), 0.0)
        return float(100 * found.sum() / max(len(found), 1))

    def to_dict(self) -> dict[str, object]:
        """The query, the share of nodes in each bucket, and the success of a guess; no sets of single nodes."""
        return {"query": self.query, "success": self.success, **self.buckets}


def candidate_risk(original: Graph, released: Graph, *, depth: int = 3) -> tuple[CandidateRisk, ...]:
    """The risk under the vertex-refinement queries H1 to H`depth`, one after the other.

    H1(x) is the degree of x, H2(x) the degrees of its neighbours, Hi(x) the multiset of Hi−1 of its
    neighbours; in a directed graph, of those it points to and, apart, of those that point to it. The intruder
    knows the answer in the original graph; the candidates for x are the nodes that give it in the released
    one. Node numbers are those of the data holder: an intruder sees them in any order.

    Source: Hay et al. (2007), *Anonymizing social networks*; Marés, *thesis*, §2.6.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45]}))
    >>> path = Graph(people, [(0, 1), (1, 2), (2, 3)])
    >>> [risk.success for risk in candidate_risk(path, path, depth=2)]
    [50.0, 50.0]
    """
    if original.n != released.n or original.directed != released.directed:
        raise DataError(
            "Both graphs must have the same nodes, and both or none be directed. "
            f"Got {original.n} and {released.n} nodes."
        )
    found = []
    for query, (known, seen) in zip(range(1, depth + 1), refinements(original, released), strict=False):
        counts = np.bincount(seen, minlength=int(max(known.max(initial=0), seen.max(initial=0))) + 1)
        found.append(CandidateRisk(query=query, sizes=counts[known], contains=known == seen))
    return tuple(found)


def refinements(*graphs: Graph) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers of all nodes to H1, H2, … as small numbers that mean the same in all graphs; without end.

    A multiset is summed up by the sum of 64-bit numbers, one for each of its members: of a hundred thousand
    nodes, two that differ take the same number with a chance below one in a thousand million.
    """
    answers: tuple[np.ndarray, ...] = tuple(np.zeros(graph.n, np.int64) for graph in graphs)
    while True:
        sums = [_around(graph, _scrambled(a)) for graph, a in zip(graphs, answers, strict=True)]
        numbers = np.unique(np.concatenate(sums), return_inverse=True)[1]
        answers = tuple(np.split(numbers, np.cumsum([graph.n for graph in graphs])[:-1]))
        yield answers


def entropy_importance(graph: Graph) -> np.ndarray:
    """How many bits the entropy of a graph falls when a node is removed; the nodes that stand out have most.

    The entropy is that of the node at a randomly drawn end of an edge, −Σ p log₂ p with p = d / 2m. Directions
    are ignored. All nodes are done at once: removing one changes only its own term, its neighbours' and m.
    Source: after Shetty & Adibi (2005), *Discovering important nodes through graph entropy*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45]}))
    >>> entropy_importance(Graph(people, [(0, 1), (0, 2), (0, 3), (1, 2)])).round(3).tolist()
    [0.906, 0.406, 0.406, 0.321]
    """
    plain = Graph(graph.nodes, graph.edges)
    degrees = plain.degrees.astype(float)
    term, term_less = _times_log(degrees), _times_log(np.maximum(degrees - 1, 0))
    rest = term.sum() - term - _sums(plain.indptr, plain.indices, term - term_less)
    ends = 2.0 * (plain.m - degrees)
    before = _entropy(np.array([term.sum()]), np.array([2.0 * plain.m]))
    found: np.ndarray = before - _entropy(rest, ends)
    return found


def _entropy(sums: np.ndarray, ends: np.ndarray) -> np.ndarray:
    some = np.maximum(ends, 1)
    return np.where(ends > 0, np.log2(some) - sums / some, 0.0)


def _times_log(degrees: np.ndarray) -> np.ndarray:
    found: np.ndarray = degrees * np.log2(np.maximum(degrees, 1))
    return found


def _around(graph: Graph, values: np.ndarray) -> np.ndarray:
    sums = _sums(graph.indptr, graph.indices, values)
    if graph.directed:
        back = graph.adjacency.tocsc()
        sums = _scrambled(sums) + _sums(back.indptr, back.indices, values)
    return sums


def _sums(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The sum of the values of each node's neighbours; whole numbers may run over, which loses nothing."""
    before = np.concatenate([np.zeros(1, values.dtype), np.cumsum(values[indices], dtype=values.dtype)])
    sums: np.ndarray = before[indptr[1:]] - before[indptr[:-1]]
    return sums


def _scrambled(values: np.ndarray) -> np.ndarray:
    """A 64-bit number for each value that looks random (splitmix64)."""
    z = (values.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
