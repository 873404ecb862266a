import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs, with_weights

from sfumato import datasets
from sfumato.core import ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Iamat, group_means
from sfumato.measures import IntervalDisclosure
from sfumato.measures._tracking import Change, RecomputingTracker


def test_numbers_by_hand():
    original = keys({"x": "numeric"}, {"x": np.arange(20.0)})
    # one rank is 5 % of 20 records: inside for p = 5 … 10; two ranks are 10 %; three are never inside
    for shift, share in ((0, 1.0), (1, 0.6), (2, 0.1), (3, 0.0)):
        masked = original.replace({"x": (original["x"] + shift) % 20})
        score = IntervalDisclosure().bind(original).score(masked)
        assert score.value == pytest.approx(100 * share * (20 - shift) / 20)


def test_tied_values_share_their_rank():
    original = keys({"x": "numeric"}, {"x": [1.0, 1.0, 1.0, 9.0]})
    assert IntervalDisclosure().bind(original).score(original).value == 100


def test_ordinal_categories_lie_in_the_middle_of_their_records():
    codes = np.repeat([0, 1, 2], [90, 2, 8])  # middles at 45, 91 and 96
    original = keys({"v": ("ordinal", "abc")}, {"v": codes})
    masked = original.replace({"v": np.where(codes == 1, 2, codes)})
    assert IntervalDisclosure().bind(original).score(masked).value == pytest.approx(98 + 2 * 0.6)


def test_sets_disclose_their_share():
    original = keys({"v": ("nominal", "abcd")}, {"v": [0, 1, 2, 3]})
    wide = original.schema["v"].evolve(categories=("ab", "d", "?"), covers={"ab": ("a", "b")})
    masked = original.replace({"v": np.array([0, 0, 2, 1])}, [wide])
    assert IntervalDisclosure().bind(original).score(masked).value == 100 * (0.5 + 0.5 + 0.25 + 1) / 4


def test_missing_values():
    original = keys({"x": "numeric"}, {"x": [1.0, np.nan, np.nan, 4.0]})
    masked = original.replace({"x": [1.0, np.nan, 2.0, np.nan]})
    assert IntervalDisclosure().bind(original).score(masked).value == pytest.approx(100 / 3)


def test_a_narrower_interval_discloses_less():
    original = keys({"x": "numeric"}, {"x": np.arange(100.0)})
    masked = original.replace({"x": original["x"][::-1] * 0.05 + original["x"] * 0.95})
    values = [IntervalDisclosure(percent=p).bind(original).score(masked).value for p in (1, 2, 5, 10)]
    assert values == sorted(values)
    assert values[0] < values[-1]


def by(interval, x, masked, **options):
    original = keys({"x": "numeric"}, {"x": x})
    bound = IntervalDisclosure(interval=interval, **options).bind(original)
    return bound.score(original.replace({"x": masked})).value


def test_relative_intervals():
    x, masked = [10.0, -10.0, 0.1, 0.0, 0.0, 5.0], [11.0, -11.0, 0.11, 0.0, 1e-9, 6.0]
    # at exactly 10 %, an unchanged zero and a changed one, and 20 %
    assert by("relative", x, masked, averaged=False) == pytest.approx(100 * 4 / 6)
    assert by("relative", x, masked) == pytest.approx(100 * (3 * 0.1 + 1) / 6)
    assert by("relative", x, masked, percent=20, averaged=False) == pytest.approx(100 * 5 / 6)


def test_relative_intervals_of_deviations():
    # deviations −2, 2 and 0: a tenth of them is 0.2 and nothing
    x, masked = [98.0, 102.0, 100.0], [98.2, 102.3, 100.0]
    assert by("relative", x, masked, averaged=False, standardised=True) == pytest.approx(100 * 2 / 3)
    assert by("relative", x, masked, averaged=False) == 100
    with pytest.raises(ParameterError, match="standardised goes with interval = relative"):
        IntervalDisclosure(standardised=True)


def test_intervals_in_standard_deviations():
    x = [0.0, 0.0, 10.0, 10.0]  # the standard deviation is 5
    assert by("sd", x, [0.5, 0.0, 10.0, 10.25]) == pytest.approx(100 * (0.1 + 1 + 1 + 0.6) / 4)
    assert by("sd", [3.0] * 3, [3.0, 3.0, 4.0]) == pytest.approx(200 / 3)


def test_scaled_intervals_are_of_the_distance_from_the_smallest():
    # 0, 10 and 100 above the smallest: a tenth of them is 0, 1 and 10
    x, masked = [-5.0, 5.0, 95.0], [-5.0, 6.0, 84.9]
    assert by("scaled", x, masked, averaged=False) == pytest.approx(100 * 2 / 3)
    assert by("scaled", x, masked) == pytest.approx(100 * (1 + 0.1) / 3)


