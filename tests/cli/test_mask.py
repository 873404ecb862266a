import json

import people
import pytest

from sfumato.cli.command import decisive
from sfumato.core import registry
from sfumato.core.parameters import parameters
from sfumato.data import Schema, read_table
from sfumato.jobs.mask import Mask


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    return tmp_path


def test_without_schema_takes_all_columns_it_can_and_says_which(run, folder):
    result = run("mask", "in.csv", "--method", "mdav", "--k", "4", "-o", "out.csv")
    assert result.exit_code == 0, result.output
    assert "masking age, income; not name, sex, region." in result.stderr
    masked = read_table(folder / "out.csv", schema=Schema.read(folder / "out.schema.toml"))
    assert masked.names == ("age", "sex", "region", "income")
    assert masked.n == 20
    assert result.stdout.startswith(
        "mdav (k = 4, attributes = age, income)\n20 records.\n  Goes out:\n    out.csv "
    )
    assert "Stays with you, in out.private:" in result.stdout
    assert "NOT READY" not in result.stdout


def test_with_schema_masks_the_keys(run, folder):
    result = run("mask", "in.csv", "--method", "mdav", "-o", "out.csv", "--schema", "s.toml")
    assert result.stderr == (
        "Note: left out: name (an identifier); keep a column with --keep NAME, or declare it in a schema.\n"
        "Note: released as they are, with a value that no other record has: income for 20 of 20 records; whoever knows "
        "such a value finds the record.\n"
        "Note: keys that are left as they are, since no method takes them: sex, region.\n"
        "Note: records keep their order; --shuffle writes them in a random one.\n"
    )
    original = read_table(folder / "in.csv", schema=Schema.read(folder / "s.toml"))
    masked = read_table(folder / "out.csv")
    assert masked["income"].tolist() == original["income"].tolist()
    assert masked["age"].tolist() != original["age"].tolist()


def test_attributes_by_comma_or_repeated(run, folder):
    base = ("mask", "in.csv", "--method", "mdav", "-o", "out.csv", "--json")
    one = json.loads(run(*base, "--attributes", "income,age").stdout)
    two = json.loads(run(*base, "--attributes", "income", "--attributes", "age").stdout)
    assert one["method"] == two["method"] == {"method": "mdav", "attributes": ["income", "age"]}


def test_json_is_one_document(run, folder):
    result = run("mask", "in.csv", "--method=mdav", "--k=3", "-o", "out.csv", "--json", "--quiet")
    found = json.loads(result.stdout)
    assert found["method"]["k"] == 3
    private = ("record.json", "study.toml", "secret.key", "schema.toml")
    public = ["out.about.html", "out.csv", "out.schema.toml"]
    assert sorted(name for name in found["files"] if "/" not in name) == public
    assert sorted(name for name in found["files"] if "/" in name) == sorted(
        f"out.private/{name}" for name in private
    )
    assert found["publication"] == {"ready": True}
    asked = {"job": "mask", "method": "mdav(k=3)", "file": "in.csv", "output": "out.csv"}
    assert found["job"] == {**asked, "secret": "secret.key"}
    assert (found["records"], found["kept"]) == (20, 20)
    assert set(found) == {
        "sfumato",
        "job",
        "records",
        "kept",
        "method",
        "publication",
        "treatments",
        "files",
    }  # evaluate judges
    assert result.stderr == ""


def test_the_method_may_carry_its_parameters(run, folder):
    words = ("mask", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--seed", "3")
    assert run(*words, "--method", "rank_swapping", "--p", "40").exit_code == 0
    expected = (folder / "out.csv").read_bytes()
    for given in (("-m", "rank-swapping(p=40)"), ("-m", "rank_swapping(p=3)", "--p", "40")):
        assert run(*words, *given).exit_code == 0
        assert (folder / "out.csv").read_bytes() == expected


@pytest.mark.parametrize(
    "method",
    [
        "rank_swapping(p=20) + pram(p=0.6)",
        '[{"method": "rank_swapping", "p": 20}, {"method": "pram", "p": 0.6}]',
        '{"steps": [{"method": "rank_swapping", "p": 20}, "pram(p=0.6)"]}',
    ],
)
def test_several_methods_are_one_and_repeated_by_a_study(run, folder, method):
    words = (
        "mask",
        "in.csv",
        "--schema",
        "s.toml",
        "-o",
        "out.csv",
        "--json",
        "-q",
        "--save-study",
        "st.toml",
    )
    result = run(*words, "-m", method)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["job"]["method"] == "rank_swapping(p=20.0) + pram(p=0.6)"
    assert found["method"] == {"steps": [{"method": "rank_swapping", "p": 20}, {"method": "pram", "p": 0.6}]}
    first = (folder / "out.csv").read_bytes()
    assert run("run", "out.private/study.toml", "-q", "-o", "again.csv").exit_code == 0
    assert (folder / "again.csv").read_bytes() == first
    assert run("run", "st.toml", "-q", "-o", "other.csv").exit_code == 0  # what was asked, with a new key
    assert (folder / "other.csv").read_bytes() != first


def test_identifiers_go_out_only_by_name(run, folder):
    run("mask", "in.csv", "--method", "mdav", "-o", "out.csv", "--keep", "name")
    assert people.SECRET in (folder / "out.csv").read_text()
    run("mask", "in.csv", "--method", "mdav", "-o", "out.csv")
    assert people.SECRET not in (folder / "out.csv").read_text()
    assert people.SECRET not in (folder / "out.schema.toml").read_text()


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ((), "left out: name ("),
        (("--schema", "s.toml"), "left out: name (an identifier); keep a column with --keep NAME"),
    ],
)
def test_identifiers_that_are_dropped_are_said(run, folder, schema, sentence):
    words = ("mask", "in.csv", "--method", "mdav", "-o", "out.csv", *schema)
    assert sentence in run(*words).stderr
    assert "left out" not in run(*words, "--keep", "name").stderr


