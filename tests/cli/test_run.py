"""Study files: what a command was asked for, said again by a file."""

import json
import tomllib
from pathlib import Path

import click
import pytest
from people import PEOPLE, SCHEMA

from sfumato.cli import main
from sfumato.cli.study_words import key_of
from sfumato.data.study_file import HEAD

MASK = ("mask", "in.csv", "-m", "mdav", "--k", "4", "--schema", "s.toml", "-o", "out.csv", "--seed", "7")
PROTECT = ("protect", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--methods", "rank_swapping,pram")
EVOLVE = ("evolve", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--methods", "rank_swapping")
SWAPPED = """
command = "mask"
file = "../in.csv"
method = "rank-swapping"
schema = "../s.toml"
p = 20
output = "swapped.csv"
"""


@pytest.fixture
def here(run):
    Path("in.csv").write_text(PEOPLE)
    Path("s.toml").write_text(SCHEMA)
    Path("studies").mkdir()
    return run


def outputs(stem):
    return {path.suffix: path.read_bytes() for path in (Path(f"{stem}.csv"), Path(f"{stem}.schema.toml"))}


@pytest.mark.parametrize(
    "words",
    [
        MASK,
        (*PROTECT, "--workers", "1", "--require", "uniqueness <= 100", "--require", "k >= 1"),
        (*EVOLVE, "--generations", "1", "--workers", "1", "--key", "age", "--key", "sex"),
    ],
    ids=lambda words: words[0],
)
def test_a_saved_study_gives_the_same_bytes(here, words):
    first = here(*words, "--save-study", "studies/s.toml", "--quiet")
    assert first.exit_code == 0, first.stderr
    study = tomllib.loads(Path("studies/s.toml").read_text())
    assert study["command"] == words[0]
    assert (study["file"], study["schema"], study["output"]) == ("../in.csv", "../s.toml", "../out.csv")
    assert not {"workers", "quiet", "save-study"} & set(study)
    more = ("--workers", "1") if "--workers" in words else ()
    again = here("run", "studies/s.toml", "-o", "again.csv", *more)
    assert again.exit_code == 0, again.stderr
    assert outputs("again") == outputs("out")


def test_what_is_given_is_what_is_saved(here):
    names = ("--keep", '"a,b",c', "--key", "age")
    words = ("protect", "in.csv", "-o", "out.csv", *names, "--no-header", "--delimiter", ";")
    here(*words, "--save-study", "no.toml")
    assert not Path("no.toml").exists()  # there was nothing to repeat: it failed
    from sfumato.cli.study_words import parameters_of, settings_from, words_from

    command = main.get_command(click.Context(main), "protect")
    known = parameters_of(command, words[1:])
    settings = settings_from(words[1:], known, folder=Path("deep/er"))
    assert settings == {
        "file": "../../in.csv",
        "output": "../../out.csv",
        "keep": ["a,b", "c"],
        "key": ["age"],
        "no-header": True,
        "delimiter": ";",
    }
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    back = words_from(plain, known, source="", folder=Path("deep/er"))
    assert settings_from(back, known, folder=Path("deep/er")) == settings


def test_a_study_written_by_hand(here):
    Path("studies/hand.toml").write_text(SWAPPED)
    found = here("run", "studies/hand.toml", "--json", "--quiet")
    assert found.exit_code == 0, found.stderr
    told = json.loads(found.stdout)
    assert told["method"] == {"method": "rank_swapping", "p": 20}
    assert told["files"] == ["studies/swapped.csv", "studies/swapped.schema.toml"]
    assert Path("studies/swapped.csv").exists()


def test_files_of_parameters_are_found_beside_the_study(here):
    matrices = here(
        "evolve-pram", "in.csv", "--schema", "s.toml", "-o", "studies/m.json", "--generations", "1", "-q"
    )
    assert matrices.exit_code == 0, matrices.stderr
    words = ("mask", "in.csv", "-m", "pram", "--matrix", "studies/m.json", "--attributes", "sex,region")
    first = here(*words, "--schema", "s.toml", "-o", "out.csv", "--save-study", "studies/s.toml")
    assert first.exit_code == 0, first.stderr
    assert tomllib.loads(Path("studies/s.toml").read_text())["matrix"] == "m.json"
    again = here("run", "studies/s.toml", "-o", "again.csv")
    assert again.exit_code == 0, again.stderr
    assert outputs("again") == outputs("out")


def test_flags_with_two_names_and_options_of_two_values():
    from sfumato.cli.study_words import words_from

    def words(name, **settings):
        command = main.get_command(click.Context(main), name)
        known = {key_of(one): one for one in command.params}
        return words_from({"file": "f", **settings}, known, source="s", folder=Path("d"))

    assert words("group-attributes", dynamic=False) == ["--full", "--", "d/f"]
    assert words("group-attributes", dynamic=True, front=False) == ["--dynamic", "--", "d/f"]
    pram = words("evolve-pram", diagonal=(0.1, 0.9), p=1, output="m.json")
    assert pram == ["--output", "d/m.json", "-p", "1", "--diagonal", "0.1", "0.9", "--", "d/f"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ('command = "msk"', "unknown command 'msk'. Did you mean mask?"),
        ('command = "graph protct"', "unknown command 'graph protct'. Did you mean protect?"),
        ('command = "mask mask"', "unknown command 'mask mask'."),
        ('command = "graph"', "command 'graph' is no job on files"),
        ('command = "run"', "command 'run' is no job on files"),
        ("save-study = 1", "unknown option 'save-study'"),
        ("sed = 1", "unknown option 'sed'. Did you mean seed?"),
        ("workers = 0", "workers"),
        ('seed = "many"', "seed: 'many' is not a valid integer"),
        ("seed = [1, 2]", "seed takes one value. Got a list."),
        ('quiet = "yes"', "quiet must be true or false."),
        ("p = 200", "rank_swapping: p must be a number"),
        ('method = "swoppping"', "Unknown masking method 'swoppping'"),
        ("file = 0", None),
        ("output = 0", None),
        ("method = 0", None),
        ("file", "not a TOML file"),
    ],
)
def test_mistakes_are_one_sentence_that_names_the_study(here, changes, says):
    key = changes.split(" = ")[0]
    lines = [line for line in SWAPPED.splitlines() if not line.startswith(f"{key} =")]
    Path("studies/bad.toml").write_text("\n".join([*lines, *([changes] if says else [])]))
    found = here("run", "studies/bad.toml")
    assert found.exit_code == 2
    assert found.stderr.startswith("Error: studies/bad.toml: ") and found.stderr.count("\n") == 1
    assert (says or f"{key} is missing.") in found.stderr
    assert {path.name for path in Path("studies").iterdir()} == {"bad.toml"}


def test_what_a_command_lacks_cannot_be_replaced(here):
    Path("s.toml").write_text('command = "attack"\noriginal = "in.csv"\nreleased = "in.csv"')
    found = here("run", "s.toml", "--workers", "2")
    assert found.exit_code == 2
    assert found.stderr.startswith("Error: attack has no --workers: leave it out.")


def test_another_version_is_told(here):
    Path("studies/old.toml").write_text('sfumato = "0.0.1"' + SWAPPED)
    told = here("run", "studies/old.toml").stderr
    assert "Note: studies/old.toml was written by sfumato 0.0.1; this is " in told
    assert "0.0.1" not in here("run", "studies/old.toml", "--quiet").stderr


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("s.toml", "is also an input"),
        ("study.txt", "unknown suffix"),
        ("gone/study.toml", "does not exist"),
        ("studies", "is a folder"),
    ],
)
def test_a_study_that_cannot_be_saved_is_told_before_the_job(here, path, says):
    found = here(*MASK, "--save-study", path)
    assert found.exit_code == 2
    assert says in found.stderr
    assert Path("s.toml").read_text() == SCHEMA
    assert not Path("out.csv").exists()


def leaves(group, names=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*names, name))
        else:
            yield " ".join((*names, name)), command


@pytest.mark.parametrize(
    ("name", "command"), list(leaves(main)), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_option_has_a_name_of_its_own_in_a_study(name, command):
    keys = [key_of(one) for one in command.params]
    assert len(keys) == len(set(keys))
    assert not set(HEAD) & set(keys)
    assert ("save-study" in keys) == (name not in ("methods", "run", "web"))
