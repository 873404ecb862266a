"""Which tests are asked about a change, and in which order: those that run its line, the nearest and quickest first."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benchmarks.mutants.changes import Change
from benchmarks.mutants.reach import Reach
from benchmarks.mutants.related_tests import RelatedTests

SHARE = 0.25  # of the seconds, what several tests of one file may take


class ChosenTests:
    """Chooses the tests of a tree that are asked about a change, within so many seconds.

    What runs the line comes first. After it comes the rest of those files, since what a file shares is set up in its
    first test, and then files that are near by what they import: a command started as a process is watched by nobody.
    """

    def __init__(self, root: Path, seconds: float) -> None:
        self.root, self.limit = root, seconds
        self.reach, self.related = Reach(root), RelatedTests(root)
        self.known = frozenset(self.reach.seconds)

    def of(self, module: Path, change: Change) -> list[str]:
        """Names of tests, as pytest has them; of files that were never watched, their paths."""
        near = self._files(self.related.of(self.root / module))
        rank = {file: place for place, file in enumerate(near)}
        first = self.reach.tests(module, change.line) & self.known
        if not self.reach.is_watched(module, change.line):
            importing = set(self._files(self.related.importing(self.root / module)))
            first |= {test for test in self.known if _file(test) in importing}
        files = {_file(test) for test in first}
        beside = {test for test in self.known - first if _file(test) in files}
        others = {test for test in self.known if _file(test) in rank} - first - beside
        chosen, left = [file for file in near if file not in self.reach.files], self.limit
        for tests in (first, beside, others):
            found = self._affordable(self._ordered(tests, rank), left)
            left -= sum(map(self.reach.seconds.__getitem__, found))
            chosen = chosen + found
        return chosen

    def _files(self, paths: Iterable[Path]) -> list[str]:
        return [path.relative_to(self.root).as_posix() for path in paths]

    def _ordered(self, tests: set[str], rank: dict[str, int]) -> list[str]:
        """Near files first; within one, each test with one of its parameters before it comes with others."""
        quick = sorted(tests, key=lambda test: (self.reach.seconds[test], test))
        turns: Counter[str] = Counter()
        keyed = []
        for test in quick:
            function = test.partition("[")[0]
            keyed.append(
                (turns[function] > 0, rank.get(_file(test), len(rank)), turns[function], len(keyed), test)
            )
            turns[function] += 1
        return [test for *_, test in sorted(keyed)]

    def _affordable(self, tests: list[str], seconds: float) -> list[str]:
        """As many as there is time for; one of each file, and more of one within its share."""
        chosen, spent = [], Counter[str]()
        for test in tests:
            takes, file = self.reach.seconds[test], _file(test)
            if takes <= seconds and (not spent[file] or spent[file] + takes <= SHARE * self.limit):
                spent[file] += takes
                seconds -= takes
                chosen.append(test)
        return chosen


def _file(test: str) -> str:
    return test.partition("::")[0]
