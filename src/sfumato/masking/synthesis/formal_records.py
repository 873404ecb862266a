"""Records made from noised answers alone: nothing here sees the original."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sfumato.data import Schema, Table
from sfumato.kernels.random_draws import seed_from, state_from
from sfumato.kernels.table_fitting import Measured, fit
from sfumato.masking.synthesis.formal_questions import Candidates, FormalQuestions
from sfumato.masking.synthesis.noised_margins import groups_of, margin
from sfumato.masking.synthesis.privacy_budget import scale_within, sigma_within
from sfumato.masking.synthesis.public_cells import PublicCells

FOR_MARGINS = 0.12  # of the budget
FOR_CHOICES = 0.1  # of that of a round
ROUNDS = 16  # or one for each column, where there are more
MOST_CELLS = 4096  # of a table
MOST_GROUPS = 12  # of numbers and ordered categories in a table
HANDICAP = (
    0.5  # standard deviations of noise for each cell by which a table must be off to be worth a measurement
)
FEWEST_SHARE = 0.1  # of the mean count of a cell that is added to each where gaps are expected by its size
PROPOSALS, LAST_PROPOSALS = 2, 8  # changes tried for each value, after a round and at the end


class Answer(NamedTuple):
    """A table of some columns as it was answered, and the standard deviation of its cells."""

    columns: tuple[int, ...]
    counts: np.ndarray
    sigma: float


def _joined(answers: Sequence[Answer]) -> Answer:
    weights = np.array([one.sigma**-2 for one in answers])
    counts = np.average([one.counts for one in answers], axis=0, weights=weights)
    return Answer(answers[0].columns, counts, float(weights.sum() ** -0.5))


@dataclass
class Draft:
    """Records as groups of cells, and the answers they are brought to."""

    records: np.ndarray
    sizes: np.ndarray  # groups of each column
    answers: list[Answer]
    state: np.ndarray = field(repr=False)

    def counts(self, candidates: Candidates, chosen: int) -> np.ndarray:
        cells = self.records[:, candidates.columns[chosen]] @ candidates.steps[chosen]
        return np.bincount(cells, minlength=int(candidates.cells[chosen]))

    def add(self, answer: Answer) -> None:
        """Bring records to one more answer; two of the same table are one, each counted by its noise."""
        same = [one for one in self.answers if one.columns == answer.columns]
        others = [one for one in self.answers if one.columns != answer.columns]
        self.answers = [*others, _joined([*same, answer])]

    def fit(self, proposals: int) -> None:
        """Try so many changes for each value that an answered table of several columns shows."""
        measured = self._measured()
        movable = np.flatnonzero(measured.shown > 1)
        if len(movable):
            tries = proposals * len(movable) * len(self.records)
            fit(self.records, measured, self.sizes, movable, tries, self.state)

    def _measured(self) -> Measured:
        tables = Candidates.of([one.columns for one in self.answers], self.sizes)
        cells = self._cells(tables)
        target = np.concatenate([one.counts for one in self.answers])
        showing = [
            [(t, step) for t in range(len(tables)) if (step := tables.step(t, j))]
            for j in range(len(self.sizes))
        ]
        shown = np.array([len(one) for one in showing])
        padded = np.array([one + [(0, 0)] * (shown.max() - len(one)) for one in showing], np.int64)
        return Measured(
            cells=cells,
            tables=np.ascontiguousarray(padded[:, :, 0]),
            steps=np.ascontiguousarray(padded[:, :, 1]),
            shown=shown,
            gap=np.bincount(cells.ravel(), minlength=len(target)) - target,
            weight=np.repeat([one.sigma**-2 for one in self.answers], tables.cells),
        )

    def _cells(self, tables: Candidates) -> np.ndarray:
        """The cell of each record in each table, numbered over all of them."""
        start = np.cumsum(tables.cells) - tables.cells
        cells = np.empty((len(self.records), len(tables)), np.int32)
        for t in range(len(tables)):
            cells[:, t] = start[t] + self.records[:, tables.columns[t]] @ tables.steps[t]
        return cells


def formal_table(
    schema: Schema, n: int, cells: Sequence[PublicCells], questions: FormalQuestions, rng: np.random.Generator
) -> Table:
    """A table of n records from what is public and from answers; the budget is spent by then.

    Tables of single columns come first, and records are drawn from them, column by column. Then, in each round, the
    table of two or three columns is asked for that these records are furthest from, measured, and they follow.
    """
    margins = _margins(cells, n, questions)
    groups = _groups(cells, margins, questions)
    draft = _begun(margins, groups, n, rng)
    candidates = _candidates(draft.sizes)
    rounds = _rounds(len(cells)) if len(candidates) else 0
    for done in range(rounds):
        _ask(draft, candidates, questions, questions.left / (rounds - done))
        draft.fit(PROPOSALS)
    draft.fit(LAST_PROPOSALS)
    found = zip(groups, margins, draft.records.T, strict=True)
    return _drawn(schema, cells, [_within(group, one.counts, r, rng) for group, one, r in found], rng)


def _margins(cells: Sequence[PublicCells], n: int, questions: FormalQuestions) -> list[Answer]:
    share = FOR_MARGINS if len(cells) > 1 else 1.0
    sigma = sigma_within(share * questions.left / len(cells))
    return [
        Answer((j,), margin(one, questions.counts(j, one.size, sigma), sigma, n), sigma)
        for j, one in enumerate(cells)
    ]


def _groups(
    cells: Sequence[PublicCells], margins: Sequence[Answer], questions: FormalQuestions
) -> list[np.ndarray]:
    """The groups of the cells of each column, in which tables are asked for from now on."""
    groups = [np.arange(one.size) for one in cells]
    if len(cells) > 1:
        sigma = sigma_within((1.0 - FOR_CHOICES) * questions.left / _rounds(len(cells)))
        groups = [groups_of(c, m.counts, sigma, MOST_GROUPS) for c, m in zip(cells, margins, strict=True)]
    questions.join(groups)
    return groups


def _rounds(d: int) -> int:
    return max(ROUNDS, d)


def _begun(
    margins: Sequence[Answer], groups: Sequence[np.ndarray], n: int, rng: np.random.Generator
) -> Draft:
    """Records of unrelated columns."""
    sizes = np.array([int(group.max()) + 1 for group in groups])
    answers = [
        Answer(m.columns, np.bincount(g, m.counts, size), m.sigma * np.sqrt(len(g) / size))
        for m, g, size in zip(margins, groups, sizes, strict=True)
    ]
    records = np.column_stack([_dealt(one.counts, n, rng) for one in answers]).astype(np.int32, order="C")
    return Draft(records, sizes, answers, state_from(seed_from(rng)))


def _dealt(counts: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """As many of each as the counts, whose sum is n, say, in a random order."""
    bounds = np.rint(np.cumsum(counts) * (n / counts.sum())).astype(np.int64)
    return rng.permutation(np.repeat(np.arange(len(counts)), np.diff(bounds, prepend=0)))


def _candidates(sizes: np.ndarray) -> Candidates:
    told = np.flatnonzero(sizes > 1).tolist()
    tables = [*combinations(told, 2), *combinations(told, 3)]
    return Candidates.of([one for one in tables if np.prod(sizes[list(one)]) <= MOST_CELLS], sizes)


def _ask(draft: Draft, candidates: Candidates, questions: FormalQuestions, rho: float) -> None:
    """One round: which table is furthest, and how many are in its cells."""
    sigma, scale = sigma_within((1.0 - FOR_CHOICES) * rho), scale_within(FOR_CHOICES * rho)
    handicaps = np.rint(HANDICAP * sigma * candidates.cells)
    chosen = questions.furthest(candidates, draft.records, handicaps, scale)
    columns = tuple(candidates.columns[chosen][candidates.steps[chosen] > 0].tolist())
    noised = questions.table(candidates, chosen, sigma)
    draft.add(Answer(columns, shrunk(noised, draft.counts(candidates, chosen), sigma), sigma))


def shrunk(noised: np.ndarray, expected: np.ndarray, sigma: float) -> np.ndarray:
    """Noised counts drawn towards what was expected, the more, the less their gaps exceed what noise alone makes.

    Gaps g are taken to be of variance τ² + σ², with τ² proportional to the root of the expected count: each is
    multiplied by τ² / (τ² + σ²), and τ² is such that Σ g² is as found.

    >>> shrunk(np.array([105, 95]), np.array([100, 100]), 10.0).tolist()
    [100.0, 100.0]
    """
    gaps = noised - expected
    size = np.sqrt(expected + FEWEST_SHARE * expected.mean())
    tau2 = size * max(0.0, float(np.sum(gaps**2)) - len(gaps) * sigma**2) / size.sum()
    found: np.ndarray = expected + gaps * tau2 / (tau2 + sigma**2)
    return found


def _within(
    groups: np.ndarray, counts: np.ndarray, records: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A cell for each record of those of its group, by the counts of cells."""
    found = np.empty(len(records), np.int64)
    for group in np.unique(records):
        cells, has = np.flatnonzero(groups == group), np.flatnonzero(records == group)
        shares = counts[cells] if counts[cells].sum() > 0 else np.ones(len(cells))
        found[has] = rng.choice(cells, len(has), p=shares / shares.sum())
    return found


def _drawn(
    schema: Schema, cells: Sequence[PublicCells], codes: Sequence[np.ndarray], rng: np.random.Generator
) -> Table:
    drawn = {one.attribute.name: one.drawn(code, rng) for one, code in zip(cells, codes, strict=True)}
    return Table(
        schema,
        {name: values for name, (values, _) in drawn.items()},
        reasons={name: reasons for name, (_, reasons) in drawn.items()},
    )
