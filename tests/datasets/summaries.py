"""What the generators make, in numbers that can be read: columns, how they hang together, and the shape of graphs.

Fingerprints (`test_generated.py`) tell that a record differs; these tell in what. Where a generator is changed on
purpose, write them anew, and read what differs:

    python tests/datasets/summaries.py --write [BEGINNING OF NAMES]
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np

from recorded import numbers, write
from sfumato import datasets
from sfumato.data import Table
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import preset

FOLDER = Path(__file__).with_name("summaries")
PEOPLE = 500  # records
MOST_WRITTEN = 12  # categories, of which each has its count


def summary(table: Table) -> Iterator[str]:
    """A line for each column, and one for its correlations with those before it."""
    yield f"{table.n} records of {len(table.schema)} columns"
    ranks = []
    for attribute in table.schema:
        values, missing = table[attribute.name], table.missing(attribute.name)
        present = values[~missing].astype(float)
        lost = f", {int(missing.sum())} missing" if missing.any() else ""
        if attribute.is_numeric:
            quantiles = np.quantile(present, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1])
            yield (
                f"{attribute.name}: mean and spread {numbers([present.mean(), present.std()])}, "
                f"quantiles {numbers(quantiles)}{lost}"
            )
        else:
            counts = np.bincount(values[~missing], minlength=attribute.domain_size)
            yield f"{attribute.name}: {_counts(counts)} of {attribute.domain_size} categories{lost}"
        ranks.append(np.where(missing, present.mean() if len(present) else 0.0, values))
    spread = [np.std(column) > 0 for column in ranks]
    varied = [name for name, varies in zip(table.schema.names, spread, strict=True) if varies]
    found = np.corrcoef([column for column, varies in zip(ranks, spread, strict=True) if varies])
    for place, name in enumerate(varied[1:], 1):
        yield f"{name} with those before: {numbers(found[place, :place])}"


def _counts(counts: np.ndarray) -> str:
    if len(counts) <= MOST_WRITTEN:
        return " ".join(map(str, counts))
    first = np.argsort(-counts, kind="stable")[:5]
    middle = (counts * np.arange(len(counts))).sum() / max(counts.sum(), 1)
    named = ", ".join(f"{counts[place]} in number {place}" for place in first)
    return f"{int((counts > 0).sum())} in use, mean number {numbers([middle])}, {named}"


def shape(graph: Graph) -> Iterator[str]:
    """How many friends nodes have, how often these are friends, and who is like them."""
    yield f"{graph.n} nodes, {graph.m} {'directed' if graph.directed else 'undirected'} edges"
    degrees = graph.degrees
    yield f"friends: mean and spread {numbers([degrees.mean(), degrees.std()])}, {_counts(np.bincount(degrees))}"
    linked = (graph.adjacency + graph.adjacency.T).astype(bool).astype(int)
    closed = (linked @ linked).multiply(linked).sum()
    paths = (linked.sum(axis=1) * (linked.sum(axis=1) - 1)).sum()
    yield f"friends of friends that are friends: {numbers([closed / paths])}"
    for name in ("location", "topic1", "topic2", "topic3"):
        values = graph.nodes[name]
        alike = np.mean(values[graph.edges[:, 0]] == values[graph.edges[:, 1]])
        yield f"friends alike in {name}: {numbers([alike])}"
    yield from summary(graph.nodes)


def generated(name: str) -> str:
    return "\n".join(summary(datasets.load(name, n=PEOPLE, seed=4)))


def census_pair(**given: float) -> str:
    pair = datasets.census_pair(2000, auxiliary_n=1500, areas=12, planted=2, seed=4, **given)
    files = [line for table in (pair.survey, pair.auxiliary) for line in summary(table)]
    return "\n".join([f"planted: {' '.join(pair.planted)}", *files])


CASES: Mapping[str, Callable[[], str]] = {
    **{
        name: partial(generated, name)
        for name in ("business_survey", "dependent_numbers", "household_survey", "housing", "random_numbers")
    },
    "census_pair": partial(census_pair, share=0.02),
    "census_pair-half_described": partial(census_pair, described=0.5, share=0.02),
    "profile_graph": lambda: "\n".join(shape(datasets.profile_graph(250, missing=0.1, seed=4))),
    "profile_graph-directed": lambda: "\n".join(shape(datasets.profile_graph(250, directed=True, seed=4))),
    "profile_graph-small": lambda: "\n".join(shape(preset("small", seed=4))),
}


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word != "--write"]
    if "--write" in sys.argv:
        write(FOLDER, CASES, *options)
