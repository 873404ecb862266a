import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sfumato.search.file_evolution.gray import to_gray
from sfumato.search.matrices.matrix_steps import (
    BITS,
    KINDS,
    SHARES,
    Step,
    decoded,
    drawn,
    encoded,
    exchanged,
    flipped,
    made,
    stochastic,
    swapped,
    swapped_genome,
    turned,
)

# Fig. 1 of Marés & Torra (2014), Figs. 4.1 to 4.3 of the thesis
MATRIX = np.array([[0.185, 0.283, 0.532], [0.609, 0.089, 0.302], [0.002, 0.277, 0.721]])
GENOME = [
    ["0011100101", "0110010110", "1100011110"],
    ["1101010001", "0001110101", "0110111001"],
    ["0000000011", "0110011111", "1110111001"],
]
MUTATED = [GENOME[0], ["1101011001", *GENOME[1][1:]], GENOME[2]]
CROSSED = [
    GENOME[0],
    ["0110011111", "1110111001", "0110111001"],
    ["0000000011", "1101010001", "0001110101"],
]


def bits(genome):
    return [[f"{code:0{BITS}b}" for code in row] for row in genome.tolist()]


def of_bits(rows):
    return np.array([[int(code, 2) for code in row] for row in rows])


def matrices(size=None):
    """Weights of rows, some of them all zero, as an operator may leave them."""
    sizes = st.integers(1, 6) if size is None else st.just(size)
    cells = st.one_of(st.just(0.0), st.floats(0, 1))
    return sizes.flatmap(lambda n: arrays.arrays(float, (n, n), elements=cells))


def is_stochastic(P):
    return (P >= 0).all() and np.allclose(P.sum(axis=1), 1, atol=1e-12)


def test_the_encoding_is_that_of_figure_1():
    assert bits(encoded(MATRIX)) == GENOME
    assert np.allclose(decoded(encoded(MATRIX)), MATRIX, atol=1e-12)


def test_every_code_is_decoded():
    codes = np.array([to_gray(number) for number in range(2**BITS)]).reshape(32, 32)
    assert np.allclose(decoded(codes), stochastic(np.arange(2.0**BITS).reshape(32, 32)))


def test_the_mutation_is_that_of_figure_4_2():
    child = flipped(MATRIX, entry=3, bit=3)
    assert np.allclose(child, decoded(of_bits(MUTATED)))
    assert np.array_equal(child[[0, 2]], MATRIX[[0, 2]])


def test_the_crossover_is_that_of_figure_4_3():
    assert bits(swapped_genome(encoded(MATRIX), 3, 7, 2)) == CROSSED
    assert np.allclose(swapped(MATRIX, 3, 7, 2), decoded(of_bits(CROSSED)))


@given(matrices())
def test_rows_are_stochastic_also_from_zeros(weights):
    P = stochastic(weights)
    assert is_stochastic(P)
    for k in np.flatnonzero(weights.sum(axis=1) == 0):
        assert P[k, k] == 1


@given(matrices(), st.sampled_from(sorted(KINDS)), st.integers(0, 2**32))
def test_every_operator_leaves_stochastic_rows(weights, kind, seed):
    P = stochastic(weights)
    step = drawn(kind, "x", len(P), np.random.default_rng(seed))
    assert is_stochastic(made(P, step))


@given(matrices(), st.integers(0, 2**32))
def test_operators_of_the_source_take_matrices_that_are_not_stochastic_yet(weights, seed):
    rng = np.random.default_rng(seed)
    for kind in ("flip", "swap"):
        assert is_stochastic(made(weights, drawn(kind, "x", len(weights), rng)))


@given(st.integers(1, 8), st.integers(0, 2**32))
def test_ranges_that_are_swapped_lie_inside_and_apart(size, seed):
    s, r, length = drawn("swap", "x", size, np.random.default_rng(seed)).at
    assert 0 <= s <= r and s + length <= r + (length == 0) and r + length <= size * size


def test_a_turned_row_gives_a_share_to_one_category():
    child = turned(MATRIX, row=1, category=2, share=SHARES.index(0.5))
    assert np.allclose(child[1], [0.3045, 0.0445, 0.651])
    assert np.array_equal(child[[0, 2]], MATRIX[[0, 2]])
    assert np.array_equal(turned(MATRIX, 1, 2, SHARES.index(1.0))[1], [0, 0, 1])


def test_exchanged_rows_change_places():
    assert np.array_equal(exchanged(MATRIX, 0, 2), MATRIX[[2, 1, 0]])


def test_parents_stay_as_they_were():
    before = MATRIX.copy()
    for kind in KINDS:
        made(MATRIX, drawn(kind, "x", 3, np.random.default_rng(1)))
    assert np.array_equal(MATRIX, before)


def test_an_unknown_kind_is_no_step():
    with pytest.raises(KeyError):
        made(MATRIX, Step("x", "leap", (1,)))


@given(P=matrices(4), seed=st.integers(0, 99))
def test_the_crossover_of_the_text_swaps_both_ends_of_its_ranges(P, seed):
    """[s, s + m] and [r, r + m], m + 1 entries that do not overlap and stay within the matrix."""
    step = drawn("crossover", "x", len(P), np.random.default_rng(seed))
    s, r, m = step.at
    if r > s:
        assert s + m < r and r + m < P.size
        assert np.array_equal(made(stochastic(P), step), swapped(stochastic(P), s, r, m + 1))
    else:
        assert np.array_equal(made(stochastic(P), step), decoded(encoded(stochastic(P))))
