import numpy as np
import pyarrow as pa

from sfumato import datasets, describe
from sfumato.data import Attribute, Schema, Table, edit_rule, table_from_frame


def people(**columns):
    return table_from_frame(pa.table(columns))


def test_the_risk_of_the_keys_is_counted_by_hand():
    # classes of (age, sex): {31 f} twice, {31 m} once, {80 m} once
    profile = describe(people(age=[31, 31, 31, 80], sex=["f", "f", "m", "m"]))
    assert (profile.keys.uniques, profile.keys.below_3, profile.keys.smallest) == (50.0, 100.0, 1)
    assert profile.keys.attributes == ("age", "sex")
    assert profile.riskiest[0].uniques == 50.0


def test_missing_values_are_a_value_of_their_own():
    profile = describe(people(age=[31, None, None, 31], sex=["f", "f", "f", "f"]))
    assert profile.keys.uniques == 0.0
    assert [column.missing for column in profile.columns] == [50.0, 0.0]


def test_what_came_from_no_file_is_called_the_table(tmp_path):
    frame = pa.table({"age": [31, 45, 31], "sex": ["f", "m", "f"]})
    assert next(iter(describe(frame).told())).title.startswith(
        "The table: 3 records, 2 columns, read as proposed"
    )
    (tmp_path / "people.csv").write_text("age,sex\n31,f\n45,m\n")
    assert str(describe(tmp_path / "people.csv")).startswith(f"{tmp_path / 'people.csv'}: 2 records")


def test_doubtful_columns_are_named():
    ages = [30, 41, 52, 63, -999, -999, 22, 35, 44, 51, 60, 33]
    profile = describe(people(age=ages, town=["a", "A", "b"] * 4, empty=[None] * 12, same=["x"] * 12))
    notes = {column.name: column.notes for column in profile.columns}
    assert notes["age"] == ("is -999 a missing code?",)
    assert notes["town"] == ("some categories differ only in spaces or capitals",)
    assert notes["empty"] == ("all values are missing",)
    assert notes["same"] == ("all values are the same",)


def test_an_age_of_99_is_no_missing_code():
    assert describe(people(age=[99, 99, 98, 97, 40, 20])).columns[0].notes == ()


def test_empty_tables_and_tables_without_keys():
    empty = Table(Schema([Attribute(name="x", scale="numeric", role="key")]), {"x": []})
    assert (describe(empty).keys, describe(empty).records) == (None, 0)
    no_keys = Table(Schema([Attribute(name="x", scale="numeric")]), {"x": [1.0, 2.0]})
    assert describe(no_keys).keys is None


def test_a_survey_has_a_full_profile():
    survey = datasets.household_survey(500, seed=1)
    profile = describe(survey)
    assert profile.records == 500
    assert [column.name for column in profile.columns] == list(survey.names)
    shares = [combination.uniques for combination in profile.riskiest]
    assert shares == sorted(shares, reverse=True)
    assert profile.to_frame().num_rows == len(survey.names)


def test_a_saved_schema_keeps_the_rules():
    survey = datasets.household_survey(60, seed=1)
    rules = [edit_rule("never age < 16 and marital = married"), edit_rule("same region in household")]
    found = describe(survey.with_schema(survey.schema.with_rules(rules)))
    assert Schema.from_toml(found.contents()["save_schema"]).rules == tuple(rules)


def test_rules_of_the_questionnaire_are_shown_and_saved():
    ages = np.repeat(np.arange(100), 10)
    wages = [None if age < 16 else 100 + place for place, age in enumerate(ages.tolist())]
    found = describe(pa.table({"age": ages, "wage": wages}))
    assert found.found_rules == ("never age < 16 and wage is not missing",)
    assert "  never age < 16 and wage is not missing" in list(found.told())
    assert [rule.text for rule in Schema.from_toml(found.contents()["save_schema"]).rules] == [
        *found.found_rules
    ]


def test_a_first_look_does_not_reassure_where_few_keys_are_proposed():
    # by sex nobody is alone; by all that others may know everybody is
    profile = describe(people(sex=["f", "m"] * 20, x=range(40), y=[number % 7 for number in range(40)]))
    assert profile.keys.uniques == 0.0
    assert profile.known_by_others.attributes == ("sex", "y") or profile.known_by_others.uniques == 100.0
    assert profile.everything.uniques >= profile.known_by_others.uniques


def test_people_who_were_not_asked_are_counted_apart_from_those_who_did_not_answer():
    values = ["1", "2", "3", "N", ""] * 10
    (column, _) = describe(people(hours=values, sex=["f", "m"] * 25)).columns
    assert (column.missing, column.not_asked) == (20.0, 20.0)


def test_a_proposal_that_nobody_confirmed_says_so(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "age,sex,diary\n"
        + "".join(f"{20 + n % 20},f,I saw {n // 2} birds and {n // 2} bees\n" for n in range(60))
    )
    text = "\n".join(map(str, describe(path).told()))
    assert "all keys, as proposed and not confirmed: age, sex" in text
    assert "Should diary be released? They are not before a schema says so." in text
