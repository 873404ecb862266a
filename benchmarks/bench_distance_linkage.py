"""Distance-based linkage: large files within a minute and a gigabyte, and the cost of changing one cell."""

import multiprocessing
import resource
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row, best_of
from sfumato import datasets
from sfumato.attacks import LearnedLinkage
from sfumato.core import FileError
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import Change, DistanceLinkage

NOISE = (0.1, 0.5, 3.0)


def rows() -> Iterator[Row]:
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = pool.map(_large, NOISE, chunksize=len(NOISE))
    for noise, (seconds, _) in zip(NOISE, found, strict=True):
        yield Row(f"distance linkage 100,000×8, noise {noise} sd", seconds, bar=60.0)
    yield Row("distance linkage 100,000×8: peak memory", found[-1][1], "MB", bar=1000.0, digits=0)
    original, released = _pair(10_000, 0.5)
    run = best_of(lambda: LearnedLinkage().run(released, original, np.random.default_rng(0)), 1)
    yield Row("learned linkage 10,000×8", run)
    try:
        census = datasets.census()
    except FileError:
        return
    yield from _changes(census)


def _changes(census: Table) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    masked = census.replace(
        {n: census[n] + 0.1 * census[n].std() * rng.normal(size=census.n) for n in census.names}
    )
    cells = [(int(rng.integers(census.n)), str(rng.choice(census.names))) for _ in range(1000)]
    changes = [Change.cell(row, name, float(rng.choice(census[name]))) for row, name in cells]
    for options in ({}, {"ties": "miss"}, {"distance": "mahalanobis"}, {"direction": "known"}):
        bound = DistanceLinkage(**options).bind(census)
        full, tracker = best_of(lambda b=bound: b.score(masked)), bound.track(masked)
        one = best_of(lambda t=tracker: [t.try_(change) for change in changes]) / len(changes)
        name = ", ".join(options.values()) or "default"
        yield Row(f"census, one cell ({name}); twin: in full", one, bar=full / 50, twin=full, digits=6)


def _large(noise: float) -> tuple[float, float]:
    original, released = _pair(100_000, noise)
    start = time.perf_counter()
    DistanceLinkage().bind(original).score(released)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _pair(n: int, noise: float) -> tuple[Table, Table]:
    rng, names = np.random.default_rng(0), [f"x{j}" for j in range(8)]
    X = rng.normal(size=(n, 8))
    Y = X + noise * rng.normal(size=X.shape)
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return tuple(Table(schema, dict(zip(names, Z.T, strict=True))) for Z in (X, Y))
