import naive_numbers as naive
import numpy as np
import pytest
from measure_tables import keys
from scipy.stats import norm

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Mdav, RankSwapping
from sfumato.measures import Pil
from sfumato.measures.pil import FAMILIES

NUMBERS = dict.fromkeys("xyz", "numeric")


def numbers(n, seed, holes=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(10, 2, n)
    columns = {"x": x, "y": np.exp(rng.normal(size=n)) + 0.2 * x, "z": rng.uniform(1e5, 2e5, n)}
    return keys(NUMBERS, {k: np.where(rng.random(n) < holes, np.nan, v) for k, v in columns.items()})


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(6))
def test_against_the_formulas_of_the_paper(seed, holes):
    original = numbers(40, seed, holes)
    noise = np.random.default_rng(seed).normal(0, 0.3, (3, 40)) * [[2.0], [1.0], [3e4]]
    masked = original.replace({k: original[k] + e for k, e in zip("xyz", noise, strict=True)})
    expected = naive.pil(original, masked, original.names)
    assert 5 < expected < 95
    assert Pil().bind(original).score(masked).value == pytest.approx(expected, abs=1e-7)


def test_means_and_variances_by_hand():
    original = keys({"x": "numeric"}, {"x": [0.0, 1.0, 2.0, 3.0, 4.0]})
    masked = original.replace({"x": original["x"] + 1})
    parts = Pil().bind(original).score(masked).parts
    # s² = 2 and n = 5: one unit is 1 / √0.4 standard errors of the mean
    assert parts["means"] == pytest.approx(100 * (2 * norm.cdf(1 / np.sqrt(0.4)) - 1))
    assert parts["variances"] == 0
    masked = original.replace({"x": (original["x"] - 2) * np.sqrt(1.5) + 2})
    # μ4 = 6.8, so that sd(s²) = √((6.8 − 4) / 5); s² becomes 3
    parts = Pil().bind(original).score(masked).parts
    assert parts["means"] == 0
    assert parts["variances"] == pytest.approx(100 * (2 * norm.cdf(1 / np.sqrt(2.8 / 5)) - 1))


def test_statistics_without_sampling_error_are_kept_or_lost():
    original = keys({"x": "numeric", "y": "numeric"}, {"x": [5.0] * 4, "y": [1.0, 2.0, 4.0, 8.0]})
    bound = Pil().bind(original)
    same = bound.score(original.replace({"y": original["y"][::-1]}))
    assert same.value == 0
    moved = bound.score(original.replace({"x": [5.1] * 4}))
    assert moved.parts["means"] == moved.parts["quantiles"] == 50
    assert moved.parts["variances"] == moved.parts["covariances"] == moved.parts["correlations"] == 0


def test_what_exists_on_one_side_only_is_lost():
    original = numbers(20, 0)
    bound = Pil().bind(original)
    gone = bound.score(original.replace({name: np.full(20, np.nan) for name in original.names}))
    assert gone.value == 100
    flat = bound.score(
        original.replace({name: np.full(20, original[name].mean()) for name in original.names})
    )
    assert flat.parts["correlations"] == 100
    assert flat.parts["means"] == 0


def test_units_and_record_order_do_not_matter():
    original, masked = numbers(50, 1), numbers(50, 2)
    value = Pil().bind(original).score(masked).value
    order = np.random.default_rng(0).permutation(50)
    assert Pil().bind(original.take(order)).score(masked.take(order)).value == pytest.approx(value, abs=1e-9)
    other = [t.replace({"z": t["z"] * 1e-6 - 7, "x": t["x"] * 1e9}) for t in (original, masked)]
    assert Pil().bind(other[0]).score(other[1]).value == pytest.approx(value, abs=1e-6)


def test_shuffling_a_column_loses_only_pairs():
    original = numbers(200, 3)
    masked = original.replace({"x": np.random.default_rng(0).permutation(original["x"])})
    parts = Pil().bind(original).score(masked).parts
    assert parts["quantiles"] == parts["means"] == parts["variances"] == 0
    assert parts["covariances"] > 0
    assert parts["z"] < parts["x"]


def test_a_single_attribute_has_three_families():
    original = keys({"x": "numeric"}, {"x": np.arange(9.0)})
    score = Pil().bind(original).score(original.replace({"x": np.arange(9.0) ** 2}))
    assert tuple(score.parts) == (*FAMILIES[:3], "x")
    assert score.value == score.parts["x"] == pytest.approx(np.mean([score.parts[f] for f in FAMILIES[:3]]))


def weighted(table, weights):
    weight = Attribute(name="w", scale="numeric", role="weight")
    columns = {name: table[name] for name in table.names}
    return Table(Schema([*table.schema, weight]), columns | {"w": np.asarray(weights, float)})


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_equal_weights_change_nothing_and_zero_weights_leave_out(holes):
    original, masked = numbers(30, 4, holes), numbers(30, 5, holes)
    value = Pil().bind(original).score(masked).value
    even = Pil(weighted=True).bind(weighted(original, np.full(30, 7)))
    assert even.score(weighted(masked, np.full(30, 7))).value == pytest.approx(value, abs=1e-9)
    more = np.r_[np.arange(30), np.arange(5)]
    weights = np.r_[np.ones(30), np.zeros(5)]
    half = Pil(weighted=True).bind(weighted(original.take(more), weights))
    assert half.score(weighted(masked.take(more), weights)).value == pytest.approx(value, abs=1e-9)


@pytest.mark.classic("census")
def test_census_lies_where_others_have_it():
    # an independent implementation has 34.7 for rank swapping with p = 30 %
    census = datasets.census()
    bound = Pil().bind(census)
    swapped = bound.score(RankSwapping(p=30.0).apply(census, np.random.default_rng(0)))
    assert swapped.value == pytest.approx(35, abs=2)
    assert swapped.parts["quantiles"] == swapped.parts["means"] == 0
    assert swapped.seconds < 0.1
    grouped = bound.score(Mdav(k=3).apply(census, np.random.default_rng(0)))
    assert grouped.parts["means"] < 1 < grouped.parts["variances"]