def windows_by_hand(original, masked, percent):
    """Fayyoumi, §4.4: the masked values in order, and whether each original lies among the neighbours of its own."""
    order = sorted((i for i, y in enumerate(masked) if not np.isnan(y)), key=lambda i: masked[i])
    n = len(order)
    found = []
    for i, x in enumerate(original):
        if np.isnan(x) or np.isnan(masked[i]):
            found.append(np.isnan(x) and np.isnan(masked[i]))
            continue
        at, reach = order.index(i), percent * n // 100
        low, high = masked[order[max(at - reach, 0)]], masked[order[min(at + reach, n - 1)]]
        found.append(low <= x <= high)
    return np.array(found)


@settings(max_examples=60, deadline=None)
@given(pair=pairs(scales=("numeric",)), percent=st.integers(1, 100))
def test_windows_of_the_masked_file(pair, percent):
    original, masked = pair
    columns = [windows_by_hand(original[n], masked[n], percent) for n in original.names]
    gone = np.all([np.isnan(original[n]) & np.isnan(masked[n]) for n in original.names], axis=0)
    measure = IntervalDisclosure(ranks="masked", per_record=True, averaged=False, percent=percent)
    found = measure.bind(original).per_record(masked)
    np.testing.assert_array_equal(found, np.where(gone, np.nan, np.all(columns, axis=0)))


def test_masked_ranks_are_followed_by_judging_anew():
    x = np.array([3.0, 1.0, 4.0, 1.5, 9.0, 2.6])
    original = keys({"x": "numeric"}, {"x": x})
    bound = IntervalDisclosure(ranks="masked", percent=20).bind(original)
    tracker = bound.track(original)
    assert tracker.value == 100
    moved = np.where(x == 9.0, 0.0, x)
    assert tracker.try_(Change.cell(4, "x", 0.0)) == bound.score(original.replace({"x": moved})).value < 100


@pytest.mark.parametrize("options", [{"interval": "sd"}, {"above_chance": True}])
def test_masked_ranks_go_with_ranks_alone(options):
    with pytest.raises(ParameterError, match="ranks"):
        IntervalDisclosure(ranks="masked", **options)


@pytest.mark.classic("census")
def test_fayyoumis_interval_disclosure():
    """Table 5.2 of her thesis, IAMAT on Census; the means of groups are not rounded to the decimals of the file."""
    census = datasets.census()
    bound = IntervalDisclosure(ranks="masked", per_record=True).bind(census)
    found = []
    for k in (3, 4, 5):
        labels = Iamat(k=k, centre="file", gamma=0).partition(census, np.random.default_rng(0)).labels
        means = group_means(census.numbers(census.names), labels)[labels]
        masked = census.replace({name: means[:, j] for j, name in enumerate(census.names)})
        found.append(round(bound.score(masked).value, 4))
    assert found == [1.8704, 0.8611, 0.5556]


def test_all_attributes_of_a_record():
    x = np.arange(20.0)
    original = keys({"x": "numeric", "y": "numeric"}, {"x": x, "y": x})
    masked = original.replace({"x": (x + 1) % 20, "y": (x + 2) % 20})
    bound = IntervalDisclosure(per_record=True).bind(original)
    # x is inside for p = 5 … 10, y for p = 10 alone; the ends wrap round
    assert bound.score(masked).value == pytest.approx(100 * 0.1 * 18 / 20)
    assert bound.score(masked).parts == {}
    assert bound.per_record(masked).tolist() == pytest.approx([0.1] * 18 + [0, 0])
    apart = IntervalDisclosure().bind(original).per_record(masked)
    assert apart[0] == pytest.approx((0.6 + 0.1) / 2)


def test_records_of_drawn_categories_and_missing_values():
    original = keys(
        {"u": ("nominal", "ab"), "v": ("nominal", "abcd")}, {"u": [0, 1, -1, -1], "v": [0, 1, 2, -1]}
    )
    wide = original.schema["v"].evolve(categories=("ab", "c"), covers={"ab": ("a", "b")})
    masked = original.replace({"u": np.array([0, 0, -1, -1]), "v": np.array([0, 0, 1, -1])}, [wide])
    bound = IntervalDisclosure(per_record=True).bind(original)
    np.testing.assert_allclose(bound.per_record(masked), [0.5, 0, 1, np.nan])
    assert bound.score(masked).value == pytest.approx(100 * 1.5 / 3)


