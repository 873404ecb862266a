import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.search.matrices.shapes import Shape, feasible, invariant, within

LOW, HIGH = 0.55, 0.75


@st.composite
def categories(draw, most_share=0.6):
    """A matrix, sparse or full, and frequencies of which none is too large a part."""
    size = draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    P = rng.dirichlet(np.full(size, draw(st.sampled_from([0.02, 0.3, 1.0, 5.0]))), size)
    T = rng.integers(5, 200, size)
    T[rng.random(size) < 0.2] = 0
    if np.count_nonzero(T) < 3 or T.max() > most_share * T.sum():
        T = np.arange(20, 20 + size)
    return P, T


def is_stochastic(P):
    return (P >= 0).all() and np.allclose(P.sum(axis=1), 1, atol=1e-12)


@given(categories())
def test_the_diagonal_is_within_its_bounds(example):
    P, T = example
    held = Shape(LOW, HIGH).of(P, T)
    assert is_stochastic(held)
    assert (np.diag(held) >= LOW - 1e-12).all() and (np.diag(held) <= HIGH + 1e-12).all()


@given(categories())
def test_invariant_matrices_keep_the_expected_frequencies(example):
    P, T = example
    for R in (invariant(P, T), Shape(invariant=True).of(P, T), Shape(LOW, HIGH, invariant=True).of(P, T)):
        assert is_stochastic(R)
        assert np.abs(T @ R - T).max() <= 1e-9


@given(categories())
def test_an_invariant_diagonal_is_within_its_bounds_too(example):
    P, T = example
    stays = np.diag(Shape(LOW, HIGH, invariant=True).of(P, T))[T > 0]
    assert stays.min() >= LOW - 1e-9
    assert stays.max() <= HIGH + 1e-9


@given(categories(), st.booleans())
def test_one_share_for_the_whole_matrix(example, keep):
    P, T = example
    held = Shape(LOW, HIGH, invariant=keep, whole=True).of(P, T)
    stays, start = np.diag(held)[T > 0], within(P, 0.0, HIGH)
    free = invariant(start, T) if keep else start
    assert is_stochastic(held)
    assert stays.min() >= LOW - 1e-9 or np.allclose(held, free)
    apart = ~np.eye(len(P), dtype=bool) & (free > 1e-9)
    shares = held[apart] / free[apart]
    assert np.ptp(shares) <= 1e-6  # what leaves is everywhere the same share of what left before
    if keep:
        assert np.abs(T @ held - T).max() <= 1e-9
    if shares.max() < 1 and stays.min() > LOW + 0.01:
        assert HIGH - 0.01 <= stays.max() <= HIGH + 1e-9


def test_one_share_needs_bounds():
    with pytest.raises(ParameterError, match="bounds of the diagonal"):
        Shape(whole=True)
    assert Shape(LOW, HIGH).spec() == {"low": LOW, "high": HIGH, "invariant": False}
    assert Shape(LOW, HIGH, whole=True).spec()["whole"] is True


def test_a_category_of_nearly_all_records_stays_more_often():
    T = np.array([970, 20, 10])
    R = Shape(LOW, HIGH, invariant=True).of(np.full((3, 3), 1 / 3), T)
    assert np.abs(T @ R - T).max() <= 1e-9
    assert R[0, 0] > HIGH and np.diag(R).min() >= LOW - 1e-9


def test_rows_follow_equation_4_6_from_below_and_4_7_from_above():
    P = np.array([[0.4, 0.3, 0.3], [0.05, 0.9, 0.05], [0.2, 0.2, 0.6]])
    held = within(P, LOW, HIGH)
    alpha = (1 - LOW) / (1 - 0.4)
    assert np.allclose(held[0], alpha * P[0] + (1 - alpha) * np.eye(3)[0])
    beta = HIGH / 0.9
    assert np.allclose(held[1], [beta * 0.05 + (1 - beta) / 2, HIGH, beta * 0.05 + (1 - beta) / 2])
    assert np.array_equal(held[2], P[2])


def test_nothing_asked_changes_nothing():
    P = np.array([[0.2, 0.8], [1.0, 0.0]])
    assert Shape().of(P, np.array([3, 4])) is P
    assert Shape().is_free and not Shape(invariant=True).is_free


def test_an_only_category_stays():
    assert Shape(LOW, HIGH, invariant=True).of(np.eye(1), np.array([5])).tolist() == [[1.0]]
    assert np.array_equal(Shape(invariant=True).of(np.full((2, 2), 0.5), np.array([5, 0])), np.eye(2))


def test_as_many_can_leave_the_largest_as_leave_the_others():
    wanted = feasible(np.array([300.0, 20.0]), np.array([100.0, 20.0]), np.array([400.0, 40.0]))
    assert wanted.tolist() == [100.0, 40.0]


@pytest.mark.parametrize("bounds", [(0.8, 0.7), (-0.1, 0.5), (0.5, 1.1)])
def test_bounds_that_make_no_sense_are_refused(bounds):
    with pytest.raises(ParameterError, match="diagonal: the bounds must be"):
        Shape(*bounds)


def test_equation_4_7_as_printed_has_one_beta():
    """β = 0.75 / 0.9 for both rows, (1 − β) / 2 for the other category, and rows divided by their sums."""
    P = np.array([[0.9, 0.1], [0.4, 0.6]])
    beta = 0.75 / 0.9
    rows = np.array([[0.75, beta * 0.1 + (1 - beta) / 2], [beta * 0.4 + (1 - beta) / 2, beta * 0.6]])
    expected = rows / rows.sum(axis=1, keepdims=True)
    shape = Shape(low=0.5, high=0.75, one_beta=True)
    np.testing.assert_allclose(shape.of(P, np.array([1, 1])), expected)
    assert shape.spec()["one_beta"] is True and "one_beta" not in Shape(low=0.5, high=0.75).spec()
    np.testing.assert_allclose(Shape(low=0.3, high=0.95, one_beta=True).of(P, np.array([1, 1])), P)
