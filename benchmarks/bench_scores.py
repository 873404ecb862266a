"""Scores: one full judgement and one changed cell, on Census and Adult, with everything in the score.

Processor seconds, so that other work on the machine does not count.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row, best_of
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import Table
from sfumato.masking import Pram, RankSwapping
from sfumato.measures import Bound, Change, DisclosureRisk, InformationLoss

CHANGES = 300


def rows() -> Iterator[Row]:
    try:
        census, adult = datasets.load("census"), datasets.load("adult")
    except FileError:
        return
    yield from _numerical(census)
    masked = Pram(p=0.7).apply(adult, np.random.default_rng(1))
    for linkage in ("distance", "both"):
        bounds = [InformationLoss().bind(adult), DisclosureRisk(linkage=linkage).bind(adult)]
        full = best_of(lambda bounds=bounds: _judge(bounds, masked), 5, cpu=True)
        yield Row(f"adult 48,842×3, categorical score ({linkage})", full, bar=0.1)


def _numerical(census: Table) -> Iterator[Row]:
    masked = RankSwapping(p=10.0).apply(census, np.random.default_rng(1))
    bounds = [InformationLoss(numeric="pil").bind(census), DisclosureRisk(linkage="both").bind(census)]
    full = best_of(lambda: _judge(bounds, masked), 10, cpu=True)
    yield Row("census, PIL + ID + DLD + PLD in full", full, bar=0.1)
    trackers = [bound.track(masked) for bound in bounds]
    rng = np.random.default_rng(2)
    names = census.names
    changes = [
        Change.cell(int(rng.integers(census.n)), name, float(rng.choice(census[name])))
        for name in rng.choice(names, CHANGES)
    ]

    def try_all() -> None:
        for change in changes:
            for tracker in trackers:
                tracker.try_(change)
                tracker.reject()

    one = best_of(try_all, 3, cpu=True) / CHANGES
    yield Row("census, one cell tried (twin: in full)", one, bar=full / 50, twin=full, digits=6)
    _check(bounds, trackers, masked, changes)


def _judge(bounds: list[Bound], masked: Table) -> list[float]:
    return [bound.score(masked).value for bound in bounds]


def _check(bounds: list[Bound], trackers: list, masked: Table, changes: list[Change]) -> None:
    """The tracked values are those of the whole evaluation."""
    for change in changes[:20]:
        for tracker in trackers:
            tracker.try_(change)
            tracker.accept()
        columns = {name: masked[name].copy() for name in change.columns}
        for name, values in change.columns.items():
            columns[name][change.rows] = values
        masked = masked.replace(columns)
    for bound, tracker in zip(bounds, trackers, strict=True):
        assert abs(bound.score(masked).value - tracker.value) < 1e-9
