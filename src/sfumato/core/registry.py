"""Finding methods: a folder is a registry, and a file in it is a method.

`masking/mdav.py` holds the class `Mdav` and is known everywhere as `mdav`. Names and summaries are read
without importing anything. Packages of others add methods through the entry-point group `sfumato.<kind>`.
"""

import ast
import importlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sfumato.core import notation
from sfumato.core.errors import DataError, ParameterError, UnknownNameError
from sfumato.core.method import Method
from sfumato.core.parameters import check_names, parameters

KINDS = {
    "jobs": "job",
    "masking": "masking method",
    "measures": "measure",
    "attacks": "attack",
    "plots": "plot",
    "reports": "report",
    "reproductions": "reproduction",
    "operators": "operator",
    "optimizers": "optimiser",
    "stop_rules": "stop rule",
    "structure": "structure method",
    "formats": "file format",
    "graph_formats": "file format of graphs",
}
PARTS = ("masking", "measures", "attacks", "operators", "optimizers", "structure")  # what people name
DEEPER = {
    "operators": "search.operators",
    "optimizers": "search.optimizers",
    "stop_rules": "search.stop_rules",
    "structure": "graphs.structure",
    "formats": "data.formats",
    "graph_formats": "data.graph_formats",
}  # kinds whose folder is inside another one
NESTED = ("jobs",)  # kinds with folders inside theirs, each of which is a group: "groups protect"


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
        return getattr(
            importlib.import_module(f"{_package(kind)}.{name.replace(' ', '.')}"), class_name(name)
        )
    if name in _foreign(kind):
        return _foreign(kind)[name].load()
    for other in PARTS:
        if kind in PARTS and name in names(other):
            article = "an" if KINDS[other][0] in "aeiou" else "a"
            raise ParameterError(f"{name} is {article} {KINDS[other]}, and no {KINDS[kind]}.")
    raise UnknownNameError(KINDS.get(kind, kind), name, names(kind))


def load_function(kind: str, name: str) -> Any:
    """The function behind a name, for kinds whose files hold a function of the same name."""
    if name not in _files(kind):
        raise UnknownNameError(KINDS.get(kind, kind), name, names(kind))
    return getattr(importlib.import_module(f"{_package(kind)}.{name}"), name)


def make(kind: str, spec: Any) -> Any:
    """The method that a spec describes: a dictionary, a name with or without parameters, or the method itself.

    >>> make("masking", {"method": "mdav", "k": 4})
    Mdav(k=4)
    >>> make("masking", "mdav(k=4, attributes=[age, income])")
    Mdav(k=4, attributes=('age', 'income'))
    """
    if isinstance(spec, Method):
        return spec
    if isinstance(spec, str):
        return _read(kind, spec)
    if not isinstance(spec, dict) or not isinstance(spec.get("method"), str):
        raise DataError(
            f"A {KINDS[kind]} is a name or a table with the key 'method'. Got {type(spec).__name__}."
        )
    given = {key: value for key, value in spec.items() if key != "method"}
    method: type[Method] = load(kind, spec["method"])
    return method.from_parameters(given)


def _read(kind: str, text: str) -> Any:
    name, texts = notation.named(text)
    name, meant = resolved(kind, name)
    method: type[Method] = load(kind, name)
    known = parameters(method)
    check_names(name, texts, method)
    given = {key: known[key].read(name, value) for key, value in texts.items()}
    return method.from_parameters({**meant, **given})


def resolved(kind: str, name: str) -> tuple[str, dict[str, Any]]:
    """The name that a method has here, and the parameters that the name it was called by stands for.

    >>> resolved("measures", "DBRL")
    ('distance_linkage', {})
    """
    ours = name.replace("-", "_")
    if ours in names(kind):
        return ours, {}
    return aliases(kind).get(_folded(name), (name, {}))


@cache
def aliases(kind: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """What sources call the methods of a kind: the name here, and the parameters it stands for."""
    return {
        _folded(alias): (name, dict(meant))
        for name in names(kind)
        for alias, meant in declared_aliases(kind, name).items()
    }


@cache
def declared_aliases(kind: str, name: str) -> dict[str, dict[str, Any]]:
    """The aliases that a method declares; those of our own files are read without importing them."""
    path = _files(kind).get(name)
    if path is None:
        return dict(_foreign(kind)[name].load().aliases)
    text = path.read_text(encoding="utf-8")
    if "aliases" not in text:
        return {}
    for node in ast.walk(ast.parse(text)):
        target = getattr(node, "target", None) if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == "aliases" and node.value is not None:  # type: ignore[attr-defined]
            return dict(ast.literal_eval(node.value))  # type: ignore[attr-defined]
    return {}


def _folded(alias: str) -> str:
    return alias.casefold().replace("-", " ").replace("_", " ")


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

    >>> class_name("top_bottom_coding"), class_name("groups protect")
    ('TopBottomCoding', 'GroupsProtect')
    """
    return "".join(part.capitalize() for part in name.replace(" ", "_").split("_"))


def lazy_classes(kind: str, attribute: str) -> Any:
    """Serve `from sfumato.<kind> import <Class>` without importing the whole folder."""
    for name in _files(kind):
        if class_name(name) == attribute:
            return load(kind, name)
    raise AttributeError(f"module '{_package(kind)}' has no attribute {attribute!r}")


def listed_classes(kind: str, module: Mapping[str, Any]) -> list[str]:
    """What a module of a kind has to offer, its classes among them, so that they are found by completion.

    >>> "Mdav" in listed_classes("masking", {"Masking": None, "_private": None})
    True
    """
    return sorted({*(name for name in module if not name.startswith("_")), *map(class_name, _files(kind))})


@cache
def _files(kind: str) -> dict[str, Path]:
    root, *inner = _package(kind).split(".")
    spec = importlib.util.find_spec(root)  # not the folder itself, whose parents would be imported
    folders = (spec.submodule_search_locations if spec else None) or []
    found: dict[str, Path] = {}
    for place in (Path(folder, *inner) for folder in folders):
        for path in place.rglob("*.py") if kind in NESTED else place.glob("*.py"):
            words = path.relative_to(place).with_suffix("").parts
            if not any(word.startswith("_") for word in words):
                found[" ".join(words)] = path
    return found


def _package(kind: str) -> str:
    return f"sfumato.{DEEPER.get(kind, kind)}"


@cache
def _foreign(kind: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"sfumato.{kind}")}
