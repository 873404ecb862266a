import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Pram
from sfumato.masking.matrices.markov_matrices import (
    BUILDERS,
    diagonal_matrix,
    frequency_matrix,
    invariant_matrix,
    redraw,
)
from sfumato.masking.pram import LARGEST_DOMAIN

# Marés, thesis, Table 4.2 (frequencies of DEGREE in the Housing file) and Table 4.1 (its matrix, p = 0.5)
DEGREE = np.array([98, 173, 251, 195, 170, 80, 33, 0])
PUBLISHED = """
0.500 0.067 0.060 0.065 0.067 0.076 0.080 0.083
0.073 0.500 0.058 0.064 0.066 0.075 0.080 0.083
0.072 0.064 0.500 0.062 0.064 0.074 0.080 0.083
0.073 0.065 0.057 0.500 0.066 0.075 0.080 0.083
0.073 0.066 0.058 0.064 0.500 0.075 0.080 0.083
0.074 0.068 0.061 0.066 0.068 0.500 0.080 0.083
0.075 0.068 0.062 0.067 0.069 0.076 0.500 0.083
0.075 0.069 0.062 0.067 0.069 0.077 0.081 0.500
"""


def nominal(codes, size):
    attribute = Attribute(name="x", scale="nominal", role="key", categories=tuple(map(str, range(size))))
    return Table(Schema([attribute]), {"x": np.asarray(codes)})


def test_published_matrix():
    expected = np.array(PUBLISHED.split(), float).reshape(8, 8)
    # eq. 2.3 gives 0.5 · (902 − 170) / (6 · 902) = 0.0676 from '1' to '5', printed as 0.067
    expected[0, 4] = 0.068
    np.testing.assert_array_equal(frequency_matrix(DEGREE, 0.5).round(3), expected)
    table = nominal(np.repeat(np.arange(8), DEGREE), 8)
    np.testing.assert_array_equal(Pram(p=0.5).matrices(table)["x"].round(3), expected)


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)
@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=9), p=st.floats(0, 1))
def test_every_matrix_is_stochastic(builder, counts, p):
    P = builder(np.array(counts), p)
    assert P.shape == (len(counts), len(counts))
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_matrix_where_the_equation_has_no_value():
    assert frequency_matrix(np.array([7]), 0.3).tolist() == [[1]]
    np.testing.assert_allclose(frequency_matrix(np.array([7, 2]), 0.3), [[0.3, 0.7], [0.7, 0.3]])
    lone = frequency_matrix(np.array([0, 9, 0]), 0.4)
    np.testing.assert_allclose(lone[1], [0.3, 0.4, 0.3])
    np.testing.assert_allclose(lone[0], [0.4, 0.0, 0.6])
    np.testing.assert_allclose(frequency_matrix(np.zeros(3), 0.4)[0], [0.4, 0.3, 0.3])


@given(st.lists(st.integers(-1, 4), max_size=60), st.integers(0, 2**32))
def test_draws_equal_the_twin(codes, seed):
    codes = np.array(codes, np.int8)
    P = np.random.default_rng(seed).dirichlet(np.full(5, 0.3), size=5)
    draws = np.random.default_rng(seed).random(len(codes))
    np.testing.assert_array_equal(
        redraw(codes, P, np.random.default_rng(seed)), naive.redraw(codes, P, draws)
    )


def test_draws_follow_the_matrix():
    counts = DEGREE * 100
    table = nominal(np.repeat(np.arange(8), counts), 8)
    P = Pram(p=0.6).matrices(table)["x"]
    masked = Pram(p=0.6).apply(table, np.random.default_rng(3))
    for k in np.flatnonzero(counts):
        seen = np.bincount(masked["x"][table["x"] == k], minlength=8)
        assert stats.chisquare(seen, counts[k] * P[k]).pvalue > 1e-3


def test_a_category_of_probability_zero_is_never_drawn():
    P = np.array([[0.1] * 10 + [0.0]] + [[0.0] * 10 + [1.0]] * 10)  # ten tenths fall short of one
    edge = np.nextafter(1.0, 0.0)

    class Edge:
        def random(self, n):
            return np.full(n, edge)

    assert redraw(np.zeros(5, np.int8), P, Edge()).tolist() == [9] * 5


def test_p_of_one_changes_nothing_and_p_of_zero_everything(mixed):
    table = mixed(200)
    same = Pram(p=1).apply(table, np.random.default_rng(0))
    other = Pram(p=0).apply(table, np.random.default_rng(0))
    for name in ("degree", "town"):
        assert np.array_equal(same[name], table[name])
        present = ~table.missing(name)
        assert (other[name] != table[name])[present].all()
        assert (other[name][~present] == -1).all()


