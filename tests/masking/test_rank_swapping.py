from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.rank_swapping import swap_partners
from sfumato.masking import RankSwapping

# Marés, thesis, Table 2.1: rank swapping with p = 2 of 10 records
ORIGINAL = """8 9 1  6 7 10  10 3 4  7 1 2  9 4 6  2 2 8  1 10 3  4 8 7  5 5 5  3 6 9"""
MASKED = """10 10 3  5 5 8  8 4 2  9 2 4  7 3 5  4 1 10  3 9 1  2 6 9  6 7 6  1 8 7"""


def published(text):
    return np.array(text.split(), float).reshape(10, 3)


def numeric(columns):
    names = [f"V{j + 1}" for j in range(columns.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, columns.T, strict=True)))


def test_published_table_can_be_reached():
    for before, after in zip(published(ORIGINAL).T, published(MASKED).T, strict=True):
        becomes = {int(a) - 1: int(b) - 1 for a, b in zip(before, after, strict=True)}
        partner = tuple(becomes[rank] for rank in range(10))
        assert naive.swap_outcomes(10, 2)[partner] > 0


def test_published_table_comes_out_under_some_seed():
    # one attribute has few outcomes, so the very column of Table 2.1 turns up soon
    table, wanted = numeric(published(ORIGINAL)[:, :1]), published(MASKED)[:, 0]
    masking = RankSwapping(p=20)
    masked = (masking.apply(table, np.random.default_rng(seed))["V1"] for seed in range(2000))
    assert any(np.array_equal(values, wanted) for values in masked)


@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 2**32))
def test_kernel_equals_its_twin(n, w, seed):
    draws = np.random.default_rng(seed).random(n)
    np.testing.assert_array_equal(swap_partners(draws, w), naive.swap_partners(draws, w))


@pytest.mark.parametrize(("n", "w"), [(5, 2), (6, 3), (4, 9)])
def test_partners_are_uniform_among_the_unswapped_of_the_window(n, w):
    expected = naive.swap_outcomes(n, w)
    assert sum(expected.values()) == pytest.approx(1)
    rng = np.random.default_rng(7)
    seen = Counter(tuple(swap_partners(rng.random(n), w).tolist()) for _ in range(20_000))
    assert set(seen) == set(expected)
    counts = [seen[outcome] for outcome in expected]
    assert stats.chisquare(counts, [20_000 * p for p in expected.values()]).pvalue > 1e-3


@given(st.integers(1, 200), st.floats(0, 100), st.integers(0, 2**32))
def test_swaps_are_mutual_and_near(n, p, seed):
    masking = RankSwapping(p=p)
    partner = swap_partners(np.random.default_rng(seed).random(n), masking.window(n))
    ranks = np.arange(n)
    assert np.array_equal(partner[partner], ranks)
    assert np.abs(partner - ranks).max() <= masking.window(n)


def test_window_is_a_share_of_the_records():
    assert RankSwapping(p=20).window(10) == 2
    assert RankSwapping(p=2.3).window(1000) == 23
    assert RankSwapping(p=0).window(1000) == 1


def test_distributions_stay_and_missing_values_do_not_move(mixed):
    table = mixed(300)
    masked = RankSwapping(p=5).apply(table, np.random.default_rng(0))
    for name in ("age", "income", "degree"):
        assert np.array_equal(np.sort(masked[name]), np.sort(table[name]), equal_nan=name != "degree")
        assert np.array_equal(masked.missing(name), table.missing(name))
        assert (masked[name] != table[name]).sum() > 50


def test_no_value_leaves_its_stratum(mixed):
    table = mixed(200, strata=True)
    masked = RankSwapping(p=50).apply(table, np.random.default_rng(0))
    for _, rows in table.strata():
        np.testing.assert_array_equal(np.sort(masked["income"][rows]), np.sort(table["income"][rows]))
        assert not np.array_equal(masked["income"][rows], table["income"][rows], equal_nan=True)


def test_only_a_record_without_partner_keeps_its_place():
    masked = RankSwapping().apply(numeric(np.arange(3.0)[:, None]), np.random.default_rng(0))
    assert masked["V1"].tolist() == [1.0, 0.0, 2.0]
