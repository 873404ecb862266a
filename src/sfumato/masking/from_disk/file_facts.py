"""Facts about a table in blocks: what a masking must know of the whole file before it sees a part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import NamedTuple, Self

import numpy as np

from sfumato.core.crew import Crew, in_order, outcomes
from sfumato.data import Table
from sfumato.data.blocks import Blocks
from sfumato.masking import InParts, Whole, stratum_of
from sfumato.masking._aggregates import ColumnScales
from sfumato.masking._correlation import correlation_of, products_of_pairs, scaled, without_rounding
from sfumato.masking._parts import DistinctRecords, Plan, Stratum, Tails, tail_length
from sfumato.masking.from_disk.masking_task import MaskingTask
from sfumato.masking.matrices.markov_matrices import frequencies

MARGIN = 5.0  # standard errors around a value of the sample within which that of the file is looked for


class Numbers(NamedTuple):
    """Of the values present in a column: how many, their mean, squared deviations from it, and ends."""

    present: int
    mean: float
    squares: float
    low: float
    high: float

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        present = values[~np.isnan(values)]
        if len(present) == 0:
            return cls(0, 0.0, 0.0, np.inf, -np.inf)
        mean = float(present.mean())
        squares = float(((present - mean) ** 2).sum())
        return cls(len(present), mean, squares, float(present.min()), float(present.max()))

    def with_(self, other: "Numbers") -> "Numbers":
        """The numbers of both sets of values (Chan, Golub & LeVeque, 1983)."""
        count = self.present + other.present
        if count == 0:
            return self
        apart = other.mean - self.mean
        mean = self.mean + apart * other.present / count
        squares = self.squares + other.squares + apart * apart * self.present * other.present / count
        return Numbers(count, mean, squares, min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True)
class FileFacts(Whole):
    """What is known of a file, or of one stratum, whose records are on disk."""

    n: int
    numbers: Mapping[str, Numbers]
    counts: Mapping[str, np.ndarray]
    correlations: np.ndarray | None = None
    ends_of_tails: Mapping[str, Tails] = field(default_factory=dict)
    made_plan: Plan | None = None

    @classmethod
    def seen(cls, table: Table, names: Sequence[str]) -> Self:
        attributes = [table.schema[name] for name in names]
        return cls(
            table.n,
            {a.name: Numbers.of(table[a.name]) for a in attributes if a.is_numeric},
            {a.name: frequencies(table[a.name], a.domain_size) for a in attributes if not a.is_numeric},
        )

    def with_(self, other: "FileFacts") -> "FileFacts":
        """The facts of both sets of records."""
        return FileFacts(
            self.n + other.n,
            {name: numbers.with_(other.numbers[name]) for name, numbers in self.numbers.items()},
            {name: counts + other.counts[name] for name, counts in self.counts.items()},
        )

    def present(self, name: str) -> int:
        return self.numbers[name].present if name in self.numbers else int(self.counts[name].sum())

    def frequencies(self, name: str) -> np.ndarray:
        return self.counts[name]

    def moments(self, names: tuple[str, ...]) -> ColumnScales:
        count, means, squares, low, high = self._columns(names)
        deviations = np.sqrt(np.where(high == low, 0, squares) / np.maximum(count - 1, 1))
        return ColumnScales(means, high - low, deviations)

    def spreads(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        count, means, squares, _, _ = self._columns(names)
        return means, without_rounding(means, np.sqrt(squares / np.maximum(count, 1)))

    def ends(self, name: str) -> tuple[float, float]:
        found = self.numbers[name]
        return (found.low, found.high) if found.present else (np.nan, np.nan)

    def correlation(self, names: tuple[str, ...]) -> np.ndarray:
        """The correlations of the columns to mask, which must have been asked for."""
        assert self.correlations is not None
        return self.correlations

    def tails(self, name: str, percent: float) -> Tails:
        """Where the smallest and largest values lie, which must have been asked for."""
        return self.ends_of_tails[name]

    def plan(self, masking: InParts, names: tuple[str, ...]) -> Plan:
        """What the method has planned, which must have been asked for."""
        assert self.made_plan is not None
        return self.made_plan

    def _columns(self, names: tuple[str, ...]) -> np.ndarray:
        return np.array([self.numbers[name] for name in names], dtype=float).reshape(-1, 5).T


def facts_of(
    original: Blocks, names: tuple[str, ...], strata: tuple[str, ...], crew: Crew
) -> dict[Stratum, FileFacts]:
    """What is known of some columns in each stratum, or of the file where no columns make strata."""
    jobs = [(original, block, names, strata) for block in range(len(original))]
    nothing: dict[Stratum, FileFacts] = {}
    found = reduce(_joined, outcomes(crew, _look, jobs, label="Looking at the file"), nothing)
    return {stratum: found[stratum] for stratum in sorted(found)}


def wholes_for(work: MaskingTask, facts: Mapping[Stratum, FileFacts], crew: Crew) -> dict[Stratum, FileFacts]:
    """What the method asks for: about each stratum if it divides the file, else about all of them as one."""
    divided = work.masking.divides(work.original.schema)
    wholes = dict(facts)
    if not divided:
        wholes = {(): reduce(FileFacts.with_, facts.values())}
    if work.masking.needs_correlation:
        found = correlations_of(work, wholes, crew)
        wholes = {stratum: replace(known, correlations=found[stratum]) for stratum, known in wholes.items()}
    percent = work.masking.needs_tails
    if percent is not None:
        wholes = {(): replace(wholes[()], ends_of_tails=_tails(work, wholes[()], percent, crew))}
    if work.masking.needs_plan:
        plan = work.masking.planned(distinct_of(work, crew), work.names)
        wholes = {(): replace(wholes[()], made_plan=plan)}
    return wholes


def distinct_of(work: MaskingTask, crew: Crew) -> DistinctRecords:
    """The distinct records that the method plans from, joined over the blocks as they come."""
    jobs = [(work, block) for block in range(len(work.original))]
    found = in_order(crew, _distinct, jobs, label="Counting records that are alike")
    return reduce(lambda one, other: DistinctRecords.joined([one, other]), found)


def _distinct(_: None, job: tuple[MaskingTask, int]) -> DistinctRecords:
    work, block = job
    names, weight = work.masking.counted(work.original.schema, work.names)
    table = work.original.table(block, list(dict.fromkeys([*names, *([weight] if weight else [])])))
    return DistinctRecords.of(table, names, weight)


def _tails(work: MaskingTask, whole: FileFacts, percent: float, crew: Crew) -> dict[str, Tails]:
    sample = work.sample()[1]
    return {
        name: tails_of(
            work.original, name, percent, n=numbers.present, sample=np.asarray(sample[name]), crew=crew
        )
        for name, numbers in whole.numbers.items()
        if numbers.present
    }


def _look(_: None, job: tuple[Blocks, int, tuple[str, ...], tuple[str, ...]]) -> dict[Stratum, FileFacts]:
    original, block, names, strata = job
    table = original.table(block, list(dict.fromkeys([*names, *strata])))
    if not strata:
        return {(): FileFacts.seen(table, names)}
    pieces = [table.take(rows) for _, rows in table.strata()]
    return {stratum_of(piece): FileFacts.seen(piece, names) for piece in pieces}


def _joined(before: dict[Stratum, FileFacts], more: dict[Stratum, FileFacts]) -> dict[Stratum, FileFacts]:
    new = {s: before[s].with_(facts) if s in before else facts for s, facts in more.items()}
    return {**before, **new}


def correlations_of(
    work: MaskingTask, wholes: Mapping[Stratum, Whole], crew: Crew
) -> dict[Stratum, np.ndarray]:
    """The correlations of the columns to mask, from sums of products in each block."""
    jobs = [(work, wholes, block) for block in range(len(work.original))]
    sums: dict[Stratum, np.ndarray] = {}
    for found in outcomes(crew, _products, jobs, label="Correlating columns"):
        for stratum, products in found.items():
            sums[stratum] = sums.get(stratum, 0) + products
    return {stratum: correlation_of(products, pairs) for stratum, (products, pairs) in sums.items()}


def _products(_: None, job: tuple[MaskingTask, Mapping[Stratum, Whole], int]) -> dict[Stratum, np.ndarray]:
    work, wholes, block = job
    part = work.original.table(block, work.looked_at)
    divided = work.masking.divides(part.schema)
    found = {}
    for at in [rows for _, rows in part.strata()] if divided else [np.arange(part.n)]:
        piece = part.take(at)
        stratum = stratum_of(piece) if divided else ()
        Z = scaled(piece.numbers(work.names), *wholes[stratum].spreads(work.names))
        found[stratum] = np.stack(products_of_pairs(Z))
    return found


class _Between(NamedTuple):
    original: Blocks
    block: int
    name: str
    low: float
    high: float


def tails_of(original: Blocks, name: str, percent: float, *, n: int, sample: np.ndarray, crew: Crew) -> Tails:
    """The tails of the n values present in a column, given a sample of them."""
    c = tail_length(n, percent)
    sample = np.sort(sample[~np.isnan(sample)])
    low = _value_of_rank(original, name, c, n=n, sample=sample, crew=crew)
    high = _value_of_rank(original, name, n - 1 - c, n=n, sample=sample, crew=crew)
    jobs = [_Between(original, block, name, low, high) for block in range(len(original))]
    below, above, total_below, total_above = np.sum(
        outcomes(crew, _tail, jobs, label="Finding the tails"), axis=0
    )
    means = [
        total / count if count else np.nan for total, count in ((total_below, below), (total_above, above))
    ]
    return Tails(low, high, int(below), int(above), np.asarray(means[0]), np.asarray(means[1]))


def _value_of_rank(
    original: Blocks, name: str, rank: int, *, n: int, sample: np.ndarray, crew: Crew
) -> float:
    """The value with so many smaller ones before it, looked for in an interval that grows until it holds it."""
    share, margin = rank / n, MARGIN
    while True:
        width = margin * np.sqrt(len(sample) * share * (1 - share)) + margin
        at, to = int(share * len(sample) - width), int(np.ceil(share * len(sample) + width))
        low = float(sample[at]) if at >= 0 else -np.inf
        high = float(sample[to]) if to < len(sample) else np.inf
        jobs = [_Between(original, block, name, low, high) for block in range(len(original))]
        found = outcomes(crew, _inside, jobs, label="Finding ranks")
        below = sum(one[0] for one in found)
        values, where = np.unique(np.concatenate([one[1] for one in found]), return_inverse=True)
        counts = np.bincount(where.ravel(), weights=np.concatenate([one[2] for one in found]))
        position = int(np.searchsorted(below + np.cumsum(counts), rank, side="right"))
        if below <= rank and position < len(values):
            return float(values[position])
        margin *= 4


def _inside(_: None, job: _Between) -> tuple[int, np.ndarray, np.ndarray]:
    """How many values of a block are below an interval, and the values in it with how often they occur."""
    values = job.original.table(job.block, [job.name])[job.name]
    inside = values[(values >= job.low) & (values <= job.high)]
    return int(np.count_nonzero(values < job.low)), *np.unique(inside, return_counts=True)


def _tail(_: None, job: _Between) -> tuple[int, int, float, float]:
    """How many values of a block are in either tail, and their sums."""
    values = job.original.table(job.block, [job.name])[job.name]
    below, above = values[values < job.low], values[values > job.high]
    return len(below), len(above), float(below.sum()), float(above.sum())
