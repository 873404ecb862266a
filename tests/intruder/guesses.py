"""What an intruder guesses from public files alone: as they are, by sorting, by neighbours, by the codebook."""

from collections.abc import Iterator, Sequence

import numpy as np

from intruder.judgement import Cells, cells_of, column_of
from intruder.releases import Public
from sfumato.data import Table
from sfumato.data.graph import Graph

REACHES = (4, 15)  # neighbours on either side
FEW = REACHES[0]

Guess = tuple[str, Cells]


def without_the_program(public: Public, names: Sequence[str]) -> Iterator[Guess]:
    """The file as it is, and the most usual value of each column."""
    released = cells_of(public.table, names)
    yield "as it is", released
    yield "most usual", {name: np.full_like(values, _usual(values)) for name, values in released.items()}


def by_order(public: Public, names: Sequence[str]) -> Iterator[Guess]:
    """Sorted again, and as the neighbours say: in the order of the file and of each column in it.

    A file is often sorted by place, by household, or by when people answered; a masked cell that breaks the order, or
    differs from all its neighbours, gives itself away.
    """
    released = cells_of(public.table, names)
    for what, order in orders(public):
        place = np.argsort(order)
        for way, cells in in_this_order({n: v[order] for n, v in released.items() if n != what}):
            yield f"{way}, by {what}", {name: values[place] for name, values in cells.items()}


def in_this_order(ordered: Cells) -> Iterator[Guess]:
    """What the neighbours of each record say; and, as if the file had been sorted by it, each column sorted again."""
    yield from by_neighbours(ordered)
    rising = {name: np.sort(values) for name, values in ordered.items()}
    yield "sorted", rising
    yield "sorted down", {name: values[::-1] for name, values in rising.items()}


def by_neighbours(ordered: Cells) -> Iterator[Guess]:
    """What the records around each one say, or only of those that most of them contradict with one voice."""
    for reach in REACHES:
        near = {name: _of_neighbours(values, reach) for name, values in ordered.items()}
        yield f"{2 * reach} neighbours", {name: usual for name, (usual, _) in near.items()}
        yield (
            f"odd ones among {2 * reach}",
            {name: np.where(sure, usual, ordered[name]) for name, (usual, sure) in near.items()},
        )


def by_codebook(public: Public, names: Sequence[str]) -> Iterator[Guess]:
    """A category that no record has is that of the cells that were suppressed; a bound is somebody's value."""
    table = public.table
    for name in names:
        attribute, values = table.schema[name], column_of(table, name)
        if attribute.is_numeric:
            for bound in (attribute.low, attribute.high):
                if bound is not None:
                    yield "a bound", {name: np.where(np.isnan(values), bound, values)}
            continue
        for category in _unused(table, name):
            yield "an unused category", {name: np.where(values == "", category, values)}
        for whole, parts in attribute.covers.items():
            for part in parts:
                yield "a covered category", {name: np.where(values == whole, part, values)}


def orders(public: Public) -> Iterator[tuple[str, np.ndarray]]:
    """Rows of the release in every order that it shows: that of the file, of each column, and of edges."""
    table = public.table
    yield "the file", np.arange(table.n)
    for name in table.names:
        yield name, np.argsort(column_of(table, name), kind="stable")
    if public.is_graph:
        yield "edges", np.argsort(_first_edges(public.graph), kind="stable")


def _first_edges(graph: Graph) -> np.ndarray:
    """Where each node is first met in the list of edges."""
    first = np.full(graph.n, graph.m)
    for at in range(graph.m - 1, -1, -1):
        first[graph.edges[at]] = at
    return first


def _unused(table: Table, name: str) -> list[str]:
    used = set(table[name].tolist())
    return [category for code, category in enumerate(table.schema[name].categories) if code not in used]


def _usual(values: np.ndarray) -> object:
    if values.dtype.kind == "f":
        return np.nanmedian(values) if not np.isnan(values).all() else np.nan
    found, counts = np.unique(values[values != ""], return_counts=True)
    return found[np.argmax(counts)] if len(found) else ""


def _of_neighbours(values: np.ndarray, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """The most frequent category, or the median, of so many on either side; and where two thirds agree."""
    n = len(values)
    if values.dtype.kind == "f":
        at = np.arange(n)[:, None] + [d for d in range(-FEW, FEW + 1) if d]
        near = np.sort(values[np.clip(at, 0, n - 1)], axis=1)
        return near[:, FEW - 1], np.ones(n, bool)
    found, codes = np.unique(values, return_inverse=True)
    start, stop = np.maximum(np.arange(n) - reach, 0), np.minimum(np.arange(n) + reach + 1, n)
    votes = np.zeros((n + 1, len(found)), np.int32)
    votes[np.arange(n) + 1, codes] = 1
    votes = np.cumsum(votes, axis=0, dtype=np.int32)
    votes = votes[stop] - votes[start]
    votes[np.arange(n), codes] -= 1  # itself has no say
    return found[votes.argmax(axis=1)], votes.max(axis=1) * 3 >= (stop - start - 1) * 2
