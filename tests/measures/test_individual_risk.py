import math

import numpy as np
import pytest
from measure_tables import keys, with_weights
from survey_tables import guide

from sfumato.core import DataError, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import IndividualRisk, KAnonymity

KEYS = dict.fromkeys("abcd", ("nominal", "01"))
RECORDS = np.array(
    [
        [0, 0, 0, 0],
        [0, 1, 0, 1],
        [0, 1, 0, 1],
        [1, 0, 1, 0],
        [1, 0, 1, 0],
        [0, 1, 0, -1],
        [1, -1, 1, 0],
        [1, 1, 1, 0],
    ]
)
WEIGHTS = [10, 20, 30, 5, 40, 60, 15, 20]


def toy():
    return with_weights(keys(KEYS, dict(zip("abcd", RECORDS.T, strict=True))), WEIGHTS)


def test_frequencies_with_missing_as_a_category():
    f, F = IndividualRisk().bind(toy()).frequencies(toy())
    assert f.tolist() == [1, 2, 2, 2, 2, 1, 1, 1]
    assert F.tolist() == [10, 50, 50, 45, 45, 60, 15, 20]


def test_frequencies_with_missing_as_any_value():
    f, F = IndividualRisk(missing="any").bind(toy()).frequencies(toy())
    # 2, 3 and 6 match each other; 7 matches 4, 5 and 8, which do not match one another
    assert f.tolist() == [1, 3, 3, 3, 3, 3, 4, 2]
    assert F.tolist() == [10, 110, 110, 60, 60, 110, 80, 35]


def test_risks_by_hand():
    bound = IndividualRisk().bind(toy())
    alone = [p / (1 - p) * math.log(1 / p) for p in (1 / 10, 1 / 60, 1 / 15, 1 / 20)]
    odds = [p / (1 - p) for p in (2 / 50, 2 / 45)]
    twos = [o - o * o * math.log(1 + 1 / o) for o in odds]  # Benedetti & Franconi for f = 2
    expected = [alone[0], twos[0], twos[0], twos[1], twos[1], *alone[1:]]
    assert bound.records(toy()) == pytest.approx(expected)
    parts = bound.score(toy()).parts
    assert parts["sample_uniques"] == 50
    assert parts["population_uniques"] == pytest.approx(100 * (1 / 10 + 1 / 60 + 1 / 15 + 1 / 20) / 8)
    assert parts["expected"] == pytest.approx(sum(expected))
    assert parts["largest"] == pytest.approx(100 * alone[0])


def test_without_weights_the_file_is_the_population():
    score = IndividualRisk(weighted=False).bind(toy()).score(toy())
    assert score.parts["population_uniques"] == score.parts["sample_uniques"] == 50
    assert score.parts["expected"] == 6  # one for each combination
    assert score.parts["sample_uniques"] == KAnonymity().bind(toy()).score(toy()).parts["uniques"]


def test_a_census_has_weights_of_one():
    file = with_weights(toy().select(list("abcd")), np.ones(8))
    weighted, plain = (IndividualRisk(weighted=w).bind(file).score(file) for w in (True, False))
    assert weighted.value == pytest.approx(plain.value)


def test_larger_weights_mean_less_risk():
    file = toy()
    heavier = file.replace({"weight": file["weight"] * 3})
    light, heavy = (IndividualRisk().bind(t).score(t).value for t in (file, heavier))
    assert heavy < light


def test_the_global_risk_of_the_practice_guide():
    score = IndividualRisk().bind(guide()).score(guide())
    assert score.value == pytest.approx(1.582, abs=5e-4)
    assert score.parts["expected"] == pytest.approx(0.1582, abs=5e-5)


def test_weights_are_used_where_they_are_declared():
    file = toy()
    assert (
        IndividualRisk().bind(file).score(file).value
        < IndividualRisk(weighted=False).bind(file).score(file).value
    )
    bare = file.select(list("abcd"))
    assert (
        IndividualRisk().bind(bare).score(bare).value
        == IndividualRisk(weighted=False).bind(bare).score(bare).value
    )
    parts = IndividualRisk().bind(file).score(file).parts
    assert parts["unweighted"] == IndividualRisk(weighted=False).bind(file).score(file).value


@pytest.mark.parametrize("threshold", [0.0, 5.0, 20.0, 100.0])
def test_records_above_a_threshold(threshold):
    bound = IndividualRisk(threshold=threshold).bind(toy())
    assert bound.score(toy()).parts["above"] == 100 * np.mean(bound.records(toy()) > threshold / 100)


@pytest.mark.parametrize("wanted", [0.0, 0.5, 3.0, 8.0, 100.0])
def test_the_threshold_reaches_the_wanted_risk(wanted):
    bound = IndividualRisk(wanted=wanted).bind(toy())
    risks, score = bound.records(toy()), bound.score(toy())
    t = score.parts["threshold"] / 100
    assert 100 * np.minimum(risks, t).mean() == pytest.approx(min(wanted, score.value))
    if wanted >= score.value:
        assert t == pytest.approx(risks.max())


def test_unusable_weights_are_refused():
    file = toy()
    broken = file.replace({"weight": np.where(np.arange(8) == 3, np.nan, file["weight"])})
    with pytest.raises(DataError, match="column weight: weights must be present"):
        IndividualRisk().bind(broken)
    assert IndividualRisk(weighted=False).bind(broken).score(broken).value == 75


def test_its_old_name_is_an_alias():
    assert registry.make("measures", "uniqueness(weighted=false)") == IndividualRisk(weighted=False)


def test_of_two_columns_of_weights_the_first_counts():
    file = toy()
    second = Attribute(name="other", scale="numeric", role="weight")
    columns = {name: file[name] for name in file.names} | {"other": np.ones(8)}
    both = Table(Schema([*file.schema, second]), columns)
    assert IndividualRisk().bind(both).score(both).value == IndividualRisk().bind(file).score(file).value
