import numpy as np
import pytest

from sfumato.datasets import household_survey


@pytest.fixture(scope="module")
def survey():
    return household_survey(40_000, seed=3)


def correlation(table, first, second):
    values = table.numbers([first, second])
    return np.corrcoef(values[~np.isnan(values).any(axis=1)].T)[0, 1]


def code(table, name, category):
    return table.schema[name].categories.index(category)


def test_roles(survey):
    assert survey.schema.with_role("identifier", "household", "weight") == (
        "person_id",
        "household",
        "weight",
    )
    assert survey.schema.with_role("confidential") == ("income", "wealth", "health")
    assert survey.schema.with_role("stratum") == ()


@pytest.mark.parametrize("name", ["region", "wealth", "weight"])
def test_members_of_a_household_share(survey, name):
    first = np.unique(survey["household"], return_index=True)[1]
    of_head = survey[name][first][survey["household"].astype(int) - 1]
    assert np.array_equal(of_head, survey[name], equal_nan=name != "region")


def test_households_are_plausible(survey):
    sizes = np.bincount(survey["household"].astype(int))[1:]
    assert sizes.min() == 1 and 5 <= sizes.max() <= 8
    assert 1.8 < sizes.mean() < 2.8
    heads = survey["person"] == 1
    assert survey["age"][heads].min() >= 18
    assert np.all(np.diff(survey["household"]) - heads[1:] == 0)


def test_spouses_live_with_spouses(survey):
    married = survey["marital"] == code(survey, "marital", "married")
    assert survey["age"][married].min() >= 18
    second = np.flatnonzero(married & (survey["person"] == 2))
    with_head = survey["marital"][second - 1] == survey["marital"][second]
    assert with_head.mean() > 0.9
    both = second[with_head]
    assert np.mean(survey["sex"][both] != survey["sex"][both - 1]) > 0.95


def test_children_neither_work_nor_earn(survey):
    child = survey["age"] < 16
    assert np.all(survey["employment"][child] == code(survey, "employment", "child"))
    assert np.all(survey["income"][child] == 0)
    assert np.all(survey["hours"][child] == 0)
    assert np.all(survey["education"][child] <= code(survey, "education", "lower secondary"))


def test_income_depends_and_is_skewed(survey):
    assert correlation(survey, "age", "income") > 0.1
    assert correlation(survey, "hours", "income") > 0.2
    income = survey["income"][~survey.missing("income")]
    assert np.mean(income) > 1.2 * np.median(income)
    assert income.min() < 0 < np.mean(income == 0) < 0.35
    earned = ~survey.missing("income") & (survey["hours"] > 0)
    by_school = [np.median(survey["income"][earned & (survey["education"] == e)]) for e in (2, 3, 4, 5)]
    assert by_school == sorted(by_school)


def test_health_gets_worse_with_age(survey):
    asked = ~survey.missing("health")
    assert np.corrcoef(survey["age"][asked], survey["health"][asked])[0, 1] > 0.3


def test_missing_answers_have_reasons(survey):
    for name in ("marital", "education", "occupation", "hours", "income", "wealth", "health"):
        assert set(survey.reasons(name)[survey.missing(name)]) >= {1, 2}, name
    not_asked = survey.missing("health") & (survey.reasons("health") == 0)
    assert np.array_equal(not_asked, survey["age"] < 16)
    text = survey.to_arrow(text=True)
    assert {"refused", "don't know"} < set(text["health"].to_pylist())
    assert -9_999_998.0 in set(text["income"].to_pylist())


def test_high_incomes_are_refused_more_often():
    survey = household_survey(200_000, seed=1)
    rich = survey["occupation"] == code(survey, "occupation", "managers")
    poor = survey["occupation"] == code(survey, "occupation", "elementary workers")
    refused = survey.reasons("income") == 1
    assert refused[rich].mean() > 1.3 * refused[poor].mean()


def test_rare_and_unused_categories(survey):
    counts = np.bincount(survey["occupation"][survey["occupation"] >= 0], minlength=16)
    assert counts[code(survey, "occupation", "diplomats")] == 0
    assert 0 < counts[code(survey, "occupation", "pilots")] < 40
    assert not np.any(survey["marital"] == code(survey, "marital", "partnership dissolved"))
    regions = np.bincount(survey["region"], minlength=24)
    assert 0 < regions.min() < 100 < regions.max()


def test_regions_have_a_hierarchy(survey):
    hierarchy = survey.schema["region"].hierarchy
    assert hierarchy.depth == 2
    assert hierarchy.leaves == survey.schema["region"].categories
    assert len(set(hierarchy.ancestors(1).values())) == 8
    assert len(set(hierarchy.ancestors(2).values())) == 1


def test_identifiers_are_unique(survey):
    assert len(np.unique(survey["person_id"])) == survey.n
