"""Trackers: what one changed cell costs beside judging the whole file again."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.timing import Row, best_of
from sfumato import datasets
from sfumato.core import FileError, registry
from sfumato.data import Table
from sfumato.masking import RankSwapping
from sfumato.measures import Change, Measure, Tracker

TRIES = 50


def rows() -> Iterator[Row]:
    try:
        census = datasets.census()
    except FileError:
        return
    masked = RankSwapping(p=10.0).apply(census, np.random.default_rng(0))
    for name in registry.names("measures"):
        measure: Measure = registry.make("measures", name)
        if measure.fitting(census):
            yield one_cell(measure, census, masked)


def one_cell(measure: Measure, original: Table, masked: Table) -> Row:
    """One cell tried and rejected; the twin is a full judgement."""
    bound = measure.bind(original)
    full = best_of(lambda: bound.judge(masked))
    one = best_of(tries_of(bound.track(masked), masked, bound.names)) / TRIES
    return Row(f"{measure.name} census: one cell, judged anew", one, twin=full, digits=6)


def tries_of(tracker: Tracker, masked: Table, names: tuple[str, ...]) -> Callable[[], None]:
    """Values of other records in turn, for cells of all attributes."""
    rng = np.random.default_rng(1)
    changes = [
        Change.cell(int(row), name, float(masked[name][rng.integers(masked.n)]))
        for row, name in zip(rng.integers(masked.n, size=TRIES), itertools.cycle(names), strict=False)
    ]

    def work() -> None:
        for change in changes:
            tracker.try_(change)
            tracker.reject()

    return work
