"""A judge of its own for the front: plain models, tables and attackers that no measure and no search of ours uses.

It imports nothing of the layers that mask, search, attack and measure, so that no file can have been made for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TypeVar

import numpy as np
from scipy.stats import rankdata

from sfumato.data import Attribute, Table
from sfumato.data.shared_terms import in_terms_of
from sfumato.kernels.single_thread import one_thread

Thing = TypeVar("Thing")

MOST_CATEGORIES = 9  # of a column that count each by itself
TABLE_BINS, TRACED_BINS = 10, 5
MOST_PAIRS = 100  # of columns whose tables are compared
MOST_REGRESSIONS = 80
MOST_TARGETS = 8  # columns that models guess
MOST_TRAINED, MOST_TRIED = 4_000, 2_000
MOST_ASKED = 1_000  # people on either side
MOST_SOUGHT = 500  # people whose record is looked for
SHUFFLES = 2  # files of unrelated columns that are the worst there is
TIED = 1e-9
BLOCK = 100  # people who are compared with all records at once


class _Column:
    """How one column is read as numbers; what is learned for that is learned from the people inside."""

    def __init__(self, attribute: Attribute, values: np.ndarray) -> None:
        self.is_number = attribute.is_numeric
        if self.is_number:
            self.sorted = np.sort(values[~np.isnan(values)])
            self.centre, self.spread = float(self.sorted.mean()), float(self.sorted.std()) or 1.0
        else:
            counts = np.bincount(values[values >= 0], minlength=1)
            self.frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]

    def cells(self, values: np.ndarray, bins: int) -> np.ndarray:
        """Codes below bins + 2: numbers by quantiles, frequent categories and all others; missing apart."""
        if self.is_number:
            cuts = np.unique(np.quantile(self.sorted, np.arange(1, bins) / bins))
            return np.where(np.isnan(values), bins, np.searchsorted(cuts, values, side="right"))
        found = np.full(len(values), bins)
        for code, category in enumerate(self.frequent[: bins - 1]):
            found[values == category] = code
        return np.where(values < 0, bins + 1, found)

    def points(self, values: np.ndarray) -> np.ndarray:
        """A standardised number, or an indicator for each frequent category; two that differ are 1 apart."""
        if self.is_number:
            return self._standardised(values)[:, None]
        indicators: np.ndarray = (values[:, None] == self.frequent[None, :]) / np.sqrt(2)
        return indicators

    def line(self, values: np.ndarray) -> np.ndarray:
        """The one number that stands in a regression."""
        return self._standardised(values) if self.is_number else self.target(values)

    def target(self, values: np.ndarray) -> np.ndarray:
        """What a model guesses: the rank of a number, or whether it is the most frequent category."""
        if self.is_number:
            return np.searchsorted(self.sorted, values) / len(self.sorted)
        return np.asarray(values == self.frequent[0], float)

    def _standardised(self, values: np.ndarray) -> np.ndarray:
        return np.nan_to_num((values - self.centre) / self.spread)


@dataclass(frozen=True)
class _File:
    """A file as the judge reads it, column by column."""

    points: list[np.ndarray]
    lines: np.ndarray
    targets: np.ndarray
    cells: np.ndarray
    coarse: np.ndarray

    @property
    def n(self) -> int:
        return int(self.lines.shape[1])

    def taken(self, rows: np.ndarray) -> "_File":
        return _File(
            [block[rows] for block in self.points],
            self.lines[:, rows],
            self.targets[:, rows],
            self.cells[:, rows],
            self.coarse[:, rows],
        )

    def shuffled(self, rng: np.random.Generator) -> "_File":
        """The same columns, each in an order of its own."""
        orders = [rng.permutation(self.n) for _ in self.points]
        return _File(
            [block[order] for block, order in zip(self.points, orders, strict=True)],
            *(
                np.stack([row[order] for row, order in zip(rows, orders, strict=True)])
                for rows in (self.lines, self.targets, self.cells, self.coarse)
            ),
        )

    def crossed(self, i: int, j: int) -> np.ndarray:
        """The coarse cell of two columns that each record stands in."""
        cells: np.ndarray = self.coarse[i] * (TRACED_BINS + 2) + self.coarse[j]
        return cells

    def features(self, columns: Sequence[int]) -> np.ndarray:
        return np.hstack([self.points[j] for j in columns])


class IndependentJudge:
    """Knows the people inside and outside of one cut, and judges releases record by record beside the people inside."""

    def __init__(self, inside: Table, outside: Table, known: Sequence[str], seed: int = 0) -> None:
        self.schema, self.names = inside.schema, inside.names
        self.columns = [_Column(inside.schema[name], inside[name]) for name in self.names]
        self.known = [self.names.index(name) for name in known]
        self.rng = np.random.default_rng(seed)
        self.inside, self.outside = self._read(inside), self._read(outside)
        self._choose()
        with one_thread():
            self.best = self._errors(self.inside)
            unrelated = [self._errors(self.inside.shuffled(self.rng)) for _ in range(SHUFFLES)]
        self.worst = np.mean(unrelated, axis=0)

    def _choose(self) -> None:
        """What is asked of every file, drawn once."""
        count = len(self.names)
        self.pairs = self._some(list(combinations(range(count), 2)), MOST_PAIRS)
        self.regressions = self._some(list(permutations(range(count), 3)), MOST_REGRESSIONS)
        self.guessed = self._some(list(range(count)), MOST_TARGETS)
        self.trained = self._rows(self.inside.n, MOST_TRAINED)
        self.tried = self.outside.taken(self._rows(self.outside.n, MOST_TRIED))
        self.sought = self._rows(self.inside.n, MOST_SOUGHT)
        self.members = self._rows(self.inside.n, MOST_ASKED)
        self.others = self._rows(self.outside.n, MOST_ASKED)
        self.fitted = [_fitted(self.inside.lines, *question) for question in self.regressions]

    def _rows(self, n: int, most: int) -> np.ndarray:
        return np.sort(self.rng.permutation(n)[:most])

    def _some(self, every: list[Thing], most: int) -> list[Thing]:
        return [every[i] for i in self._rows(len(every), most)]

    def _read(self, table: Table) -> _File:
        table = in_terms_of(self.schema, table, self.names, np.random.default_rng(0))
        columns = [(column, table[name]) for column, name in zip(self.columns, self.names, strict=True)]
        return _File(
            [column.points(values) for column, values in columns],
            np.stack([column.line(values) for column, values in columns]),
            np.stack([column.target(values) for column, values in columns]),
            np.stack([column.cells(values, TABLE_BINS) for column, values in columns]),
            np.stack([column.cells(values, TRACED_BINS) for column, values in columns]),
        )

    def judged(self, released: Table) -> dict[str, float]:
        """Loss with its parts, and what three attackers come to, in percent."""
        with one_thread():
            return self._judged(self._read(released))

    def _judged(self, file: _File) -> dict[str, float]:
        parts = dict(zip(("models", "tables", "interactions"), self._losses(file), strict=True))
        nearness, tracing = self._nearness(file), self._tracing(file)
        return {
            "loss": float(np.mean(list(parts.values()))),
            **parts,
            "found": 100 * self._found(file),
            "sought": float(len(self.sought)),
            "guess": 100 / file.n,
            "nearness": 100 * nearness[0],
            "nearness_control": 100 * nearness[1],
            "tracing": 100 * tracing[0],
            "tracing_control": 100 * tracing[1],
        }

    def _losses(self, file: _File) -> list[float]:
        """0 is the original itself, 100 a file of unrelated columns."""
        room = np.where(self.worst > self.best, self.worst - self.best, 1.0)
        return [float(loss) for loss in np.clip(100 * (self._errors(file) - self.best) / room, 0, None)]

    def _errors(self, file: _File) -> np.ndarray:
        return np.array([self._modelled(file), self._tabled(file), self._interacting(file)])

    def _modelled(self, file: _File) -> float:
        """Mean squared error for people outside of boosted trees that learned from the file, by the spread of targets."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        errors = []
        rows = self.trained[self.trained < file.n]
        for j in self.guessed:
            others = [i for i in range(len(self.names)) if i != j]
            model = HistGradientBoostingRegressor(
                max_iter=40, max_leaf_nodes=15, early_stopping=False, random_state=0
            )
            model.fit(file.features(others)[rows], file.targets[j][rows])
            off = model.predict(self.tried.features(others)) - self.tried.targets[j]
            errors.append(np.mean(off**2) / (self.inside.targets[j].var() or 1.0))
        return float(np.mean(errors))

    def _tabled(self, file: _File) -> float:
        """Mean share of records that stand in another cell of a table of two columns."""
        off = [np.abs(self._shares(self.inside, *pair) - self._shares(file, *pair)) for pair in self.pairs]
        return float(np.mean([gaps.sum() / 2 for gaps in off]))

    @staticmethod
    def _shares(file: _File, i: int, j: int) -> np.ndarray:
        size = TABLE_BINS + 2
        return np.bincount(file.cells[i] * size + file.cells[j], minlength=size**2) / file.n

    def _interacting(self, file: _File) -> float:
        """Mean gap of the coefficients of y = a + b + a·b, 1 where 95 % intervals as wide as the original's part."""
        gaps = []
        for question, (before, error) in zip(self.regressions, self.fitted, strict=True):
            after, _ = _fitted(file.lines, *question)
            gaps.append(np.minimum(np.abs(after - before) / (2 * 1.96 * error), 1.0).mean())
        return float(np.mean(gaps))

    def _found(self, file: _File) -> float:
        """The share of people whose own record is nearest in what is known of them; who ties shares."""
        people = self.inside.features(self.known)[self.sought]
        right = []
        for start in range(0, len(people), BLOCK):
            far = _distances(people[start : start + BLOCK], file.features(self.known))
            nearest = far <= far.min(axis=1, keepdims=True) + TIED
            own = self.sought[start : start + BLOCK]
            right.append(nearest[np.arange(len(own)), own] / nearest.sum(axis=1))
        return float(np.concatenate(right).mean())

    def _nearness(self, file: _File) -> tuple[float, float]:
        """AUC of the distance to the nearest record, of the file and of the original without the person."""
        everything = range(len(self.names))
        members = self.inside.features(everything)[self.members]
        others = self.outside.features(everything)[self.others]
        records, original = file.features(everything), self.inside.features(everything)
        return (
            _area(-_to_nearest(members, records), -_to_nearest(others, records)),
            _area(-_to_nearest(members, original, self.members), -_to_nearest(others, original)),
        )

    def _tracing(self, file: _File) -> tuple[float, float]:
        """AUC of how much more often all that a person is in two columns stands in the file than among people outside.

        The control takes the original without the person in place of the file.
        """
        members, others = np.zeros((2, self.inside.n)), np.zeros((2, self.outside.n))
        for pair in combinations(range(len(self.names)), 2):
            inside, outside, shown = (one.crossed(*pair) for one in (self.inside, self.outside, file))
            counts, original, reference = map(_log_shares, (shown, inside, outside))
            members += np.stack([counts[inside], _log_shares(inside, less=1)[inside]]) - reference[inside]
            others += np.stack([counts[outside], original[outside]]) - _log_shares(outside, less=1)[outside]
        return _area(members[0], others[0]), _area(members[1], others[1])


