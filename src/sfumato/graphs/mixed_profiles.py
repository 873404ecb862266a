"""Profiles of any attributes: how far apart two are, and what a cluster of them releases."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from sfumato.data import MISSING, Attribute, Table
from sfumato.graphs.profile_distances import Branches, Topics, with_places
from sfumato.kernels.mixed_clusters import Mixed
from sfumato.kernels.profile_distances import aggregates


def mixed_profiles(table: Table, location: str, topics: Sequence[str], others: Sequence[str]) -> Mixed:
    """Places in trees and numbers of each record: numbers and ordered categories as shares of their range.

    Categories without a hierarchy are all as far from each other, and so are topics.
    """
    trees = [name for name in (location, *others) if name and not _is_number(table.schema[name])]
    branches = [_branches(table.schema[name]) for name in trees]
    places = [table[name].astype(np.int64) for name in trees]
    if topics:
        ranked = Topics.of(table, topics)
        branches += [_flat(ranked.names)] * len(topics)
        places += list(ranked.codes.T.astype(np.int64))
    numbers = [_shares(table, name) for name in others if _is_number(table.schema[name])]
    return Mixed(_joined(branches, places, table.n), _columns(numbers, table.n), *_forest(branches))


def aggregated(
    table: Table, others: Sequence[str], clusters: np.ndarray
) -> tuple[dict[str, np.ndarray], list[Attribute]]:
    """What each record releases of the columns, and the attributes that had to take new categories.

    The mean of numbers, the middle one of ordered categories, the closest common ancestor in a hierarchy, else the
    category that most have; a missing value has no say.
    """
    columns: dict[str, np.ndarray] = {}
    changed = []
    for name in others:
        attribute = table.schema[name]
        if attribute.is_numeric:
            columns[name] = attribute.conform(_means(table[name], clusters))[clusters]
        elif attribute.scale == "ordinal":
            columns[name] = _middles(table[name], clusters)[clusters]
        elif attribute.hierarchy is not None:
            columns[name], attribute = _ancestors(table[name], attribute, clusters)
            changed.append(attribute)
        else:
            members = sparse.csr_array((np.ones(table.n), (clusters, np.arange(table.n))))
            columns[name] = commonest(members, table[name], attribute.domain_size)[clusters]
    return columns, changed


def commonest(members: sparse.csr_array, codes: np.ndarray, categories: int) -> np.ndarray:
    """For each row the category that most of its members have, of equals the first; missing where none has one.

    >>> who = sparse.csr_array([[1, 1, 1, 0], [0, 0, 0, 1]])
    >>> commonest(who, np.array([1, 0, 1, -1]), 2).tolist()
    [1, -1]
    """
    known = np.flatnonzero(codes >= 0)
    marks = sparse.csr_array(
        (np.ones(len(known)), (known, codes[known].astype(np.int64))), shape=(len(codes), categories)
    )
    counts = sparse.csr_array(members @ marks)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    order = np.lexsort([counts.indices, -counts.data, rows])
    found = np.full(counts.shape[0], MISSING, np.int64)
    some = np.flatnonzero(np.diff(counts.indptr))
    found[some] = counts.indices[order][counts.indptr[:-1][some]]
    return found


def spans(values: np.ndarray) -> float:
    """The range of some numbers; 1 where there is none."""
    known = values[~np.isnan(values)]
    return float(np.ptp(known)) or 1.0 if len(known) else 1.0


def _is_number(attribute: Attribute) -> bool:
    return attribute.is_numeric or attribute.scale == "ordinal"


def _shares(table: Table, name: str) -> np.ndarray:
    attribute, values = table.schema[name], table[name]
    if attribute.is_numeric:
        return values / spans(values)
    return np.where(values < 0, np.nan, values / max(attribute.domain_size - 1, 1))


def _branches(attribute: Attribute) -> Branches:
    return _flat(attribute.categories) if attribute.hierarchy is None else Branches.of(attribute)


def _flat(names: tuple[str, ...]) -> Branches:
    """A tree in which all lie under one root, which is none of them."""
    numbers = np.arange(len(names) + 1, dtype=np.int32)
    paths = np.column_stack([numbers, np.full(len(numbers), len(names), np.int32)])
    return Branches((*names, ""), paths, (numbers == len(names)).astype(np.int32))


def _forest(branches: Sequence[Branches]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All trees in one list, each as deep as the deepest."""
    deepest = max((one.paths.shape[1] for one in branches), default=1)
    starts = _starts(branches)
    padded = [
        np.pad(one.paths, ((0, 0), (0, deepest - one.paths.shape[1])), mode="edge") + start
        for one, start in zip(branches, starts, strict=True)
    ]
    empty = np.empty((0, deepest), np.int64)
    levels = [one.levels for one in branches]
    heights = [max(one.scale, 1) for one in branches]
    return (
        np.concatenate([empty, *padded]).astype(np.int64),
        np.concatenate([np.empty(0, np.int64), *levels]).astype(np.int64),
        np.array(heights, np.float64),
    )


def _starts(branches: Sequence[Branches]) -> list[int]:
    return [0, *np.cumsum([len(one.names) for one in branches])[:-1].tolist()] if branches else []


def _joined(branches: Sequence[Branches], places: Sequence[np.ndarray], n: int) -> np.ndarray:
    columns = [
        np.where(p < 0, MISSING, p + start) for p, start in zip(places, _starts(branches), strict=True)
    ]
    return np.ascontiguousarray(np.column_stack(columns)) if columns else np.empty((n, 0), np.int64)


def _columns(numbers: Sequence[np.ndarray], n: int) -> np.ndarray:
    return np.ascontiguousarray(np.column_stack(numbers)) if numbers else np.empty((n, 0))


def _means(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    known = ~np.isnan(values)
    size = int(clusters.max()) + 1
    counts = np.bincount(clusters[known], minlength=size)
    sums = np.bincount(clusters[known], values[known], minlength=size)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _middles(codes: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """The middle category of each cluster, the lower of two."""
    known = np.flatnonzero(codes >= 0)
    order = known[np.lexsort([codes[known], clusters[known]])]
    counts = np.bincount(clusters[known], minlength=int(clusters.max()) + 1)
    middle = np.cumsum(counts) - counts + (counts - 1) // 2
    found = np.full(len(counts), MISSING, np.int64)
    found[counts > 0] = codes[order[middle[counts > 0]]]
    return found


def _ancestors(codes: np.ndarray, attribute: Attribute, clusters: np.ndarray) -> tuple[np.ndarray, Attribute]:
    """The closest common ancestor of each record's cluster, and the attribute with these among its categories."""
    branches = Branches.of(attribute)
    order = np.argsort(clusters, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(clusters))])
    column = np.ascontiguousarray(codes[:, None], np.int32)
    places = aggregates(column, order, starts, branches.paths, 0)[clusters, 0]
    wider = with_places(attribute, branches, places)
    return branches.renumbered(places, wider.categories), wider
