"""Records that equal those of unique people are parted, and nothing that must not be is made by it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.swapped_records import case
from sfumato.kernels.coincidences import is_among, part_coincidences
from sfumato.kernels.random_draws import state_from


def marked(contents, rng):
    """A random number for each content of each column."""
    marks = [rng.integers(0, 2**64, contents.max() + 1, dtype=np.uint64)[column] for column in contents.T]
    return np.column_stack(marks)


def people_among(contents, people):
    known = set(map(tuple, people.tolist()))
    return sum(tuple(record) in known for record in contents.tolist())


def part(made, contents, people, *, movable=None, tries=200, seed=1):
    rng = np.random.default_rng(seed)
    marks = marked(np.vstack([contents, people]), rng)
    n = len(contents)
    sums = np.unique(marks[n:].sum(axis=1, dtype=np.uint64))
    movable = made.movable if movable is None else np.array(movable)
    left = part_coincidences(*made.parts, movable, marks[:n].copy(), sums, tries, state_from(seed))
    return left, np.column_stack([contents[made.records.donor[:, j], j] for j in range(contents.shape[1])])


def test_a_number_is_found_in_an_ordered_list():
    marks = np.array([3, 7, 2**63 + 5], np.uint64)
    assert [bool(is_among(np.uint64(x), marks)) for x in (3, 7, 2**63 + 5, 0, 8, 2**64 - 1)] == [True] * 3 + [
        False
    ] * 3
    assert not is_among(np.uint64(3), np.empty(0, np.uint64))


@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), contexts=st.sampled_from([1, 3]))
@settings(max_examples=25)
def test_it_tells_who_is_still_there_and_only_swaps(seed, n, contexts):
    rng = np.random.default_rng(seed)
    made = case(seed, n=n, kinds="nmc", contexts=contexts)
    contents = rng.integers(0, 4, (n, 3))
    people = contents[: n // 2]
    banned, before = made.banned(), people_among(contents, people)
    left, after = part(made, contents, people, seed=seed)
    assert left == people_among(after, people) <= before
    assert made.banned() <= banned
    np.testing.assert_array_equal(np.sort(after, axis=0), np.sort(contents, axis=0))
    np.testing.assert_allclose(made.tables.gap, made.gaps(), atol=1e-9)


def test_all_are_parted_where_there_is_room():
    made = case(2, n=60, kinds="nmc", ban=0.0)
    contents = np.column_stack([np.arange(60), np.arange(60) % 7, np.arange(60) % 5])
    left, after = part(made, contents, contents)
    assert left == 0 == people_among(after, contents)


def test_columns_that_stay_stay():
    made = case(2, n=60, kinds="nmc", ban=0.0)
    contents = np.column_stack([np.arange(60), np.arange(60) % 7, np.arange(60) % 5])
    left, after = part(made, contents, contents, movable=[1, 2])
    assert left == 0
    np.testing.assert_array_equal(after[:, 0], contents[:, 0])


def test_where_no_swap_helps_it_says_so():
    made = case(2, n=10, kinds="nmc", ban=0.0)
    contents = np.zeros((10, 3), np.int64)
    left, after = part(made, contents, contents[:1])
    assert left == 10
    np.testing.assert_array_equal(after, contents)
