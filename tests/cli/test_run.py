"""Study files: what a command was asked for, said again by a file."""

import json
import tomllib
from pathlib import Path

import click
import pytest
from people import PEOPLE, SCHEMA

from sfumato.cli import main
from sfumato.cli.command import JobCommand
from sfumato.data.study_file import HEAD, Study
from sfumato.jobs import job_of, study_of
from sfumato.jobs.evolve_pram import EvolvePram
from sfumato.jobs.group_attributes import GroupAttributes
from sfumato.jobs.protect import Protect
from sfumato.reports.repetition import command_words

MASK = ("mask", "in.csv", "-m", "mdav", "--k", "4", "--schema", "s.toml", "-o", "out.csv", "--seed", "7")
PROTECT = ("protect", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--methods", "rank_swapping,pram")
EVOLVE = (
    "evolve",
    "in.csv",
    "-o",
    "out.csv",
    "--schema",
    "s.toml",
    "--preset",
    "fast",
    "--methods",
    "rank_swapping",
)
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
        (*PROTECT, "--workers", "1", "--require", "individual_risk <= 100", "--require", "k >= 1"),
        (*EVOLVE, "--no-verdict", "--generations", "1", "--workers", "1", "--key", "age", "--key", "sex"),
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
    assert here("run", "studies/s.toml", "-o", "again.csv", *more).exit_code == 0
    is_seeded = "--seed" in words
    assert (outputs("again") == outputs("out")) is is_seeded  # else the same was asked, and another key drawn
    again = here("run", "out.private/study.toml", "-o", "again.csv", *more)
    assert again.exit_code == 0, again.stderr
    assert outputs("again") == outputs("out")


def test_what_is_given_is_what_is_saved(here):
    words = ("protect", "in.csv", "-o", "out.csv", "--no-header", "--delimiter", ";")
    here(*words, "--keep", '"a,b",c', "--save-study", "no.toml")
    assert not Path("no.toml").exists()  # there was nothing to repeat: it failed
    job = Protect(
        file="in.csv", output="out.csv", keep=["a,b", "c"], keys=["age"], no_header=True, delimiter=";"
    )
    study = study_of(job, folder=Path("deep/er"))
    assert study.settings == {
        "file": "../../in.csv",
        "output": "../../out.csv",
        "keep": ("a,b", "c"),
        "key": ("age",),
        "no-header": True,
        "delimiter": ";",
    }
    back = job_of(Study.from_toml(study.to_toml()), source="", folder=Path("deep/er"))
    assert study_of(back, folder=Path("deep/er")) == study
    assert back.with_(file=job.file, output=job.output) == job


@pytest.mark.parametrize("listed", ['["a,b", "c"]', "'\"a,b\",c'"], ids=["a list", "a text"])
def test_names_with_commas_are_read_from_studies(listed):
    study = Study.from_toml(f"command = 'protect'\nfile = 'f.csv'\noutput = 'o.csv'\nkeep = {listed}")
    assert job_of(study, source="", folder=Path()).keep == ("a,b", "c")


def test_a_study_written_by_hand(here):
    Path("studies/hand.toml").write_text(SWAPPED)
    found = here("run", "studies/hand.toml", "--json", "--quiet")
    assert found.exit_code == 0, found.stderr
    told = json.loads(found.stdout)
    assert told["method"] == {"method": "rank_swapping", "p": 20}
    assert {"studies/swapped.csv", "studies/swapped.schema.toml"} < set(told["files"])
    assert Path("studies/swapped.csv").exists()


def test_files_of_parameters_are_found_beside_the_study(here):
    matrices = here(
        "evolve-pram", "in.csv", "--schema", "s.toml", "-o", "studies/m.json", "--generations", "1", "-q"
    )
    assert matrices.exit_code == 0, matrices.stderr
    words = ("mask", "in.csv", "-m", "pram", "--matrix", "studies/m.json", "--attributes", "sex,region")
    words = (*words, "--seed", "1")
    first = here(*words, "--schema", "s.toml", "-o", "out.csv", "--save-study", "studies/s.toml")
    assert first.exit_code == 0, first.stderr
    assert tomllib.loads(Path("studies/s.toml").read_text())["matrix"] == "m.json"
    again = here("run", "studies/s.toml", "-o", "again.csv")
    assert again.exit_code == 0, again.stderr
    assert outputs("again") == outputs("out")


def test_old_studies_keep_working(here):
    """Parameters of a method beside its name, durations with units, numbers of generations."""
    Path("old.toml").write_text(
        'command = "mask"\nfile = "in.csv"\nmethod = "mdav"\nk = 4\nattributes = ["age", "income"]\noutput = "a.csv"'
    )
    assert here("run", "old.toml", "-q").exit_code == 0
    words = ("mask", "in.csv", "-m", "mdav(k=4, attributes=[age, income])", "-o", "b.csv", "-q")
    assert here(*words).exit_code == 0
    assert outputs("a") == outputs("b")
    for rule, expected in (
        ('for = "60s"', {"seconds": 60.0}),
        ("for = 60", {"seconds": 60.0}),
        ('for = "5g"', {"generations": 5}),
        ("generations = 5", {"generations": 5}),
        ("target = 20\nstagnation = 3", {"target": 20.0, "stagnation": 3}),
    ):
        study = Study.from_toml(f'command = "evolve"\nfile = "in.csv"\noutput = "c.csv"\n{rule}')
        job = job_of(study, source="", folder=Path())
        assert dict(job.stop.given) == expected
        assert job_of(study_of(job, folder=Path()), source="", folder=Path()) == job


def test_a_saved_method_with_parameters_is_one_text(here):
    assert here(*MASK, "--save-study", "studies/s.toml", "-q").exit_code == 0
    assert tomllib.loads(Path("studies/s.toml").read_text())["method"] == "mdav(k=4)"


def test_flags_with_two_names_and_options_of_two_values():
    """Each word of the command that a job tells is an option of that command."""
    full = command_words(GroupAttributes(file="d/f", dynamic=False))
    assert full == ["sfumato", "group-attributes", "f", "--full"]
    pram = EvolvePram(file="d/f", diagonal=(0.1, 0.9), output="d/m.json")
    words = command_words(pram)
    assert words[words.index("--diagonal") : words.index("--diagonal") + 3] == ["--diagonal", "0.1", "0.9"]
    for words, job in ((full, GroupAttributes), (command_words(pram), EvolvePram)):
        command = main.get_command(click.Context(main), words[1])
        given = command.make_context(words[1], words[2:]).params
        assert any(value for value in given.values()), job
    study = study_of(pram, folder=Path())
    assert study.settings["diagonal"] == (0.1, 0.9)
    assert job_of(study, source="", folder=Path()) == pram


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ('command = "msk"', "unknown command 'msk'. Did you mean mask?"),
        ('command = "graph protct"', "unknown command 'graph protct'. Did you mean graph protect?"),
        ('command = "mask mask"', "unknown command 'mask mask'."),
        ('command = "graph"', "unknown command 'graph'. Known: "),
        ('command = "run"', "unknown command 'run'. Known: "),
        ("save-study = 1", "Unknown option of mask 'save-study'. Known: "),
        ("sed = 1", "Unknown option of mask 'sed'. Did you mean seed?"),
        ("workers = 0", "workers"),
        ('seed = "many"', "mask: seed must be an integer or nothing. Got 'many'."),
        ("seed = [1, 2]", "mask: seed must be an integer or nothing. Got [1, 2]."),
        ('quiet = "yes"', "quiet must be true or false."),
        ("p = 200", "rank_swapping: p must be a number"),
        ('method = "swoppping"', "Unknown masking method 'swoppping'"),
        ("file = 0", None),
        ("output = 0", None),
        ("method = 0", None),
        ("file", "not valid TOML"),
    ],
)
def test_mistakes_are_one_sentence_that_names_the_study(here, changes, says):
    key = changes.split(" = ")[0]
    lines = [line for line in SWAPPED.splitlines() if not line.startswith(f"{key} =")]
    Path("studies/bad.toml").write_text("\n".join([*lines, *([changes] if says else [])]))
    found = here("run", "studies/bad.toml")
    assert found.exit_code == 2
    assert (
        found.stderr.startswith(("Error: studies/bad.toml: ", "Error: studies/bad.toml is not"))
        and found.stderr.count("\n") == 1
    )
    assert (says or f"{key} is missing.") in found.stderr
    assert {path.name for path in Path("studies").iterdir()} == {"bad.toml"}


