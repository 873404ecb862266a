"""How an intruder is judged: she knows every second record, chooses by these, and is judged on the others.

So what fits best of 100,000 seeds is no artefact: luck on the records she knows does not carry over. What she has
without the program (the file as it is, or the most usual value) is chosen in the same way.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sfumato.data import Table

Cells = Mapping[str, np.ndarray]
"""A value for each released record, by column: numbers, or the texts of categories ("" where there is none)."""

NEAR = 0.005  # of the range of a number: so close a guess is true
MOST = 1.0  # points that an intruder may gain


def cells_of(table: Table, names: Iterable[str]) -> dict[str, np.ndarray]:
    return {name: column_of(table, name) for name in names}


def column_of(table: Table, name: str) -> np.ndarray:
    attribute, values = table.schema[name], table[name]
    if attribute.is_numeric:
        return values
    return np.array([*attribute.categories, ""])[values]  # the code of a missing value is the last


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The cells that were masked, as the owner knows them, for each released record."""

    cells: Cells
    together: np.ndarray | None = None
    """Records with the same number are known together or not at all: members of a household tell of each other."""

    @property
    def n(self) -> int:
        return len(next(iter(self.cells.values())))

    def is_true(self, name: str, guess: np.ndarray) -> np.ndarray:
        return self.same(name, guess, self.cells[name])

    def same(self, name: str, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Equal, or of numbers so near that it makes no difference; what is missing is like nothing."""
        if name in self.ranges:
            with np.errstate(invalid="ignore"):
                near: np.ndarray = np.abs(one - other) <= NEAR * self.ranges[name]
            return near
        equal: np.ndarray = (one == other) & (other != "")
        return equal

    @cached_property
    def ranges(self) -> Mapping[str, float]:
        numbers = {name: values for name, values in self.cells.items() if values.dtype.kind == "f"}
        return {name: float(np.nanmax(values) - np.nanmin(values)) for name, values in numbers.items()}

    def part(self, rows: np.ndarray) -> "Truth":
        part = Truth(cells={name: values[rows] for name, values in self.cells.items()})
        part.__dict__["ranges"] = self.ranges  # of all records: a guess is as near for few as for many
        return part

    def share(self, guess: Cells) -> float:
        """How many of a hundred cells are guessed rightly."""
        return 100 * float(np.mean([self.is_true(name, guess[name]).mean() for name in self.cells]))


@dataclass
class Choice:
    """For each column, the guess that fits the known records best."""

    known: np.ndarray
    truth: Truth  # of the known records
    best: dict[str, np.ndarray] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)

    def offer(self, way: str, guess: Cells) -> None:
        for name in self.truth.cells:
            if name in guess:
                hits = int(self.truth.is_true(name, guess[name][self.known]).sum())
                if hits > self.hits.get(name, -1):
                    self.best[name], self.hits[name], self.ways[name] = guess[name], hits, way


@dataclass(frozen=True, kw_only=True)
class Gain:
    """Percent of true cells, and of true verdicts on cells, without the program and with it."""

    cells: tuple[float, float]
    verdicts: tuple[float, float]
    ways: Mapping[str, str]

    @property
    def points(self) -> np.ndarray:
        """What she gains in cells, and in verdicts."""
        return np.array([self.cells[1] - self.cells[0], self.verdicts[1] - self.verdicts[0]])

    def __str__(self) -> str:
        ways = ", ".join(f"{name}: {way}" for name, way in self.ways.items())
        return (
            "cells {:.1f} -> {:.1f} %, verdicts {:.1f} -> {:.1f} %".format(*self.cells, *self.verdicts)
            + f" ({ways})"
        )


def gain(
    truth: Truth,
    released: Cells,
    without: Iterable[tuple[str, Cells]],
    ways: Iterable[tuple[str, Cells]],
    *,
    seed: int = 0,
) -> Gain:
    """What her ways tell of the records she does not know, beyond what she has without them.

    A verdict is whether a released cell is what it was: who can tell the swapped records from the others has won
    much, even where she cannot put them back.
    """
    together = np.arange(truth.n) if truth.together is None else truth.together
    knows = np.random.default_rng([seed, 7]).random(int(together.max()) + 1) < 0.5
    known, unknown = np.flatnonzero(knows[together]), np.flatnonzero(~knows[together])
    verdicts = Truth(cells={name: _texts(truth.is_true(name, released[name])) for name in truth.cells})
    choices = [Choice(known, truth.part(known)), Choice(known, verdicts.part(known))]
    for told, choice in zip((truth, verdicts), choices, strict=True):
        learnt = {
            name: _learnt(released[name], cells, known, together[known] % 2 == 0)
            for name, cells in told.cells.items()
        }
        choice.offer("learnt", learnt)
    for constant in (True, False):
        choices[1].offer("constant", {name: _texts(np.full(truth.n, constant)) for name in truth.cells})
    shares = []
    for some in (without, ways):
        for way, guess in some:
            choices[0].offer(way, guess)
            choices[1].offer(
                way, {name: _texts(truth.same(name, guess[name], released[name])) for name in guess}
            )
        shares.append(
            [
                told.part(unknown).share({name: values[unknown] for name, values in choice.best.items()})
                for told, choice in zip((truth, verdicts), choices, strict=True)
            ]
        )
    return Gain(
        cells=(shares[0][0], shares[1][0]), verdicts=(shares[0][1], shares[1][1]), ways=choices[0].ways
    )


def _learnt(released: np.ndarray, cells: np.ndarray, known: np.ndarray, first: np.ndarray) -> np.ndarray:
    """What known records with the same released value, or the nearest ones, were; this needs no program.

    The known records are told by one another, one half by the other, so that the guess is no better on them than on others.
    """
    halves = known[first], known[~first]
    lessons = ((known, np.arange(len(cells))), (halves[0], halves[1]), (halves[1], halves[0]))
    guess = cells.copy()
    for teachers, pupils in lessons:
        teach = _between if cells.dtype.kind == "f" else _most_say
        guess[pupils] = teach(released[teachers], cells[teachers], released[pupils])
    return guess


def _between(released: np.ndarray, cells: np.ndarray, others: np.ndarray) -> np.ndarray:
    """A line from each known number to the next."""
    present = ~(np.isnan(released) | np.isnan(cells))
    order = np.argsort(released[present], kind="stable")
    if not len(order):
        return others
    return np.interp(others, released[present][order], cells[present][order])


def _most_say(released: np.ndarray, cells: np.ndarray, others: np.ndarray) -> np.ndarray:
    if released.dtype.kind == "f":
        ends = np.nanquantile(np.concatenate([released, others]), np.linspace(0, 1, 11)[1:-1])
        released, others = np.searchsorted(ends, released), np.searchsorted(ends, others)
    values, texts = np.unique(np.concatenate([released, others])), np.unique(cells)
    votes = np.zeros((len(values), len(texts)))
    np.add.at(votes, (np.searchsorted(values, released), np.searchsorted(texts, cells)), 1)
    votes += votes.sum(axis=0) / (1 + votes.sum())  # a value nobody had says what all say
    return texts[votes.argmax(axis=1)][np.searchsorted(values, others)]


def _texts(flags: np.ndarray) -> np.ndarray:
    return np.where(flags, "true", "false")


@dataclass(frozen=True)
class Gains:
    """The same attack on several releases."""

    each: tuple[Gain, ...]

    @property
    def points(self) -> np.ndarray:
        """Means over the releases: of cells, and of verdicts."""
        return np.mean([one.points for one in self.each], axis=0)

    @property
    def errors(self) -> np.ndarray:
        """The standard errors of the means."""
        return np.std([one.points for one in self.each], axis=0, ddof=1) / len(self.each) ** 0.5

    @property
    def holds(self) -> bool:
        return bool((self.points <= MOST).all())

    def __str__(self) -> str:
        (cells, verdicts), (a, b) = self.points, self.errors
        return (
            f"cells {cells:+.2f} ± {a:.2f}, verdicts {verdicts:+.2f} ± {b:.2f} points in {len(self.each)} "
            f"releases; the first: {self.each[0]}"
        )


def repeated(once: Callable[[int], Gain], *, least: int = 4, most: int = 40) -> Gains:
    """Release and attack until it is clear on which side of a point the gains lie.

    Three standard errors make it clear. A gain that stays in between after the last release is judged by its mean.
    """
    each: list[Gain] = []
    for number in range(most):
        each.append(once(number))
        if len(each) >= least:
            found = Gains(tuple(each))
            above = found.points - MOST
            if (above > 3 * found.errors).any() or (above < -3 * found.errors).all():
                break
    return Gains(tuple(each))
