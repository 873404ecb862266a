import numpy as np
import pytest
from survey_tables import guide

from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import household_survey
from sfumato.measures import HouseholdRisk, IndividualRisk, fitting_measures


def housed(table, homes, scale="numeric"):
    home = Attribute(name="home", scale=scale, role="household")
    columns = {name: table[name] for name in table.names} | {"home": np.array(homes, float)}
    return Table(Schema([*table.schema, home]), columns)


def test_the_product_over_members():
    file = housed(guide(), [1, 1, 1, 2, 2, 3, 3, 4, 5, np.nan])
    risk = IndividualRisk().bind(file).records(file)
    homes = [[0, 1, 2], [3, 4], [5, 6], [7], [8], [9]]
    joint = [1 - np.prod([1 - risk[i] for i in home]) for home in homes]
    bound = HouseholdRisk(threshold=4.0).bind(file)
    score = bound.score(file)
    of_record = np.concatenate([[one] * len(home) for one, home in zip(joint, homes, strict=True)])
    assert bound.records(file) == pytest.approx(of_record)
    assert score.value == pytest.approx(100 * of_record.mean())
    assert score.parts == pytest.approx(
        {
            "households": 100 * np.mean(joint),
            "above": 100 * np.mean(of_record > 0.04),
            "largest": 100 * max(joint),
            "individual": 100 * risk.mean(),
            "expected": sum(joint),
        }
    )


def test_without_households_it_is_the_individual_risk():
    score = HouseholdRisk().bind(guide()).score(guide())
    assert score.value == pytest.approx(IndividualRisk().bind(guide()).score(guide()).value)


def test_it_is_asked_for_by_name_where_there_are_no_households():
    housed_file = housed(guide(), range(10))
    listed = [[one.name for one in fitting_measures(file)] for file in (guide(), housed_file)]
    assert ["household_risk" in names for names in listed] == [False, True]


def test_households_are_those_of_the_original():
    file = housed(guide(), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    renumbered = file.replace({"home": np.arange(10.0)})
    bound = HouseholdRisk().bind(file)
    assert bound.score(renumbered).value == bound.score(file).value


def test_a_survey_of_households():
    survey = household_survey(2000, seed=4)
    alone, together = (
        kind(attributes=("region", "age", "sex")).bind(survey).score(survey)
        for kind in (IndividualRisk, HouseholdRisk)
    )
    assert together.value > alone.value
    assert together.parts["individual"] == pytest.approx(alone.value)
    plain = IndividualRisk(attributes=("region", "age", "sex"), weighted=False).bind(survey).score(survey)
    assert (
        alone.parts["expected"] < plain.parts["expected"] / 10
    )  # a record stands for a hundred people and more
