"""Neighbourhoods that are still found: the disclosure risk of a protected social graph."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.data.graph import Graph
from sfumato.graphs.profile_distances import common_codes
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.ego_signatures import ego_signatures
from sfumato.parallel.threads import in_blocks

BLOCK = 4096


def found_neighbourhoods(
    original: Graph, masked: Graph, known: Mapping[str, Sequence[str]]
) -> dict[str, np.ndarray]:
    """Which nodes have a neighbourhood that is found somewhere in the masked graph, for each set of attributes.

    The neighbourhood of a node is the node itself, its neighbours, the values of all of them in those
    attributes, and the links among them. It is found where a node of the masked graph has the same one,
    whatever the order of the nodes (eq. 6.10 of Marés, *thesis*). A missing value is a value like others.

    Neighbourhoods are compared by signatures of 64 bits (see `kernels.ego_signatures`), so that the work grows
    with the links and not with the square of the nodes. Equal neighbourhoods have equal signatures. Different
    ones are told apart unless the links among the neighbours form connected graphs that refining colours
    cannot tell apart, such as two regular ones with all values alike: then the node counts as found, and
    the risk is never too small. In directed graphs the neighbours are those on either end of a link.

    >>> from sfumato.data import Attribute, Schema
    >>> topic = Attribute(name="topic", scale="nominal", categories=("sports", "health"))
    >>> before = Graph(Table(Schema([topic]), {"topic": np.int8([0, 0, 1])}), [(0, 1), (1, 2)])
    >>> after = before.with_nodes(before.nodes.replace({"topic": np.int8([0, 0, 0])}))
    >>> found_neighbourhoods(before, after, {"topic": ["topic"]})["topic"].tolist()
    [True, False, False]
    """
    if original.directed != masked.directed:
        raise DataError("Both graphs must be directed, or both undirected.")
    columns = [_colours(original.nodes, masked.nodes, names) for names in known.values()]
    colours = np.array(columns, np.uint64).reshape(len(columns), original.n + masked.n)
    before = _signatures(original, colours[:, : original.n])
    after = _signatures(masked, colours[:, original.n :])
    return {name: np.isin(before[:, row], after[:, row]) for row, name in enumerate(known)}


def disclosure_risk(original: Graph, masked: Graph, known: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The share of nodes whose neighbourhood is still found, for each set of attributes (eq. 6.9)."""
    found = found_neighbourhoods(original, masked, known)
    return {name: float(nodes.mean()) if len(nodes) else 0.0 for name, nodes in found.items()}


def _colours(original: Table, masked: Table, names: Sequence[str]) -> np.ndarray:
    """One number per combination of values, for the nodes of both graphs in a row."""
    if not names:
        return np.zeros(original.n + masked.n, np.int64)
    return distinct([np.concatenate(common_codes(original, masked, name)) for name in names]).labels


def _signatures(graph: Graph, colours: np.ndarray) -> np.ndarray:
    links = graph.adjacency
    both = sparse.csr_array(links + 2 * links.T) if graph.directed else links
    both.sort_indices()
    kinds, colours = both.data.astype(np.uint64), np.ascontiguousarray(colours)

    def signed(first: int, end: int) -> np.ndarray:
        return ego_signatures(both.indptr, both.indices, kinds, colours, first, end)

    return in_blocks(signed, graph.n, BLOCK)
