"""k-neighbourhood anonymity: edges change until every node's neighbourhood looks like k − 1 others."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, param, progress
from sfumato.data.graph import Graph
from sfumato.graphs.edge_changes import edge_changes
from sfumato.graphs.structural_losses import clustering
from sfumato.graphs.structure._alignment import Alignment, Changes, Workshop
from sfumato.graphs.structure._contract import StructureMethod
from sfumato.kernels.alike_neighbourhoods import Wanted, annealed
from sfumato.kernels.degree_groups import anonymous_degrees
from sfumato.kernels.random_draws import seed_from, state_from

NEAREST = 4  # classes already anonymous that a node may join
PATIENCE = 2  # rounds per node in which edges come and go; then they only go, which has an end

GROWTH, SMALL = 3, 100  # beyond so many times its edges, and some, a graph is no longer the same

SEARCHED = 600
"""Up to so many nodes, edges are searched for; in larger graphs neighbourhoods are aligned one after the other."""
MOVES = 300_000
"""Flips tried in one search of a graph of 30 to 100 nodes; fewer in smaller ones, and where a flip costs more."""
INSIDE = (
    0.9  # the search stays within so much of what clustering may change by, as the last repairs change it too
)


class KNeighbourhood(StructureMethod):
    """Who knows a person's neighbours, and which of them know each other, finds at least k candidates.

    The 1-neighbourhood of a node is the graph of its neighbours and the edges among them; in the protected
    graph each is isomorphic to those of at least k − 1 other nodes (`neighbourhood_classes` checks it).

    In graphs of up to 600 nodes the fewest edges are searched for by simulated annealing: edges near nodes that are
    not anonymous come and go, at the price of an edge each, and what lies between a neighbourhood and the (k − 1)-th
    most like it costs more and more. Clustering, the share of paths of two edges that close to a triangle, stays
    within `clustering` percent of what it was if the search finds a way. Of several `tries` the best counts: first one
    that keeps clustering, then one with the fewest changes. No proof is given that fewer would not do.

    What the search leaves, and larger graphs, are aligned greedily: the node of the highest degree that is not yet
    anonymous is taken with the k − 1 nodes most like it, by degree and edges among neighbours. Their neighbourhoods are
    laid over each other, equal parts first and the rest by degree. Edges among neighbours stay where all have them;
    where neighbours are wanting, nodes of low degree from outside become some. If it changes less, the node alone is
    fitted to a class that is anonymous already. After two rounds per node, edges are only removed, so that it ends.
    This serves sparse graphs of a few thousand nodes, and takes most triangles of others.

    With `only_add`, as published, no edge is removed. A complete graph is anonymous, so this ends too, but may come
    near it: a graph that would have more than thrice its edges is refused. How many edges must be added at least
    is known: as many as make the degrees anonymous, since alike neighbourhoods have equal sizes. Hubs make it hard: no
    other node has as many neighbours, and each edge among these changes the neighbourhoods of both its ends. So searches
    also begin from graphs in which the nodes of highest degree, k or a few more, know everybody. Such nodes are alike and
    stay so whatever is added, and two others are alike in the graph if they are alike without them: only these
    are searched for. Clustering rises by this, mostly beyond what was asked.

    Source: Zhou & Pei (2008), *Preserving privacy in social networks against neighborhood attacks*; here for
    nodes without labels; the search and removing edges are ours. Marés, *thesis*, §2.6.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> from sfumato.graphs.neighbourhoods import neighbourhood_classes
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45, 27]}))
    >>> graph = Graph(people, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])
    >>> masked = KNeighbourhood(k=2).apply(graph, np.random.default_rng(1))
    >>> bool(np.bincount(neighbourhood_classes(masked)).min() >= 2)
    True
    """

    for_users: ClassVar[Advice] = Advice(
        done="Links were removed and added until several people have the same pattern of links around them.",
        effect="Links among the acquaintances of a person are fewer or more than they were, and so is "
        "clustering.",
        remedy="Use averages over many people, and do not interpret triangles, clustering or who is "
        "linked with whom.",
    )

    k: int = param(default=3, low=1, help="how many nodes have the same neighbourhood, at least")
    only_add: bool = param(default=False, help="remove no edge, even if many more must be added")
    clustering: float = param(
        default=20.0, low=0, help="percent by which clustering may change, where a way is found"
    )
    tries: int = param(default=3, low=0, help="searches for the fewest changes; 0 aligns without a search")

    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        self.enough_nodes(graph, self.k)
        if self.k == 1 or not Workshop(graph, rng).rarer_than(self.k):
            return graph.edges
        found = [self._aligned(graph, begun, rng) for begun in self._searched(graph, rng)]
        if self.only_add and self.tries and graph.n <= SEARCHED:
            found += self._lifted(graph, rng)
        if all(made is None for made in found):
            raise DataError(self._too_many(graph))
        return min(
            (made for made in found if made is not None), key=lambda made: self._price(graph, made)
        ).edges

    def _searched(self, graph: Graph, rng: np.random.Generator, *, whole: bool = True) -> list[Graph]:
        """What searches came to, from which greedy alignments go on; the graph itself where nothing is searched."""
        if not self.tries or graph.n > SEARCHED:
            return [graph]
        joined = graph.adjacency.toarray().astype(bool)
        state = state_from(seed_from(rng))
        gentle, hard = self._wanted(graph, whole)
        tries = self.tries if whole else 1
        with progress.task("Searching for alike neighbourhoods", tries) as work:
            found = []
            for _ in range(tries):
                found.append(annealed(joined, joined, gentle, state))
                work.advance()
        if all(short for _, short in found):
            found.append(annealed(joined, joined, hard, state))
        least = min(short for _, short in found)
        return [graph.with_edges(np.argwhere(np.triu(best))) for best, short in found if short == least]

    def _lifted(self, graph: Graph, rng: np.random.Generator) -> Iterator[Graph]:
        """Graphs in which so many nodes know everybody, and the others are alike without them."""
        falling = rng.permutation(graph.n)
        falling = falling[np.argsort(-graph.degrees[falling], kind="stable")]
        for more in range(self.tries):
            hubs, rest = falling[: self.k + more], np.sort(falling[self.k + more :])
            lifted = np.zeros((graph.n, graph.n), bool)
            lifted[hubs] = lifted[:, hubs] = True
            known = np.isin(graph.edges, hubs).any(axis=1)
            added = np.count_nonzero(np.triu(lifted, 1)) - np.count_nonzero(known)
            if len(rest) < self.k or added > (GROWTH - 1) * graph.m + SMALL:
                return
            part = _among(graph, rest)
            found = [self._aligned(part, begun, rng) for begun in self._searched(part, rng, whole=False)]
            for alike in (made for made in found if made is not None):
                joined = lifted.copy()
                joined[rest[alike.edges[:, 0]], rest[alike.edges[:, 1]]] = True
                np.fill_diagonal(joined, False)
                yield graph.with_edges(np.argwhere(np.triu(joined | joined.T)))

    def _wanted(self, graph: Graph, whole: bool) -> tuple[Wanted, Wanted]:
        """What is searched for at a low price, and at a higher one where that fails; clustering is that of the whole."""
        share, off = clustering(graph)[0], INSIDE * self.clustering / 100
        moves = int(MOVES * min(1, graph.n / 30, 100 / graph.n))
        gentle = Wanted(
            self.k,
            self.only_add,
            share * (1 - off) if whole else 0.0,
            share * (1 + off) if whole else 1.0,
            moves,
            heat=1.0,
            ease=0.7,
            pressure=2.5,
        )
        return gentle, gentle._replace(moves=2 * moves, heat=1.5, ease=1.0, pressure=4.0)

    def _price(self, graph: Graph, made: Graph) -> tuple[float, float]:
        """By how much clustering changes more than it may, then how many edges change."""
        before, after = clustering(graph)[0], clustering(made)[0]
        return max(abs(after - before) - self.clustering / 100 * before, 0.0), edge_changes(graph, made).share

    def _aligned(self, original: Graph, begun: Graph, rng: np.random.Generator) -> Graph | None:
        """The graph in which every node is anonymous; none where adding alone makes too many edges."""
        shop, rounds = Workshop(begun, rng), 0
        while pending := shop.rarer_than(self.k):
            changes = Changes(adds=self.only_add or rounds < PATIENCE * begun.n, removes=not self.only_add)
            self._step(shop, pending, changes)
            rounds += 1
            if self.only_add and shop.m > GROWTH * original.m + SMALL:
                return None
        return original.with_edges(shop.edges())

    def _too_many(self, graph: Graph) -> str:
        falling = -np.sort(-graph.degrees.astype(np.int64))
        least = -int(
            (falling - anonymous_degrees(falling, self.k, False)).sum() // 2
        )  # each edge has two ends
        return (
            f"k_neighbourhood: only adding edges makes more than {GROWTH} times as many of them in this graph by every "
            f"way that was found (degrees alone need at least {least} more than {graph.m}). "
            "Allow removals (only_add = false), or choose a smaller k."
        )

    def _step(self, shop: Workshop, pending: set[int], changes: Changes) -> None:
        seed = max(pending, key=lambda node: (shop.degree(node), node))
        group = shop.nearest(seed, pending - {seed}, self.k - 1)
        group += shop.nearest(seed, shop.everybody - pending - {seed}, self.k - 1 - len(group))
        best = Alignment(shop, [seed, *group], changes)
        helped = len(pending.intersection([seed, *group]))
        models = shop.models(self.k, shop.degree(seed)) if changes.adds else set()
        for model in shop.nearest(seed, models, NEAREST):
            fit = Alignment(shop, [model, seed], changes, leads=True)
            if fit.allowed and fit.cost * helped <= best.cost:
                best, helped = fit, 1
        best.lay(pending)


def _among(graph: Graph, rows: np.ndarray) -> Graph:
    """Some of the nodes, with the edges among them."""
    place = np.full(graph.n, -1)
    place[rows] = np.arange(len(rows))
    edges = place[graph.edges]
    return Graph(graph.nodes.take(rows), edges[(edges >= 0).all(axis=1)])
