"""The model against slow, obvious twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.groups.fuzzy_model import FuzzyModel, without_special_cases
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.rule_quality import MEASURES, Quality, RuleJudge
from sfumato.groups.signals import Group
from sfumato.parallel.threads import using_threads

WORDS = Vocabulary.from_toml("""
[age]
young = { trapezoid = [0, 0, 20, 40] }
old = { gaussian = [60, 15] }

[town]
north = { set = ["n", "x"] }
south = { set = ["s"] }

[school]
much = { triangle = [1, 3, 4] }
""")
SCHEMA = Schema(
    [
        Attribute(name="age", scale="numeric"),
        Attribute(name="town", scale="nominal", categories=("n", "s", "x", "w")),
        Attribute(name="school", scale="ordinal", categories=("none", "some", "much")),
        Attribute(name="place", scale="nominal", categories=("a", "b", "c")),
        Attribute(name="vital", scale="nominal", categories=("no", "yes")),
        Attribute(name="weight", scale="numeric"),
    ]
)
GROUP = Group(vital={"vital": ("yes",)}, parameter="place")
RULES = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1))
SEEDS = st.integers(0, 1000)


def people(seed, n=200):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 90, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    columns = {
        "age": age,
        "town": rng.integers(-1, 4, n),
        "school": rng.integers(-1, 3, n),
        "place": rng.integers(0, 3, n),
        "vital": rng.integers(0, 2, n),
        "weight": rng.integers(1, 5, n).astype(float),
    }
    return Table(SCHEMA, columns)


def compatibility(table, rule, alpha=0.5):
    """Record by record, value by value."""
    grades = []
    for record in range(table.n):
        grade = 1.0
        for value, variable in zip(rule, WORDS, strict=True):
            if value:
                cell = table[variable.attribute][record : record + 1]
                grade *= variable.words[value - 1].meaning.membership(SCHEMA[variable.attribute], cell)[0]
        grades.append(grade if grade >= alpha else 0.0)
    return np.array(grades)


@settings(max_examples=25)
@given(st.lists(RULES, max_size=5), SEEDS, st.sampled_from([0.5, 0.2, 0.9]))
def test_grades_are_the_best_compatibility_with_any_rule(rules, seed, alpha):
    table = people(seed, 60)
    expected = np.max([np.zeros(60), *(compatibility(table, rule, alpha) for rule in rules)], axis=0)
    found = FuzzyModel(vocabulary=WORDS, rules=tuple(rules), alpha=alpha).grades(table)
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(RULES, SEEDS, st.booleans(), st.sampled_from([0.5, 0.3]))
def test_sums_of_a_rule_against_a_twin(rule, seed, weighted, alpha):
    table = people(seed)
    group = Group(vital=GROUP.vital, parameter="place", weight="weight" if weighted else "")
    quality = RuleJudge(table, group, WORDS, alpha).quality(rule)
    weights = table["weight"] if weighted else np.ones(table.n)
    grades, vital = compatibility(table, rule, alpha) * weights, table["vital"] == 1
    assert quality.of_vital == pytest.approx(grades[vital].sum())
    assert quality.of_all == pytest.approx(grades.sum())
    assert quality.support == pytest.approx(grades[vital].sum() / weights[vital].sum())
    assert quality.coverage == pytest.approx(grades.sum() / weights.sum())


def test_quality_by_hand():
    # 100 records, 20 of the group; the rule catches 10 of these and 5 others
    quality = Quality(10, 15, 20, 100)
    assert quality.support == 0.5 and quality.coverage == 0.15
    assert quality.discriminative_factor == pytest.approx(0.35)
    assert quality.relative_confidence == 2.0
    assert MEASURES["df_rcf"](quality) == pytest.approx(0.7)
    assert MEASURES["wracc"](quality) == pytest.approx(0.15 * (10 / 15 - 0.2))
    assert MEASURES["youden"](quality) == pytest.approx(0.5 - 5 / 80)
    assert MEASURES["df_rcf"](Quality(1, 50, 20, 100)) == 0  # worse than chance
    assert Quality(10, 10, 20, 100).relative_confidence == 20  # as if one other were barely caught


@given(st.lists(RULES, max_size=30))
def test_special_cases_go_and_all_others_stay(rules):
    kept = without_special_cases(rules)

    def is_special_case(rule, of):
        return rule != of and all(value in (0, mine) for value, mine in zip(of, rule, strict=True))

    assert set(kept) == {rule for rule in rules if not any(is_special_case(rule, other) for other in rules)}
    assert len(kept) == len(set(kept))


@given(st.lists(RULES, min_size=1, max_size=8), SEEDS)
@settings(max_examples=15)
def test_leaving_out_special_cases_lowers_no_grade(rules, seed):
    table = people(seed)
    every = FuzzyModel(vocabulary=WORDS, rules=tuple(rules)).grades(table)
    general = FuzzyModel(vocabulary=WORDS, rules=tuple(without_special_cases(rules))).grades(table)
    assert np.all(general >= every)


def test_signals_add_grades_or_count_records():
    table = people(3)
    model = FuzzyModel(vocabulary=WORDS, rules=((1, 0, 0), (0, 2, 1)))
    grades, place = model.grades(table), table["place"]
    fuzzy, crisp = model.signal(table, GROUP), model.signal(table, GROUP, crisp=True)
    assert fuzzy.values.tolist() == pytest.approx([grades[place == p].sum() for p in range(3)])
    assert crisp.values.tolist() == [np.count_nonzero(grades[place == p]) for p in range(3)]
    share = model.signal(table, GROUP, kind="concentration")
    assert share.values.tolist() == pytest.approx([grades[place == p].mean() for p in range(3)])


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("sfumato.groups.fuzzy_model.BLOCK", 17)
    table, model = people(5), FuzzyModel(vocabulary=WORDS, rules=((1, 0, 0), (2, 1, 0)))
    with using_threads(1):
        alone = model.grades(table)
    with using_threads(3):
        assert np.array_equal(model.grades(table), alone)


def test_a_model_without_rules_sees_nobody():
    model = FuzzyModel(vocabulary=WORDS, rules=())
    assert not model.grades(people(1)).any()


def test_a_model_becomes_rows():
    model = FuzzyModel(vocabulary=WORDS, rules=((1, 0, 1),))
    assert model.to_frame().to_pylist() == [
        {"sentence": "young age, much school → group", "age": 1, "town": 0, "school": 1}
    ]
    assert model.to_dict()["rules"] == [[1, 0, 1]]


def test_wrong_rules_are_explained():
    with pytest.raises(DataError, match="one value for each of the 3 variables"):
        FuzzyModel(vocabulary=WORDS, rules=((1, 0),))
    with pytest.raises(DataError, match="from 0 to 1 for school"):
        FuzzyModel(vocabulary=WORDS, rules=((1, 0, 2),))
    with pytest.raises(ParameterError, match="alpha must lie between 0 and 1"):
        FuzzyModel(vocabulary=WORDS, rules=(), alpha=1.0)
    with pytest.raises(DataError, match="records of the group and others"):
        RuleJudge(people(1), Group(vital={"vital": ("yes", "no")}, parameter="place"), WORDS)
