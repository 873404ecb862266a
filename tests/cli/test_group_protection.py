import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.data import read_table, write_table
from sfumato.datasets.census_pair import WORDS, census_pair

GROUP = ("--vital", "military=1", "--parameter", "workplace")
SHORT = ("--generations", "60", "-q")
PROTECT = ("groups", "protect", "survey.parquet", "-o", "out.parquet", *GROUP, *SHORT)
FILES = ["out.about.html", "out.parquet", "out.private", "out.schema.toml"]


@pytest.fixture(scope="module")
def pair():
    return census_pair(20_000, areas=40, planted=2, seed=1)


@pytest.fixture(scope="module")
def files(pair, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_table(pair.survey, folder / "survey.parquet")
    write_table(pair.auxiliary, folder / "census.parquet")
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _files(tmp_path, files):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def written(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("out"))


def test_protect_and_report(run, pair, tmp_path):
    result = run(*PROTECT)
    assert result.exit_code == 0, result.output
    assert "Hidden" in result.stdout
    assert pair.planted[0] in result.stdout
    assert "records of every place  kept" in result.stdout
    assert written(tmp_path) == FILES
    report = run("groups", "report", "survey.parquet", "out.parquet", *GROUP, "--html", "page.html", "-q")
    assert report.exit_code == 0, report.output
    assert "Hidden" in report.stdout
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")
    same = run("groups", "report", "survey.parquet", "survey.parquet", *GROUP, "--json", "-q")
    assert json.loads(same.stdout)["still_found"]


def test_with_a_third_party_file_the_vital_column_is_not_released(run, pair, tmp_path):
    attack = ("--auxiliary", "census.parquet", "--words", "words.toml", "--attack-generations", "20")
    result = run(*PROTECT, *attack, "--hide", pair.planted[0], "--ordinal", "age,income", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["comparison"]["attacked_by"] == "the fuzzy model"
    assert record["swaps"]["metric"]["ordinal"] == ["age", "income"]
    assert len(record["files"]) == 10
    assert "military" not in read_table(tmp_path / "out.parquet")


def test_rules_that_were_learnt_before_serve_to_protect_and_to_report(run, pair, tmp_path):
    learning = (
        "--words",
        "words.toml",
        "--runs",
        "1",
        "--generations",
        "20",
        "--record",
        "attack.json",
        "-q",
    )
    learnt = run("groups", "attack", "survey.parquet", "--auxiliary", "census.parquet", *GROUP, *learning)
    assert learnt.exit_code == 0, learnt.output
    known = ("--model", "attack.json", "--json")
    result = run(*PROTECT, *known, "--hide", pair.planted[0])
    assert result.exit_code == 0, result.output
    rules = json.loads((tmp_path / "attack.json").read_text(encoding="utf-8"))["rules"]
    assert json.loads(result.stdout)["model"]["sentences"] == [rule["sentence"] for rule in rules]
    report = run("groups", "report", "survey.parquet", "out.parquet", *GROUP, *known, "-q")
    assert json.loads(report.stdout)["attacked_by"] == "the fuzzy model"
    assert pair.planted[0] not in json.loads(report.stdout)["still_found"]


def test_identifiers_are_dropped_and_that_is_said(run, pair, tmp_path):
    numbers = pa.array([f"P{number:05}" for number in range(pair.survey.n)])
    arrow = pq.read_table(tmp_path / "survey.parquet").replace_schema_metadata()
    pq.write_table(arrow.append_column("person", numbers), tmp_path / "named.parquet")
    words = ("groups", "protect", "named.parquet", *GROUP, "--hide", pair.planted[0], "--generations", "60")
    dropped = run(*words, "-o", "out.parquet")
    assert dropped.exit_code == 0, dropped.output
    assert "left out: income (" in dropped.stderr and "person (text values" in dropped.stderr
    assert "person" not in read_table(tmp_path / "out.parquet")
    kept = run(*words, "-o", "out.parquet", "--keep", "person")
    assert "person (" not in kept.stderr
    assert "person" in read_table(tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("arguments", "sentence", "status"),
    [
        (("--hide", "Atlantis"), "Unknown place", 2),
        (("--limit", "500", "--hide", "A0001"), "nothing to protect", 2),
        (("--harmonise", "words.toml"), "harmonise needs a third-party file", 2),
        (("--ordinal", "sex"), "column sex is nominal", 2),
        (("--along", "state"), "Unknown column", 2),
        (("--weights", "sex=1,2"), "weights must hold 1 number for each name", 2),
        (("--model", "words.toml"), "is not the record of an attack", 2),
    ],
)
def test_what_is_refused_leaves_no_file(run, tmp_path, arguments, sentence, status):
    result = run(*PROTECT, *arguments)
    assert result.exit_code == status, result.output
    assert sentence in result.stderr
    assert written(tmp_path) == []


def test_an_input_is_never_replaced(run, tmp_path):
    before = (tmp_path / "survey.parquet").read_bytes()
    result = run("groups", "protect", "survey.parquet", "-o", "survey.parquet", *GROUP)
    assert result.exit_code == 2
    assert "is also an input" in result.stderr
    assert (tmp_path / "survey.parquet").read_bytes() == before
