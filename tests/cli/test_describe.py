import json

import people
import pytest

from sfumato.data import Schema


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)


def test_shows_columns_reasons_and_risk(run):
    result = run("describe", "in.csv")
    assert result.exit_code == 0 and result.stderr == ""
    assert "20 records, 5 columns, read as proposed" in result.stdout
    assert "the name says 'age'" in result.stdout
    assert "What the columns give away" in result.stdout
    assert people.SECRET not in result.stdout


def test_with_schema(run):
    shown = run("describe", "in.csv", "--schema", "s.toml").stdout
    assert "read as the schema says" in shown and "declared" in shown


def test_saved_schema_reads_the_file(run, tmp_path):
    result = run("describe", "in.csv", "--save-schema", "new.toml")
    assert "Wrote the schema to new.toml" in result.stdout and result.stderr == ""
    assert Schema.read(tmp_path / "new.toml").names == people.HEADER
    assert run("describe", "in.csv", "--schema", "new.toml").exit_code == 0


def test_json(run):
    found = json.loads(run("describe", "in.csv", "--json").stdout)
    assert found["schema"] == "proposed" and found["records"] == 20
    assert found["columns"][1]["because"].startswith("whole numbers")
    assert found["keys"]["attributes"] == ["age", "sex", "region"]


def test_no_keys(run, tmp_path):
    other = {"age": 'scale="numeric"', "sex": 'scale="nominal"\ncategories=["f","m"]'}
    region = 'scale="nominal"\ncategories=["north","south"]'
    (tmp_path / "s.toml").write_text(people.schema(**other, region=region))
    assert "No key attributes" in run("describe", "in.csv", "--schema", "s.toml").stdout


def test_no_records(run, tmp_path):
    (tmp_path / "in.csv").write_text(people.csv([]))
    result = run("describe", "in.csv")
    assert result.exit_code == 0, result.output


def test_brackets_in_names_are_shown_as_they_are(run, tmp_path):
    (tmp_path / "in.csv").write_text("[bold]age,b\n1,2\n3,4\n")
    assert "[bold]age" in run("describe", "in.csv").stdout
