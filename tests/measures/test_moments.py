import naive_numbers as naive
import numpy as np
import pytest
from measure_tables import keys

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Mdav
from sfumato.measures import IntervalDisclosure, Moments

NUMBERS = {"x": "numeric", "y": "numeric"}
ORIGINAL = keys(NUMBERS, {"x": [0.0, 2.0, 4.0, 6.0], "y": [1.0, 1.0, 3.0, 3.0]})


@pytest.mark.parametrize("seed", range(5))
def test_against_table_4_1(seed):
    rng = np.random.default_rng(seed)
    names = {**NUMBERS, "z": "numeric"}
    original = keys(names, {name: rng.integers(-3, 9, 20) * 1.0 for name in names})
    masked = original.replace({name: original[name] + rng.integers(-1, 2, 20) for name in names})
    score = Moments().bind(original).score(masked)
    expected = naive.moments(original, masked, original.names)
    assert list(score.parts.values()) == pytest.approx([100 * m for m in expected])
    assert list(score.parts) == ["m1", "m2", "m3", "m4", "m5"]
    assert score.value == pytest.approx(100 * np.mean(expected))


def test_by_hand_with_the_rule_for_zeros():
    masked = ORIGINAL.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    parts = Moments().bind(ORIGINAL).score(masked).parts
    # |0 − 1| is divided by 1, as the original is zero
    assert parts["m1"] == pytest.approx(100 * (1 + 1 / 2 + 1 / 4 + 1 / 6) / 8)
    assert parts["m2"] == 0
    assert parts["m3"] == pytest.approx(100 * (1 / 5) / 2)  # variance 5 → 4
    assert parts["m4"] == pytest.approx(100 * (1 / 5 + 0 + 0) / 3)  # the covariance stays 2
    assert parts["m5"] == pytest.approx(100 * (1 - 2 / np.sqrt(5)))


def test_the_family_of_balasch():
    masked = ORIGINAL.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    parts = Moments(family="balasch").bind(ORIGINAL).score(masked).parts
    r = 2 / np.sqrt(5)
    assert parts == pytest.approx(
        {
            "il1": 100 * (4 / np.sqrt(5)) / 8,
            "il2": 0,
            "il3": 100 * (1 / 5) / 3,
            "il4": 100 * (1 / 5) / 2,
            "il5": 100 * (1 - r) / r,
        }
    )


def test_missing_values_vary_by_one():
    masked = ORIGINAL.replace({"x": [np.nan, 2.0, 4.0, 6.0]})
    assert Moments().bind(ORIGINAL).score(masked).parts["m1"] == pytest.approx(100 / 8)
    assert Moments().bind(masked).score(masked).value == 0
    # without the first record: mean 3 → 4
    assert Moments().bind(ORIGINAL).score(masked).parts["m2"] == pytest.approx(100 * (1 / 3) / 2)


def test_zeros_that_stay_add_nothing_and_losses_have_no_upper_end():
    original = keys(NUMBERS, {"x": [0.0, 0.0, 0.0], "y": [0.001, 0.0, -0.001]})
    bound = Moments().bind(original)
    assert bound.score(original).value == 0
    score = bound.score(original.replace({"y": [1.0, 0.0, -1.0]}))
    assert score.parts["m1"] == pytest.approx(100 * 2 * 999 / 6)
    assert score.value > 100


@pytest.mark.parametrize("family", ["fayyoumi", "balasch"])
def test_a_weight_of_two_is_two_records(family):
    weight = Attribute(name="w", scale="numeric", role="weight")
    columns = {"x": [1.0, 2.0, 4.0, np.nan], "y": [3.0, 1.0, np.nan, 2.0]}
    once = Table(Schema([*ORIGINAL.schema, weight]), {**columns, "w": [2.0, 1.0, 1.0, 2.0]})
    changed = {"x": [1.0, 2.5, 5.0, np.nan], "y": [2.0, 1.0, 4.0, 2.0]}
    rows = np.array([0, 0, 1, 2, 3, 3])
    twice = Moments(family="fayyoumi").bind(once.take(rows)).score(once.replace(changed).take(rows))
    score = Moments(family=family, weighted=True).bind(once).score(once.replace(changed))
    if family == "fayyoumi":
        assert score.parts == pytest.approx(twice.parts)
    else:  # IL2 to IL4 are M2 to M4 in another order
        assert [score.parts[f"il{i}"] for i in (2, 4, 3)] == pytest.approx(
            [twice.parts[f"m{i}"] for i in (2, 3, 4)]
        )


