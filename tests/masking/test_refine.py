import numpy as np
import pytest
from grouping import labels_sse, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.core import ParameterError, UnknownNameError
from sfumato.kernels.random_draws import state_from
from sfumato.kernels.refine import anneal
from sfumato.masking import Mdav, Refine
from sfumato.masking._group_lists import as_groups
from sfumato.masking._refinement import FULL, _scale, _surroundings, divided, refined

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=small)


def start_of(X, k):
    return Mdav(k=k).group(X, np.random.default_rng(0))


@given(records, st.integers(2, 5), st.integers(1, 5000), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_groups_stay_legal_and_sse_never_rises(X, k, steps, seed):
    if len(X) < 2 * k:
        return
    first = start_of(X, k)
    labels = refined(X, first, k, np.random.default_rng(seed), steps=steps)
    sizes = np.bincount(labels)
    assert k <= sizes.min() <= sizes.max() < 2 * k
    assert labels_sse(X, labels) <= labels_sse(X, first) + 1e-9
    again = refined(X, first, k, np.random.default_rng(seed), steps=steps)
    np.testing.assert_array_equal(labels, again)


@pytest.mark.parametrize("heat", [0.0, 0.5, 50.0])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_change_of_sse_and_all_books_are_right(heat, k):
    X = np.random.default_rng(k).normal(size=(150, 3))
    near, scale = _surroundings(X, k)
    groups = as_groups(X, start_of(X, k), k)
    before = labels_sse(X, groups.labels)
    state = state_from(5)
    change = anneal(X, near, groups, state, scale, (heat, heat), 40_000, np.arange(len(X)))
    assert labels_sse(X, groups.labels) == pytest.approx(before + change, rel=1e-9)
    assert change <= 0 or heat > 0
    fresh = as_groups(X, groups.labels, k)
    count = groups.total[0]
    assert count == fresh.total[0]
    np.testing.assert_array_equal(groups.sizes[:count], fresh.sizes[:count])
    np.testing.assert_allclose(groups.centres[:count], fresh.centres[:count], atol=1e-9)
    np.testing.assert_array_equal(groups.members[groups.labels, groups.places], np.arange(150))
    assert k <= groups.sizes[:count].min() <= groups.sizes[:count].max() < 2 * k


def test_each_row_is_near_to_m_others_and_not_to_itself():
    X = np.concatenate([np.zeros((60, 2)), np.random.default_rng(0).normal(size=(40, 2))])
    near, costs = _surroundings(X, 3)
    assert not (near == np.arange(100)[:, None]).any()
    assert all(len(set(row)) == len(row) for row in near.tolist())
    assert (_scale(costs, np.arange(3)) > 0).all()


def test_equal_records_cost_nothing():
    labels = refined(np.zeros((20, 2)), np.arange(20) // 5, 5, np.random.default_rng(0), steps=1000)
    assert np.bincount(labels).min() >= 5


@given(records, st.integers(2, 5))
def test_large_groups_are_divided(X, k):
    if len(X) >= k:
        sizes = np.bincount(divided(X, np.zeros(len(X), np.int64), k))
        assert k <= sizes.min() and (len(X) < 2 * k or sizes.max() < 2 * k)


def test_any_method_can_be_refined_by_its_own_parameters():
    table = table_of(np.random.default_rng(1).normal(size=(200, 3)))
    rng = np.random.default_rng
    plain, better = (
        Mdav(k=4).partition(table, rng(0)),
        Mdav(k=4, refine_steps=50_000).partition(table, rng(0)),
    )
    assert better.il < 0.95 * plain.il
    assert Mdav(k=4, refine_seconds=0.05).partition(table, rng(0)).il < plain.il
    assert Refine(k=4).partition(table, rng(0)).il < plain.il


@pytest.mark.parametrize("k", [3, 5])
def test_a_large_budget_mends_region_by_region(k):
    X = np.random.default_rng(2).normal(size=(60, 2))
    start = start_of(X, k)
    mended = refined(X, start, k, np.random.default_rng(0), steps=FULL * len(X))
    short = [refined(X, start, k, np.random.default_rng(seed), steps=500 * len(X)) for seed in range(5)]
    assert labels_sse(X, mended) <= np.median([labels_sse(X, labels) for labels in short])
    assert k <= np.bincount(mended).min() <= np.bincount(mended).max() < 2 * k
    again = refined(X, start, k, np.random.default_rng(0), steps=FULL * len(X))
    np.testing.assert_array_equal(mended, again)


def test_only_the_rows_given_start_moves():
    X = np.arange(40.0)[:, None] ** 1.1
    near, scale = _surroundings(X, 2)
    groups = as_groups(X, np.arange(40) // 2, 2)
    anneal(X, near[:, :2], groups, state_from(5), scale, (9.0, 9.0), 200, np.array([3, 4]))
    together = groups.labels[::2] == groups.labels[1::2]
    assert not together[:10].all() and together[10:].all()


def test_a_start_must_be_another_method_that_groups():
    for start in ("refine", "pram"):
        with pytest.raises(ParameterError, match=f"start must be another method that groups. Got '{start}'"):
            Refine(start=start)
    with pytest.raises(UnknownNameError, match="Did you mean mdav"):
        Refine(start="mdva")


@pytest.mark.classic
@pytest.mark.parametrize(
    ("classic", "k", "il"),
    [("tarragona", 3, 14.95), pytest.param("census", 3, 4.95, marks=pytest.mark.slow), ("eia", 3, 0.37)],
)
def test_a_second_of_moves_passes_everything_published(classic, k, il):
    partition = Refine(k=k, refine_steps=5_000_000).partition(
        datasets.load(classic), np.random.default_rng(0)
    )
    assert partition.il < il


@given(sizes=st.lists(st.integers(2, 15), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_large_groups_are_divided_into_small_ones_of_their_own(sizes, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(seed).normal(size=(len(labels), 2))
    found = divided(X, labels, 2)
    counts = np.bincount(found)
    assert counts.min() >= 2 and counts.max() <= 3
    for group in range(len(counts)):  # nobody joins another group
        assert len(set(labels[found == group].tolist())) == 1
