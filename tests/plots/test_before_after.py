"""What may be read from a drawing of the original, and what may not."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plots.results import nominal, numeric
from sfumato.data import Schema, Table
from sfumato.plots._before_after import SMALLEST_CELL, bins, category_rows, changed_share, drawn_names


def numbers(before, after=None):
    schema = Schema([numeric("x")])
    after = before if after is None else after
    return SimpleNamespace(original=Table(schema, {"x": before}), aligned=Table(schema, {"x": after}))


def categories(before, after, old, new, covers=None):
    return SimpleNamespace(
        original=Table(Schema([nominal("c", old)]), {"c": np.array(before)}),
        aligned=Table(Schema([nominal("c", new, covers=covers or {})]), {"c": np.array(after)}),
    )


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=200))
def test_shares_add_up_and_small_cells_are_hidden(values):
    found = bins(numbers(np.array(values)), "x")
    assert np.all(np.diff(found.edges) > 0)
    assert abs(found.release.sum() - 100) < 1e-6
    counts = found.original * len(values) / 100
    assert np.all((counts == 0) | (counts >= SMALLEST_CELL - 1e-6))


def test_extremes_do_not_set_the_axis():
    values = np.concatenate([np.random.default_rng(1).normal(100, 10, 5000), [99_999.0]])
    found = bins(numbers(values), "x")
    assert found.edges[-1] < 200
    assert not found.log


def test_skewed_numbers_get_a_logarithmic_axis():
    values = np.random.default_rng(1).lognormal(5, 2, 2000)
    assert bins(numbers(values), "x").log
    assert not bins(numbers(values - 1000), "x").log


def test_small_whole_numbers_get_a_bin_each():
    values = np.random.default_rng(1).integers(0, 10, 500).astype(float)
    assert np.allclose(np.diff(bins(numbers(values), "x").edges), 1)


def test_constant_and_empty_columns():
    assert len(bins(numbers(np.full(50, 7.0)), "x").edges) == 2
    assert bins(numbers(np.full(5, np.nan)), "x") is None


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        (np.linspace(103.2, 197.3, 1000), np.linspace(104, 197, 32)),
        (np.linspace(0.0, 1.0, 10) ** 2, np.linspace(0, 1, 9)),  # eight bins at the least
        (np.linspace(-1.0, 1.0, 4001), np.linspace(-1, 1, 41)),  # forty at the most
        (np.arange(1000.0), np.arange(0, 1000, 32) - 0.5),  # whole numbers have bins of whole width
        (np.repeat(np.arange(40.0), 100), np.arange(41) - 0.5),  # or one each, up to forty
        (np.repeat(np.arange(41.0), 100), np.arange(42) - 0.5),  # the last one too
        (np.geomspace(1, 10_000, 500), np.geomspace(1, 9200, 23)),
        (np.full(50, -7.0), [-10.5, -3.5]),
        (np.zeros(5), [-0.5, 0.5]),
        (1e9 + np.linspace(0, 1e-5, 9), [0.5e9, 1.5e9]),  # but for rounding they are one number
    ],
)
def test_axes_end_at_rounded_percentiles(values, edges):
    np.testing.assert_allclose(bins(numbers(values), "x").edges, edges, atol=1e-12)


def test_original_bins_of_five_records_are_shown_and_smaller_ones_not():
    values = np.repeat([1.0, 2.0, 3.0], [5, 4, 91])
    assert bins(numbers(values), "x").original.tolist() == [5.0, 0.0, 91.0]


@pytest.mark.parametrize(("high", "log"), [(800.0, False), (801.0, True)])
def test_an_axis_is_logarithmic_from_eight_times_the_median_on(high, log):
    values = np.repeat([50.0, 100.0, high], [40, 21, 40])
    assert bins(numbers(values), "x").log is log


def test_a_category_of_five_records_stands_by_itself_and_one_of_four_does_not():
    before = [0] * 91 + [1] * 5 + [2] * 4
    rows = category_rows(categories(before, before, "abc", "abc"), "c")
    assert [(row.label, row.original) for row in rows] == [("a", (91.0,)), ("b", (5.0,)), ("1 other", ())]


def test_a_category_that_only_the_release_has_is_shown():
    rows = category_rows(categories([0] * 20, [0] * 18 + [1] * 2, "a", "ab"), "c")
    assert [(row.label, row.original, row.release) for row in rows] == [
        ("a", (100.0,), 90.0),
        ("b", (), 10.0),
    ]


def test_recoded_categories_collect_what_they_cover():
    before = [0] * 30 + [1] * 20 + [2] * 50
    pair = categories(before, [0] * 50 + [1] * 50, "abc", ("a or b", "c"), {"a or b": ("a", "b")})
    rows = {row.label: row for row in category_rows(pair, "c")}
    assert rows["a or b"].original == (30.0, 20.0)
    assert rows["a or b"].release == 50.0
    assert rows["c"].original == (50.0,)


def test_categories_are_called_by_their_labels():
    called = nominal("c", "12").evolve(labels={"1": "men", "2": "women"})
    table = Table(Schema([called]), {"c": np.repeat([0, 1], [30, 70])})
    released = Table(Schema([nominal("c", "12")]), {"c": np.repeat([0, 1], [40, 60])})
    rows = category_rows(SimpleNamespace(original=table, aligned=released), "c")
    assert {row.label: row.release for row in rows} == {"men": 40.0, "women": 60.0}


def test_rare_categories_are_pooled_and_empty_ones_left_out():
    before = [0] * 90 + [1] * 4 + [2] * 2 + [4] * 4
    pair = categories(before, before, "abcde", "abcde")
    assert [row.label for row in category_rows(pair, "c")] == ["a", "3 others"]


def test_small_parts_of_a_recoded_category_are_pooled():
    before = [0] * 30 + [1] * 3 + [2] * 3 + [3] * 64
    pair = categories(before, [0] * 36 + [1] * 64, "abcd", ("rest", "d"), {"rest": ("a", "b", "c")})
    (rest,) = [row for row in category_rows(pair, "c") if row.label == "rest"]
    assert rest.original == (30.0, 6.0)
    assert rest.members == 3


def test_a_rest_of_few_records_shows_nothing_of_the_original():
    before = [0] * 98 + [1] * 2
    rows = category_rows(categories(before, before, "ab", "ab"), "c")
    assert [(row.label, row.original, row.release) for row in rows] == [
        ("a", (98.0,), 98.0),
        ("1 other", (), 2.0),
    ]


def test_at_most_twelve_and_the_rest():
    codes = np.repeat(np.arange(20), 10)
    labels = [f"c{i}" for i in range(20)]
    rows = category_rows(categories(codes, codes, labels, labels), "c")
    assert len(rows) == 13
    assert rows[-1].label == "8 others"
    assert abs(sum(row.release for row in rows) - 100) < 1e-9


def test_changed_share_compares_labels_not_codes():
    pair = categories([0, 1, -1, 1], [1, 0, -1, -1], "ab", "ba")
    assert changed_share(pair.original, pair.aligned, "c") == 25.0
    pair = numbers([1.0, np.nan, 3.0, np.nan], [1.0, np.nan, 4.0, 2.0])
    assert changed_share(pair.original, pair.aligned, "x") == 50.0


def test_drawn_are_keys_and_whatever_changed():
    schema = Schema(
        [
            numeric("id", role="identifier"),
            numeric("a", role="other"),
            numeric("b", role="other"),
            numeric("k"),
        ]
    )
    original = Table(schema, {name: np.arange(5.0) for name in schema.names})
    release = original.replace({"b": np.ones(5), "id": np.ones(5)})
    assert drawn_names(SimpleNamespace(original=original, aligned=release)) == ("k", "b")
