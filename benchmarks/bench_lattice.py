"""Optimal generalisation, k = 5: Adult over a lattice of 6,480 nodes, a million people drawn from it, and a million
generated ones over a lattice of 252,000; in memory and from disk; and what local recoding takes beside it.

Processor seconds of a whole choice, levels and distinct records included; kernels warm. Names say how many nodes were
counted of how many, and where that did not suffice for a proof, between what and what the least loss lies: the average
size of classes says little of nodes beyond those that were counted.
"""

import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import large_people
from benchmarks.timing import Row, best_of, once
from sfumato.data import Hierarchy, Table
from sfumato.data.blocks import BlockWriter
from sfumato.datasets import adult, available
from sfumato.masking import Generalisation
from sfumato.masking.from_disk.mask_blocks import mask_blocks
from sfumato.masking.generalisation import Choice
from sfumato.parallel import Workers

LOSSES = ("granularity", "discernibility", "average_class_size", "non_uniform_entropy")
BUDGETS = (0.0, 2.0, 5.0)
BAR, MILLION_BAR, GIGABYTES = 1.0, 60.0, 2.0
N, TRAINING = 1_000_000, 32_561
OTHERS = 0.1  # of the cells of a person that is drawn
RNG = np.random.default_rng(1)
NODES = {"average_class_size": 6_000}
PERSON = (*large_people.CATEGORIES, "age", "hours")

KEYS = ("AGE", "WORKCLASS", "EDUCATION", "MARITAL-STATUS", "OCCUPATION", "RACE", "SEX", "NATIVE-COUNTRY")
WORK = {
    "government": "Federal-gov Local-gov State-gov",
    "self-employed": "Self-emp-not-inc Self-emp-inc",
    "private": "Private",
    "without pay": "Without-pay Never-worked",
}
SCHOOL = {
    "primary": "Preschool 1st-4th 5th-6th 7th-8th",
    "some high school": "9th 10th 11th 12th",
    "high school": "HS-grad Some-college",
    "associate": "Assoc-voc Assoc-acdm",
    "degree": "Bachelors Masters Prof-school Doctorate",
}
SCHOOLS = {
    "up to high school": ("primary", "some high school", "high school"),
    "beyond": ("associate", "degree"),
}
MARRIAGE = {
    "spouse present": "Married-civ-spouse Married-AF-spouse",
    "spouse absent": "Divorced Separated Widowed Married-spouse-absent Never-married",
}
JOB = {
    "technical": "Tech-support Craft-repair Prof-specialty Machine-op-inspct Armed-Forces",
    "office": "Sales Exec-managerial Adm-clerical",
    "other": "Other-service Handlers-cleaners Farming-fishing Transport-moving Priv-house-serv Protective-serv",
}
WORLD = {
    "North America": "United-States Canada Puerto-Rico Outlying-US(Guam-USVI-etc)",
    "Europe": "England Germany Greece Italy Poland Portugal Ireland France Hungary Scotland Yugoslavia "
    "Holand-Netherlands",
    "Latin America": "Cuba Honduras Jamaica Mexico Dominican-Republic Ecuador Haiti Columbia Guatemala "
    "Nicaragua El-Salvador Trinadad&Tobago Peru South",
    "Asia": "Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong",
}


