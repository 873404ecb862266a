"""Which tests are asked about a change, and in which order: those that run its line, the nearest and quickest first."""

from collections import Counter
from pathlib import Path

from benchmarks.mutants.changes import Change
from benchmarks.mutants.reach import Reach
from benchmarks.mutants.related_tests import RelatedTests

SHARE = 0.25  # of the seconds, what tests of one file may take before those of others are asked


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
        near = [path.relative_to(self.root).as_posix() for path in self.related.of(self.root / module)]
        rank = {file: place for place, file in enumerate(near)}
        running = self.reach.tests(module, change.line) & self.known
        files = {_file(test) for test in running}
        beside = {test for test in self.known - running if _file(test) in files}
        others = {test for test in self.known if _file(test) in rank} - running - beside
        new = [file for file in near if file not in {_file(test) for test in self.known}]
        chosen, left = new, self.limit
        for tests in (running, beside, others):
            found = self._affordable(self._ordered(tests, rank), left)
            left -= sum(map(self.reach.seconds.__getitem__, found))
            chosen = chosen + found
        return chosen

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
        """As many as there is time for; no file takes more than its share."""
        chosen, spent = [], Counter[str]()
        for test in tests:
            takes, file = self.reach.seconds[test], _file(test)
            if takes <= seconds and spent[file] + takes <= SHARE * self.limit:
                spent[file] += takes
                seconds -= takes
                chosen.append(test)
        return chosen


def _file(test: str) -> str:
    return test.partition("::")[0]
