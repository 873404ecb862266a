import json

import people
import pytest

import sfumato
from sfumato.datasets import business_survey

KEYS = "staff,wages,profit,equity"


@pytest.fixture(autouse=True)
def _file(tmp_path):
    sfumato.write_table(business_survey(60, seed=2), tmp_path / "firms.csv")


def test_groups_are_shown_and_the_file_is_written(run, tmp_path):
    result = run(
        "group-attributes", "firms.csv", "--k", "5", "--key", KEYS, "-o", "out.csv", "--workers", "1"
    )
    assert result.exit_code == 0, result.output
    assert "The best of 15 groupings judged (all groupings were tried" in result.stdout
    assert "all together" in result.stdout
    assert "sfumato.mask(table, {'steps'" in result.stdout
    assert (tmp_path / "out.csv").exists()
    assert (tmp_path / "out.schema.toml").exists()


def test_json_has_all(run):
    words = ("--k", "5", "--key", KEYS, "--search", "genetic", "--generations", "3", "--population", "12")
    result = run("group-attributes", "firms.csv", *words, "--workers", "1", "--seed", "4", "--json", "-q")
    found = json.loads(result.stdout)
    assert found["k"] == 5
    assert found["job"]["seed"] == 4
    assert found["exact"] is False
    assert found["cached"] > 0
    assert found["optimizer"] == {"method": "gomm", "population": 12, "dynamic": True}
    assert sorted(name for group in found["best"]["groups"] for name in group) == sorted(KEYS.split(","))
    assert run("group-attributes", "firms.csv", *words, "--workers", "1", "--seed", "4", "--json", "-q")


def test_a_run_is_kept_and_goes_on(run, tmp_path):
    words = (
        "--k",
        "5",
        "--key",
        KEYS,
        "--search",
        "genetic",
        "--population",
        "12",
        "--workers",
        "1",
        "--json",
        "-q",
    )
    first = run("group-attributes", "firms.csv", *words, "--generations", "2", "--full", "--run", "kept")
    assert first.exit_code == 0, first.output
    assert list((tmp_path / "kept").iterdir())
    second = run("group-attributes", "firms.csv", *words, "--generations", "2", "--full", "--run", "kept")
    assert json.loads(second.stdout)["best"] == json.loads(first.stdout)["best"]
    other = run(
        "group-attributes", "firms.csv", *words, "--k", "6", "--generations", "2", "--full", "--run", "kept"
    )
    assert other.exit_code == 2
    assert "another" in other.stderr


def test_what_operators_did_is_written(run, tmp_path):
    words = (
        "--k",
        "5",
        "--key",
        KEYS,
        "--search",
        "genetic",
        "--generations",
        "3",
        "--operators",
        "crossover,element_move",
    )
    result = run("group-attributes", "firms.csv", *words, "--workers", "1", "--analysis", "told", "-q")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "told").iterdir()) == [
        "front.csv",
        "front.svg",
        "operators.csv",
        "operators.svg",
    ]
    assert "element_swap" not in (tmp_path / "told" / "operators.csv").read_text()


def test_the_printed_search_runs_from_the_command_line_and_from_a_study(run, tmp_path):
    printed = "gomm(population=12, tournament=1, clones=keep)"
    words = ("--k", "5", "--key", KEYS, "--optimizer", printed, "--for", "4g", "--workers", "1", "-q")
    kept = ("-o", "out.csv", "--record", "out.json", "--save-study", "study.toml")
    first = run("group-attributes", "firms.csv", *words, *kept)
    assert first.exit_code == 0, first.output
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["optimizer"] == {"method": "gomm", "population": 12, "clones": "keep", "tournament": 1}
    assert record["generations"] == record["job"]["generations"] == 4
    study = (tmp_path / "study.toml").read_text()
    assert 'optimizer = "gomm(population=12, clones=keep, tournament=1)"' in study
    again = run("run", "out.private/study.toml", "-o", "again.csv", "-q")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("settings", "dynamic"), [("dynamic = false", None), ("dynamic = true", True), ("", True)]
)
def test_a_study_says_which_operators_go_on(run, tmp_path, settings, dynamic):
    names = '["staff", "wages", "profit"]'
    lines = ("file", '"firms.csv"'), ("key", names), ("k", 5), ("search", '"genetic"'), ("generations", 1)
    text = "\n".join(f"{key} = {value}" for key, value in lines)
    (tmp_path / "study.toml").write_text(f'command = "group-attributes"\n{text}\n{settings}\n')
    found = run("run", "study.toml", "--json", "-q")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["optimizer"].get("dynamic") is dynamic


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--optimizer", "gomm", "--full"), "optimizer takes the place of dynamic: give one or the other"),
        (("--optimizer", "gomm(clone=keep)"), "Did you mean clones?"),
        (("--optimizer", "nsga2"), "optimizer must be one of gomm, grouping_enumeration. Got 'nsga2'"),
        (
            ("--key", KEYS, "-o", "out.csv", "--record", "out.json", "--analysis", "a/b", "--k", "1"),
            "k must be",
        ),
        (("--k", "61", "--key", KEYS), "k = 61 needs at least 61 records"),
        (("--key", "sector"), "Unknown column 'sector'"),
        (("--key", KEYS, "--operators", "element_mvoe", "--search", "genetic"), "operators must be"),
        (("--key", KEYS, "-o", "firms.csv"), "is also an input"),
        (("--key", KEYS, "--analysis", "firms.csv"), "--analysis firms.csv is a file"),
        (
            (
                "--search",
                "exact",
                "--k",
                "5",
                "--key",
                f"{KEYS},cash,turnover,purchases,depreciation,investment",
            ),
            "too many groupings",
        ),
    ],
)
def test_refusals_are_one_sentence(run, words, says):
    result = run("group-attributes", "firms.csv", *words, "--workers", "1", "-q")
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_numbers_are_needed(run, tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    result = run("group-attributes", "in.csv", "--key", "sex,region", "-q")
    assert result.exit_code == 2
    assert "no key attribute is numeric" in result.stderr
    assert people.SECRET not in result.output
