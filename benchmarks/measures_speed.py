"""Measures: processor time of bind, score and one tracked change, measure by measure.

    python -m benchmarks.measures_speed [--only PART] [--save FILE] [--against FILE]

Three files of 20,000 records and 8 attributes: numbers, categories, and both. Each figure is the least of
repeated runs, after one that warms up, with one thread for linear algebra: threads that wait count as work.
`--save` keeps the figures, or the lesser ones where the file has some already; `--against` prints those of an
earlier run beside them (before, after, ratio), and ends with status 1 where bind and score together, or a step,
take over a tenth longer. On a busy machine, let both trees take turns, each saving to its own file.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported

import numpy as np

from sfumato.core import registry
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import (
    Change,
    IndividualRisk,
    IntervalDisclosure,
    KAnonymity,
    LDiversity,
    Measure,
    Moments,
    Pil,
    Sse,
)

RECORDS = 20_000
STEPS = 40  # changes tried in one run of a tracker
REPEATS, SECONDS = 40, 1.0  # a figure is the least of so many runs, or of those that so much time allows
SLOWER = 1.1
FEW = {
    "clustering": 2_000,
    "probabilistic_linkage": 2_000,
    "rank_swapping_linkage": 5_000,
    "propensity": 5_000,
}
VARIANTS: tuple[Measure, ...] = (
    KAnonymity(missing="any"),
    KAnonymity(weighted=True),
    IndividualRisk(weighted=False),
    LDiversity(variant="entropy"),
    LDiversity(variant="recursive"),
    IntervalDisclosure(per_record=True),
    Moments(weighted=True),
    Pil(weighted=True),
    Sse(weighted=True),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measures_speed")
    parser.add_argument("--only", default="", help="only measures whose name contains this")
    parser.add_argument("--save", type=Path, help="where to keep the figures")
    parser.add_argument("--against", type=Path, help="figures of an earlier run")
    arguments = parser.parse_args()
    before = json.loads(arguments.against.read_text()) if arguments.against else {}
    print(f"{'measure':<52}{'before':>12}{'after':>12}{'ratio':>8}")
    kept = json.loads(arguments.save.read_text()) if arguments.save and arguments.save.exists() else {}
    figures = dict(kept)
    for name, seconds in measured(arguments.only):
        figures[name] = min(seconds, kept.get(name, seconds))
        print(line(name, before.get(name), seconds), flush=True)
    if arguments.save:
        arguments.save.write_text(json.dumps(figures, indent=2) + "\n")
    return int(any(slower(name, before.get(name), seconds) for name, seconds in figures.items()))


def line(name: str, before: float | None, after: float) -> str:
    ratio = "" if before is None else f"{after / before:.2f}"
    was = "" if before is None else f"{1e6 * before:.1f} µs"
    mark = " !" if slower(name, before, after) else ""
    return f"{name:<52}{was:>12}{f'{1e6 * after:.1f} µs':>12}{ratio:>8}{mark}"


def slower(name: str, before: float | None, after: float) -> bool:
    counts = name.endswith(("bind + score", "step"))
    return counts and before is not None and after > SLOWER * before


def measured(only: str) -> Iterator[tuple[str, float]]:
    """Name and processor seconds of all figures."""
    made: list[Measure] = [registry.make("measures", name) for name in registry.names("measures")]
    for file, original in files().items():
        masked = altered(original)
        for measure in [*made, *VARIANTS]:
            fits = measure.fitting(original) or measure.name == "balance"
            if only in measure.name and fits and not skipped(measure, file):
                yield from timed(f"{file} {label(measure)}", measure, original, masked)


def skipped(measure: Measure, file: str) -> bool:
    """Variants are timed on one file where they have something to do."""
    homes = {"k_anonymity": "categorical", "individual_risk": "categorical", "l_diversity": "categorical"}
    return measure in VARIANTS and file != homes.get(measure.name, "numeric")


def label(measure: Measure) -> str:
    options = [f"{key}={value}" for key, value in measure.spec().items() if key != "method"]
    return measure.name + (f"({', '.join(options)})" if options else "")


def timed(name: str, measure: Measure, original: Table, masked: Table) -> Iterator[tuple[str, float]]:
    rows = np.arange(FEW.get(measure.name, RECORDS))
    original, masked = original.take(rows), masked.take(rows)
    binding = least(lambda: measure.bind(original))
    bound = measure.bind(original)
    scoring = least(lambda: bound.score(masked))
    yield f"{name} bind", binding
    yield f"{name} score", scoring
    yield f"{name} bind + score", binding + scoring
    tracker, changes = bound.track(masked), changes_of(masked, bound.names)
    if type(tracker).__name__ == "RecomputingTracker":  # a step is a score
        return

    def steps() -> None:
        for change in changes:
            tracker.try_(change)
            tracker.reject()

    yield f"{name} step", least(steps) / STEPS


def least(work: Callable[[], Any]) -> float:
    """The least processor time of several runs."""
    work()
    found, end = [], time.perf_counter() + SECONDS
    while len(found) < 3 or (len(found) < REPEATS and time.perf_counter() < end):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def changes_of(masked: Table, names: tuple[str, ...]) -> list[Change]:
    """One cell each, with the value of another record."""
    rng = np.random.default_rng(3)
    return [
        Change.cell(int(rng.integers(masked.n)), str(name), rng.choice(masked[name]).item())
        for name in rng.choice(np.array(names), STEPS)
    ]


def files() -> dict[str, Table]:
    """A numeric, a categorical and a mixed file, each with a confidential attribute and survey weights."""
    return {"numeric": file_of(8, 0), "categorical": file_of(0, 8), "mixed": file_of(4, 4)}


def file_of(numbers: int, categories: int) -> Table:
    rng = np.random.default_rng(1)
    attributes, columns = [], {}
    common = rng.normal(size=RECORDS)
    for j in range(numbers):
        attributes.append(Attribute(name=f"x{j}", scale="numeric", role="key"))
        values = np.round(50 * np.exp(0.5 * common + rng.normal(size=RECORDS)), j % 3)
        columns[f"x{j}"] = np.where(rng.random(RECORDS) < 0.01, np.nan, values)
    for j in range(categories):
        domain = tuple(f"c{i}" for i in range((2, 5, 9, 16, 3, 7, 12, 25)[j]))
        scale = "ordinal" if j % 2 else "nominal"
        attributes.append(Attribute(name=f"c{j}", scale=scale, role="key", categories=domain))
        codes = np.minimum(rng.geometric(2 / len(domain), RECORDS) - 1, len(domain) - 1)
        columns[f"c{j}"] = np.where(rng.random(RECORDS) < 0.01, -1, codes)
    attributes.append(
        Attribute(name="illness", scale="nominal", role="confidential", categories=tuple("abcdef"))
    )
    attributes.append(Attribute(name="weight", scale="numeric", role="weight"))
    columns["illness"] = rng.integers(0, 6, RECORDS)
    columns["weight"] = np.round(rng.uniform(1, 9, RECORDS), 2)
    return Table(Schema(attributes), columns)


def altered(original: Table) -> Table:
    """Numbers with noise, a fifth of the categories exchanged."""
    rng, columns = np.random.default_rng(2), {}
    for name in original.schema.with_role("key"):
        values = original[name]
        if original.schema[name].is_numeric:
            columns[name] = np.round(values * rng.normal(1, 0.05, original.n))
        else:
            columns[name] = np.where(rng.random(original.n) < 0.2, rng.permutation(values), values)
    return original.replace(columns)


if __name__ == "__main__":
    sys.exit(main())
