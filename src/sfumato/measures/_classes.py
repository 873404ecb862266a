"""Classes of records that are alike in their key values, and what a missing value is like."""

from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import Distinct, distinct


class Classes(NamedTuple):
    """Classes of equal key values: which class each record is in, and in how many records each occurs.

    `weights` is the sum of the weights of the records it occurs in. Where a missing value matches any, a
    combination occurs in all records that are compatible with it.
    """

    labels: np.ndarray
    sizes: np.ndarray
    occurs: np.ndarray
    weights: np.ndarray


def key_classes(
    masked: Table, names: tuple[str, ...], *, matches_any: bool = False, weights: np.ndarray | None = None
) -> Classes:
    """Group the records of a file by their key values; without names, all are one class."""
    columns = [masked[name] for name in names] or [np.zeros(masked.n, np.int8)]
    found = distinct(columns)
    amounts = found.counts if weights is None else np.bincount(found.labels, weights)
    if not matches_any or not names:
        return Classes(found.labels, found.counts, found.counts, amounts)
    missing = np.column_stack([masked.missing(name) for name in names])
    occurs, matching = _compatible(columns, missing, found, np.column_stack([found.counts, amounts])).T
    return Classes(found.labels, found.counts, np.rint(occurs).astype(np.int64), matching)


def _compatible(
    columns: list[np.ndarray], missing: np.ndarray, classes: Distinct, amounts: np.ndarray
) -> np.ndarray:
    """For each class, the amounts of those that equal it wherever neither has a missing value.

    Classes with the same cells missing are compared at once, on the attributes that both groups have.
    """
    values = [column[classes.first] for column in columns]
    holes = missing[classes.first]
    pattern = distinct([*holes.T])
    groups = [np.flatnonzero(pattern.labels == g) for g in range(len(pattern.first))]
    totals = np.zeros(amounts.shape)
    for here in groups:
        for there in groups:
            shared = np.flatnonzero(~holes[here[0]] & ~holes[there[0]])
            rows = np.concatenate([here, there])
            same = distinct([values[j][rows] for j in shared]).labels if len(shared) else np.zeros_like(rows)
            mine, theirs = same[: len(here)], same[len(here) :]
            for a in range(amounts.shape[1]):
                found = np.bincount(theirs, weights=amounts[there, a], minlength=same.max() + 1)
                totals[here, a] += found[mine]
    return totals


def violating(classes: Classes, bad: np.ndarray, weights: np.ndarray | None) -> float:
    """Percent of records, or of their weight, in the classes that are bad."""
    if weights is None:
        return 100 * float(classes.sizes[bad].sum()) / len(classes.labels)
    return 100 * float(weights[bad[classes.labels]].sum()) / float(weights.sum())
