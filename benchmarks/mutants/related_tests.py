"""Which test files have to do with a module: by name, by what they import, and by what they mention."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

MENTIONED, MENTIONED_ELSEWHERE, NAMED = 1.5, 3.5, 0.5
"""Steps away is a test that names a module in its text: commands and methods are found by name. In the tests of another
package it may be a word like any other. One that bears the name of a module is nearly as near as this.
"""
PROCESSES, LATER = re.compile(r"\b(subprocess|Server|browser|Cluster|Workers|workers=2)\b"), 0.75


class RelatedTests:
    """The tests of a tree: `root/src/PACKAGE` and `root/tests`.

    A test that imports a module is one step away from it, one that imports what imports the module two, and so on; one
    that bears its name, in the folder of its package, is none.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {_dotted(path, root / "src"): path for path in sorted((root / "src").rglob("*.py"))}
        self.helpers = {path.stem: path for path in sorted((root / "tests").rglob("*.py"))}
        self._kept: dict[Path, dict[str, str]] = {}
        self.tests = sorted((root / "tests").rglob("test_*.py"))

    def importing(self, module: Path) -> set[Path]:
        """The test files that import from a module themselves."""
        return set(self._importers[module]).intersection(self.tests)

    def of(self, module: Path) -> list[Path]:
        """The test files that are near, nearest first; of those as near, the ones in the folder of the module's package.

        One that starts servers, browsers or other processes is asked a little later than one that does not.
        """
        steps = self._steps(module)
        stem = module.stem.strip("_")
        word = re.compile(rf"\b{stem}\b|\b{re.escape(''.join(part.title() for part in stem.split('_')))}\b")
        package = module.relative_to(self.root / "src").parts[1]
        is_alone = package == module.name  # beside the packages
        users = {
            one.stem: away for one, away in steps.items() if package in one.parts and one not in self.tests
        }
        near: list[tuple[float, bool, Path]] = []
        for test in self.tests:
            away = steps.get(test, float("inf"))
            if package in test.parts:  # a page is tested in a browser, which imports nothing
                away = min([away, *(far + NAMED for user, far in users.items() if user in test.stem)])
            if word.search(self._texts[test]):
                near_by = package in test.parts or stem in test.stem
                away = min(away, MENTIONED if near_by else MENTIONED_ELSEWHERE)
            if stem in test.stem and (is_alone or package in test.parts) and stem != "init":
                away = 0
            if away < float("inf"):
                later = LATER if PROCESSES.search(self._texts[test]) else 0
                near.append((away + later, package not in test.parts, test))
        return [test for *_, test in sorted(near)]

    def _steps(self, module: Path) -> dict[Path, float]:
        """How many imports each file is away from a module."""
        steps, waiting = {module: 0.0}, [module]
        for one in waiting:  # grows while it is walked
            for other in self._importers[one]:
                if other not in steps:
                    steps[other] = steps[one] + 1
                    waiting.append(other)
        return steps

    @cached_property
    def _texts(self) -> dict[Path, str]:
        files = {*self.modules.values(), *self.helpers.values(), *self.tests}
        return {path: path.read_text(encoding="utf-8") for path in files}

    @cached_property
    def _importers(self) -> dict[Path, list[Path]]:
        """Of each file those that import from it."""
        importers = defaultdict(list)
        for path in sorted(self._texts):
            for imported in sorted(set(self._imported(path))):
                importers[imported].append(path)
        return importers

    def _imported(self, path: Path) -> Iterator[Path]:
        for node in ast.walk(ast.parse(self._texts[path])):
            if isinstance(node, ast.Import):
                yield from (self.modules[one.name] for one in node.names if one.name in self.modules)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for one in node.names:
                    yield from self._homes(node.module, one.name)

    def _homes(self, module: str, name: str) -> Iterator[Path]:
        """The files that `from module import name` is about: where the name is defined, as far as can be told."""
        beside = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()  # one class, one file
        for place in (f"{module}.{name}", f"{module}.{beside}", f"{module}._{beside}"):
            if place in self.modules:
                yield self.modules[place]
                return
        if module in self.modules:
            yield self.modules[module]
            yield from self._passed_on(self.modules[module], name)
        elif module in self.helpers:
            yield self.helpers[module]

    def _passed_on(self, package: Path, name: str) -> Iterator[Path]:
        """Where the `__init__` of a package has a name from."""
        if package.name == "__init__.py":
            home = self._names(package).get(name, "")
            yield from (self.modules[module] for module in [home] if module in self.modules)

    def _names(self, package: Path) -> dict[str, str]:
        if package not in self._kept:
            nodes = [
                node for node in ast.parse(self._texts[package]).body if isinstance(node, ast.ImportFrom)
            ]
            self._kept[package] = {one.name: node.module or "" for node in nodes for one in node.names}
        return self._kept[package]


def _dotted(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
