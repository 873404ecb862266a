"""What an intruder may know of a person of a graph, as a record: values, neighbours, and the values of these."""

from collections.abc import Collection, Sequence

import numpy as np
from scipy import sparse

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.attribute import free_name
from sfumato.data.graph import Graph
from sfumato.graphs.mixed_profiles import commonest
from sfumato.graphs.structural_losses import local_clustering, undirected


def surroundings(graph: Graph, names: Sequence[str]) -> Table:
    """A record for each node: these attributes, and its surroundings.

    These are its degree, the mean degree of its neighbours, the share of pairs of neighbours who know each
    other, and of each attribute the mean of the neighbours, or the category that most of them have. Directions are
    ignored; who has no neighbours has no values of theirs.

    >>> from sfumato.datasets import profile_graph
    >>> surroundings(profile_graph(100, seed=1), ("location",)).names
    ('location', 'degree', 'degree of neighbours', 'closed pairs', 'location of neighbours')
    """
    plain = undirected(graph)
    links = sparse.csr_array(plain.adjacency).astype(float)
    degrees = plain.degrees.astype(float)
    counted = {
        "degree": degrees,
        "degree of neighbours": _means(links, degrees),
        "closed pairs": local_clustering(plain),
    }
    if set(names) & set(counted):
        raise DataError(f"{', '.join(counted)} are counted of each node: give columns of these names others.")
    attributes = [Attribute(name=name, scale="numeric", role="key", storage="real") for name in counted]
    columns = {**{name: graph.nodes[name] for name in names}, **counted}
    own = [graph.nodes.schema[name].evolve(role="key") for name in names]
    for attribute in own:
        told, values = _of_neighbours(attribute, columns), graph.nodes[attribute.name]
        attributes.append(told)
        columns[told.name] = (
            _means(links, values) if told.is_numeric else commonest(links, values, told.domain_size)
        )
    return Table(Schema([*own, *attributes]), columns)


def _of_neighbours(attribute: Attribute, taken: Collection[str]) -> Attribute:
    told = attribute.evolve(name=free_name(f"{attribute.name} of neighbours", taken), missing=())
    return told.evolve(decimals=None, storage="real") if told.is_numeric else told


def _means(links: sparse.csr_array, values: np.ndarray) -> np.ndarray:
    """The mean over the neighbours of each node whose value is known; NaN where there is none."""
    there = (~np.isnan(values)).astype(float)
    count = links @ there
    sums: np.ndarray = links @ np.nan_to_num(values)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)