def rows() -> Iterator[Row]:
    if available("adult"):
        plain = complete(adult())
        people = with_hierarchies(plain)
        for loss in LOSSES:
            for suppress in BUDGETS:
                yield searched("adult", wanted(KEYS, loss, suppress), people, bar=BAR)
        for loss in LOSSES:
            yield searched("adult, made levels", wanted(KEYS, loss, BUDGETS[1]), plain)
        local = Generalisation(k=5, suppress=BUDGETS[1], local=True, attributes=KEYS)
        yield Row("adult, local recoding", best_of(lambda: local.apply(people, RNG), 1, cpu=True), digits=2)
        drawn = resampled(people, N)
        for suppress in BUDGETS:
            masking = wanted(KEYS, "granularity", suppress)
            yield searched(f"adult drawn {N:,} times", masking, drawn, bar=MILLION_BAR, repeats=0)
        seconds = once(lambda: masked_from_disk(drawn, masking), cpu=True)
        yield Row(f"adult drawn {N:,} times, masked from disk", seconds, bar=MILLION_BAR, digits=2)
    million = large_people.people(N, seed=1)
    few = million.take(np.arange(1000))
    for loss in LOSSES:
        for suppress in BUDGETS[:2]:
            masking = wanted(PERSON, loss, suppress)
            masking.choice(few)  # compiles
            yield searched(f"{N:,}", masking, million, bar=MILLION_BAR, repeats=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    yield Row(f"{N:,} x {len(PERSON)}: memory of the process", peak, "GB", bar=GIGABYTES, digits=2)


def wanted(keys: tuple[str, ...], loss: str, suppress: float) -> Generalisation:
    return Generalisation(k=5, suppress=suppress, loss=loss, attributes=keys, nodes=NODES.get(loss, 10_000))


def searched(
    what: str, masking: Generalisation, table: Table, *, bar: float | None = None, repeats: int = 3
) -> Row:
    """Processor seconds of one search, and how far it went."""
    found: list[Choice] = []

    def work() -> None:
        found.append(masking.choice(table))

    seconds = best_of(work, repeats, cpu=True) if repeats else once(work, cpu=True)
    choice = found[-1]
    proof = "" if choice.bound == choice.loss else f", {choice.bound:.3g} to {choice.loss:.3g} %"
    name = f"{what} {masking.loss} {masking.suppress:g} %: {choice.counted:,} of {choice.nodes:,}{proof}"
    return Row(name, seconds, bar=bar, digits=2)


def resampled(people: Table, n: int) -> Table:
    """Records drawn with replacement, of which a tenth of the cells come from others: new combinations, as rare as before."""
    rng = np.random.default_rng(1)
    drawn = people.select(KEYS).take(rng.integers(0, people.n, n))
    columns = {}
    for name in KEYS:
        other = people[name][rng.integers(0, people.n, n)]
        columns[name] = np.where(rng.random(n) < OTHERS, other, drawn[name])
    return drawn.replace(columns)


def masked_from_disk(table: Table, masking: Generalisation) -> None:
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        halves = [table.take(half) for half in np.array_split(np.arange(table.n), 2)]
        blocks = BlockWriter(Path(name) / "original", table.schema).write_all(halves)
        mask_blocks(blocks, masking, Path(name) / "masked", seed=1, crew=Workers(None))


def complete(people: Table) -> Table:
    """The 30,162 training records without a missing key."""
    there = np.arange(people.n) < TRAINING
    for name in KEYS:
        there &= ~people.missing(name)
    return people.take(np.flatnonzero(there))


def with_hierarchies(people: Table) -> Table:
    trees = {
        "AGE": Hierarchy(tuple((str(a), *(f"{a - a % w}+{w}" for w in (5, 10, 20))) for a in range(91))),
        "WORKCLASS": tree(WORK),
        "EDUCATION": tree(SCHOOL, SCHOOLS),
        "MARITAL-STATUS": tree(MARRIAGE),
        "OCCUPATION": tree(JOB),
        "RACE": tree({"any": " ".join(people.schema["RACE"].categories)}),
        "NATIVE-COUNTRY": tree(WORLD),
    }
    attributes = [people.schema[name].evolve(hierarchy=hierarchy) for name, hierarchy in trees.items()]
    return people.with_schema(people.schema.replace(attributes))


def tree(groups: dict[str, str], above: dict[str, tuple[str, ...]] | None = None) -> Hierarchy:
    """Categories under groups, and these under others if there are any; the last level is a blank column."""
    parent = {group: whole for whole, members in (above or {}).items() for group in members}
    rows = ((leaf, group) for group, members in groups.items() for leaf in members.split())
    return Hierarchy(tuple((*row, parent[row[1]]) if above else row for row in rows))
