import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs
from scipy.optimize import linear_sum_assignment

from sfumato.attacks import AssignmentLinkage, DistanceLinkage, assignment_linkage
from sfumato.attacks.assignment_linkage import _searched, _sides
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space


def numbers(n, d=4, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(d)]
    known = keys(dict.fromkeys(names, "numeric"), {name: rng.normal(size=n) for name in names})
    return known, known.replace({name: known[name] + noise * rng.normal(size=n) for name in names})


def outcomes(known, released, seed=0, **options):
    attack = AssignmentLinkage(**options)
    return attack.outcomes(released, known, known.names, np.random.default_rng(seed))


def all_distances(known, released):
    X = np.column_stack([known[name] / known[name].std() for name in known.names])
    Y = np.column_stack([released[name] / known[name].std() for name in known.names])
    return ((Y[:, None] - X) ** 2).sum(2)


@pytest.mark.parametrize("seed", range(3))
def test_small_files_are_assigned_as_well_as_can_be(seed):
    known, released = numbers(200, seed=seed)
    best = linear_sum_assignment(all_distances(known, released))[1]
    assert np.array_equal(outcomes(known, released), (best == np.arange(200)).astype(float))


def test_few_candidates_lose_little(monkeypatch):
    known, released = numbers(900, noise=0.4)
    exact = outcomes(known, released).mean()
    monkeypatch.setattr(assignment_linkage, "EXACT", 0)
    assert outcomes(known, released).mean() == pytest.approx(exact, abs=0.02)
    monkeypatch.setattr(assignment_linkage, "BLOCK", 450)
    assert exact / 2 < outcomes(known, released).mean() <= exact + 0.05


def test_what_is_certain_about_one_helps_to_find_others():
    known, released = numbers(800, noise=0.15)
    nearest = DistanceLinkage().outcomes(released, known, known.names, np.random.default_rng(0))
    assert outcomes(known, released).mean() > nearest.mean() + 0.01


def test_records_that_are_alike_share_their_links():
    known = keys({"u": ("nominal", "abc")}, {"u": [0, 0, 0, 1, 1, 2]})
    assert outcomes(known, known).tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1.0]


def test_many_alike_records_of_a_large_file():
    rng = np.random.default_rng(0)
    known = keys(
        {"u": ("ordinal", "abcd"), "v": ("nominal", "abc")},
        {"u": rng.integers(0, 4, 3000), "v": rng.integers(0, 3, 3000)},
    )
    found = outcomes(known, known, candidates=5)
    sizes = np.bincount(known["u"] * 3 + known["v"])[known["u"] * 3 + known["v"]]
    assert found == pytest.approx(1 / sizes, rel=0.05)


def test_the_order_of_records_gives_nothing_away():
    """Of records that are all alike in the release, each is found as rarely as by a guess."""
    known = numbers(2000)[0]
    flat = known.replace({name: np.zeros(2000) for name in known.names})
    assert outcomes(known, flat).mean() == pytest.approx(1 / 2000)


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_the_search_finds_the_nearest_of_all(pair):
    known, masked = pair
    space = Space(known, known.names)
    sides = _sides(DistanceLinker(known, space), masked)
    q, size = np.arange(len(sides.Q)), len(sides.grove.X)
    near, apart = _searched(sides, q, size, 0, size)
    assert (np.sort(near, axis=1) == np.arange(size)).all()
    assert (np.diff(apart, axis=1) >= 0).all()
    for few in range(1, size):
        assert _searched(sides, q, few, 0, size)[1] == pytest.approx(apart[:, :few])
        inside = (near >= few) & (near < size)  # those from `few` on
        expected = [row[kept] for row, kept in zip(apart, inside, strict=True)]
        assert _searched(sides, q, size - few, few, size)[1] == pytest.approx(np.array(expected))
