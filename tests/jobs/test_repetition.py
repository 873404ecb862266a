"""The command that a job tells does the same again, with every option of reading, where its files lie."""

import json
import shlex
import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from sfumato.cli import main
from sfumato.data.study_file import Study
from sfumato.jobs import job_of, study_of
from sfumato.jobs.attack import Attack
from sfumato.jobs.describe import Describe
from sfumato.jobs.evaluate import Evaluate
from sfumato.jobs.evolve import Evolve
from sfumato.jobs.mask import Mask
from sfumato.jobs.protect import Protect
from sfumato.reports.delivery import json_text, perform
from sfumato.reports.repetition import command_words, repeat_command, repeat_script

ROWS = [
    (f"p{i}", str(20 + 7 * i % 50), ("früh", "spät")[i % 3 == 0], ("a, b", 'say "so"')[i % 2], str(900 + 37 * i))
    for i in range(24)
]  # fmt: skip
SCHEMA = """
[attributes.c1]
scale = "nominal"
role = "identifier"
categories = [{people}]
[attributes.c2]
scale = "numeric"
role = "key"
decimals = 0
[attributes.c3]
scale = "nominal"
role = "key"
categories = ["früh", "spät"]
[attributes.c4]
scale = "nominal"
categories = ["a, b", 'say "so"']
[attributes.c5]
scale = "numeric"
role = "confidential"
"""
HEADER = ("who, really", "age; in years", "Tageszeit", 'the "place"', "income")
TEXT = {"delimiter": ";", "encoding": "latin-1"}
BARE = {**TEXT, "no_header": True, "schema": "data/the schema.toml"}
NAMED = {**TEXT, "keep": ["who, really"], "keys": ["age; in years", 'the "place"', "Tageszeit"]}
LOOK = {"delimiter": "tab"}


def cell(text):
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if set(text) & set(',;"\t') else text


def text(rows, delimiter):
    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files without a header, with one, and with tabulators, and a schema; none of them in the folder itself."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "bare file.csv").write_text(text(ROWS, ";"), "latin-1")
    (data / "named.csv").write_text(text([HEADER, *ROWS], ";"), "latin-1")
    (data / "tabs.csv").write_text(text([HEADER, *ROWS], "\t"), "utf-8")
    (data / "other.csv").write_text(text([HEADER, *reversed(ROWS)], ";"), "latin-1")
    people = ", ".join(f'"{row[0]}"' for row in ROWS)
    (data / "the schema.toml").write_text(SCHEMA.format(people=people), "utf-8")
    monkeypatch.chdir(tmp_path)
    return data


def repeated(words, folder, monkeypatch):
    """What a command prints where the files lie."""
    assert words[0] == "sfumato"
    monkeypatch.chdir(folder)
    one = ["--workers", "1"] if words[1] in ("protect", "evolve", "mask") else []
    done = CliRunner().invoke(main, [*words[1:], *one, "--quiet"])
    assert done.exit_code == 0, (words, done.output)
    return done.stdout


RELEASES = {
    "protect bare": Protect(
        file="data/bare file.csv", output="data/out.csv", keep=["c1"], keys=["c2", "c3"], methods=["pram"],
        policy="none", **BARE
    ),
    "protect named": Protect(
        file="data/named.csv", output="data/out.csv", masking="mdav(k=3) + pram(p=0.6)", seed=-4, **NAMED
    ),
    "protect, then evolve": Protect(
        file="data/named.csv", output="data/-out.csv", methods=["rank_swapping"], evolve="2g", score="mean", with_verdict=False,
        **NAMED
    ),
    "protect tabs": Protect(file="data/tabs.csv", output="data/out.tsv", masking="mdav(k=3)", **LOOK),
    "evolve bare": Evolve(
        file="data/bare file.csv", output="data/out.csv", stop={"generations": 2}, **BARE
    ),
    "evolve named": Evolve(
        file="data/named.csv",
        output="data/out.csv",
        preset="fast",
        methods=["rank_swapping", "mdav"],
        stop={"seconds": 600.0, "target": 99.0},
        optimizer="evolution(batch=2, mutations=[gray_mutation])",
        loss=["subgroup_means(groups=3)"],
        require=["loss <= 100"],
        seed=3,
        with_verdict=False,
        **NAMED,
    ),
    "mask bare": Mask(
        file="data/bare file.csv", output="data/out.csv", masking="mdav(k=3, attributes=[c2, c5])", **BARE
    ),
    "mask named": Mask(
        file="data/named.csv",
        output="data/out.csv",
        masking={"method": "pram", "attributes": ['the "place"', "Tageszeit"]},
        keep=["who, really"],
        seed=2,
        **TEXT,
    ),
}  # fmt: skip


@pytest.mark.parametrize("job", RELEASES.values(), ids=list(RELEASES))
def test_the_same_file_is_released_again(job, folder, monkeypatch):
    outcome, _ = perform(job.with_(workers=1))
    first = job.output.read_bytes()
    words = shlex.split(repeat_command(outcome))
    report = job.targets().get("report")
    if report is not None and report.is_file():
        assert repeat_command(outcome) in unescape(report.read_text(encoding="utf-8"))
    job.output.unlink()
    if job.seed is None:  # the key lies in the private folder
        shutil.copy(job.targets()["secret"], folder)
    repeated(words, folder, monkeypatch)
    assert Path(job.output.name).read_bytes() == first
    exec(repeat_script(outcome), {})  # nothing where there is no script; its last line compares fingerprints


def timeless(told):
    """A record without how long anything took."""
    if isinstance(told, dict):
        return {key: timeless(value) for key, value in told.items() if key != "seconds"}
    return [timeless(value) for value in told] if isinstance(told, list) else told


VIEWS = {
    "describe": Describe(file="data/bare file.csv", save_schema="data/made.toml", **BARE),
    "describe tabs": Describe(file="data/tabs.csv", **LOOK),
    "evaluate": Evaluate(
        original="data/named.csv",
        masked="data/other.csv",
        measures=["k_anonymity(attributes=['the \"place\"', Tageszeit])", "pil"],
        seed=1,
        **TEXT,
    ),
    "attack": Attack(
        original="data/named.csv", released="data/other.csv", attacks=["interval(percent=5)", "DBRL"], seed=2, **TEXT
    ),
}  # fmt: skip


@pytest.mark.parametrize("job", VIEWS.values(), ids=list(VIEWS))
def test_the_same_is_said_again(job, folder, monkeypatch):
    outcome, written = perform(job)
    made = {path.name: path.read_bytes() for path in written}
    for path in written:
        path.unlink()
    told = json.loads(repeated([*command_words(outcome.repeated()), "--json"], folder, monkeypatch))
    assert told.pop("files", []) == list(made)
    assert timeless(told) == timeless(json.loads(json_text(outcome.to_dict())))
    assert {name: Path(name).read_bytes() for name in made} == made


@pytest.mark.parametrize("job", [*RELEASES.values(), *VIEWS.values()], ids=[*RELEASES, *VIEWS])
def test_a_study_makes_the_same_job(job, folder):
    study_of(job, folder=Path()).write(Path("study.toml"))
    assert job_of(Study.read("study.toml"), source="study.toml", folder=Path()) == job
    assert type(job).from_settings(job.settings()) == job


def test_a_file_whose_name_looks_like_an_option_is_told_as_a_file():
    words = command_words(Describe(file="data/--json.csv"))
    assert words == ["sfumato", "describe", "./--json.csv"]