@pytest.mark.parametrize("interval", ["rank", "sd", "relative", "scaled"])
@settings(max_examples=60, deadline=None)
@given(pair=pairs())
def test_per_record_outcomes_agree_with_the_value(interval, pair):
    original, masked = pair
    together = IntervalDisclosure(interval=interval, per_record=True).bind(original)
    outcomes = together.per_record(masked)
    tried = outcomes[~np.isnan(outcomes)]
    assert ((tried >= 0) & (tried <= 1)).all()
    assert together.score(masked).value == pytest.approx(100 * tried.mean() if len(tried) else 0)
    apart = IntervalDisclosure(interval=interval).bind(original)
    means = apart.per_record(masked)
    assert (np.isnan(means) == np.isnan(outcomes)).all()
    assert (tried <= means[~np.isnan(means)] + 1e-9).all()
    if not any(original.missing(name).any() or masked.missing(name).any() for name in original.names):
        assert apart.score(masked).value == pytest.approx(100 * means.mean())


def test_weights_count_records():
    weight = Attribute(name="w", scale="numeric", role="weight")
    plain = keys({"x": "numeric"}, {"x": [0.0, 10.0, 20.0]})
    original = Table(Schema([*plain.schema, weight]), {"x": plain["x"], "w": [1.0, 1.0, 2.0]})
    masked = original.replace({"x": [0.0, 0.0, 20.0]})
    assert IntervalDisclosure(weighted=True).bind(original).score(masked).value == pytest.approx(75)


def chance_of(original, masked, **options):
    """Whole masked records given to everybody in turn: the mean disclosure of each attribute over all turns."""
    bound = IntervalDisclosure(**options).bind(original)
    disclosed, counted = np.zeros((2, len(bound.names)))
    for turn in range(original.n):
        given_on = masked.take(np.roll(np.arange(masked.n), turn))
        found = bound.bound_statistics[0].take(given_on).reshape(2, -1)
        disclosed, counted = disclosed + found[0], counted + found[1]
    return 100 * disclosed / np.maximum(counted, 1e-300), np.array(list(bound.score(masked).parts.values()))


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), interval=st.sampled_from(["rank", "sd", "relative", "scaled"]), averaged=st.booleans())
def test_above_chance_is_above_the_mean_over_everybody(pair, interval, averaged):
    original, masked = pair
    options = {"interval": interval, "averaged": averaged, "percent": 30}
    score = IntervalDisclosure(above_chance=True, **options).bind(original).score(masked)
    chances, shares = chance_of(original, masked, **options)
    room = (100 - chances).sum()
    expected = max(0.0, 100 * (shares - chances).sum() / room) if room > 1e-6 else 0.0
    assert score.value == pytest.approx(expected, abs=1e-6)
    assert score.value <= 100 + 1e-9


def test_chance_counts_originals_by_weight():
    original = with_weights(keys({"v": ("nominal", "ab")}, {"v": [0, 0, 1]}), [1.0, 1.0, 4.0])
    masked = original.replace({"v": [0, 1, 1]})
    chance = (1 * (1 / 3) + 1 * (1 / 3) + 4 * (2 / 3)) / 6
    share = (1 + 4) / 6
    score = IntervalDisclosure(above_chance=True, weighted=True).bind(original).score(masked)
    assert score.value == pytest.approx(100 * (share - chance) / (1 - chance))


def test_above_chance_is_followed_as_it_is_judged():
    rng = np.random.default_rng(0)
    domains = {"x": "numeric", "u": ("ordinal", "abcd"), "v": ("nominal", "abc")}
    columns = {"x": rng.normal(size=80), "u": rng.integers(0, 4, 80), "v": rng.integers(0, 3, 80)}
    original = keys(domains, columns)
    masked = original.take(rng.permutation(80))
    bound = IntervalDisclosure(above_chance=True).bind(original)
    tracker = bound.track(masked)
    assert not isinstance(tracker, RecomputingTracker)
    for _ in range(30):
        rows = rng.choice(80, 3, replace=False)
        name = str(rng.choice(list(domains)))
        values = original[name][rng.integers(0, 80, 3)]
        proposed = tracker.try_(Change(rows, {name: values}))
        tracker.accept()
        changed = masked[name].copy()
        changed[rows] = values
        masked = masked.replace({name: changed})
        assert proposed == pytest.approx(bound.score(masked).value, abs=1e-9)


def test_chance_is_that_of_attributes():
    with pytest.raises(ParameterError, match="by attribute"):
        IntervalDisclosure(above_chance=True, per_record=True)


@pytest.mark.classic
@pytest.mark.parametrize(
    "classic", ["census", "tarragona", "diabetes", "german", "adult", "eia", "flare", "housing"]
)
def test_whole_records_given_to_random_people_disclose_nothing(classic):
    table = getattr(datasets, classic)()
    names = tuple(a.name for a in table.schema if a.role != "identifier")
    bound = IntervalDisclosure(attributes=names, above_chance=True).bind(table)
    values = [
        bound.score(table.take(np.random.default_rng(seed).permutation(table.n))).value for seed in range(3)
    ]
    assert np.mean(values) <= 1
    assert bound.score(table).value == pytest.approx(100)
