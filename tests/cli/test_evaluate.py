import json

import people
import pytest


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    (tmp_path / "same.csv").write_text(people.csv([row[1:] for row in people.ROWS], people.HEADER[1:]))


def test_a_copy_without_identifiers_loses_nothing(run):
    result = run("evaluate", "in.csv", "same.csv", "--json")
    assert "taking age, sex, region as what an intruder may know" in result.stderr
    found = json.loads(result.stdout)
    assert found["scores"]["information_loss"]["value"] == 0
    assert found["senses"]["distance_linkage"] == "risk"


def test_parts_are_shown_on_demand(run):
    words = ("evaluate", "in.csv", "same.csv", "--schema", "s.toml")
    assert "smallest" not in run(*words).stdout
    assert "smallest" in run(*words, "--parts").stdout


def test_unknown_categories_could_be_any(run, tmp_path):
    changed = (tmp_path / "same.csv").read_text().replace("south", "somewhere").replace("north", "somewhere")
    (tmp_path / "masked.csv").write_text(changed)
    result = run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml", "--json")
    assert "column region: 1 categories are unknown" in result.stderr
    assert "somewhere" not in result.output
    assert json.loads(result.stdout)["scores"]["dbil"]["parts"]["region"] > 0


def test_masked_numbers_may_leave_the_bounds(run, tmp_path):
    (tmp_path / "masked.csv").write_text(people.with_cell(0, "age", "-3.25"))
    assert run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml").exit_code == 0


def test_columns_of_its_own_are_left_out_with_a_note(run, tmp_path):
    rows = [(*row, "x") for row in people.ROWS]
    (tmp_path / "masked.csv").write_text(people.csv(rows, (*people.HEADER, "extra")))
    result = run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml")
    assert result.exit_code == 0 and "no column extra; not compared" in result.stderr


def test_what_mask_wrote_is_judged_by_the_schema_beside_it(run):
    assert run("mask", "in.csv", "--method", "mdav", "--k", "4", "-o", "out.csv", "-q").exit_code == 0
    words = ("--measure", "k_anonymity(attributes=[age, income]), information_loss", "--json")
    result = run("evaluate", "in.csv", "out.csv", *words)
    assert "by its schema, out.private/schema.toml" in result.stderr
    assert "taking age, sex, region, income as" in result.stderr  # income since it was masked
    scores = json.loads(result.stdout)["scores"]
    assert scores["k_anonymity"]["parts"]["smallest"] >= 4
    assert scores["information_loss"]["value"] > 0


def test_named_measures_carry_their_parameters(run, tmp_path):
    words = ("evaluate", "in.csv", "same.csv", "--schema", "s.toml", "--json", "-q")
    usual = json.loads(run(*words, "--measure", "interval_disclosure").stdout)
    assert list(usual["scores"]) == ["interval_disclosure"]
    text = "interval_disclosure(per_record=true)"
    found = json.loads(run(*words, "--measure", text, "--measure", "k_anonymity,individual_risk").stdout)
    assert list(found["scores"]) == ["interval_disclosure", "k_anonymity", "individual_risk"]
    assert found["job"]["measure"] == [text, "k_anonymity", "individual_risk"]
    assert found["scores"]["interval_disclosure"]["parts"] != usual["scores"]["interval_disclosure"]["parts"]
    study = f"command = 'evaluate'\noriginal = 'in.csv'\nmasked = 'same.csv'\nschema = 's.toml'\nmeasure = ['{text}']"
    (tmp_path / "study.toml").write_text(study)
    again = json.loads(run("run", "study.toml", "--json", "-q").stdout)
    assert list(again["scores"]) == ["interval_disclosure"]
    same = again["scores"]["interval_disclosure"]["parts"]
    assert same == found["scores"]["interval_disclosure"]["parts"]


def test_two_of_a_kind_are_told_apart(run):
    words = ("evaluate", "in.csv", "same.csv", "--schema", "s.toml", "--json", "-q")
    found = json.loads(run(*words, "--measure", "k_anonymity", "--measure", "k_anonymity(k=3)").stdout)
    assert list(found["scores"]) == ["k_anonymity", "k_anonymity(k=3)"]


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        (
            "interval_disclosure(per_rcord=true)",
            "Unknown parameter of interval_disclosure 'per_rcord'. Did you mean per_record? Known: ",
        ),
        (
            "interval_disclosure(per_record=maybe)",
            "interval_disclosure: per_record must be true or false. Got 'maybe'.",
        ),
        ("interval_disclosure(per_record)", "a parameter is written name=value. Got 'per_record'."),
        ("interval_disclosure(per_record=true", "A bracket or a quote is not closed"),
        ("intervl_disclosure", "Did you mean interval_disclosure?"),
    ],
)
def test_wrong_measures_are_one_sentence(run, measure, says):
    result = run("evaluate", "in.csv", "same.csv", "--schema", "s.toml", "--measure", measure)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr and result.stderr.count("\n") == 1
