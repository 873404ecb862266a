"""Losses outside the fitness of a search, against their slow twins and on files that fool other losses."""

import naive_held_out as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs, with_weights

from sfumato.measures import Pil, Propensity, RecordDistance, Regression, SubgroupMeans, propensity

LOSSES = (RecordDistance(), SubgroupMeans(), Regression(), Propensity())
each_loss = pytest.mark.parametrize("measure", LOSSES, ids=str)
many = settings(max_examples=60, deadline=None)


def value(measure, original, masked):
    return measure.bind(original).score(masked).value


@many
@given(pairs())
def test_record_distance(pair):
    assert value(RecordDistance(), *pair) == pytest.approx(
        naive.record_distance(*pair, pair[0].names), abs=1e-9
    )


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_subgroup_means(groups):
    @many
    @given(pairs())
    def check(pair):
        expected = naive.subgroup_means(*pair, pair[0].names, groups)
        assert value(SubgroupMeans(groups=groups), *pair) == pytest.approx(expected, abs=1e-9)

    check()


@many
@given(pairs())
def test_regression(pair):
    assert value(Regression(), *pair) == pytest.approx(naive.regression(*pair, pair[0].names), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(pairs(columns=3))
def test_propensity(pair):
    assert value(Propensity(), *pair) == pytest.approx(naive.propensity(*pair, pair[0].names), abs=1e-3)


@pytest.fixture(scope="module")
def people():
    """Pay depends on sex, region and age; the regions differ in age."""
    rng = np.random.default_rng(0)
    n = 2000
    sex, region = rng.integers(0, 2, n), rng.integers(0, 4, n)
    age = 30.0 + 8 * region + rng.normal(0, 5, n)
    pay = 20.0 + age + 20 * sex + rng.normal(0, 5, n)
    domains = {"sex": ("nominal", "fm"), "region": ("nominal", "nesw"), "age": "numeric", "pay": "numeric"}
    return keys(domains, {"sex": sex, "region": region, "age": age, "pay": pay})


def shuffled(table, names=None, seed=1):
    rng = np.random.default_rng(seed)
    return table.replace({name: table[name][rng.permutation(table.n)] for name in names or table.names})


@each_loss
def test_keys_shuffled_one_by_one_lose_much(measure, people):
    assert value(measure, people, people) == 0
    assert value(measure, people, shuffled(people)) > 30  # sex has nothing to do with region and age


@each_loss
def test_a_little_noise_loses_little_and_more_noise_more(measure, people):
    found = []
    for size in (0.05, 0.3, 1.0):
        rng = np.random.default_rng(2)
        noise = {n: people[n] + size * people[n].std() * rng.normal(size=people.n) for n in ("age", "pay")}
        found.append(value(measure, people, people.replace(noise)))
    assert 0 < found[0] < found[1] < found[2]
    assert found[0] < 5


def test_right_totals_do_not_hide_ruined_subgroups(people):
    masked = shuffled(people, ["sex", "region"])
    only_numbers = Pil().bind(people).score(masked).value  # knows nothing of sex and region
    assert only_numbers == 0
    parts = SubgroupMeans().bind(people).score(masked).parts
    assert parts["pay"] > 25
    assert parts["sex"] > 10


def test_another_order_of_records_is_nothing_to_a_user_of_the_whole_file(people):
    turned = people.take(np.random.default_rng(3).permutation(people.n))
    for measure in (SubgroupMeans(), Regression(), Propensity()):
        assert value(measure, people, turned) < 1e-6
    assert value(RecordDistance(), people, turned) > 35


def test_groups_are_those_of_the_release():
    original = keys({"x": "numeric", "y": "numeric"}, {"x": [1.0, 2.0, 3.0, 4.0], "y": [0.0, 0.0, 1.0, 1.0]})
    # the values of x are all changed, but the same records are in its lower and upper half
    masked = original.replace({"x": [10.0, 10.0, 70.0, 80.0]})
    assert SubgroupMeans(groups=2).bind(original).score(masked).parts["y"] == 0
    # half of each tied record is in each group: means of 1/2 in place of 0 and 1, and s is 1/2
    masked = original.replace({"x": [5.0, 5.0, 5.0, 5.0]})
    assert SubgroupMeans(groups=2).bind(original).score(masked).parts["y"] == pytest.approx(100)


def test_subgroups_that_the_release_no_longer_has_are_lost():
    domains = {"town": ("nominal", "abc"), "pay": "numeric"}
    original = keys(domains, {"town": [0, 0, 1, 1], "pay": [1.0, 3.0, 1.0, 3.0]})
    masked = original.replace({"town": np.array([0, 0, -1, -1])})
    assert SubgroupMeans().bind(original).score(masked).parts["pay"] == pytest.approx(50)


def test_a_large_domain_costs_no_table_of_all_its_pairs():
    rng = np.random.default_rng(0)
    labels = tuple(f"c{i}" for i in range(20_000))
    domains = {"u": ("nominal", labels), "v": ("nominal", labels)}
    original = keys(domains, {name: rng.integers(0, 20_000, 1000) for name in domains})
    for measure in LOSSES:
        assert value(measure, original, original) == 0
        assert 0 < value(measure, original, shuffled(original, ["u"])) <= 100


def test_exact_relations_between_attributes_do_no_harm():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    original = keys(dict.fromkeys("xyz", "numeric"), {"x": x, "y": y, "z": x + y})
    masked = original.replace({n: original[n] + 0.01 * rng.normal(size=500) for n in "xyz"})
    assert value(Regression(), original, masked) < 2


def test_a_release_without_relations_loses_the_multiple_correlation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    original = keys(dict.fromkeys("xy", "numeric"), {"x": x, "y": 0.6 * x + 0.8 * rng.normal(size=4000)})
    r = np.corrcoef(original["x"], original["y"])[0, 1]
    masked = original.replace({"y": np.full(4000, original["y"].mean())})
    parts = Regression().bind(original).score(masked).parts
    assert parts == pytest.approx({"x": 100 * r, "y": 100 * r}, abs=0.1)


def test_files_that_can_be_told_apart_for_sure_have_the_greatest_propensity_loss():
    original = keys({"x": "numeric"}, {"x": np.arange(50.0)})
    assert value(Propensity(), original, original.replace({"x": np.arange(50.0) + 1000})) > 95
    assert value(Propensity(), original, original.replace({"x": np.full(50, np.nan)})) > 95


def test_the_null_part_is_what_another_sample_has():
    rng = np.random.default_rng(0)
    one, two = (
        keys(dict.fromkeys("xyz", "numeric"), dict(zip("xyz", rng.normal(size=(3, 4000)), strict=True)))
        for _ in range(2)
    )
    score = Propensity().bind(one).score(two)  # 3 numbers, 3 squares, 3 products
    assert score.parts["null"] == pytest.approx(100 * 9 / (4 * 4000))
    assert 0.2 < score.value / score.parts["null"] < 3


def test_products_stay_within_the_terms_of_the_model():
    owner = np.repeat(np.arange(6), [1, 1, 20, 20, 20, 20])
    is_number = owner < 2
    terms = propensity.Terms.chosen(owner, is_number, 3)
    size = terms.of(np.zeros((1, len(owner) + 3))).shape[1]
    assert 100 < size <= propensity.MOST_TERMS
    assert (owner[terms.left] != owner[terms.right]).all()
    many_numbers = propensity.Terms.chosen(np.arange(40), np.ones(40, bool), 0)
    assert (len(many_numbers.squared), len(many_numbers.left)) == (40, 0)


@each_loss
def test_a_weight_of_two_is_two_records(measure):
    rng = np.random.default_rng(0)
    domains = {"x": "numeric", "y": "numeric", "u": ("nominal", "ab"), "v": ("ordinal", "abc")}
    original, masked = (
        keys(domains, {"x": x, "y": y, "u": rng.integers(0, 2, 9), "v": rng.integers(0, 3, 9)})
        for x, y in rng.normal(size=(2, 2, 9))
    )
    weights = np.array([2, 1, 3, 1, 1, 2, 1, 1, 5])
    rows = np.repeat(np.arange(9), weights)
    weighted = type(measure)(weighted=True).bind(with_weights(original, weights))
    found = weighted.score(with_weights(masked, weights)).value
    assert found == pytest.approx(value(measure, original.take(rows), masked.take(rows)))
