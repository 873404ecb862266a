"""A changed module tried in a copy of the tree: do its tests notice?"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants import told
from benchmarks.mutants.changes import Change

LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", "node_modules", "_build", ".*_cache", ".hypothesis")
CLASSIC_FILES = "shared"  # the folder beside a tree in which its tests look for them
ROUNDS = 3  # times the limit, after which a mutant whose tests fail anyway is left
FIRST_FILES = 3
PASSED, STOPPED, NOTHING_RAN = 0, 2, 5  # how pytest ends


@dataclass(frozen=True)
class Mutant:
    """A module, told from the root of the tree, with one change."""

    module: Path
    change: Change

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:50] for text in (self.change.old, self.change.new))
        return f"{self.module.as_posix()}:{self.change.line}: {old}  →  {new}"


def package_of(module: Path) -> str:
    """The package in which a module is; those beside the packages are one together."""
    return module.parts[2] if len(module.parts) > 3 else module.parts[1]


class Trials:
    """Tries mutants in a copy of the tree, beside another that stays as it is; both keep the kernels they compile.

    `watched` are the tests that were there when all were watched: others are new. Within the limit of seconds tests are started, nearest first, until one fails; a test that takes half of it hangs.
    """

    def __init__(
        self, root: Path, folder: Path, limit: float, watched: Mapping[str, float] | None = None
    ) -> None:
        self.limit, self.watched = limit, watched or {}
        self.folder, self.unchanged, self.changed = folder, folder / "unchanged", folder / "changed"
        self._passes: dict[str, bool] = {}
        folder.mkdir(exist_ok=True)
        for copy in (self.unchanged, self.changed):
            shutil.copytree(root, copy, ignore=LEFT_BEHIND)
        if (beside := root.parent / CLASSIC_FILES).is_dir():
            (folder / CLASSIC_FILES).symlink_to(beside)

    def verdict(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """Whether tests "noticed" the change or the mutant "survived"; "undecided" if nothing can be told.

        Tests are named as pytest does, each by itself or all of a file by its path.

        Tests that fail, or hang, also without the change say nothing: they are left out.
        """
        verdicts = []
        with self._made(mutant):
            for portion in _portions(tests):
                verdicts.append(self._told_by(portion))
                if verdicts[-1] == "noticed":
                    return "noticed"
        return "undecided" if "undecided" in verdicts else "survived"

    def _told_by(self, tests: Sequence[str]) -> str:
        """What some tests say of the change that is made."""
        end = time.monotonic() + ROUNDS * self.limit
        left_out = [test for test, passes in self._passes.items() if not passes]
        while asked := [test for test in tests if test not in left_out and _file(test) not in left_out]:
            failed = self._failed(self.changed, asked, left_out)
            if not failed:
                return "survived"
            if all(map(self._passes_unchanged, failed)):
                return "noticed"
            if set(failed) <= set(left_out) or time.monotonic() > end:
                return "undecided"
            left_out += failed
        return "survived"

    @contextmanager
    def _made(self, mutant: Mutant) -> Iterator[None]:
        """The changed copy has the mutant; afterwards all is as it was, also what is kept of the sources compiled."""
        target, aside = self.changed / mutant.module, self.folder / "aside"
        kept = target.with_name("__pycache__")
        if kept.exists():
            shutil.copytree(kept, aside)
        target.write_text(mutant.change.made(target.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            yield
        finally:
            shutil.copy2(self.unchanged / mutant.module, target)
            shutil.rmtree(kept, ignore_errors=True)
            if aside.exists():
                aside.rename(kept)

    def _passes_unchanged(self, test: str) -> bool:
        if test not in self._passes:
            self._passes[test] = not self._failed(self.unchanged, [test])
        return self._passes[test]

    def _failed(self, tree: Path, tests: Sequence[str], left_out: Sequence[str] = ()) -> list[str]:
        """What failed first in a tree; where the process broke off, or was ended, the test that ran."""
        asked, said = self.folder / "asked", self.folder / "told"
        asked.write_text(json.dumps([tests, left_out, self.watched]), encoding="utf-8")
        said.write_text("")
        ended = self._pytest(
            tree, list(dict.fromkeys(map(_file, tests))), {told.ASKED: str(asked), told.TOLD: str(said)}
        )
        lines = [line.split(" ", 1) for line in said.read_text(encoding="utf-8").splitlines()]
        failed = [test for what, test in lines if what == "failed"]
        if failed or ended in (PASSED, STOPPED, NOTHING_RAN):
            return list(dict.fromkeys(failed))
        return [test for _, test in lines[-1:]] or list(tests)

    def _pytest(self, tree: Path, files: Sequence[str], variables: dict[str, str]) -> int | None:
        """How tests in a tree ended at the first failure; None if they did not in time."""
        paths = (str(tree / "src"), str(Path(told.__file__).parents[2]))
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "CI": "1",  # the same random examples with and without the change
            told.SECONDS: str(self.limit),
            **variables,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        hangs = f"--timeout={self.limit / 2}", "--timeout-method=thread"
        command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "-p", told.__name__, *hangs, *files]
        with subprocess.Popen(
            command,
            cwd=tree,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                return process.wait(2 * self.limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                _stop(process)


def _portions(tests: Sequence[str]) -> Iterator[list[str]]:
    """The tests of the first files, and those of all others: to gather the latter takes long, and most changes are seen before."""
    first = list(dict.fromkeys(map(_file, tests)))[:FIRST_FILES]
    for portion in ([t for t in tests if _file(t) in first], [t for t in tests if _file(t) not in first]):
        if portion:
            yield portion


def _file(test: str) -> str:
    return test.partition("::")[0]


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """A process, and all that it started, where the system can tell these."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