def _log_shares(cells: np.ndarray, less: int = 0) -> np.ndarray:
    """The logarithm of the share of records in each cell, of all records or without so many of the cell."""
    counts = np.bincount(cells, minlength=(TRACED_BINS + 2) ** 2)
    return np.log((np.maximum(counts - less, 0) + 0.5) / (len(cells) - less + 1))


def _fitted(lines: np.ndarray, y: int, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of a, b and a·b for y, by least squares, and their standard errors."""
    design = np.column_stack([np.ones(lines.shape[1]), lines[a], lines[b], lines[a] * lines[b]])
    inverse = np.linalg.pinv(design.T @ design)
    coefficients = inverse @ (design.T @ lines[y])
    off = lines[y] - design @ coefficients
    variance = off @ off / max(len(off) - design.shape[1], 1)
    errors = np.sqrt(np.maximum(variance * np.diag(inverse), 0))
    return coefficients[1:], np.maximum(errors[1:], TIED)


def _distances(people: np.ndarray, records: np.ndarray) -> np.ndarray:
    squares = (people**2).sum(axis=1)[:, None] + (records**2).sum(axis=1) - 2 * people @ records.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _to_nearest(people: np.ndarray, records: np.ndarray, own: np.ndarray | None = None) -> np.ndarray:
    """The distance of each to the nearest record; where own rows are told, to the nearest of the others."""
    found = []
    for start in range(0, len(people), BLOCK):
        far = _distances(people[start : start + BLOCK], records)
        if own is not None:
            rows = own[start : start + BLOCK]
            far[np.arange(len(rows)), rows] = np.inf
        found.append(far.min(axis=1))
    return np.round(np.concatenate(found), 9)


def _area(inside: np.ndarray, outside: np.ndarray) -> float:
    """The chance that somebody inside scores above somebody outside; equals count half.

    >>> _area(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    ranks = rankdata(np.concatenate([inside, outside]))
    above = ranks[: len(inside)].sum() - len(inside) * (len(inside) + 1) / 2
    return float(above / (len(inside) * len(outside)))
