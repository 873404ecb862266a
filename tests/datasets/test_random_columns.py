import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.datasets._random_columns import checked_size, cut, draw, draw_alike, quotas, reasons

shares = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any).map(np.array)


@given(n=st.integers(0, 500), shares=shares)
def test_quotas_share_out_all_records(n, shares):
    counts = quotas(n, shares)
    assert counts.sum() == n
    assert np.all(np.abs(counts - n * shares / shares.sum()) < 1)
    assert np.all(counts[shares == 0] == 0)


@given(n=st.integers(0, 300), shares=shares, seed=st.integers(0, 99))
def test_cut_keeps_the_order_of_the_score(n, shares, seed):
    score = np.random.default_rng(seed).standard_normal(n)
    codes = cut(score, shares)
    assert np.all(np.diff(codes[np.argsort(score)]) >= 0)
    assert np.array_equal(np.bincount(codes, minlength=len(shares)), quotas(n, shares))


@given(n=st.integers(0, 300), shares=shares, seed=st.integers(0, 99))
def test_draw_never_takes_a_category_without_a_chance(n, shares, seed):
    codes = draw_alike(np.random.default_rng(seed), shares, n)
    assert np.all(shares[codes] > 0)


def test_draw_follows_the_chances_of_its_row():
    chances = np.array([[1.0, 3.0, 0.0], [0.0, 1.0, 1.0]])
    row = np.repeat([0, 1], 100_000)
    codes = draw(np.random.default_rng(1), chances, row)
    assert np.mean(codes[row == 0] == 1) == pytest.approx(0.75, abs=0.01)
    assert np.mean(codes[row == 1] == 2) == pytest.approx(0.5, abs=0.01)


def test_reasons_strike_with_their_chances():
    always = np.ones(100_000)
    found = reasons(np.random.default_rng(1), 0.1 * always, 0.3 * always)
    assert np.bincount(found) / len(found) == pytest.approx([0.6, 0.1, 0.3], abs=0.01)


@pytest.mark.parametrize("n", [-1, 1.5, "10", None, True])
def test_sizes_that_are_no_counts_are_refused(n):
    with pytest.raises(ParameterError, match=r"housing: n must be an integer of at least 0\. Got"):
        checked_size("housing", n)
