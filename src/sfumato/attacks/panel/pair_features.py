"""How a person and a released record differ, attribute by attribute and in all: what models of pairs see."""

from itertools import accumulate

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.data.coverage import Coverage
from sfumato.kernels.pair_differences import Sides, pair_differences


def pair_features(case: Case, places: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """One row a pair of a person, by place, and a kind of record: the larger a value, the more the two differ; NaN where a value is missing on one side.

    Of each number its standardised difference and the gap of its ranks (0 where they overlap: equal values have all
    of their ranks); of a category its distance, and the gap of ranks if it is ordinal. Then, over all attributes,
    mean squares of these, the largest gaps (a method that moves no value farther than some ranks makes none beyond),
    and the numbers of contradictions and of blanks.
    """
    return pair_differences(sides(case), places, kinds)


def sides(case: Case) -> Sides:
    return case.once(_sides)


def _sides(case: Case) -> Sides:
    ordered = [column for column in case.columns if column.ordered]
    tables = [_distances(column) for column in case.columns]
    covered = [_covered(column) for column in case.columns]
    starts = [0, *accumulate(table.size for table in tables)]
    return Sides(
        _stacked([column.known[case.people] for column in case.columns], len(case.people)),
        _stacked([column.released for column in case.columns], len(case.first)),
        np.array([column.spread for column in case.columns], float),
        np.array(
            [-1 if c.reading is None else s for c, s in zip(case.columns, starts, strict=False)], np.int64
        ),
        np.array([table.shape[1] for table in tables], np.int64),
        np.concatenate([np.zeros(1), *(table.ravel() for table in tables)])[1:],
        np.concatenate([np.zeros(1, bool), *(table.ravel() for table in covered)])[1:],
        np.flatnonzero([column.ordered for column in case.columns]),
        _stacked([column.known_ranks[case.people] for column in ordered], len(case.people), 2),
        _stacked([column.released_ranks for column in ordered], len(case.first), 2),
    )


def _stacked(columns: list[np.ndarray], rows: int, *shape: int) -> np.ndarray:
    return (
        np.ascontiguousarray(np.stack(columns, axis=1))
        if columns
        else np.empty((rows, 0, *shape), np.float32 if shape else float)
    )


def _distances(column: Column) -> np.ndarray:
    """The distance of each known category (row) and reading (column)."""
    if column.reading is None:
        return np.zeros((1, 0))
    known, readings = _all_pairs(column.reading)
    return column.reading.distances(readings.ravel(), known.ravel()).reshape(known.shape)


def _covered(column: Column) -> np.ndarray:
    """Whether each known category may be what each reading stands for."""
    if column.reading is None:
        return np.zeros((1, 0), bool)
    return column.reading.weights()[:-1, :-1].T > 0


def _all_pairs(reading: Coverage) -> tuple[np.ndarray, np.ndarray]:
    known, readings = np.meshgrid(np.arange(reading.size), np.arange(reading.width - 1), indexing="ij")
    return known, readings
