"""The verdict: all headline measures of a masking and its rehearsal, in processor time, and the memory at its peak."""

import resource
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row
from sfumato.data import Attribute, Schema, Table
from sfumato.jobs import verdict_on
from sfumato.masking import make_masking, masked_with

LONG = True
SHAPES = ((5_000, 9, 30.0), (1_000_000, 12, 180.0))
MEMORY = 2.0  # GB


def rows() -> Iterator[Row]:
    masking = make_masking("rank_swapping(p=10)")
    small = population(600, 9)
    verdict_on(masking, small, masked_with(masking, small, seed=1), seed=1, rehearsals=1)  # compiles
    for n, d, bar in SHAPES:
        people = population(n, d)
        masked = masked_with(masking, people, seed=1)
        began = time.process_time()
        found = verdict_on(masking, people, masked, seed=1, rehearsals=1)
        assert len(found.scores) == 5
        yield Row(f"verdict {n:,} x {d}", time.process_time() - began, bar=bar)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Row(f"verdict {n:,} x {d}: memory in GB", peak, bar=MEMORY)


def population(n: int, d: int) -> Table:
    """Numbers and categories that hang together; the last column is confidential."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=n)
    columns, attributes = {}, []
    for j in range(d):
        value, name = common * (j % 3) / 2 + rng.normal(size=n), f"c{j}"
        role = "confidential" if j == d - 1 else "key"
        if j % 2:
            cuts = np.quantile(value, np.linspace(0, 1, 4 + j)[1:-1])
            columns[name] = np.searchsorted(cuts, value)
            labels = tuple(map(str, range(3 + j)))
            attributes.append(Attribute(name=name, scale="ordinal", role=role, categories=labels))
        else:
            columns[name] = np.round(value, 3)
            attributes.append(Attribute(name=name, scale="numeric", role=role))
    return Table(Schema(attributes), columns)
