"""A process that has imported all that commands need and done one of them, and from which they are forked.

So a job that is killed thirty times does not spend thirty starts on imports, and a kill hits its work.
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from select import select

import psutil

PATIENCE = 300.0  # seconds after which something hangs
SOURCE = """
import json, os, pkgutil, sys, tempfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from sfumato.cli import main
from sfumato.data import write_table
from sfumato.datasets import household_survey
from sfumato.jobs import _work
import dask.config, distributed, matplotlib.backends.backend_svg, pyarrow.parquet, scipy.stats
for layer in ("jobs", "masking", "measures", "plots", "reports", "search"):
    package = import_module(f"sfumato.{layer}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        import_module(module.name)
with tempfile.TemporaryDirectory() as folder:
    people = household_survey(60)
    Path(folder, "people.toml").write_text(people.schema.to_toml(), encoding="utf-8")
    write_table(people, Path(folder, "people.csv"))
    words = f"protect {folder}/people.csv --schema {folder}/people.toml --methods rank_swapping,pram -o {folder}/out.csv"
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing), suppress(SystemExit):
        main([*words.split(), "--no-verdict", "--workers", "1", "-q"])
print("ready", flush=True)
while line := sys.stdin.readline():
    told, child = json.loads(line), os.fork()
    if child:
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.setsid()
    nothing, said = os.open(os.devnull, os.O_RDWR), os.open(told["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor, to in ((0, nothing), (1, nothing), (2, said)):
        os.dup2(to, descriptor)
    os.close(nothing), os.close(said)
    os.chdir(told["folder"])
    os.environ.update(told["environment"])
    dask.config.refresh()  # from the environment, as is the folder for temporary files
    tempfile.tempdir = None
    sys.argv[1:] = told["words"]
    _work.BLOCK = told["block"]
    main(prog_name="sfumato")  # which ends the process
"""


@cache
def nursery() -> subprocess.Popen:
    """The process that all jobs of these tests are forked from; it ends when its input does."""
    process = subprocess.Popen(
        [sys.executable, "-c", SOURCE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout.readline() == "ready\n"
    return process


@dataclass
class Child:
    """A command at work, and what it says; there is one at a time."""

    process: psutil.Process
    said: Path
    status: int | None = field(default=None)

    @classmethod
    def born(cls, words: tuple[str, ...], *, said: Path, **where: object) -> "Child":
        mother = nursery()
        mother.stdin.write(json.dumps({"words": words, "said": str(said), **where}) + "\n")
        number = int(mother.stdout.readline())
        return cls(psutil.Process(number), said)

    def poll(self) -> int | None:
        """The status it ended with, or nothing while it is at work."""
        return self._ended(0)

    def wait(self) -> int:
        status = self._ended(PATIENCE)
        assert status is not None, "it hangs"
        return status

    def kill(self) -> None:
        with suppress(psutil.NoSuchProcess):
            self.process.kill()

    def read(self) -> str:
        return self.said.read_text(encoding="utf-8")

    def _ended(self, patience: float) -> int | None:
        if self.status is None and select([nursery().stdout], [], [], patience)[0]:
            self.status = int(nursery().stdout.readline())
        return self.status
