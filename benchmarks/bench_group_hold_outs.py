"""Hiding a group from attackers that the search never used: five surveys of 150,000, and one of a million.

    python -m benchmarks --only group_hold_outs

Sizes of places, shares of the group and the drift of the third-party files vary by seed. The attackers are those of the
verdict: boosted trees and fuzzy rules of another seed, taught on the file that the search used, on another one, and
trees taught on the survey itself; beside them whoever counts the group. Times are of the processor, all cores together.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import Row
from sfumato import group_attack, group_protect
from sfumato.data import Table
from sfumato.datasets.census_pair import WORDS, CensusPair, census_pair
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.jobs.groups.protect import GroupProtection

LONG = True
SEEDS = (1, 2, 3, 4, 5)
RECORDS, PLACES, HIDDEN = 150_000, 30, 5
SURE, PARTS, FALSE, ALTERED = 80, 90, 1, 0.1  # the bars: found, hidden, false places, % of values
SMALL, LARGE, GROWTH, SECONDS, GIGABYTES = 100_000, 1_000_000, 15, 600, 3


@dataclass(frozen=True)
class Case:
    """A survey, the third-party file an attacker has, and another one that only the verdict learns from."""

    survey: Table
    auxiliary: Table
    other: Table
    planted: tuple[str, ...]
    group: dict[str, Any]


def case(seed: int, n: int = RECORDS) -> Case:
    """Two pairs with other shares; places lose records at rates of their own."""
    rng = np.random.default_rng(seed)
    share, drifted = rng.uniform(0.002, 0.006, 2)
    asked: dict[str, Any] = {"areas": PLACES, "planted": HIDDEN}
    pair = census_pair(int(1.6 * n), share=float(share), seed=seed, **asked)
    other = census_pair(
        n, share=float(drifted), described=float(rng.uniform(0.7, 1)), seed=seed + 100, **asked
    )
    return Case(
        survey=_thinned(pair, n, rng),
        auxiliary=pair.auxiliary.take(rng.permutation(pair.auxiliary.n)[:n]),
        other=other.auxiliary,
        planted=pair.planted,
        group={
            "vital": pair.vital,
            "parameter": pair.parameter,
            "signal": "concentration",
            "words": Vocabulary.from_toml(WORDS),
        },
    )


def _thinned(pair: CensusPair, n: int, rng: np.random.Generator) -> Table:
    """n records of a survey, of some places many more than of others."""
    place = pair.survey[pair.parameter]
    chances = np.exp(0.5 * rng.standard_normal(PLACES))[place] * rng.random(pair.survey.n)
    return pair.survey.take(np.sort(np.argsort(chances)[-n:]))


def protected(given: Case, **settings: Any) -> GroupProtection:
    asked = {"auxiliary": [given.auxiliary], "judge": [given.other], "seed": 1, **given.group, **settings}
    found: GroupProtection = group_protect(given.survey, **asked)
    return found


def rows() -> Iterator[Row]:
    for seed in SEEDS:
        yield from _rows_of(seed)
    times = {n: _alone(n) for n in (SMALL, LARGE)}
    for n, (seconds, memory) in times.items():
        yield Row(f"{n:,} records: processor time", seconds, bar=SECONDS, digits=0)
        yield Row(f"{n:,} records: peak memory", memory, unit="GB", bar=GIGABYTES, digits=2)
    growth = times[LARGE][0] / times[SMALL][0]
    yield Row("growth of the time, ten times as many records", growth, unit="", bar=GROWTH, digits=1)


def _rows_of(seed: int) -> Iterator[Row]:
    given, name = case(seed), f"survey {seed}"
    attack = group_attack(given.survey, given.auxiliary, **given.group)
    seen, planted = set(attack.found.names), set(given.planted)
    missed = 100 * (1 - len(seen & planted) / len(planted))
    yield Row(f"{name}: hidden places that the attack misses", missed, unit="%", bar=100 - SURE, digits=0)
    yield Row(f"{name}: false places", len(seen - planted), unit="", bar=FALSE, digits=0)
    clock = time.process_time()
    found = protected(given)
    clock = time.process_time() - clock
    hold_outs = found.verdict.hold_outs
    still = [len(set(one.after) & planted) for one in hold_outs]
    truth = found.truth
    assert truth is not None
    still.append(len(set(truth.found_after.names) & planted))
    share = 100 * sum(still) / (len(still) * len(planted))
    yield Row(
        f"{name}: hidden places still seen ({len(still)} attackers)", share, "%", bar=100 - PARTS, digits=1
    )
    yield Row(f"{name}: values altered", found.comparison.altered_percent, "%", bar=ALTERED, digits=4)
    new = len(truth.new) + len(found.comparison.new)
    yield Row(f"{name}: new outliers, by counts and by the attack", new, "", bar=0, digits=0)
    yield Row(
        f"{name}: new outliers to attackers never used", sum(len(one.new) for one in hold_outs), "", digits=0
    )
    yield Row(f"{name}: places whose size changed", int(not truth.sizes_kept), "", bar=0, digits=0)
    yield Row(f"{name}: processor time", clock, digits=0)


def _alone(n: int) -> tuple[float, float]:
    """Seconds and GB of a process of its own, after its kernels are there."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_group_hold_outs", str(n)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), float(memory)


def main() -> None:
    protected(case(0, 20_000))  # compiles
    given = case(6, int(sys.argv[1]))
    clock = time.process_time()
    protected(given, workers=1)
    print(time.process_time() - clock, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


if __name__ == "__main__":
    main()
