"""An intruder who knows a few nodes of a released graph, and goes from them to the others."""

import numpy as np

from sfumato.core import DataError
from sfumato.data.graph import Graph
from sfumato.graphs.structural_losses import undirected
from sfumato.kernels.percolation import Sides, percolated

LEAST = (
    1  # marks that a pair needs to be matched; with two, 20 known nodes lead nowhere in many sparse graphs
)
MOST = 20_000_000
"""Marks after which an attack on a large graph ends; each takes some bytes of memory."""


def propagated(original: Graph, released: Graph, seeds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each node of the original the released node that the intruder takes it for; −1 where she takes none.

    She knows the original graph and where the `seeds` are in the released one. That a known neighbour here is the known
    neighbour there is a mark that two nodes are the same; the pair with most marks is taken for the same and known from
    then on; of equals, the one whose degrees differ least. So she also takes doubtful pairs, once there is nothing
    better: what is taken wrongly does not count against her. Directions are ignored. Node i of the release is node
    i of the original; the intruder sees them in a random order.

    Source: Korula & Lattanzi (2014), *An efficient reconciliation algorithm for social networks*; that doubtful pairs
    lead on as Kazemi, Hassani & Grossglauser (2015), *Growing a graph matching from a handful of seeds*, have it;
    the attack is that of Narayanan & Shmatikov (2009).

    >>> from sfumato.datasets import profile_graph
    >>> graph, rng = profile_graph(200, seed=1), np.random.default_rng(1)
    >>> seeds = best_known(graph, 10)
    >>> bool((propagated(graph, graph, seeds, rng) == np.arange(200)).mean() > 0.5)
    True
    """
    if original.n != released.n:
        raise DataError(f"Both graphs must have the same nodes. Got {original.n} and {released.n}.")
    order = rng.permutation(released.n)
    one, other = undirected(original), undirected(released).take(order)
    place = np.argsort(order)
    pairs = np.column_stack([seeds, place[seeds]]).astype(np.int64)
    sides = Sides(*(array.astype(np.int64) for g in (one, other) for array in (g.indptr, g.indices)))
    found = percolated(sides, pairs, LEAST, MOST)
    taken: np.ndarray = np.where(found < 0, -1, order[found])
    return taken


def best_known(graph: Graph, count: int) -> np.ndarray:
    """The nodes with most neighbours, which are those that an intruder is most likely to know."""
    return np.argsort(-undirected(graph).degrees, kind="stable")[:count]
