"""What holds for the tree as a whole: who may import what, and how much a function may ask for."""

import ast
from pathlib import Path

import pytest

import sfumato

ROOT = Path(sfumato.__file__).parent
MOST_ARGUMENTS = 7


def sources(*packages):
    folders = [ROOT / package for package in packages] if packages else [ROOT]
    return [path for folder in folders for path in folder.rglob("*.py")]


def package_of(path):
    return path.relative_to(ROOT).parts[0]


def imported(tree):
    """The modules that an import names, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_private_modules_are_imported_in_their_own_package_only():
    found = []
    for path in sources():
        for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            first, *parts = name.split(".")
            private = [part for part in parts if part.startswith("_") and not part.startswith("__")]
            if first == "sfumato" and private and parts[0] != package_of(path):
                found.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("package", ["cli", "jobs", "reports", "web"])
def test_functions_ask_for_few_things(package):
    found = []
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count = len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
                if count > MOST_ARGUMENTS:
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({count})")
    assert not found, "\n".join(found)
