"""Strata of two files in blocks: each becomes two files by itself, in the same blocks."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.core import progress
from sfumato.data import Table
from sfumato.data.blocks import BlockWriter
from sfumato.measures._contract import Measure
from sfumato.measures._scores import Estimate, Score
from sfumato.measures.statistics.sources import FilePair


class Stratum(NamedTuple):
    """The records of a stratum in both files, the folder where they lie, and the sum of their survey weights."""

    files: FilePair
    folder: Path
    weight: float


def strata(files: FilePair, folder: Path) -> dict[str, Stratum]:
    """Write the records of each stratum into the folder, with the columns that matter; in the order of memory."""
    names = files.original.schema.with_role("stratum")
    kept = tuple(dict.fromkeys([*files.columns, *([files.weight] if files.weight else [])]))
    found: dict[tuple[int, ...], _StratumWriter] = {}
    with progress.task("Dividing into strata", len(files.original)) as work:
        for block in range(len(files.original)):
            original = files.original.table(block, tuple(dict.fromkeys([*kept, *names])))
            masked = files.masked.table(block, files.columns)
            for label, rows in original.strata():
                codes = tuple(int(original[name][rows[0]]) for name in names)
                if codes not in found:
                    found[codes] = _StratumWriter(label, folder / f"stratum-{len(found)}", files, kept)
                found[codes].write(original.take(rows).select(kept), masked.take(rows))
            work.advance()
    return {found[codes].label: found[codes].finish() for codes in sorted(found)}


class _StratumWriter:
    def __init__(self, label: str, folder: Path, files: FilePair, kept: tuple[str, ...]) -> None:
        self.label, self.folder, self.files, self.weight = label, folder, files, 0.0
        self.original = BlockWriter(folder / "original", files.original.schema.select(kept))
        self.masked = BlockWriter(folder / "masked", files.masked.schema.select(files.columns))
        self.counts: list[int] = []

    def write(self, original: Table, masked: Table) -> None:
        self.original.write(len(self.counts), original)
        self.counts.append(self.masked.write(len(self.counts), masked))
        self.weight += float(original[self.files.weight].sum()) if self.files.weight else 0.0

    def finish(self) -> Stratum:
        original, masked = self.original.finish(self.counts), self.masked.finish(self.counts)
        return Stratum(FilePair(original, masked, self.files.columns), self.folder, self.weight)


def mean_score(measure: Measure, scores: Mapping[str, Score], parts: Mapping[str, Stratum]) -> Score:
    """The mean of the scores of strata over records, or over their weights; an estimate where one of them is."""
    files = [one.files.original for one in parts.values()]
    weighs = any(measure.weighs(file.schema) for file in files)
    sizes = [one.weight if weighs else one.files.original.n for one in parts.values()]

    def mean(end: str) -> float:
        values = [getattr(one, end, one.value) for one in scores.values()]
        return float(np.average(values, weights=sizes))

    values = {label: one.value for label, one in scores.items()}
    seconds = sum(one.seconds for one in scores.values())
    drawn = [one.sample for one in scores.values() if isinstance(one, Estimate)]
    if not drawn:
        return Score(measure=measure.name, value=mean("value"), parts=values, seconds=seconds)
    return Estimate(
        measure=measure.name,
        value=mean("value"),
        parts=values,
        seconds=seconds,
        low=mean("low"),
        high=mean("high"),
        sample=sum(drawn),
    )
