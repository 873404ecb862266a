import naive_distance as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs

import sfumato
from sfumato.attacks.linkage import distance_linker, record_tree
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import Change, DistanceLinkage
from sfumato.measures._tracking import RecomputingTracker
from sfumato.parallel.threads import using_threads

CATEGORIES = ("ordinal", "nominal")
OPTIONS = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["expected", "miss", "hit"]),
        "direction": st.sampled_from(["released", "known"]),
        "second_nearest": st.booleans(),
    }
)


def value(original, masked, **options):
    return DistanceLinkage(**options).bind(original).score(masked).value


def numbers(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    return keys(dict.fromkeys(names, "numeric"), dict(zip(names, X.T, strict=True)))


@pytest.mark.parametrize("leaf", [1, 12])
def test_records_against_the_naive_twin(leaf, monkeypatch):
    monkeypatch.setattr(record_tree, "LEAF", leaf)

    @settings(max_examples=50, deadline=None)
    @given(pairs(CATEGORIES, columns=3), OPTIONS)
    def check(pair, options):
        found = DistanceLinkage(**options).bind(pair[0]).outcomes(pair[1])
        nearest = 1 + options.pop("second_nearest")
        expected = naive.linkage(*pair, pair[0].names, nearest=nearest, **options)
        assert found.tolist() == pytest.approx([float(x) for x in expected])

    check()


@settings(max_examples=60, deadline=None)
@given(pairs(CATEGORIES, columns=3), st.integers(1, 4))
def test_subsets_against_the_naive_twin(pair, size):
    score = DistanceLinkage(subsets=size).bind(pair[0]).score(pair[1])
    assert score.value == pytest.approx(naive.over_subsets(*pair, pair[0].names, size), abs=1e-9)
    assert set(score.parts) == set(pair[0].names)


def test_subsets_by_hand():
    original = keys({"u": ("nominal", "ab"), "v": ("nominal", "ab")}, {"u": [0, 0, 1, 1], "v": [0, 1, 0, 1]})
    score = DistanceLinkage(subsets=2).bind(original).score(original)
    assert score.value == pytest.approx((50 + 50 + 100) / 3)
    assert score.parts == {"u": 75.0, "v": 75.0}
    assert value(original, original, subsets=1) == 50


def test_known_to_released_by_hand():
    original, masked = numbers(np.array([[0.0], [4.0], [10.0]])), numbers(np.array([[5.0], [5.5], [9.0]]))
    # known → released: 5, 5, 9; released → known: 4, 4, 10
    assert value(original, masked, direction="known") == pytest.approx(200 / 3)
    assert value(original, masked) == pytest.approx(200 / 3)
    assert value(original, masked, direction="known", second_nearest=True) == 100


def test_a_k_anonymous_file_has_no_strict_link_from_known_records():
    census = sfumato.datasets.business_survey(120, seed=1)
    masked = sfumato.mask(census, {"method": "mdav", "k": 3}, seed=1)
    names = tuple(n for n in census.schema.with_role("key") if census.schema[n].is_numeric)
    options = {"attributes": names, "direction": "known"}
    assert value(census, masked, ties="miss", **options) == 0
    assert value(census, masked, **options) <= 100 / 3
    assert value(census, masked, ties="hit", **options) > 0


@pytest.mark.parametrize("rank", [3, 2])
@pytest.mark.parametrize("direction", ["released", "known"])
def test_mahalanobis_against_the_pseudoinverse(rank, direction):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)) * [1, 1e6, 1e-3]
    if rank == 2:
        X[:, 2] = (X[:, 0] + X[:, 1] / 1e6) * 7
    Y = X + 0.3 * X.std(0) * rng.normal(size=X.shape)
    unit = X.std(0)
    apart = naive.mahalanobis(X / unit, Y / unit)
    nearest = apart.argmin(1 if direction == "released" else 0) == np.arange(80)
    found = DistanceLinkage(distance="mahalanobis", direction=direction).bind(numbers(X)).outcomes(numbers(Y))
    assert found.tolist() == nearest.tolist()


@pytest.mark.classic("census")
def test_the_attributes_of_census_have_rank_12():
    census = sfumato.datasets.census()
    bound = DistanceLinkage(distance="mahalanobis").bind(census)
    assert bound.links.linkers[0].space.whitening.shape == (13, 12)
    assert bound.score(census).value == 100


def test_mahalanobis_takes_missing_values_as_the_mean():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 5.0], [np.nan, 2.0]])
    full = np.where(np.isnan(X), np.nanmean(X, 0), X)
    assert value(numbers(X), numbers(X), distance="mahalanobis") == 100
    assert value(numbers(X), numbers(full), distance="mahalanobis") == 100


def test_gower_of_numbers_takes_absolute_differences():
    X = np.array([[0.0, 0.0], [10.0, 10.0], [5.0, 5.0]])
    original, masked = numbers(X), numbers(np.array([[5.0, 0.0], [10.0, 10.0], [5.0, 5.0]]))
    # 5 + 0 to the first, 0 + 5 to the last: a tie; squares would say the same, of 4 and 1 they do not
    assert value(original, masked, distance="gower") == pytest.approx(250 / 3)
    moved = numbers(np.array([[4.0, 1.0], [10.0, 10.0], [5.0, 5.0]]))
    assert value(original, moved, distance="gower") == pytest.approx(250 / 3)
    assert value(original, moved, distance="euclidean", ties="hit") == pytest.approx(100)


