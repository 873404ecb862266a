import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs

from sfumato.attacks.linkage import distance_linker, record_tree
from sfumato.measures import DistanceLinkage


def linkage(original, masked, ties="expected"):
    return DistanceLinkage(ties=ties).bind(original).score(masked).value


def numbers(X):
    return keys(
        {f"x{j}": "numeric" for j in range(X.shape[1])}, {f"x{j}": X[:, j] for j in range(X.shape[1])}
    )


def brute_force(X, Y):
    spread = X.std(axis=0)
    distances = (((X[:, None, :] - Y[None, :, :]) / spread) ** 2).sum(axis=2)
    return 100 * np.mean(distances.argmin(axis=0) == np.arange(len(X)))


def test_one_number_by_hand():
    original = numbers(np.array([[1.0], [2.0], [4.0]]))
    masked = numbers(np.array([[1.4], [3.0], [3.1]]))  # nearest: 1; 2 and 4 alike; 4
    assert linkage(original, masked) == pytest.approx(100 * 2.5 / 3)
    assert linkage(original, masked, "miss") == pytest.approx(100 * 2 / 3)
    assert linkage(original, masked, "hit") == 100


def test_distinct_records_are_all_linked_to_themselves():
    domains = {"x": "numeric", "u": ("ordinal", "abcdefghij"), "v": ("nominal", "klmnopqrst")}
    number = np.arange(100)
    for used in ("uv", "xu", "xuv"):
        columns = {"x": number // 10 * 0.1, "u": number % 10, "v": number // 10}
        file = keys({name: domains[name] for name in used}, columns)
        assert [linkage(file, file, ties) for ties in ("expected", "miss", "hit")] == [100] * 3


def test_equal_originals_share_a_link():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 0, 0, 1]})
    assert [linkage(original, original, t) for t in ("expected", "miss", "hit")] == [50, 25, 100]


def test_standardised_attributes_weigh_alike():
    X = np.random.default_rng(0).normal(size=(60, 3))
    Y = X + np.random.default_rng(1).normal(size=X.shape) / 2
    unit = np.array([1.0, 1024.0, 1 / 1024])
    assert linkage(numbers(X), numbers(Y)) == linkage(numbers(X * unit), numbers(Y * unit))


def test_constant_attributes_are_left_out():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1)])
    Y = X + np.array([[0, 7.0]])
    assert linkage(numbers(X), numbers(Y)) == 100
    assert linkage(numbers(X[:, 1:]), numbers(Y[:, 1:])) == pytest.approx(20)


def test_a_missing_number_counts_as_two_draws():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, 0.5]])
    near_missing = np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, 0.5]])
    assert linkage(numbers(X), numbers(near_missing)) == 100
    # all released numbers missing: the original with the missing number is nearest to each
    gone = np.array([[np.nan, 0.5]] * 3)
    assert linkage(numbers(X), numbers(gone), "hit") == pytest.approx(100 / 3)


def test_differences_of_declared_decimals_tie_exactly():
    original = numbers(np.array([[0.1], [0.3], [0.9]]))
    attribute = original.schema["x0"].evolve(decimals=1)
    original = original.replace({}, [attribute])
    masked = original.replace({"x0": [0.2, 0.2, 0.9]})
    assert linkage(original, masked, "hit") == 100
    assert linkage(original, masked) == pytest.approx(100 * 2 / 3)


def test_category_distances_that_are_equal_tie_exactly():
    # 3/7 + 0 and 2/7 + 1/7 differ as floating-point numbers
    domains = {"v": ("ordinal", "abcdefg"), "w": ("ordinal", "hijklmn")}
    original = keys(domains, {"v": [3, 2, 6], "w": [0, 1, 6]})
    masked = keys(domains, {"v": [0, 0, 6], "w": [0, 0, 6]})
    assert linkage(original, masked) == pytest.approx(100 * 2 / 3)


def test_numbers_and_categories_are_summed_as_gower_does():
    domains = {"x": "numeric", "v": ("nominal", "ab")}
    original = keys(domains, {"x": [0.0, 4.0, 10.0], "v": [0, 1, 1]})
    # 3 / 10 + 1 to the first, 1 / 10 to the second, 7 / 10 to the last
    masked = keys(domains, {"x": [3.0, 3.0, 3.0], "v": [1, 1, 1]})
    assert linkage(original, masked) == pytest.approx(100 / 3)


def test_very_large_and_very_small_numbers():
    X = np.random.default_rng(2).normal(size=(40, 2))
    for unit in (1e-200, 1e200):
        assert linkage(numbers(X * unit), numbers(X * unit)) == 100


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_the_tree_finds_what_brute_force_finds(noise):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 4)) * [1, 5, 0.1, 30]
    Y = X + noise * X.std(axis=0) * rng.normal(size=X.shape)
    assert linkage(numbers(X), numbers(Y)) == pytest.approx(brute_force(X, Y))


def test_blocks_in_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3)).round(1)
    Y = X + 0.3 * rng.normal(size=X.shape)
    whole = linkage(numbers(X), numbers(Y))
    monkeypatch.setattr(distance_linker, "BLOCK", 7)
    assert linkage(numbers(X), numbers(Y)) == whole


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("scales", ["xx", "xuv", "uuv", "vvv"])
def test_the_tree_finds_what_one_leaf_finds_in_mixed_and_recoded_files(scales, missing, monkeypatch):
    rng = np.random.default_rng(5)
    kinds = {"x": "numeric", "u": ("ordinal", "abcdefghi"), "v": ("nominal", "abcdefghi")}
    domains = {f"{kind}{j}": kinds[kind] for j, kind in enumerate(scales)}
    columns = {name: rng.integers(0, 9, 500) * 1 for name in domains}
    original = keys(domains, {n: punched(rng, n, c, missing) for n, c in columns.items()})
    noisy = {n: np.clip(c + rng.integers(-2, 3, 500), 0, 8) for n, c in columns.items()}
    masked = original.replace({n: punched(rng, n, c, missing) for n, c in noisy.items()})
    for name in [n for n in domains if n[0] != "x"][1:]:
        wide = original.schema[name].evolve(categories=(*"abcde?", "set"), covers={"set": ("b", "i", "e")})
        masked = masked.replace({name: np.minimum(masked[name], 6)}, [wide])
    for ties in ("expected", "miss", "hit"):
        with_tree = linkage(original, masked, ties)
        with monkeypatch.context() as patch:
            patch.setattr(record_tree, "LEAF", 10**6)
            assert linkage(original, masked, ties) == with_tree


def punched(rng, name, values, missing):
    return np.where(rng.random(len(values)) < missing, np.nan if name[0] == "x" else -1, values)


@settings(max_examples=60, deadline=None)
@given(pairs(least=4), st.integers(2, 4))
def test_k_anonymous_files_link_at_most_one_in_k(pair, k):
    original, masked = pair
    groups = np.minimum(np.arange(original.n) // k, original.n // k - 1) * k
    masked = masked.take(groups)
    assert linkage(original, masked) <= 100 / k + 1e-9
    assert linkage(original, masked, "miss") == 0


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_ties_are_ordered(pair):
    low, middle, high = (linkage(*pair, ties) for ties in ("miss", "expected", "hit"))
    assert low - 1e-9 <= middle <= high + 1e-9
