"""Every package that is imported is asked for by the project, and by the extra whose parts need it."""

import ast
import re
import sys
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = {"scikit-learn": "sklearn", "tomli-w": "tomli_w", "msgspec": "msgspec"}
OWN_EXTRAS = {  # what a part of the package may import besides what everybody installs
    "web": {"web"},
    "parallel": {"cluster"},
}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def packages(requirements):
    names = [re.split(r"[<>=\[ ;]", one)[0] for one in requirements]
    return {NAMES.get(name, name.replace("-", "_")) for name in names if name != "sfumato"}


@cache
def imported(file):
    """Of each import, the package and whether it is made while the file is loaded."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    first = {id(node) for node in tree.body}
    return [(name, id(node) in first) for node in ast.walk(tree) for name in _names(node)]


def _names(node):
    if isinstance(node, ast.Import):
        return [one.name.split(".")[0] for one in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module.split(".")[0]]
    return []


@cache
def own_names():
    ours = [path for part in ("tests", "docs", "benchmarks") for path in (ROOT / part).rglob("*")]
    return {
        "sfumato",
        "benchmarks",
        "tests",
        *(path.stem for path in ours if path.suffix == ".py" or path.is_dir()),
    }


def foreign(folder):
    own = own_names()
    for file in sorted((ROOT / folder).rglob("*.py")):
        for name, at_once in imported(file):
            if name not in sys.stdlib_module_names and name not in own:
                yield file.relative_to(ROOT / folder), name, at_once


def test_what_is_imported_at_once_is_installed_by_everybody_or_by_the_extra_of_its_part():
    asked = project()
    always = packages(asked["dependencies"])
    for file, name, at_once in foreign("src/sfumato"):
        extras = OWN_EXTRAS.get(file.parts[0], set())
        here = always.union(*(packages(asked["optional-dependencies"][extra]) for extra in extras))
        if at_once:
            assert name in here, f"{file} imports {name}"


@pytest.mark.parametrize("folder", ["src/sfumato", "tests", "benchmarks"])
def test_every_package_that_is_imported_anywhere_is_asked_for(folder):
    asked = project()
    extras = [packages(requirements) for requirements in asked["optional-dependencies"].values()]
    known = packages(asked["dependencies"]).union(*extras)
    assert {name for _, name, _ in foreign(folder)} - known - ABSENT_HERE == set()


def test_classifiers_tell_the_pythons_from_the_oldest_on_and_this_one():
    found = project()
    named = [re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", one) for one in found["classifiers"]]
    minors = [int(one[1]) for one in named if one]
    assert found["requires-python"] == f">=3.{minors[0]}"
    assert minors == list(range(minors[0], minors[-1] + 1)) and sys.version_info[1] in minors


def test_every_requirement_tells_the_oldest_version_that_will_do():
    """By which `.ci/floors` installs exactly these."""
    asked = project()
    for one in chain(asked["dependencies"], *asked["optional-dependencies"].values()):
        assert one.startswith("sfumato[") or re.fullmatch(r"[\w.-]+>=[\w.]+", one), one


ABSENT_HERE = {"msvcrt"}  # of Python for Windows
