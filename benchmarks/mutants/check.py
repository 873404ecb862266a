"""Would tests notice? Random single changes of the sources, and whether the tests they have to do with fail.

    python -m benchmarks mutants [--count N] [--seed N] [--skip N] [--only PACKAGE] [--workers N] [--limit SECONDS]

The first time all tests are run and watched, so that each change is shown to those that run its line; that is kept in
`.mutants_cache`, which can go at any time. Packages have the same number of mutants each, so that each can be judged, and a
seed draws the same ones as long as their lines stand. Nothing is changed in the tree itself. What survives is listed:
either a test is missing, or the change makes no difference that anybody could see. The latter are named in
`benchmarks/mutants/equivalents.toml`, each with a reason; they are not tried and do not count.
"""

import argparse
import os
import queue
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import islice, zip_longest
from pathlib import Path

from benchmarks.mutants.changes import Change, changes
from benchmarks.mutants.chosen_tests import ChosenTests
from benchmarks.mutants.equivalents import Equivalents
from benchmarks.mutants.trials import Mutant, Trials, package_of

LEAST, LEAST_OF_PACKAGE = 92.0, 85.0  # percent noticed, of all and of each package
SHARE = 1 / 3  # of the limit, what the tests that are asked took when they were watched


def run(words: Sequence[str], root: Path = Path()) -> int:
    """Do what the words ask for in the tree of a folder; 1 if too few were noticed."""
    asked = _parser().parse_args(words)
    root = root.resolve()
    drawn = list(islice(mutants(root, asked.only, asked.seed), asked.skip, asked.count))
    tests, equivalents = ChosenTests(root, asked.limit * SHARE), Equivalents.of(root)
    tried: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.workers) as crew:
        free: queue.SimpleQueue[Trials] = queue.SimpleQueue()
        for number in range(asked.workers):
            free.put(Trials(root, Path(folder, str(number)), asked.limit, tests.reach.seconds))

        def verdict(mutant: Mutant) -> str:
            if mutant in equivalents:
                return "equivalent"
            trials = free.get()
            try:
                return trials.verdict(mutant, tests.of(mutant.module, mutant.change))
            finally:
                free.put(trials)

        for mutant, found in zip(drawn, crew.map(verdict, drawn), strict=True):
            tried[package_of(mutant.module)][found] += 1
            print(f"{found:<10} {mutant}", flush=True)
    return _summary(tried)


def mutants(root: Path, only: str, seed: int) -> Iterator[Mutant]:
    """Random mutants, package after package and none twice; within one, lines are equally likely.

    What a seed thinks of a line hangs on its text alone, so that a change elsewhere draws no others.
    """
    packages: dict[str, list[tuple[bytes, Mutant]]] = defaultdict(list)
    for path in sorted((root / "src").glob("*/**/*.py")):
        module, text = path.relative_to(root), path.read_text(encoding="utf-8")
        if only in package_of(module):
            packages[package_of(module)] += _drawn(module, text, seed)
    in_order = [[mutant for _, mutant in sorted(found, key=_first)] for found in packages.values() if found]
    for one_of_each in zip_longest(*in_order):
        yield from filter(None, one_of_each)


def _drawn(module: Path, text: str, seed: int) -> Iterator[tuple[bytes, Mutant]]:
    """All changes of a module; of each line one among the first, another one among the second, and so on."""
    lines, seen = text.splitlines(), Counter[str]()
    by_line: dict[int, list[Change]] = defaultdict(list)
    for change in changes(text):
        by_line[change.line].append(change)
    for line, found in sorted(by_line.items()):
        words = f"{seed} {module.as_posix()} {lines[line - 1].strip()}"
        seen[words] += 1
        keyed = [(_number(f"{words} {seen[words]} {place}"), one) for place, one in enumerate(found)]
        for turn, (number, change) in enumerate(sorted(keyed, key=_first)):
            yield turn.to_bytes(2, "big") + number, Mutant(module, change)


def _number(words: str) -> bytes:
    return blake2b(words.encode(), digest_size=8).digest()


def _first(pair: tuple[bytes, object]) -> bytes:
    return pair[0]


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
        "--workers", type=int, default=os.cpu_count() or 1, help="how many are tried at the same time"
    )
    parser.add_argument(
        "--limit", type=float, default=150.0, help="seconds within which tests of a mutant are started"
    )
    return parser
