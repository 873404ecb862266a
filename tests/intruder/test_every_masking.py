"""Nobody undoes a masked file, whatever the method: the contract of every masking, found by itself."""

import pytest

from intruder.intrusion import intrusion
from intruder.judgement import MOST, repeated
from intruder.people import people
from intruder.releases import mask_release, secretly
from sfumato.core import registry
from sfumato.masking import Clustered, Microaggregation, make_masking

VARIANTS = {
    "shuffling": ({"method": "shuffling", "attributes": ["income", "wealth"], "given": ["age"]},),
    "sampling": ("sampling(fraction=0.5)",),
    "data_swapping": (
        "data_swapping(p=80)",
        "data_swapping(p=80, matching=illness)",
        "data_swapping(p=80, together=yes)",
    ),
    "noise": tuple(
        f"noise(kind={kind})"
        for kind in ("correlated", "uncorrelated", "correlated_transformed", "multiplicative")
    ),
    "rank_swapping": ("rank_swapping", "rank_swapping(p=40)"),
    "resampling": ("resampling", "resampling(t=1)"),
    "rounding": ("rounding", "rounding(kind=random)"),
    "pram": (
        "pram",
        "pram(p=0.4)",
        *(f"pram(matrix={matrix}, p=0.4)" for matrix in ("uniform", "invariant", "max_entropy", "diagonal")),
    ),
    "record_swapping": ("record_swapping(p=60)", "record_swapping(p=60, similar=illness, level=1)"),
    "mdav": ("mdav(k=3)", "mdav(k=3, refine_steps=500)"),
    "local_suppression": ({"method": "local_suppression", "attributes": ["degree", "job"]},),
    "generalisation": (
        {"method": "generalisation", "k": 3, "suppress": 5.0, "attributes": ["age", "degree", "town"]},
    ),
    "recoding": ("recoding(others=any, attributes=[town])",),
    "intervals": ("intervals(cuts=[30, 60], attributes=[age])",),
    "suppression": ('suppression(where="age > 60", attributes=[town, degree])',),
    "removal": (),  # nothing is released of what it takes out: see tests/jobs/test_steps.py
    "clustered": ("clustered(k=3, clusters=3, runs=2)",),
    "genetic": ("genetic(offspring=100)",),
    "refine": ("refine(refine_steps=500)",),
}
COSTLY = {"column_generation", "omma", "genetic", "clustered", "fuzzy", "mhm", "refine"}
SLOW = {*COSTLY, "calibrated_synthesis", "tree_synthesis"}  # minutes, with as many records as others
FEWER = {"acnn": 100}  # records, of what takes long; with as many as others it is a slow test, too
CHAINS = ("noise + data_swapping(p=80)", "rank_swapping + pram(p=0.4)")


def cases():
    """Every masking; of those with several variants the others, and what takes long, are left to the slow tests."""
    for name in registry.names("masking"):
        for place, spec in enumerate(VARIANTS.get(name, (name,))):
            slow = place > 0 or name in SLOW
            id, n = str(make_masking(spec)), 40 if name in COSTLY else 400
            if name in FEWER:
                yield pytest.param(name, spec, FEWER[name], id=f"{id}, few")
                slow = True
            yield pytest.param(name, spec, n, id=id, marks=[pytest.mark.slow] if slow else [])
    for spec in CHAINS:
        yield pytest.param("chain", spec, 400, marks=pytest.mark.slow)


def attacked(spec, folder, *, seeds, n=400, homes=False, most=40, randomness=secretly):
    """The same masking of several files, each attacked with as many seeds as its number says."""

    def once(number):
        original = people(n, seed=number, homes=homes)
        release = mask_release(original, spec, folder / str(number), **randomness(number))
        names = make_masking(spec).targets(original)
        return intrusion(release, names, range(seeds(number)), halves=number)

    return repeated(once, most=most)


def seeds_of(spec):
    """Dozens in the first file; few where a method only chooses groups, which the release shows anyway."""
    grouping = all(isinstance(step, Microaggregation | Clustered) for step in make_masking(spec).sequence)
    return (lambda number: 3) if grouping else (lambda number: 5 if number else 60)


@pytest.mark.parametrize(("name", "spec", "n"), [*cases()])
def test_a_masked_file_is_not_undone(name, spec, n, tmp_path):
    homes = name == "record_swapping"  # which looks at few households, each with one cell
    found = attacked(
        spec,
        tmp_path,
        seeds=seeds_of(spec),
        n=1500 if homes else n,
        homes=homes,
        most=10 if name in COSTLY else 40,
    )
    assert found.holds, f"{spec}: more than {MOST} point: {found}"
