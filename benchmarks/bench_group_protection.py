"""Hiding a group: 90,000 records, the attack re-run, what it costs and how long it takes.

Seconds are those of all our cores, so that a busy machine does not change them. "Values altered" are the
values in which the two files differ; "metric" is the count of the source: attributes in which the records of
a swap differ, as a share of all basic values.
"""

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.timing import Row
from sfumato import group_attack, group_protect
from sfumato.datasets.census_pair import BASIC, WORDS, CensusPair, census_pair
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.linguistic_variables import Vocabulary

LONG = True
RECORDS = 90_000


def rows() -> Iterator[Row]:
    for planted, areas in ((2, 70), (8, 100)):
        pair = census_pair(RECORDS, areas=areas, planted=planted, seed=1)
        group = {"vital": pair.vital, "parameter": pair.parameter}
        words = Vocabulary.from_toml(WORDS)
        attack = group_attack(pair.released, pair.auxiliary, words=words, runs=2, generations=60, **group)
        group_protect(pair.survey, model=attack.model, hide=pair.planted, generations=1, **group)  # compiles
        for model, who in ((attack.model, "fuzzy model"), (None, "counting")):
            yield from _protected(pair, group, model, f"{planted} places, {who}")


def _protected(pair: CensusPair, group: dict[str, Any], model: FuzzyModel | None, name: str) -> Iterator[Row]:
    clock, cpu = time.perf_counter(), time.process_time()
    found = group_protect(pair.survey, model=model, **group)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    comparison = found.comparison
    metric = 100 * found.distortion / (RECORDS * len(BASIC))
    yield Row(f"{name}: processor time", cpu, bar=60.0, digits=1)
    yield Row(f"{name}: wall clock", clock, digits=1)
    yield Row(f"{name}: outliers still seen", len(comparison.still_found), unit="", bar=0, digits=0)
    yield Row(f"{name}: new outliers", len(comparison.new), unit="", digits=0)
    yield Row(f"{name}: values altered", comparison.altered_percent, unit="%", bar=0.05)
    yield Row(f"{name}: metric of the source", metric, unit="%")
    yield Row(f"{name}: places whose size changed", int(not comparison.sizes_kept), unit="", bar=0, digits=0)
    yield Row(f"{name}: invalid last individuals", 100 - found.valid, unit="%", bar=5, digits=1)
    yield Row(f"{name}: swaps", len(found.swaps), unit="", digits=0)
