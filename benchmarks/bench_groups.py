"""Group anonymity: how long the attack takes, what it finds, and what millions of records need.

    python -m benchmarks --only groups

The found and false outliers are those of three generated pairs together.
"""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import Row, once
from sfumato import group_attack
from sfumato.datasets import CensusPair, census_pair
from sfumato.datasets.census_pair import WORDS
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.signals import Group
from sfumato.jobs.groups.attack import GroupAttack
from sfumato.parallel import available_cores
from sfumato.search.effort import Effort
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.rule_evolution import evolve_rules
from sfumato.search.stop import Stop

LONG = True
SEEDS = (0, 1, 2)
CORES = min(2, available_cores())
MILLIONS = """
import resource
from sfumato import group_attack
from sfumato.datasets import census_pair
from sfumato.datasets.census_pair import WORDS
from sfumato.groups.linguistic_variables import Vocabulary

pair = census_pair(3_000_000, areas=1200, planted=60, seed=1)
words = Vocabulary.from_toml(WORDS)
group = {"vital": pair.vital, "parameter": pair.parameter}
attack = group_attack(pair.survey, pair.auxiliary, words=words, runs=2, generations=50, **group)
assert attack.has_model
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def rows() -> Iterator[Row]:
    yield Row("census pair, 300,000 + 300,000 records", once(lambda: census_pair(seed=9)), bar=10)
    pair = census_pair(seed=SEEDS[0])
    problem = FuzzyRules(pair.auxiliary, _soldiers(pair), Vocabulary.from_toml(WORDS))
    problem.quality((1, *[0] * 11))  # compiled, as on the second run of the command
    effort = Effort(stop=Stop(generations=200), workers=CORES)
    seconds = once(lambda: evolve_rules(problem, effort=effort, runs=10))
    yield Row(f"rules: 10 runs x 200 generations, {CORES} cores", seconds, bar=60)
    yield from _found()
    unrelated = _attacked(census_pair(described=0.0, seed=SEEDS[0]))
    judged = unrelated.adequacy
    assert judged is not None and not unrelated.has_model
    yield Row("ln B of a group unrelated to the attributes", judged.ln_b, unit="", bar=0.9999)
    yield Row("3 + 3 million records, 1,200 areas: peak memory", _memory(), unit="GB", bar=4)


def _found() -> Iterator[Row]:
    planted = found = right = 0
    for seed in SEEDS:
        pair = census_pair(seed=seed)
        seen = set(_attacked(pair).found.names)
        planted, found = planted + len(pair.planted), found + len(seen)
        right += len(seen & set(pair.planted))
    yield Row("planted outliers that are missed", 100 * (1 - right / planted), unit="%", bar=40)
    yield Row("outliers found that are false", 100 * (1 - right / found), unit="%", bar=10)


def _attacked(pair: CensusPair) -> GroupAttack:
    found: GroupAttack = group_attack(
        pair.survey,
        pair.auxiliary,
        vital=pair.vital,
        parameter=pair.parameter,
        words=Vocabulary.from_toml(WORDS),
        workers=CORES,
    )
    return found


def _soldiers(pair: CensusPair) -> Group:
    return Group(vital=pair.vital, parameter=pair.parameter)


def _memory() -> float:
    """The most memory that a process of its own ever held, in GB."""
    done = subprocess.run([sys.executable, "-c", MILLIONS], capture_output=True, text=True, check=True)
    return float(done.stdout)
