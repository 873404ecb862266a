"""What is declared once appears everywhere: an option in a job's class, a job in a file of the folder of jobs."""

import importlib
import inspect
import json
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

import sfumato
from cli import people
from sfumato import functions, jobs
from sfumato.cli import main
from sfumato.core import parameters, registry
from sfumato.jobs import function_name
from sfumato.reports.repetition import command_words

FAREWELL = '''"""Protect a file, with one more thing to ask for."""

import dataclasses

from sfumato.core import param
from sfumato.jobs import Protection
from sfumato.jobs.protect import Protect


class ProtectOnce(Protect):
    """Protect FILE as usual, and say something at the end."""

    farewell: str = param(default="", word="TEXT", help="what to say at the end")

    def run(self, source, *, work):
        found = super().run(source, work=work)
        return Parting(**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)})


class Parting(Protection):
    def told(self):
        yield from super().told()
        yield self.job.farewell
'''

COUNT = '''"""Count the records of a file."""

from sfumato.core import param
from sfumato.jobs._job import Outcome
from sfumato.jobs._reading import Reading


class CountRecords(Reading):
    """Count the records of FILE, each so many times."""

    times: int = param(default=1, low=1, help="how often each record counts")

    def run(self, source, *, work):
        return Count(job=self, count=source.in_memory("counting").n * self.times)


class Count(Outcome):
    count: int

    def told(self):
        yield f"{self.count} records."
'''


def forget():
    """Look at the folders again."""
    for found in (registry._files, registry.names, registry._foreign, functions.names, functions.function):
        found.cache_clear()


@pytest.fixture
def job_file(tmp_path, monkeypatch):
    """Write a job into a folder of its own, which is one of the package while the test lasts."""
    before = set(sys.modules)

    def add(name, text):
        folder = tmp_path / "package" / "jobs"
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(sfumato, "__path__", [*sfumato.__path__, str(folder.parent)])
        monkeypatch.setattr(jobs, "__path__", [*jobs.__path__, str(folder)])
        monkeypatch.setattr(sfumato.__spec__, "submodule_search_locations", sfumato.__path__)
        importlib.invalidate_caches()
        forget()

    yield add
    monkeypatch.undo()
    for name in set(sys.modules) - before:
        if name.startswith("sfumato.jobs.") and "package" in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
            delattr(jobs, name.rpartition(".")[2])
    forget()


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("in.csv").write_text(people.PEOPLE)
    Path("s.toml").write_text(people.SCHEMA)

    def call(*words):
        found = CliRunner().invoke(main, list(words))
        assert found.exit_code == 0, found.output
        return found.stdout

    return call


def test_an_option_is_declared_in_one_place(job_file, run):
    job_file("protect_once", FAREWELL)
    assert "--farewell TEXT" in run("protect-once", "--help")
    words = ("--schema", "s.toml", "--masking", "rank_swapping", "--no-verdict", "--workers", "1", "-q")
    told = run(
        "protect-once",
        "in.csv",
        "-o",
        "out.csv",
        *words,
        "--farewell",
        "so long",
        "--save-study",
        "study.toml",
    )
    assert told.endswith("\nso long\n")
    assert tomllib.loads(Path("study.toml").read_text())["farewell"] == "so long"
    assert run("run", "study.toml", "-q", "-o", "again.csv").endswith("\nso long\n")
    assert run("run", "out.private/study.toml", "-q", "-o", "again.csv").endswith("\nso long\n")
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
    record = json.loads(Path("out.private/record.json").read_text())
    assert record["job"]["farewell"] == "so long"
    report = unescape(Path("out.private/report.html").read_text())
    assert "sfumato protect-once in.csv --farewell 'so long'" in report and "farewell='so long'" in report
    function = sfumato.protect_once
    assert inspect.signature(function).parameters["farewell"].default == ""
    assert "farewell: what to say at the end" in function.__doc__
    found = function(
        "in.csv", schema="s.toml", masking="rank_swapping", with_verdict=False, workers=1, farewell="bye"
    )
    assert list(found.told())[-1] == "bye" and found.to_dict()["job"]["farewell"] == "bye"
    assert [file for file in Path().iterdir() if "bye" in file.name] == []


def test_a_job_is_one_file(job_file, run):
    job_file("count_records", COUNT)
    assert "count-records" in run("--help") and "Count the records of a file." in run("--help")
    assert run("count-records", "in.csv", "--times", "3", "--save-study", "study.toml") == "60 records.\n"
    assert run("run", "study.toml") == "60 records.\n"
    found = json.loads(run("count-records", "in.csv", "--times", "3", "--json"))
    assert found["count"] == 60
    assert found["job"] == {"job": "count_records", "times": 3, "file": "in.csv"}
    assert sfumato.count_records("in.csv", times=2).count == 40
    refused = CliRunner().invoke(main, ["count-records", "in.csv", "--times", "0"])
    assert refused.exit_code == 2
    assert refused.stderr == "Error: count_records: times must be an integer of at least 1. Got 0.\n"


def test_what_was_added_is_gone_again():
    assert {"protect_once", "count_records"}.isdisjoint(registry.names("jobs"))
    assert not hasattr(sfumato, "count_records")


@pytest.mark.parametrize("name", registry.names("jobs"))
def test_functions_take_what_their_jobs_take(name):
    job = registry.load("jobs", name)
    made = inspect.signature(getattr(sfumato, function_name(name))).parameters
    data = {key: made[key] for key in job.data}
    assert all(one.default is inspect.Parameter.empty for one in data.values())
    assert list(made)[: len(data)] == list(job.data)
    options = {one.name: one for one in job.options().values() if one.name not in job.data}
    spread = any(one.spread for one in parameters(job).values() if hasattr(one.type, "registered_in"))
    assert set(made) - {"options"} == {*job.data, *options}
    assert ("options" in made) == spread
    for key, option in options.items():
        assert made[key].default == option.default or made[key].default is inspect.Parameter.empty
        positional = made[key].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert positional == (key in job.positional)


@pytest.mark.parametrize("name", registry.names("jobs"))
def test_a_job_that_needs_nothing_is_made_again_from_its_settings_and_its_words(name):
    job = registry.load("jobs", name)
    try:
        made = job()
    except (TypeError, sfumato.core.SfumatoError):  # something must be given
        pytest.skip("something must be given")
    assert job.from_settings(made.settings()) == made
    assert command_words(made)[0] == "sfumato"


def test_every_function_of_a_table_shows_what_it_does_to_a_pandas_frame():
    jobs_of_data = {name: job for name, job in functions.names().items() if registry.load("jobs", job).data}
    of_tables = [name for name, job in jobs_of_data.items() if not job.startswith("graph ")]
    assert len(of_tables) == 14
    for name in of_tables:
        examples = functions.function(name).__doc__.partition(">>>")[2]
        assert f"sfumato.{name}(" in examples
        assert "to_pandas()" in examples or "pd.DataFrame(" in examples