@pytest.mark.classic("census")
def test_census_lies_where_the_thesis_has_it():
    # Fayyoumi, Table 4.4, for another MDAV: G_IL 28.6, 33.3 and 38.7, and ID per record 1.98, 0.73 and 0.27
    census = datasets.census()
    loss, risk = Moments().bind(census), IntervalDisclosure(per_record=True).bind(census)
    masked = [Mdav(k=k).apply(census, np.random.default_rng(0)) for k in (3, 4, 5)]
    losses, risks = ([bound.score(m).value for m in masked] for bound in (loss, risk))
    assert losses == sorted(losses)
    assert losses == pytest.approx([28.6, 33.3, 38.7], abs=6)
    assert risks == sorted(risks, reverse=True)
    assert risks == pytest.approx([1.98, 0.73, 0.27], abs=1)


def cells_apart(way, known, masked):
    """One cell at a time."""
    found = []
    for a, b in zip(np.ravel(known), np.ravel(masked), strict=True):
        if way == "square":
            found.append((a - b) ** 2)
        elif way == "absolute":
            found.append(abs(a - b))
        else:
            found.append(0 if abs(a) < 1e-12 and abs(b) < 1e-12 else abs(a - b) / (abs(a) or abs(b)))
    return 100 * sum(found) / len(found)


@pytest.mark.parametrize("family", ["mean_variation", "mean_absolute_error", "mean_square_error"])
def test_six_matrices_against_numpy(family):
    """Factors here come from the singular values of the standardised data, not from the correlations."""
    way = family.removeprefix("mean_").removesuffix("_error")
    rng = np.random.default_rng(4)
    root = rng.normal(size=(4, 4))
    X = rng.normal(size=(90, 4)) @ root + [5, 40, 3, 9]
    Y = X + 0.3 * rng.normal(size=X.shape)
    names = tuple("abcd")
    original, masked = (
        keys(dict.fromkeys(names, "numeric"), dict(zip(names, values.T, strict=True))) for values in (X, Y)
    )
    score = Moments(family=family).bind(original).score(masked)

    def matrices(values):
        Z = (values - values.mean(axis=0)) / values.std(axis=0)
        _, lengths, directions = np.linalg.svd(Z)
        scores = Z @ directions.T
        loadings = np.array([[np.corrcoef(z, s)[0, 1] for s in scores.T] for z in Z.T])
        coefficients = directions.T / (lengths / np.sqrt(len(Z)))
        return np.corrcoef(values.T), loadings, coefficients

    (r, rf, f), (r2, rf2, f2) = matrices(X), matrices(Y)
    for j in range(4):
        if rf[:, j] @ rf2[:, j] < 0:
            rf2[:, j] *= -1
        if f[:, j] @ f2[:, j] < 0:
            f2[:, j] *= -1
    u, upper, strict = X.std(axis=0), np.triu_indices(4), np.triu_indices(4, 1)
    data = (X, Y) if way == "variation" else (X / u, Y / u)
    v, v2 = (np.cov(values.T, ddof=0)[upper] for values in (X / u, Y / u))
    expected = {
        "x": cells_apart(way, *data),
        "v": cells_apart(way, v, v2),
        "r": cells_apart(way, r[strict], r2[strict]),
        "rf": cells_apart(way, rf, rf2),
        "c": cells_apart(way, rf[:, 0] ** 2, rf2[:, 0] ** 2),
        "f": cells_apart(way, f, f2),
    }
    assert score.parts == pytest.approx(expected, rel=1e-6)
    assert score.value == pytest.approx(np.mean(list(expected.values())))
    assert Moments(family=family).bind(original).score(original).value == 0


def test_single_and_constant_columns_have_factors_too():
    alone = keys({"x": "numeric"}, {"x": [1.0, 2.0, 4.0]})
    parts = Moments(family="mean_variation").bind(alone).score(alone.replace({"x": [1.0, 3.0, 3.0]})).parts
    assert list(parts) == ["x", "v", "rf", "c", "f"] and parts["rf"] == parts["c"] == 0
    flat = ORIGINAL.replace({"y": [1.0, 1.0, 1.0, 1.0]})
    assert np.isfinite(Moments(family="mean_square_error").bind(flat).score(ORIGINAL).value)
