"""Finding methods: a folder is a registry, and a file in it is a method.

`masking/mdav.py` holds the class `Mdav` and is known everywhere as `mdav`. Names and summaries are read
without importing anything. Packages of others add methods through the entry-point group `sfumato.<kind>`.
"""

import ast
import importlib
import importlib.util
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sfumato.core.errors import DataError, UnknownNameError
from sfumato.core.method import Method

KINDS = {
    "masking": "masking method",
    "measures": "measure",
    "attacks": "attack",
    "plots": "plot",
    "reproductions": "reproduction",
    "operators": "operator",
    "optimizers": "optimiser",
    "stop_rules": "stop rule",
    "structure": "structure method",
}
DEEPER = {
    "reproductions": "studies.reproductions",
    "operators": "search.operators",
    "optimizers": "search.optimizers",
    "stop_rules": "search.stop_rules",
    "structure": "graphs.structure",
    "streamed": "large.judging.streamed",
}  # kinds whose folder is inside another one


@cache
def names(kind: str) -> tuple[str, ...]:
    """Names of all methods of a kind, in alphabetical order.

    >>> "mdav" in names("masking")
    True
    """
    return tuple(sorted({*_files(kind), *_foreign(kind)}))


def load(kind: str, name: str) -> Any:
    """The class behind a name.

    >>> load("masking", "rank_swapping").__name__
    'RankSwapping'
    """
    if name in _files(kind):
        return getattr(importlib.import_module(f"{_package(kind)}.{name}"), class_name(name))
    if name in _foreign(kind):
        return _foreign(kind)[name].load()
    raise UnknownNameError(KINDS.get(kind, kind), name, names(kind))


def load_function(kind: str, name: str) -> Any:
    """The function behind a name, for kinds whose files hold a function of the same name."""
    if name not in _files(kind):
        raise UnknownNameError(KINDS.get(kind, kind), name, names(kind))
    return getattr(importlib.import_module(f"{_package(kind)}.{name}"), name)


def make(kind: str, spec: Any) -> Any:
    """The method that a spec describes: a dictionary, a bare name, or the method itself.

    >>> make("masking", {"method": "mdav", "k": 4})
    Mdav(k=4)
    """
    if isinstance(spec, Method):
        return spec
    if isinstance(spec, str):
        spec = {"method": spec}
    if not isinstance(spec, dict) or not isinstance(spec.get("method"), str):
        raise DataError(
            f"A {KINDS[kind]} is a name or a table with the key 'method'. Got {type(spec).__name__}."
        )
    given = {key: value for key, value in spec.items() if key != "method"}
    method: type[Method] = load(kind, spec["method"])
    return method.from_parameters(given)


def summary(kind: str, name: str) -> str:
    """The first line of a method's file, without importing it."""
    path = _files(kind).get(name)
    if path is None:
        return str(load(kind, name).summary())
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    if first.startswith('"""'):  # as all our files do; parsing them whole would slow the command line
        return first.strip().strip('"')
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def class_name(name: str) -> str:
    """The class that a file holds.

    >>> class_name("top_bottom_coding")
    'TopBottomCoding'
    """
    return "".join(part.capitalize() for part in name.split("_"))


def lazy_classes(kind: str, attribute: str) -> Any:
    """Serve `from sfumato.<kind> import <Class>` without importing the whole folder."""
    for name in _files(kind):
        if class_name(name) == attribute:
            return load(kind, name)
    raise AttributeError(f"module '{_package(kind)}' has no attribute {attribute!r}")


@cache
def _files(kind: str) -> dict[str, Path]:
    root, *inner = _package(kind).split(".")
    found = importlib.util.find_spec(root)  # not the folder itself, whose parents would be imported
    folders = (found.submodule_search_locations if found else None) or []
    return {
        path.stem: path
        for folder in folders
        for path in Path(folder, *inner).glob("*.py")
        if not path.stem.startswith("_")
    }


def _package(kind: str) -> str:
    return f"sfumato.{DEEPER.get(kind, kind)}"


@cache
def _foreign(kind: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"sfumato.{kind}")}
