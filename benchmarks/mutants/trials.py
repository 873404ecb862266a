"""A changed module tried in a copy of the tree: do its tests notice?"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.changes import Change

LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", "node_modules", "_build", ".*_cache", ".hypothesis")
NOTHING_RAN = 5  # how pytest ends where no test was chosen
FAILED = "cache/v/cache/lastfailed"


@dataclass(frozen=True)
class Mutant:
    """A module, told from the root of the tree, with one change."""

    module: Path
    change: Change

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:50] for text in (self.change.old, self.change.new))
        return f"{self.module.as_posix()}:{self.change.line}: {old}  →  {new}"


def package_of(module: Path) -> str:
    """The package in which a module is, or its own name where it is in none."""
    return module.parts[2].removesuffix(".py")


class Trials:
    """Tries mutants in a copy of the tree, beside another that stays as it is; both keep the kernels they compile."""

    def __init__(self, root: Path, folder: Path, limit: float) -> None:
        self.limit = limit
        self.unchanged, self.changed = folder / "unchanged", folder / "changed"
        for copy in (self.unchanged, self.changed):
            shutil.copytree(root, copy, ignore=LEFT_BEHIND)

    def verdict(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """Whether tests "noticed" the change or the mutant "survived"; "undecided" if they take too long anyway.

        Tests that fail, or take too long, also without the change say nothing: they are left out.
        """
        target = self.changed / mutant.module
        target.write_text(mutant.change.made(target.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            return self._verdict(tests)
        finally:
            shutil.copy2(self.unchanged / mutant.module, target)

    def _verdict(self, tests: Sequence[str]) -> str:
        left_out: list[str] = []
        while words := _without(tests, left_out):
            ended = self._pytest(self.changed, words)
            if ended in (0, NOTHING_RAN):
                break
            failed = self._failed(self.changed)
            if ended is None or not failed or set(failed) <= set(left_out):
                return "noticed" if self._pytest(self.unchanged, words) == 0 else "undecided"
            if self._pytest(self.unchanged, failed) == 0:
                return "noticed"
            left_out += failed
        return "survived"

    def _pytest(self, tree: Path, words: Sequence[str]) -> int | None:
        """How tests in a tree ended at the first failure; None if they did not in time."""
        (tree / FAILED).unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "-o", "cache_dir=cache", *words]
        environment = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen(
            command,
            cwd=tree,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                return process.wait(self.limit)
            except subprocess.TimeoutExpired:
                _stop(process)
                return None

    def _failed(self, tree: Path) -> list[str]:
        """The tests that failed last, as pytest remembers them."""
        path = tree / FAILED
        return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def _without(tests: Sequence[str], left_out: Sequence[str]) -> list[str]:
    """The words for pytest: files that cannot be read are not named, and single tests are deselected."""
    files = [test for test in tests if test not in left_out]
    return [*files, *(f"--deselect={one}" for one in left_out if "::" in one)] if files else []


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """A process, and all that it started, where the system can tell these."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
