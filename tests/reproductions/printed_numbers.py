"""Every number that the studies hold as data: what was printed, the bars of ours, and how much work is usual.

`printed/` has a file for each module, to be read beside the source. Where a number is changed on purpose, look it up
there, write them anew, and read what differs:

    python tests/reproductions/printed_numbers.py --write [BEGINNING OF NAMES]
"""

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np

from recorded import write
from sfumato import reproductions
from sfumato.core import parameters

FOLDER = Path(__file__).with_name("printed")
SOURCES = Path(reproductions.__file__).parent


def told(module: str) -> str:
    """The data of a module of the studies, a line each, and the parameters of its studies."""
    path, found = SOURCES / f"{module}.py", importlib.import_module(f"{reproductions.__name__}.{module}")
    lines: list[str] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            lines += _class(getattr(found, node.name))
        else:
            lines += (line for name in _assigned(node) for line in _lines(name, getattr(found, name)))
    return "\n".join(lines) or "no numbers"


def _assigned(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _class(found: type) -> Iterator[str]:
    """What is usual, and what a quick run has; of classes that are no studies, what is usual in their fields."""
    if issubclass(found, reproductions.Reproduction):
        yield from _lines(f"{found.__name__}, quick", found.quick)
        for name, one in parameters(found).items():
            limits = [
                f"{word} {getattr(one, word)}" for word in ("low", "high") if getattr(one, word) is not None
            ]
            yield f"{found.__name__}, {name}: usually {_value(one.default)}{''.join(f', {limit}' for limit in limits)}"
    else:
        for name, one in inspect.signature(found).parameters.items():
            if one.default is not inspect.Parameter.empty:
                yield f"{found.__name__}, {name}: usually {_value(one.default)}"


def _lines(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, held in value.items():
            yield from _lines(f"{name}, {_value(key)}", held)
    elif isinstance(value, (tuple, list)) and value and not all(map(_is_plain, value)):
        for place, held in enumerate(value, 1):
            yield from _lines(f"{name}, {place}", held)
    elif not (callable(value) or isinstance(value, UnionType)):
        yield f"{name}: {_value(value)}"


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, np.number))


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list, frozenset, set)):
        return (
            " ".join(map(_value, sorted(value) if isinstance(value, (set, frozenset)) else value)) or "none"
        )
    return str(value) or "nothing"


CASES: Mapping[str, Callable[[], str]] = {
    path.stem: partial(told, path.stem) for path in sorted(SOURCES.glob("*.py")) if path.stem != "__init__"
}


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word != "--write"]
    if "--write" in sys.argv:
        write(FOLDER, CASES, *options)