def test_seed_fixes_the_file(run, folder):
    def masked(seed):
        run("mask", "in.csv", "--method", "rank_swapping", "--p", "40", "--seed", seed, "-o", "out.csv")
        return (folder / "out.csv").read_bytes()

    assert masked("1") == masked("1") != masked("-2")


def test_recoded_schema_remembers_what_a_category_covers(run, folder):
    rows = [(*row[:3], f"place {i % 7 if i < 14 else 0}", row[4]) for i, row in enumerate(people.ROWS)]
    (folder / "in.csv").write_text(people.csv(rows))
    words = ("mask", "in.csv", "--method", "global_recoding", "--p", "3", "--attributes", "region")
    assert run(*words, "-o", "out.csv").exit_code == 0
    assert Schema.read(folder / "out.private" / "schema.toml")["region"].covers
    assert not Schema.read(folder / "out.schema.toml")["region"].covers  # all that was merged is rare
    result = run("evaluate", "in.csv", "out.csv", "--json")
    assert result.exit_code == 0, result.output
    assert "by its schema, out.private/schema.toml" in result.stderr
    assert "unknown to the original" not in result.stderr


def test_a_sample_is_written(run, folder):
    rows = [(*row, str(1 + i % 4)) for i, row in enumerate(people.ROWS)]
    (folder / "in.csv").write_text(people.csv(rows, (*people.HEADER, "weight")))
    result = run("mask", "in.csv", "--method", "sampling", "--size", "8", "-o", "out.csv")
    assert result.exit_code == 0, result.output
    assert "8 of 20 records." in result.stdout
    assert "8 of 20 records stay." in result.stderr
    assert "taking age, sex, region as what an intruder may know." in result.stderr
    sample = read_table(folder / "out.csv", schema=Schema.read(folder / "out.schema.toml"))
    assert sample.n == 8
    assert sample["weight"].sum() == sum(int(row[-1]) for row in rows)
    judged = run("evaluate", "in.csv", "out.csv", "--measure", "k_anonymity", "--json")
    assert json.loads(judged.stdout)["scores"], judged.output  # the private folder says which records stayed
    refused = run("mask", "in.csv", "--method", "sampling", "-o", "out.csv")
    assert refused.exit_code == 2 and "one of fraction and size must be above 0" in refused.stderr


def test_other_formats_and_layouts(run, folder):
    (folder / "in.tsv").write_text(people.csv(delimiter="\t"))
    assert run("mask", "in.tsv", "--method", "mdav", "-o", "out.parquet").exit_code == 0
    assert read_table(folder / "out.parquet").n == 20
    (folder / "in.txt").write_text(people.csv(header=None, delimiter=";").replace("north", "nörd"), "latin-1")
    layout = ("--no-header", "--delimiter", ";", "--encoding", "latin-1")
    assert run("mask", "in.txt", "--method", "mdav", "-o", "out.txt", *layout).exit_code == 0
    first = (folder / "out.txt").read_text("latin-1").splitlines()[1].split(";")
    assert "nörd" in first


def test_help_shows_the_parameters_of_the_method(run):
    shown = run("mask", "--method", "mdav", "--help").stdout
    assert "--k INTEGER" in shown and "of at least 1. [default: 5]" in " ".join(shown.split())
    assert "--missing" in shown and "one of category, any, impute" in " ".join(shown.split())
    assert "--k " not in run("mask", "--help").stdout


@pytest.mark.parametrize("name", registry.names("masking"))
def test_no_parameter_hides_an_option_of_the_command(name, run):
    own = {parameter.key for parameter in parameters(registry.load("masking", name)).values()}
    assert not own & {*Mask.options(), "json", "quiet", "save-study", "help"}
    shown = run("mask", "--method", name, "--help")
    assert shown.exit_code == 0
    assert all(f"--{key}" in shown.stdout for key in own)


def test_method_is_found_wherever_it_stands():
    assert decisive(Mask, ["-o", "x", "--method=pram", "in.csv"]) == {"method": "pram"}
    assert decisive(Mask, ["-m", "pram", "--method", "mdav"]) == {"method": "mdav"}
    assert decisive(Mask, ["--", "--method", "pram"]) == {}
    assert decisive(Mask, ["--method"]) == {}


def test_how_groups_were_made_is_told_and_recorded(run, folder):
    given = ["-m", "kwr(k=3)", "--schema", "s.toml", "-o", "out.csv", "--groups", "neighbours"]
    result = run("mask", "in.csv", *given)
    assert result.exit_code == 0, result.output
    assert "How groups were made" in result.stdout and "no groups lose less than" in result.stdout
    groups = json.loads((folder / "out.private" / "record.json").read_text())["groups"]
    assert groups["groups"]["smallest"] >= 3 and groups["work"]["tree"].startswith("(")
    assert groups["ssa"] + groups["groups"]["sse"] == pytest.approx(groups["groups"]["sst"])
    plain = run("mask", "in.csv", "-m", "kwr(k=3)", "--schema", "s.toml", "-o", "plain.csv")
    assert "groups were made" not in plain.stdout
    assert "groups" not in json.loads((folder / "plain.private" / "record.json").read_text())


def test_a_method_without_groups_has_none_to_tell(run, folder):
    result = run("mask", "in.csv", "-m", "noise", "--schema", "s.toml", "-o", "out.csv", "--groups", "told")
    assert result.exit_code == 2
    assert "groups must be none where the method makes no groups of records. Got 'told'." in result.stderr