def test_rules_have_keys_of_their_own(here):
    Path("s.toml").write_text('command = "evolve"\nfile = "in.csv"\noutput = "o.csv"\nstop = "5"')
    found = here("run", "s.toml")
    assert found.exit_code == 2
    assert found.stderr == "Error: s.toml: evolve: stop must be rules such as generations = 100. Got '5'.\n"


def test_what_a_command_lacks_cannot_be_replaced(here):
    Path("s.toml").write_text('command = "attack"\noriginal = "in.csv"\nreleased = "in.csv"')
    found = here("run", "s.toml", "--workers", "2")
    assert found.exit_code == 2
    assert found.stderr.startswith("Error: attack has no --workers: leave it out.")


def test_what_is_shown_may_stand_in_a_study(here):
    Path("studies/quiet.toml").write_text("quiet = true\njson = true" + SWAPPED)
    found = here("run", "studies/quiet.toml")
    assert found.stderr == "" and json.loads(found.stdout)["kept"] == 20


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
    assert isinstance(command, JobCommand) == (name not in ("methods", "run", "web"))
    made = command.get_params(click.Context(command))
    flags = [flag for one in made for flag in (*one.opts, *one.secondary_opts)]
    assert len(flags) == len(set(flags))
    if isinstance(command, JobCommand):
        keys = [*command.job.options()]
        assert not set(HEAD) & set(keys)
        assert "--save-study" in flags
