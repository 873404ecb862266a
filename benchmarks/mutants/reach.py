"""Which tests run which lines of the sources, and how long each takes: all tests are watched once, and that is kept."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cached_property
from itertools import count
from pathlib import Path

from coverage import CoverageData

from benchmarks.mutants import watched_tests

KEPT = Path(".mutants_cache")
LINES, SECONDS, FILES, SOURCES = "lines.sqlite", "seconds.json", "files.json", "src"
CONFIG = "[run]\nsource = src\nrelative_files = true\n"


class Reach:
    """What was watched in a tree: lines that are still there, in modules that may have changed otherwise.

    All tests are run and watched where nothing is kept of them.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / KEPT
        if not (self.folder / SECONDS).exists():
            self._watch()
        self.seconds: dict[str, float] = json.loads((self.folder / SECONDS).read_text(encoding="utf-8"))
        self.files: list[str] = json.loads((self.folder / FILES).read_text(encoding="utf-8"))
        self._data = CoverageData(str(self.folder / LINES))
        self._data.read()
        self._trees: dict[Path, ast.Module] = {}
        self._statements_of: dict[Path, dict[int, range]] = {}
        self._running: dict[Path, dict[int, list[str]]] = {}

    def tests(self, module: Path, line: int) -> set[str]:
        """Those that run a line; of one that is run at import only, or compiled, those that run what hangs on it.

        That is every line that mentions the name in whose definition it stands; all of the module, where none does.
        """
        if found := self._called(module, line):
            return found
        name = _defined(self._tree(module), line)
        mentions = self._mentions(module, name) if name else []
        places = mentions or [(module, other) for other in self._contexts(module)]
        return {test for place in places for test in self._called(*place)}

    def is_watched(self, module: Path, line: int) -> bool:
        """Whether any test was seen to run it: none is where it is compiled, or run in a process or at import only."""
        return bool(self._called(module, line))

    def _called(self, module: Path, line: int) -> set[str]:
        """The tests that run a line of a function; what is run at import is run in whichever test comes first."""
        lines = self._statements(module).get(line, ())
        return {test for one in lines for test in self._contexts(module).get(one, ()) if test}

    def _statements(self, module: Path) -> dict[int, range]:
        """Of each line in a function the lines of its statement; of one that holds others, those before them."""
        if module not in self._statements_of:
            found: dict[int, range] = {}
            for function in ast.walk(self._tree(module)):
                if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    for inner in function.body:
                        found |= {line: lines for lines in _lines_of(inner) for line in lines}
            self._statements_of[module] = found
        return self._statements_of[module]

    def _contexts(self, module: Path) -> dict[int, list[str]]:
        """The tests that run each line; one that was not there when they were watched is run by none."""
        if module not in self._running:
            running = self._data.contexts_by_lineno(module.as_posix())
            watched = self.folder / SOURCES / module
            before = watched.read_text(encoding="utf-8").splitlines() if watched.exists() else []
            now = (self.root / module).read_text(encoding="utf-8").splitlines()
            blocks = SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
            self._running[module] = {
                there + 1: running.get(here + 1, [])
                for block in blocks
                for here, there in zip(count(block.a), range(block.b, block.b + block.size), strict=False)
            }
        return self._running[module]

    def _tree(self, module: Path) -> ast.Module:
        if module not in self._trees:
            self._trees[module] = ast.parse((self.root / module).read_text(encoding="utf-8"))
        return self._trees[module]

    def _mentions(self, module: Path, name: str) -> list[tuple[Path, int]]:
        """Where a name of a module is mentioned, and where what mentions it is in turn, as long as that is compiled or a constant."""
        found: list[tuple[Path, int]] = []
        waiting = [(module, name)]
        known = set(waiting)
        for home, one in waiting:  # grows while it is walked
            for other, line in self._places.get(one, ()):
                if other != home and (home.stem, one) not in self._imports[other]:
                    continue
                if self._called(other, line):
                    found.append((other, line))
                elif (around := _defined(self._tree(other), line)) and (other, around) not in known:
                    known.add((other, around))
                    waiting.append((other, around))
        return found

    @cached_property
    def _imports(self) -> dict[Path, set[tuple[str, str]]]:
        """What each module imports by name: the last word of where it is from, and the name."""
        return {
            module: {
                ((node.module or "").rpartition(".")[2], one.name)
                for node in ast.walk(self._tree(module))
                if isinstance(node, ast.ImportFrom)
                for one in node.names
            }
            for module in self._modules
        }

    @cached_property
    def _modules(self) -> list[Path]:
        return [path.relative_to(self.root) for path in sorted((self.root / "src").rglob("*.py"))]

    @cached_property
    def _places(self) -> dict[str, list[tuple[Path, int]]]:
        """Of each name the lines that mention it."""
        places = defaultdict(list)
        for module in self._modules:
            for name, line in _names(self._tree(module)):
                places[name].append((module, line))
        return places

    def _watch(self) -> None:
        """Run all tests with coverage, and keep which test ran what."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copytree(
            self.root / "src", self.folder / SOURCES / "src", ignore=shutil.ignore_patterns("__pycache__")
        )
        tests = (path.relative_to(self.root).as_posix() for path in (self.root / "tests").rglob("test_*.py"))
        (self.folder / FILES).write_text(json.dumps(sorted(tests)), encoding="utf-8")
        config = self.folder / "coveragerc"
        config.write_text(CONFIG, encoding="utf-8")
        environment = os.environ | {
            "COVERAGE_FILE": str(self.folder / LINES),
            watched_tests.FILE: str(self.folder / SECONDS),
            "PYTHONPATH": os.pathsep.join((str(self.root / "src"), str(Path(__file__).parents[2]))),
        }
        words = [
            "-q",
            "--continue-on-collection-errors",
            "-p",
            watched_tests.__name__,
            "--cov",
            f"--cov-config={config}",
            "--cov-report=",
        ]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=self.root, env=environment)


def _defined(tree: ast.Module, line: int) -> str | None:
    """The outermost name of a function or a constant that is defined around a line; a class is used by what it has."""
    for node in tree.body:
        first = min(
            (one.lineno for one in getattr(node, "decorator_list", ())), default=getattr(node, "lineno", 0)
        )
        if first <= line <= (getattr(node, "end_lineno", 0) or 0):
            return next(_bound(node), None)
    return None


def _lines_of(statement: ast.stmt) -> Iterator[range]:
    """The lines of a statement and of those in it, from outside."""
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt):
            inner = [
                one.lineno
                for one in ast.iter_child_nodes(node)
                if isinstance(one, (ast.stmt, ast.excepthandler))
            ]
            end = min(inner) - 1 if inner else node.end_lineno or node.lineno
            yield range(node.lineno, max(end, node.lineno) + 1)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
