import numpy as np
import pytest
from grouping import labels_sse, least_sse, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.core import DataError, progress
from sfumato.kernels.pricing import find_groups
from sfumato.masking import ColumnGeneration, Mdav

small = st.integers(-9, 9).map(float)
few_records = arrays(float, st.tuples(st.integers(4, 9), st.integers(1, 2)), elements=small)


@given(few_records, st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_tiny_files_are_solved_to_the_optimum(X, k):
    if len(X) < 2 * k:
        return
    labels, bound = ColumnGeneration(k=k).solve(X, np.random.default_rng(0))
    least = least_sse(X, k)
    assert labels_sse(X, labels) == pytest.approx(least, abs=1e-9)
    assert bound <= least + 1e-9
    sizes = np.bincount(labels)
    assert k <= sizes.min() <= sizes.max() < 2 * k


@pytest.mark.parametrize("s", [2, 3, 4, 5])
@pytest.mark.parametrize("least", [0.5, -0.2])
def test_pricing_finds_each_group_once(s, least):
    from itertools import combinations

    values = np.random.default_rng(s).normal(size=(14, 14))
    values += values.T
    np.fill_diagonal(values, 0.3)
    expected = {
        group
        for group in combinations(range(14), s)
        if sum(values[i, j] for i, j in combinations(group, 2)) <= -least * s
    }
    found = np.empty((5000, s), np.int64)
    count, ended = find_groups(values, s, least, np.empty(0), found, 10**6)
    groups = [tuple(sorted(group)) for group in found[:count].tolist()]
    assert ended
    assert len(groups) == len(set(groups))
    assert set(groups) == expected
    assert expected
    assert find_groups(values, s, least, np.empty(0), found, 1)[1] is (s == 2)


def test_the_gap_is_small_on_a_file_of_some_size():
    table = table_of(np.random.default_rng(2).normal(size=(150, 2)))
    rng = np.random.default_rng
    partition = ColumnGeneration(k=3).partition(table, rng(0))
    assert partition.lower_bound <= partition.il <= 1.05 * partition.lower_bound
    assert partition.il < Mdav(k=3).partition(table, rng(0)).il
    np.testing.assert_array_equal(partition.labels, ColumnGeneration(k=3).partition(table, rng(0)).labels)


def test_large_files_are_refused_by_name():
    with pytest.raises(
        DataError, match=r"column_generation: takes at most 5000 records. Got 5001; use refine"
    ):
        ColumnGeneration().apply(table_of(np.zeros((5001, 1))), np.random.default_rng(0))


class Ear(progress.Unheard):
    """Keeps the notes."""

    def __init__(self):
        self.notes = []

    def started(self, task):
        pass

    advanced = finished = started

    def noted(self, message):
        self.notes.append(message)


@pytest.mark.parametrize(("seconds", "cut"), [(1e-6, True), (1e6, False)])
def test_a_limit_that_cut_the_choice_short_is_told(seconds, cut):
    X, ear = np.random.default_rng(2).normal(size=(150, 2)), Ear()
    with progress.listening(ear):
        labels, bound = ColumnGeneration(k=3, seconds=seconds).solve(X, np.random.default_rng(0))
    assert any("was cut short after 1e-06 seconds of processor time" in note for note in ear.notes) is cut
    assert bound <= labels_sse(X, labels) + 1e-9
    assert np.bincount(labels).min() >= 3
