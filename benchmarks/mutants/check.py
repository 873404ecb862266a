"""Would tests notice? Random single changes of the sources, and whether the tests they have to do with fail.

    python -m benchmarks mutants [--count N] [--seed N] [--skip N] [--only PACKAGE] [--tests N] [--limit SECONDS]

Packages have the same number of mutants each, so that each can be judged. Nothing is changed in the tree itself. What
survives is listed: either a test is missing, or the change makes no difference that anybody could see. The latter are
named in `benchmarks/mutants/equivalents.toml`, each with a reason; they are not tried and do not count.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from benchmarks.mutants.changes import Change, changes
from benchmarks.mutants.equivalents import Equivalents
from benchmarks.mutants.related_tests import RelatedTests
from benchmarks.mutants.trials import Mutant, Trials, package_of

LEAST, LEAST_OF_PACKAGE = 92.0, 85.0  # percent noticed, of all and of each package


def run(words: Sequence[str], root: Path = Path()) -> int:
    """Do what the words ask for in the tree of a folder; 1 if too few were noticed."""
    asked = _parser().parse_args(words)
    root = root.resolve()
    tests, equivalents = RelatedTests(root), Equivalents.of(root)
    tried: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(root, Path(folder), asked.limit)
        drawn = mutants(root, asked.only, np.random.default_rng(asked.seed))
        for mutant in islice(drawn, asked.skip, asked.count):
            if mutant in equivalents:
                verdict = "equivalent"
            else:
                near = tests.of(root / mutant.module, asked.tests)
                words = [mutant.module, *(test.relative_to(root) for test in near)]
                verdict = trials.verdict(mutant, [word.as_posix() for word in words])
            tried[package_of(mutant.module)][verdict] += 1
            print(f"{verdict:<10} {mutant}", flush=True)
    return _summary(tried)


def mutants(root: Path, only: str, rng: np.random.Generator) -> Iterator[Mutant]:
    """Random mutants, package after package and none twice; within one, lines are equally likely."""
    lines: dict[str, list[tuple[Path, list[Change]]]] = defaultdict(list)
    for path in sorted((root / "src").glob("*/**/*.py")):
        module = path.relative_to(root)
        by_line: dict[int, list[Change]] = defaultdict(list)
        for change in changes(path.read_text(encoding="utf-8")):
            by_line[change.line].append(change)
        if by_line and only in package_of(module):
            lines[package_of(module)] += [(module, found) for found in by_line.values()]
    for package in cycle(rng.permutation(sorted(lines)).tolist()):
        if rest := lines[package]:
            place = int(rng.integers(len(rest)))
            module, found = rest[place]
            yield Mutant(module, found.pop(int(rng.integers(len(found)))))
            if not found:
                del rest[place]
        elif not any(lines.values()):
            return


def _summary(tried: dict[str, Counter[str]]) -> int:
    print(
        f"\n{'package':<16}{'tried':>7}{'noticed':>9}{'survived':>10}{'equivalent':>12}{'undecided':>11}{'percent':>9}"
    )
    for package in sorted(tried):
        print(_row(package, tried[package]))
    everything = sum(tried.values(), Counter())
    print(_row("all", everything))
    too_few = any(_noticed(counts) < LEAST_OF_PACKAGE for counts in tried.values())
    return 1 if too_few or _noticed(everything) < LEAST else 0


def _row(name: str, counts: Counter[str]) -> str:
    found = (
        f"{counts['noticed']:>9}{counts['survived']:>10}{counts['equivalent']:>12}{counts['undecided']:>11}"
    )
    return f"{name:<16}{counts.total():>7}{found}{_noticed(counts):>9.1f}"


def _noticed(counts: Counter[str]) -> float:
    """Percent noticed of those that were decided."""
    decided = counts["noticed"] + counts["survived"]
    return 100 * counts["noticed"] / decided if decided else 100.0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks mutants", description="Would tests notice a change?"
    )
    parser.add_argument("--count", type=int, default=120, help="how many mutants are tried")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--skip", type=int, default=0, help="how many of these were tried before")
    parser.add_argument("--only", default="", help="only packages whose name contains this")
    parser.add_argument(
        "--tests", type=int, default=12, help="how many test files are asked at most, nearest first"
    )
    parser.add_argument(
        "--limit", type=float, default=150.0, help="seconds within which tests of a mutant are started"
    )
    return parser
