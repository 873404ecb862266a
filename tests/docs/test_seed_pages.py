"""The pages of the sources stay true: what they name exists, what they command runs, and no row is lost."""

import ast
import doctest
import os
import shlex
from collections import Counter
from contextlib import chdir
from functools import cache
from pathlib import Path

import click
import pytest
import seed_rows
from click.testing import CliRunner
from make_seed_pages import page_text
from seed_rows import SEEDS, STATUSES, Place, read_pages
from seeds.make_files import make_files

from sfumato.cli import main
from sfumato.core import Key, parameters, registry

ROOT = SEEDS.parents[1]
PAGES = {page.name: page for page in read_pages()}
ROWS = [(page, row) for page in PAGES.values() for row in page.rows]
COMMANDS = list(dict.fromkeys(command for page in PAGES.values() for command in page.commands))
STUDIES = [command for command in COMMANDS if command.startswith("reproduce ")]
LONG = (
    "evolve ",
    "--masking ",
    "--require ",
    "subsets=4",
    "k_neighbourhood",
)  # that take a second or more each
OTHERS = [
    pytest.param(command, marks=[pytest.mark.slow] if any(words in command for words in LONG) else [])
    for command in COMMANDS
    if command not in STUDIES
]
KNOWN = {"mares-thesis": 185, "mares-torra": 15, "gomm": 72, "fayyoumi": 167, "group-anonymity": 47}
SMALLEST = {
    "evolution": {"generations": "2", "fast-generations": "1"},
    "microaggregation": {"records": "1000", "variables": "1"},
    "pram-equations": {"depths": "2"},
}  # where the short form of a study says nothing of what is asked for

every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_no_row_is_lost(name):
    """Each page has the rows that were found when its source was read, each by a name of its own."""
    assert set(PAGES) == set(KNOWN)
    ids = Counter(row.id for row in PAGES[name].rows)
    assert ids.total() == KNOWN[name] and max(ids.values()) == 1


@every_page
def test_the_page_is_what_its_rows_say(name):
    written = (SEEDS / f"{name}.md").read_text(encoding="utf-8")
    assert written == page_text(PAGES[name]), "write the pages anew: python docs/make_seed_pages.py"


@every_page
def test_rows_say_how_they_stand(name):
    for row in PAGES[name].rows:
        assert row.status in STATUSES, row.id
        assert row.means and len(row.means) <= 100, row.id
        if row.status == "works":
            assert row.places, f"{row.id} works: where?"
        else:
            assert row.note, f"{row.id} is {row.status}: why?"


@every_page
def test_all_places_exist(name):
    for row in PAGES[name].rows:
        for place in row.places:
            check = _check_method if place.kind else _check_file
            check(place, f"{name}, {row.id}")


def _check_method(place: Place, where: str) -> None:
    """The method has the parameters that are named, and takes the values they are given."""
    known = parameters(registry.load(place.kind, place.name))
    for name, value in place.parameters.items():
        assert name in known, f"{where}: {place.name} has no {name}"
        if value:
            known[name].read(place.name, value)
    if place.kind in registry.PARTS:
        registry.make(place.kind, place.made)


def _check_file(place: Place, where: str) -> None:
    path, _, names = place.text.partition("::")
    file = ROOT / path if path.startswith(("docs/", "tests/")) else ROOT / "src" / "sfumato" / path
    assert file.is_file(), f"{where}: {path}"
    missing = set(names.split(".")) - _defined(file) if names else set()
    assert not missing, f"{where}: {path} defines no {missing}"


@cache
def _defined(file: Path) -> frozenset[str]:
    """Functions, classes, and what is assigned, at any depth."""
    names = set[str]()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


def test_examples_of_the_reader_hold():
    failed, attempted = doctest.testmod(seed_rows)
    assert attempted and not failed


def test_places_are_checked():
    with pytest.raises(AssertionError, match="has no gama"):
        _check_method(Place("masking:vmdav(gama)"), "here")
    with pytest.raises(AssertionError, match="defines no"):
        _check_file(Place("kernels/mdav.py::nothing"), "here")
    with pytest.raises(AssertionError):
        _check_file(Place("kernels/nowhere.py"), "here")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_read(command):
    """Every option is known; files need not be there."""
    words, found = shlex.split(command), main
    context = click.Context(main, info_name="sfumato")
    while isinstance(found, click.Group):
        word = words.pop(0)
        found = found.get_command(context, word)
        assert found is not None, f"there is no command {word}"
    if found.name == "reproduce":
        found.make_context("reproduce", [*words, "--workers", "1"], parent=context)
        return
    known = {option for one in found.get_params(context) for option in (*one.opts, *one.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the commands read, as a reader makes them."""
    folder = tmp_path_factory.mktemp("seeds") / "files"
    make_files(folder)
    return folder


@pytest.fixture
def alone(monkeypatch):
    """On one core, so that no processes have to be started, and under a known key, so that a command always does the same."""
    monkeypatch.setattr(Key, "drawn", lambda: Key(bytes(range(32))))
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.parametrize("command", OTHERS)
def test_commands_run(command, files, alone):
    with chdir(files):
        result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.parametrize("command", STUDIES)
def test_studies_run(command, tmp_path, alone):
    """With as little work as their short form does; whether their bars hold is asked elsewhere."""
    name, *given = shlex.split(command)[1:]
    study = registry.load("reproductions", name.replace("-", "_"))
    if not study.runnable():
        pytest.skip("the classic files are not here")
    less = {key.replace("_", "-"): _text(value) for key, value in study.quick.items()} | SMALLEST.get(
        name, {}
    )
    words = [word for key, value in less.items() if f"--{key}" not in given for word in (f"--{key}", value)]
    with chdir(tmp_path):
        result = CliRunner().invoke(main, ["reproduce", name, *given, *words, "--workers", "1", "-o", "told"])
    assert result.exit_code in (0, 1, 3), result.output
    assert "Verdict" in result.output


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
