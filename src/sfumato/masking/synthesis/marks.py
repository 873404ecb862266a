"""Marks: a random number for each content of each column, so that a record is known by the sum of its own."""

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct


def marks_of(
    original: Table, released: Mapping[str, np.ndarray], names: Sequence[str], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The marks of each cell of the original, and of each cell as it is released; equal contents have equal marks."""
    pairs = [_marked(original, name, released.get(name, original[name]), rng) for name in names]
    return np.column_stack([one for one, _ in pairs]), np.column_stack([other for _, other in pairs])


def _marked(
    original: Table, name: str, released: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    columns = [np.concatenate([original[name], released])]
    reasons = original.reasons(name)
    if reasons is not None:
        columns.append(np.concatenate([reasons, reasons]))
    contents = distinct(columns)
    marks = rng.integers(0, 2**64, len(contents.counts), dtype=np.uint64)[contents.labels]
    return marks[: original.n], marks[original.n :]


def unique_people(marks: np.ndarray) -> np.ndarray:
    """The sums of marks that only one record has, in order."""
    sums, counts = np.unique(marks.sum(axis=1, dtype=np.uint64), return_counts=True)
    found: np.ndarray = sums[counts == 1]
    return found
