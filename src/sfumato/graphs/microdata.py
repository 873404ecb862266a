"""Microdata of a graph: one record per node, with its degree and its attributes, as any table."""

from collections.abc import Iterable

import numpy as np

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.graph import Graph

DEGREE = "degree"


def microdata(graph: Graph, attributes: Iterable[str] | None = None) -> Table:
    """The degree of each node, and the attributes named or else all but identifiers.

    The degree makes records differ that were alike as nodes: the nodes of a protected graph may be k-anonymous
    and these records not, so they are to be protected and judged anew. In a directed graph it counts the edges
    that leave and those that arrive. Missing values, hierarchies and roles are those of the nodes.

    Source: Marés, *thesis*, §6.2.2.

    >>> from sfumato.datasets import profile_graph
    >>> table = microdata(profile_graph(100, seed=1))
    >>> table, table.names
    (Table(100 records × 5 attributes), ('degree', 'location', 'topic1', 'topic2', 'topic3'))
    """
    nodes = graph.nodes
    released = (attribute.name for attribute in nodes.schema if attribute.role != "identifier")
    chosen = tuple(released if attributes is None else attributes)
    if DEGREE in chosen:
        raise DataError(f"Column {DEGREE} is there already: rename it, or leave it out.")
    kept = nodes.select(chosen)
    degree = Attribute(name=DEGREE, scale="numeric", role="key", storage="integer", decimals=0, low=0.0)
    degrees = np.bincount(graph.edges.ravel(), minlength=graph.n)
    reasons = {name: kept.reasons(name) for name in chosen}
    return Table(
        Schema([degree, *kept.schema]),
        {DEGREE: degrees, **{name: kept[name] for name in chosen}},
        reasons={name: why for name, why in reasons.items() if why is not None},
    )
