import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels.grid_cuts import cut_grid, cut_off_sparse

TABLES = arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(0, 6))


def cut(counts, least, first=0):
    labels = np.full(counts.shape, -1, np.int32)
    return labels, cut_grid(counts, least, labels, first)


def boxes(labels):
    """Rows and columns of each box; every cell of the rectangle must be in it."""
    for label in np.unique(labels):
        rows, columns = np.nonzero(labels == label)
        box = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
        assert (labels[box] == label).all()
        yield box


def could_be_cut(counts, least):
    for axis in (0, 1):
        sides = np.cumsum(counts.sum(axis=1 - axis))[:-1]
        if (np.minimum(sides, counts.sum() - sides) >= least).any():
            return True
    return False


@given(counts=TABLES, least=st.integers(1, 30), first=st.integers(0, 50))
@settings(max_examples=60)
def test_boxes_part_the_table_hold_enough_and_are_small(counts, least, first):
    labels, after = cut(counts, least, first)
    np.testing.assert_array_equal(np.unique(labels), np.arange(first, after))
    found = list(boxes(labels))
    for box in found:
        assert counts[box].sum() >= least or len(found) == 1
        assert not could_be_cut(counts[box], least)
    assert len(found) > 1 or not could_be_cut(counts, least)


def scores(counts, least):
    """Twin: (smaller side) · √width of each cut."""
    for axis in (0, 1):
        for at in range(1, counts.shape[axis]):
            side = min(
                counts.take(range(at), axis).sum(), counts.take(range(at, counts.shape[axis]), axis).sum()
            )
            if side >= least:
                yield side * np.sqrt(counts.shape[axis]), axis, at


@given(counts=TABLES, least=st.integers(1, 8))
@settings(max_examples=30)
def test_the_first_cut_is_the_best(counts, least):
    labels, _ = cut(counts, least)
    told = [*scores(counts, least)]
    if told:
        best = max(score for score, _, _ in told)
        split = [
            axis
            for score, axis, at in told
            if score == best
            and not np.intersect1d(
                labels.take(range(at), axis), labels.take(range(at, counts.shape[axis]), axis)
            ).size
        ]
        assert split


@pytest.mark.parametrize(
    ("counts", "least", "expected"),
    [
        ([[5, 5, 5, 5]], 5, [[0, 1, 2, 3]]),
        ([[5, 5, 5, 5]], 6, [[0, 0, 1, 1]]),
        ([[9, 0], [0, 9]], 9, [[0, 0], [1, 1]]),
        ([[3]], 5, [[0]]),
    ],
)
def test_small_tables(counts, least, expected):
    labels, _ = cut(np.array(counts), least)
    for one, other in zip(expected, labels.tolist(), strict=True):
        assert len(set(one)) == len(set(other))
    # numbers of boxes are in no order; what is together is
    together = np.equal.outer(np.ravel(expected), np.ravel(expected))
    np.testing.assert_array_equal(np.equal.outer(labels.ravel(), labels.ravel()), together)


def sides(box, counts, unrelated, least):
    """Twin: the nearly empty sides of a box, and how many people each lacks."""
    (r0, r1), (c0, c1) = box
    total = counts[r0:r1, c0:c1].sum()
    rows = [cut for r in range(r0 + 1, r1) for cut in (slice(r0, r), slice(r, r1))]
    columns = [cut for c in range(c0 + 1, c1) for cut in (slice(c0, c), slice(c, c1))]
    for side in [(cut, slice(c0, c1)) for cut in rows] + [(slice(r0, r1), cut) for cut in columns]:
        here, wanted = counts[side].sum(), unrelated[side].sum() / max(counts.sum(), 1)
        if wanted >= least and here < least and 2 * here < wanted and total - here >= least:
            yield wanted - here, side


@given(
    counts=arrays(
        np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.sampled_from([0, 0, 1, 9, 20])
    ),
    least=st.integers(2, 20),
)
@example(
    counts=np.array([[20, 1, 0, 20], [0, 9, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]]), least=2
)  # 2 to the last digit
@settings(max_examples=60)
def test_what_is_nearly_empty_is_cut_off_one_side_after_the_other(counts, least):
    labels, after = cut(counts, least, first=3)
    parents = np.full(counts.size, -1)
    before = labels.copy()
    total = cut_off_sparse(counts, least, labels, 3, after, parents)
    unrelated = np.outer(counts.sum(axis=1), counts.sum(axis=0))  # times all: whole numbers add up exactly
    assert set(np.unique(labels)) == set(range(3, total))
    for number in range(3, after):
        rows, columns = np.nonzero(before == number)
        box = (rows.min(), rows.max() + 1), (columns.min(), columns.max() + 1)
        mine = [after + i for i in np.flatnonzero(parents[: total - after] == number)]
        for cut_off in mine:
            lacking, _ = max(sides(box, counts, unrelated, least), key=lambda found: found[0])
            here = labels == cut_off
            assert unrelated[here].sum() / counts.sum() - counts[here].sum() == pytest.approx(lacking)
            r, c = np.nonzero(here)
            (r0, r1), (c0, c1) = box
            if (c.min(), c.max() + 1) == (c0, c1):
                box = ((r.max() + 1, r1) if r.min() == r0 else (r0, r.min()), (c0, c1))
            else:
                box = ((r0, r1), (c.max() + 1, c1) if c.min() == c0 else (c0, c.min()))
        assert not [*sides(box, counts, unrelated, least)]
