"""What an intruder guesses from public files alone: as they are, by sorting, by neighbours, by the codebook."""

from collections.abc import Iterator, Sequence

import numpy as np

from intruder.judgement import Cells, cells_of, column_of
from intruder.releases import Public
from sfumato.data import Table
from sfumato.data.graph import Graph

REACH = 4  # neighbours on either side

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
        for name, values in released.items():
            if name != what:
                for way, cells in by_neighbours({name: values[order]}):
                    yield f"{way}, by {what}", {name: cells[name][place]}
                for way, ordered in (("sorted", np.sort(values)), ("sorted down", np.sort(values)[::-1])):
                    yield f"{way}, by {what}", {name: ordered[place]}


def by_neighbours(ordered: Cells) -> Iterator[Guess]:
    """What the records around each one say, or only of those that break the order of the others."""
    yield "neighbours", {name: _of_neighbours(values) for name, values in ordered.items()}
    yield "odd ones", {name: _odd_mended(values) for name, values in ordered.items()}


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


def _around(values: np.ndarray) -> np.ndarray:
    """For each place the values at the places near it, in one row; those at the ends have the same ones."""
    at = np.arange(len(values))[:, None] + [d for d in range(-REACH, REACH + 1) if d]
    return values[np.clip(at, 0, len(values) - 1)]


def _of_neighbours(values: np.ndarray) -> np.ndarray:
    near = _around(values)
    if values.dtype.kind == "f":
        return np.nanmedian(near, axis=1) if not np.isnan(near).all(axis=1).any() else values
    codes = np.unique(values, return_inverse=True)
    return codes[0][_majority(codes[1].reshape(-1))[0]]


def _odd_mended(values: np.ndarray) -> np.ndarray:
    """Only those are changed that most of their neighbours contradict with one voice."""
    if values.dtype.kind == "f":
        return _of_neighbours(values)
    found, codes = np.unique(values, return_inverse=True)
    usual, votes = _majority(codes.reshape(-1))
    return found[np.where(votes >= REACH + 2, usual, codes.reshape(-1))]


def _majority(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most frequent code among the neighbours of each place, and how often it is there."""
    near = _around(codes)
    votes = np.stack([(near == code).sum(axis=1) for code in range(int(codes.max(initial=0)) + 1)])
    return votes.argmax(axis=0), votes.max(axis=0)
