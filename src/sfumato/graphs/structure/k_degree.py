"""k-degree anonymity: edges are added or moved until every degree is shared by at least k nodes."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data.graph import Graph
from sfumato.graphs.structure._contract import StructureMethod
from sfumato.graphs.structure._edge_moves import joined, moved
from sfumato.kernels.degree_groups import anonymous_degrees, filled


class KDegree(StructureMethod):
    """Who knows only how many neighbours a person has finds at least k candidates.

    Two steps. First the degrees, in falling order, are cut into groups of at least k that become alike, at the
    least sum of changes (dynamic programming, n·k steps). Then edges are laid to reach them.

    With `how="add"` a group takes its largest degree and edges are only added. The node that wants most is
    joined to those that want most after it and are not yet its neighbours; where two nodes that want an edge
    have one already, an added edge c–d becomes a–c and b–d. If the sum of the degrees is odd, the cheapest
    change that keeps groups of k makes it even. Where some nodes find no partner, as in a star, the lowest
    degrees are raised a little and both steps are done anew; raised far enough, every graph succeeds, since
    in a complete graph all degrees are the same.

    With `how="move"` a group takes its middle degree, and an edge a–c of a node with too many becomes b–c of
    one with too few. This changes fewer edges, and does not tie all nodes of high degree to each other. What
    cannot be reached by moving is then done by adding.

    Source: Liu & Terzi (2008), *Towards identity anonymization on graphs*; Marés, *thesis*, §2.6.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45, 27, 52]}))
    >>> star = Graph(people, [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)])
    >>> star.degrees.tolist()
    [4, 1, 1, 1, 2, 1]
    >>> KDegree(k=2).apply(star, np.random.default_rng(1)).degrees.tolist()
    [4, 4, 2, 2, 2, 2]
    """

    for_users: ClassVar[Advice] = Advice(
        done="Links were added, or moved, until several people share each number of links.",
        effect="People have about as many links as before, and somewhat more where links were added; "
        "paths become shorter, and clustering changes.",
        remedy="Use averages over many people, and do not interpret who is linked with whom, the "
        "best-connected people or single paths.",
    )

    k: int = param(default=5, low=1, help="how many nodes share each degree, at least")
    how: str = param(
        default="add", choices=("add", "move"), help="only add edges, or move some from node to node"
    )

    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        self.enough_nodes(graph, self.k)
        if self.how == "move":
            graph = moved(graph, anonymous_targets(graph.degrees, self.k, middle=True), rng)
        return self._added_to(graph, rng)

    def _added_to(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        extra = 0
        while True:
            wanted = anonymous_targets(_raised(graph.degrees, extra), self.k) - graph.degrees
            if not wanted.any():
                return graph.edges
            added = filled(graph.indptr, graph.indices, wanted, rng.permutation(graph.n))
            edges, unplaced = joined(graph.edges, added, wanted, rng)
            if not unplaced:
                return edges
            extra += max(extra, unplaced)


def anonymous_targets(degrees: np.ndarray, k: int, *, middle: bool = False) -> np.ndarray:
    """The degree each node is to have: least raised or changed, shared by at least k, and of an even sum."""
    falling = np.argsort(-degrees, kind="stable")
    targets = np.empty(len(degrees), np.int64)
    targets[falling] = anonymous_degrees(degrees[falling].astype(np.int64), k, middle)
    return _of_even_sum(targets, degrees, k) if targets.sum() % 2 else targets


def _of_even_sum(targets: np.ndarray, degrees: np.ndarray, k: int) -> np.ndarray:
    """Move one node to a degree that others have, or raise a whole group by one, whichever costs less.

    An odd sum means that a group of odd size has an odd degree, so that there is always one to raise.
    """
    values, sizes = (found.tolist() for found in np.unique(targets, return_counts=True))
    choices = [
        (size, value, value + 1, size)
        for value, size in zip(values, sizes, strict=True)
        if size % 2 and value < len(targets) - 1
    ]
    choices += [
        (higher - value, value, higher, 1)
        for value, higher, size in zip(values, values[1:], sizes, strict=False)
        if size > k and (higher - value) % 2
    ]
    _, value, new, count = min(choices)
    group = np.flatnonzero(targets == value)
    moved = targets.copy()
    moved[group[np.argsort(-degrees[group], kind="stable")][:count]] = new
    return moved


def _raised(degrees: np.ndarray, extra: int) -> np.ndarray:
    """So many units more, one for each node from the lowest degree upwards and again from the start."""
    n = len(degrees)
    more = np.full(n, extra // n)
    more[np.argsort(degrees, kind="stable")[: extra % n]] += 1
    raised: np.ndarray = np.minimum(degrees + more, n - 1)
    return raised
