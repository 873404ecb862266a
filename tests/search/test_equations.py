"""Equations of PRAM matrices: read and printed, simplified, made into matrices, and changed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.masking.matrices.equations import LARGEST, MOST_LEVELS, TERMINALS, Equation, stochastic
from sfumato.search.matrices.equations import (
    OPERATORS,
    crossed,
    full,
    grown,
    half_and_half,
    mutated,
    nodes,
    replaced,
    simplified,
)

leaves = st.sampled_from(TERMINALS).map(Equation) | st.sampled_from([0, 1, 2, 3, 0.5, 1e20, 4097]).map(
    Equation.number
)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda sign, *both: Equation(sign, both), st.sampled_from(OPERATORS), inner, inner
    ),
    max_leaves=24,
)
counts = st.lists(st.integers(0, 30) | st.integers(0, 10**6), min_size=1, max_size=7).map(np.array)


class Protected(float):
    """A number that divides as equations do and never grows beyond the largest: the twin's arithmetic."""

    def _made(self, value):
        return Protected(max(-LARGEST, min(LARGEST, value)))

    def __add__(self, other):
        return self._made(float(self) + float(other))

    def __sub__(self, other):
        return self._made(float(self) - float(other))

    def __mul__(self, other):
        return self._made(float(self) * float(other))

    def __truediv__(self, other):
        return self._made(1.0 if float(other) == 0 else float(self) / float(other))


def by_hand(text, T):
    """The matrix of a formula as Python itself reads it, cell by cell."""
    formula = re.sub(r"(?<![\w.])\d[\w.+]*", lambda number: f"Protected({number[0]})", text)
    rows = []
    for i in range(len(T)):
        known = {"N": sum(T), "freq_max": max(T), "freq_min": min(T), "freq_i": T[i]}
        cells = []
        for j in range(len(T)):
            names = {name: Protected(value) for name, value in {**known, "freq_j": T[j]}.items()}
            cells.append(max(0.0, float(eval(formula, {"Protected": Protected}, names))))
        top = max(cells)
        shares = [cell / top for cell in cells] if top else [float(i == j) for j in range(len(T))]
        rows.append([share / sum(shares) for share in shares])
    return np.array(rows)


@given(trees)
def test_an_equation_is_read_as_it_is_printed(equation):
    assert Equation.parse(str(equation)) == equation
    assert Equation.parse(str(equation).replace("-", "−").replace("*", "×").replace("/", "÷")) == equation


@given(trees, counts)
def test_the_printed_formula_evaluated_by_hand_gives_the_matrix(equation, T):
    np.testing.assert_allclose(
        equation.matrix(T), by_hand(str(equation), T.tolist()), rtol=1e-12, atol=1e-300
    )


@given(trees, counts)
def test_simplifying_keeps_the_matrix_to_the_last_bit(equation, T):
    np.testing.assert_array_equal(simplified(equation).matrix(T), equation.matrix(T))


@given(trees)
def test_what_is_simple_stays_and_is_no_larger(equation):
    once = simplified(equation)
    assert simplified(once) == once
    assert once.size <= equation.size


@given(trees, counts)
def test_any_equation_gives_rows_of_probabilities(equation, T):
    P = equation.matrix(T)
    assert P.shape == (len(T), len(T))
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("freq_i - freq_i", "0"),
        ("freq_i / freq_j / (freq_i / freq_j)", "1"),
        ("N * freq_j / (freq_min - freq_min)", "1"),
        ("freq_j * freq_i", "freq_i * freq_j"),
        ("N - (freq_i - freq_j) - N", "freq_j - freq_i"),
        ("freq_i + freq_i + (freq_j + freq_j)", "2 * (freq_i + freq_j)"),
        ("0 - freq_j + N / freq_i", "N / freq_i - freq_j"),
        ("N / freq_i - (0 - freq_j)", "freq_j + N / freq_i"),
        ("(N + N) / N * 1", "2 * N / N"),
        ("6 / 3 + N * 0", "2"),
        ("1 / 3", "1 / 3"),
        ("freq_i * freq_j / freq_j", "freq_i * freq_j / freq_j"),
        ("0 / freq_i", "0 / freq_i"),
        ("N + 1e20 - 1e20", "100000000000000000000 + N - 100000000000000000000"),
    ],
)
def test_simplified_formulas(text, simple):
    assert str(simplified(Equation.parse(text))) == simple


