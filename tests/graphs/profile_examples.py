"""The worked example of Figures 6.2 to 6.8, and random profiles."""

import numpy as np

from sfumato.data import Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.data.places import Places

TOPICS = ("Technology", "Politics", "Sports", "Religion", "Culture", "Weather")
COLUMNS = ("topic1", "topic2", "topic3")


def schema(topics=TOPICS):
    places = Places.shipped().attribute()
    return Schema(
        [places, *(Attribute(name=name, scale="nominal", role="key", categories=topics) for name in COLUMNS)]
    )


def people(rows):
    """A table from rows of a place and three topics."""
    declared = schema()
    columns = zip(*rows, strict=True)
    return Table(
        declared,
        {
            attribute.name: [attribute.categories.index(value) if value else -1 for value in column]
            for attribute, column in zip(declared, columns, strict=True)
        },
    )


def example():
    """Three users; the second one is linked with the others (Figure 6.5)."""
    rows = (
        ("Washington DC", "Politics", "Technology", "Culture"),
        ("United States", "Technology", "Sports", "Religion"),
        ("New York City", "Technology", "Politics", "Weather"),
    )
    return Graph(people(rows), [(0, 1), (1, 2)])


def random_graph(n, seed=0, *, links=2, missing=0.1, directed=False):
    rng = np.random.default_rng(seed)
    declared = schema()
    sizes = [attribute.domain_size for attribute in declared]
    columns = {}
    for name, size in zip(declared.names, sizes, strict=True):
        values = rng.integers(0, min(size, 40), n)
        values[rng.random(n) < missing] = -1
        columns[name] = values
    edges = rng.integers(0, n, (links * n, 2)) if n else np.empty((0, 2))
    return Graph(Table(declared, columns), edges, directed=directed)
