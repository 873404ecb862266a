"""Files that lose no more than another sample: what `protect` and `evolve` make by default, on classic files and on a
million people with twelve columns.

Processor seconds, kernels warm; of the million, which is worked on as a user would, those of two cores together, halved.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import sfumato
from benchmarks.large_people import write_people
from benchmarks.timing import Row, once
from benchmarks.watched import watched
from sfumato.core import progress
from sfumato.data import Table
from sfumato.datasets import adult, available, census
from sfumato.masking import make_masking, masked_with

LONG = True

WARM, SAMPLE, MILLION = 300, 5_000, 1_000_000
CENSUS_BAR, SAMPLE_BAR, ADULT_BAR, MILLION_BAR, GIGABYTES = 3.0, 10.0, 60.0, 600.0, 4.0
BEST = "calibrated_synthesis"


def rows() -> Iterator[Row]:
    if available("census") and available("adult"):
        yield from of_classic_files()
    yield from of_a_million()


def of_classic_files() -> Iterator[Row]:
    few, whole = census(), adult()
    some = whole.take(np.sort(np.random.default_rng(0).permutation(whole.n)[:SAMPLE]))
    for name, table, bar in (
        ("Census", few, CENSUS_BAR),
        ("Adult, 5,000 records", some, SAMPLE_BAR),
        ("Adult, all records", whole, ADULT_BAR),
    ):
        synthesised(table.take(np.arange(WARM)))
        yield Row(f"{name}: {BEST}", once(lambda: synthesised(table), cpu=True), bar=bar, digits=1)  # noqa: B023
    evolved(few.take(np.arange(WARM)))
    yield Row("Census: evolve", once(lambda: evolved(few), cpu=True), bar=CENSUS_BAR, digits=1)


def synthesised(table: Table) -> None:
    with progress.without_notes():
        masked_with(make_masking(BEST), table, seed=1)


def evolved(table: Table) -> None:
    with progress.without_notes():
        sfumato.evolve(table, seed=1, workers=1, with_verdict=False)


def of_a_million() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        file, out = Path(name) / "people.parquet", Path(name) / "out.parquet"
        write_people(file, MILLION)
        taken = watched("mask", str(file), "-o", str(out), "--method", BEST, "--seed", "1")
    yield Row(f"a million × 12: {BEST}", taken.processor / 2, bar=MILLION_BAR, digits=0)
    yield Row("a million × 12: by the clock", taken.seconds, digits=0)
    yield Row("a million × 12: memory", taken.peak / 1e9, unit="GB", bar=GIGABYTES, digits=1)