def test_a_protected_division_tells_the_diagonal():
    P = Equation.parse("1 / ((freq_i - freq_j) * (freq_i - freq_j))").matrix(np.array([5, 7, 9]))
    np.testing.assert_allclose(P[0], np.array([1, 1 / 4, 1 / 16]) / (1 + 1 / 4 + 1 / 16))


def test_rows_of_zeros_stay_and_huge_numbers_do_no_harm():
    assert Equation.parse("freq_i - freq_i").matrix(np.array([3, 0])).tolist() == [[1, 0], [0, 1]]
    assert Equation.parse("freq_j").matrix(np.zeros(2, int)).tolist() == [[1, 0], [0, 1]]
    assert stochastic(np.full((3, 3), LARGEST)).tolist() == np.full((3, 3), 1 / 3).tolist()
    huge = Equation.parse(" * ".join(["N"] * 60))
    np.testing.assert_array_equal(huge.matrix(np.array([10**6, 1])), np.full((2, 2), 0.5))
    assert Equation.parse("N").matrix(np.zeros(0, int)).shape == (0, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no arithmetic expression"),
        ("freq_i +", "no arithmetic expression"),
        ("freq_k / N", "'freq_k' is not known"),
        ("N ** 2", "something else"),
        ("-N", "something else"),
        ("max(N)", "something else"),
        ("True", "something else"),
        ("N + 1e999", "too large"),
        ("N + 1" + "0" * 400, "too large"),
        ("+".join(["N"] * (MOST_LEVELS + 1)), "nested more than"),
        ("(" * 3000 + "N" + ")" * 3000, "no arithmetic expression"),
        ("N + " * 5000 + "N", "too long"),
        ("N\0", "no arithmetic expression"),
    ],
)
def test_what_is_no_equation_is_refused_in_one_sentence(text, says):
    with pytest.raises(ParameterError, match=says) as refusal:
        Equation.parse(text)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_trees_stay_within_their_levels(levels, seed):
    rng = np.random.default_rng(seed)
    one, other = grown(levels, rng), full(levels, rng)
    assert other.depth == levels and other.size == 2**levels - 1
    for _ in range(5):
        one, other = crossed(one, other, levels, rng)
        one, other = mutated(one, levels, rng), mutated(other, levels, rng)
        assert max(one.depth, other.depth) <= levels


@given(st.integers(2, 5), st.integers(0, 2**32))
def test_crossing_exchanges_branches(levels, seed):
    rng = np.random.default_rng(seed)
    one, other = full(levels, rng), grown(levels, rng)
    children = crossed(one, other, levels, rng)
    before = sorted(node.branch.symbol for tree in (one, other) for node in nodes(tree))
    after = sorted(node.branch.symbol for tree in children for node in nodes(tree))
    assert before == after


def test_single_quantities_cannot_be_crossed():
    one, other = Equation("N"), Equation("freq_i")
    assert crossed(one, other, 1, np.random.default_rng(0)) == (one, other)


@given(trees)
def test_every_place_of_a_tree_can_be_replaced(equation):
    for node in nodes(equation):
        assert replaced(equation, node.path, node.branch) == equation
        assert nodes_at(replaced(equation, node.path, Equation("N")), node.path) == Equation("N")


def nodes_at(equation, path):
    return next(node.branch for node in nodes(equation) if node.path == path)


def test_half_and_half_has_all_depths_and_no_equation_twice():
    made = half_and_half(60, 5, np.random.default_rng(3))
    depths = [equation.depth for way, equation in made if way == "full"]
    assert sorted(set(depths)) == [2, 3, 4, 5] and len(depths) == 30
    assert len({simplified(equation) for _, equation in made}) == 60
    assert len(half_and_half(40, 1, np.random.default_rng(3))) == 40  # more than there are