def test_distances_of_numbers_leave_categories_out():
    original = keys({"x": "numeric", "v": ("nominal", "ab")}, {"x": [1.0, 2.0, 3.0], "v": [0, 1, 1]})
    masked = original.replace({"v": [1, 0, 0]})
    assert value(original, masked, distance="euclidean") == 100
    with pytest.raises(DataError, match="column v is nominal; the euclidean distance takes numeric"):
        value(original, masked, distance="euclidean", attributes=("x", "v"))
    with pytest.raises(DataError, match="no key attribute"):
        value(original.select(["v"]), masked.select(["v"]), distance="mahalanobis")


def weighted_people(n=30, seed=0):
    rng = np.random.default_rng(seed)
    attributes = [
        Attribute(name="x", scale="numeric", role="key"),
        Attribute(name="v", scale="nominal", role="key", categories=("a", "b", "c")),
        Attribute(name="w", scale="numeric", role="weight"),
    ]
    columns = {"x": rng.integers(0, 9, n), "v": rng.integers(0, 3, n), "w": rng.integers(1, 9, n)}
    return Table(Schema(attributes), columns)


def test_links_count_by_survey_weights():
    original = weighted_people()
    masked = original.replace({"x": weighted_people(seed=1)["x"]})
    bound = DistanceLinkage(weighted=True).bind(original)
    expected = 100 * np.average(bound.outcomes(masked), weights=original["w"])
    assert bound.score(masked).value == pytest.approx(expected)
    tracker = bound.track(masked)
    for ties in ("expected", "miss"):
        bound = DistanceLinkage(weighted=True, ties=ties).bind(original)
        tracker = bound.track(masked)
        tracker.try_(Change(np.arange(9), {"x": original["x"][:9]}))
        tracker.accept()
        changed = masked.replace({"x": np.concatenate([original["x"][:9], masked["x"][9:]])})
        assert tracker.value == pytest.approx(bound.score(changed).value, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    pairs(),
    OPTIONS,
    st.sampled_from(["auto", "gower", "mahalanobis"]),
    st.integers(0, 2),
    st.integers(0, 2**32),
)
def test_trackers_follow_every_option(pair, options, distance, subsets, seed):
    original, masked = pair
    measure = DistanceLinkage(distance=distance, subsets=subsets, **options)
    if not measure.fitting(original):
        return
    rng = np.random.default_rng(seed)
    bound = measure.bind(original)
    tracker = bound.track(masked)
    assert not isinstance(tracker, RecomputingTracker)
    assert tracker.value == pytest.approx(bound.score(masked).value, abs=1e-9)
    for _ in range(6):
        rows = rng.permutation(masked.n)[: rng.integers(1, masked.n + 1)]
        names = [name for name in masked.names if rng.random() < 0.6]
        columns = {name: masked[name][rng.permutation(masked.n)[: len(rows)]] for name in names}
        new = {name: masked[name].copy() for name in names}
        for name in names:
            new[name][rows] = columns[name]
        after = masked.replace(new)
        tried = tracker.try_(Change(rows, columns))
        assert tried == pytest.approx(bound.score(after).value, abs=1e-9)
        if rng.random() < 0.6:
            tracker.accept()
            masked = after
        else:
            tracker.reject()
        assert tracker.value == pytest.approx(bound.score(masked).value, abs=1e-9)


def test_a_cell_given_as_a_number_may_be_a_category():
    original = weighted_people()
    tracker = DistanceLinkage().bind(original).track(original)
    expected = original["v"].copy()
    expected[0] = 2
    value = DistanceLinkage().bind(original).score(original.replace({"v": expected})).value
    assert tracker.try_(Change.cell(0, "v", 2.0)) == pytest.approx(value, abs=1e-9)


def test_sums_are_made_anew_now_and_then(monkeypatch):
    from sfumato.measures import _distance_tracking

    monkeypatch.setattr(_distance_tracking, "REFRESHED", 2)
    original = weighted_people()
    bound = DistanceLinkage().bind(original)
    tracker = bound.track(original)
    masked = original["x"].copy()
    for row in range(5):
        masked[row] = 4.0
        tracker.try_(Change.cell(row, "x", 4.0))
        tracker.accept()
    assert tracker.value == pytest.approx(bound.score(original.replace({"x": masked})).value, abs=1e-9)


def test_large_files_linked_from_known_records_are_judged_from_the_start(monkeypatch):
    from sfumato.measures import _distance_tracking

    monkeypatch.setattr(_distance_tracking, "MOST_PAIRS", 1)
    original = weighted_people()
    tracker = DistanceLinkage(direction="known").bind(original).track(original)
    assert isinstance(tracker, RecomputingTracker)


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr(distance_linker, "BLOCK", 64)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    original, masked = numbers(X), numbers(X + 0.4 * rng.normal(size=X.shape))
    for options in ({}, {"distance": "mahalanobis"}, {"distance": "gower", "direction": "known"}):
        found = []
        for count in (1, 2):
            with using_threads(count):
                found.append(DistanceLinkage(**options).bind(original).outcomes(masked).tobytes())
        assert found[0] == found[1]
