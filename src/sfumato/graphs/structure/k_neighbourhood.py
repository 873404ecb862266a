"""k-neighbourhood anonymity: edges change until every node's neighbourhood looks like k − 1 others."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, param
from sfumato.data.graph import Graph
from sfumato.graphs.structure._alignment import Alignment, Changes, Workshop
from sfumato.graphs.structure._contract import StructureMethod

NEAREST = 4  # classes already anonymous that a node may join
PATIENCE = 2  # rounds per node in which edges come and go; then they only go, which has an end

GROWTH, SMALL = 3, 100  # beyond so many times its edges, and some, a graph is no longer the same


class KNeighbourhood(StructureMethod):
    """Who knows a person's neighbours, and which of them know each other, finds at least k candidates.

    The 1-neighbourhood of a node is the graph of its neighbours and the edges among them; in the protected
    graph each is isomorphic to those of at least k − 1 other nodes (`neighbourhood_classes` checks it). Greedy:
    the node of the highest degree that is not yet anonymous is taken with the k − 1 nodes most like it, by
    degree and edges among neighbours. Their neighbourhoods are laid over each other, equal parts first and
    the rest by degree. Edges among neighbours stay where all have them; where neighbours are wanting, nodes of
    low degree from outside become some. If it changes less, the node alone is fitted to a class that is
    anonymous already. Each change may spoil other neighbourhoods, which are then done again; after two rounds
    per node, edges are only removed, so that it ends.

    With `only_add`, as published, all neighbourhoods receive the edges of any. This ends at the latest with a
    complete graph, and comes near it where neighbourhoods overlap: a graph that would have more than thrice
    its edges is refused. Removing edges serves sparse graphs of a few thousand nodes; where most edges are in triangles
    it removes many of them. The structural losses tell.

    Source: Zhou & Pei (2008), *Preserving privacy in social networks against neighborhood attacks*; here for
    nodes without labels; removing edges is ours. Marés, *thesis*, §2.6.

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

    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        self.enough_nodes(graph, self.k)
        shop, rounds = Workshop(graph, rng), 0
        while pending := shop.rarer_than(self.k):
            changes = Changes(adds=self.only_add or rounds < PATIENCE * graph.n, removes=not self.only_add)
            self._step(shop, pending, changes)
            rounds += 1
            if self.only_add and shop.m > GROWTH * graph.m + SMALL:
                raise DataError(
                    f"k_neighbourhood: only adding edges makes more than {GROWTH} times as many of them in this "
                    "graph. Allow removals (only_add = false), or choose a smaller k."
                )
        return shop.edges()

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