def test_each_stratum_has_its_own_matrix():
    # stratum a holds only category 0, b only 1: from equal shares on, each leaves its own one differently
    attributes = [
        Attribute(name="s", scale="nominal", role="stratum", categories=("a", "b")),
        Attribute(name="x", scale="nominal", role="key", categories=("0", "1", "2")),
    ]
    half = np.repeat([0, 1], 30_000)
    masked = Pram(p=0.5).apply(Table(Schema(attributes), {"s": half, "x": half}), np.random.default_rng(0))
    first = np.bincount(masked["x"][half == 0]) / 30_000
    np.testing.assert_allclose(first, [0.5, 0.25, 0.25], atol=0.02)


def test_a_domain_too_large_for_a_matrix_is_refused():
    with pytest.raises(DataError, match=r"column x must have at most .* recode it first"):
        Pram().apply(nominal([0], LARGEST_DOMAIN + 1), np.random.default_rng(0))


def test_diagonal_matrix_of_the_published_frequencies():
    # eqs. 2.4 and 2.5 by hand: '7' is the rarest degree that occurs (33), and '3' the most frequent (251)
    P = diagonal_matrix(DEGREE, 0.5)
    np.testing.assert_allclose(np.diag(P)[[2, 6, 7]], [1 - 0.5 * 33 / 251, 0.5, 0.5])
    np.testing.assert_allclose(P[2, [0, 1, 7]], 0.5 * 33 / 251 / 7)
    # every category that occurs loses the same number of records on the average
    np.testing.assert_allclose(((1 - np.diag(P)) * DEGREE)[:7], 0.5 * 33)
    table = nominal(np.repeat(np.arange(8), DEGREE), 8)
    np.testing.assert_array_equal(Pram(matrix="diagonal", theta=0.5).matrices(table)["x"], P)


@given(counts=st.lists(st.integers(0, 10**6), min_size=1, max_size=12), p=st.floats(0, 1))
def test_the_invariant_matrix_keeps_the_expected_frequencies(counts, p):
    T = np.array(counts)
    R = invariant_matrix(T, p)
    np.testing.assert_allclose(T @ R, T, rtol=1e-9, atol=1e-9)
    assert (R[T > 0][:, T == 0] == 0).all()


@pytest.mark.parametrize("matrix", ["diagonal", "uniform", "max_entropy"])
def test_matrices_of_nobody_and_of_one_category(matrix):
    assert BUILDERS[matrix](np.array([7]), 0.3).round(12).tolist() == [[1]]
    P = BUILDERS[matrix](np.zeros(3, np.int64), 0.3)
    np.testing.assert_allclose(P, P.T)
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("matrix", BUILDERS)
def test_estimated_counts_are_unbiased_and_so_are_their_variances(matrix):
    T = np.array([500, 300, 150, 50])
    table = nominal(np.append(np.repeat(np.arange(4), T), -1), 4)
    pram = Pram(matrix=matrix, p=0.7)
    matrices, rng = pram.matrices(table), np.random.default_rng(4)
    found = [pram.estimate(pram.apply(table, rng), matrices)["x"] for _ in range(2000)]
    counts = np.array([f.counts for f in found])
    np.testing.assert_allclose(counts.sum(axis=1), T.sum())
    error = counts.std(axis=0) / np.sqrt(len(counts))
    assert (np.abs(counts.mean(axis=0) - T) < 4 * error).all()
    np.testing.assert_allclose(np.mean([f.variances for f in found], axis=0), counts.var(axis=0), rtol=0.15)


def test_estimates_of_a_release_that_was_not_changed_are_its_counts(mixed):
    table = mixed(50)
    pram = Pram(p=1)
    for name, found in pram.estimate(table, pram.matrices(table)).items():
        here = found.to_dict()
        assert here["column"] == name
        assert list(here["categories"]) == list(table.schema[name].categories)
        assert sum(row["count"] for row in here["categories"].values()) == (~table.missing(name)).sum()
        assert {row["error"] for row in here["categories"].values()} == {0.0}
        assert found.to_frame()["category"].to_pylist() == list(table.schema[name].categories)


def test_a_matrix_that_cannot_be_undone_is_refused():
    table = nominal([0, 1, 2], 3)
    for P, rule in ((np.full((3, 3), 1 / 3), "has no inverse"), (np.eye(2), "must have a row and a column")):
        with pytest.raises(DataError, match=rule):
            Pram().estimate(table, {"x": P})
