"""Does cases of the fuzzer, one after the other, and tells what it found as lines of JSON.

A case that takes too much processor time ends the process, and one that asks for too much memory is refused it.
"""

import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner
from fuzz_cases import Case, case
from seed_files import CANARY

MEMORY = 10**9  # bytes that may be in use
ROOM = (
    3 * 10**9
)  # addresses that may be taken: those of threads and libraries too, most of which are never used
SENTENCE = re.compile(r"^(Error|Note|Warning): ")
GOOD = (0, 2, 3)


def main(numbers: range, seconds: int) -> None:
    from sfumato.cli import main as sfumato

    warnings.simplefilter("default")
    warm_up(sfumato)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, resource.RLIM_INFINITY))
    for number in numbers:
        print(json.dumps({"begins": number}), flush=True)
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        findings = list(done(case(number), sfumato))
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(
            json.dumps(
                {"case": number, "findings": findings, "seconds": round(time.process_time() - started, 2)}
            ),
            flush=True,
        )


def warm_up(sfumato: object) -> None:
    """Import what the commands need before their time and memory are counted."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("in.csv").write_text("age,sex\n" + "31,f\n45,m\n38,f\n52,m\n" * 3)
        Path("in.jsonl").write_text(
            '{"id": 1, "location": "Spain", "t": "a"}\n{"id": 2, "location": "Spain", "t": "a"}\n'
        )
        words = ("--methods", "rank_swapping,pram", "--workers", "1")
        for command in (
            ("protect", "in.csv", "-o", "out.csv", "--no-verdict", *words),
            ("describe", "in.csv"),
            ("graph", "protect", "in.jsonl", "-o", "out.jsonl", "--k", "2", "--topics", "t"),
        ):
            CliRunner().invoke(sfumato, list(command))  # type: ignore[arg-type]
        os.chdir("/")


def done(one: Case, sfumato: object) -> Iterator[str]:
    """Whatever is wrong with what the commands of a case did."""
    for command in one.commands:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for name, content in one.files.items():
                Path(name).write_bytes(content)
            result = CliRunner().invoke(sfumato, list(command))  # type: ignore[arg-type]
            wrong = [*said(one, command, result), *left(one, command, result.exit_code)]
            os.chdir("/")
        yield from (f"{finding}: {' '.join(command)}" for finding in wrong)
    used = most_memory()
    if used > MEMORY:
        yield f"{used / 1e9:.1f} GB in use"


def most_memory() -> int:
    """The most bytes that this process had in use; `getrusage` would also tell those of who started it."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    except OSError:
        found = None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def said(one: Case, command: tuple[str, ...], result: object) -> Iterator[str]:
    status, stdout, stderr = result.exit_code, result.stdout, result.stderr  # type: ignore[attr-defined]
    lines = stderr.splitlines()
    errors = [line for line in lines if line.startswith("Error: ")]
    if status not in GOOD:
        yield f"status {status} ({errors[-1:]})"
    if "Traceback" in stdout + stderr or any(not SENTENCE.match(line) for line in lines):
        yield f"no sentence ({[line for line in lines if not SENTENCE.match(line)][:2]})"
    if status and (len(errors) != 1 or not errors[0].endswith((".", "?"))):
        yield f"not one sentence ({errors})"
    if any("Not enough memory" in line for line in errors):
        yield "memory"
    if CANARY in stdout + stderr and not named(one):
        yield f"a value is told ({[line for line in (stdout + stderr).splitlines() if CANARY in line][:1]})"


def named(one: Case) -> bool:
    """Whether damage made a value part of a name of a column, which may be told."""
    for name, content in one.files.items():
        first = (
            content.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe\r\n").split(b"\n")[0].split(b"\r")[0]
        )
        mark = CANARY.encode()
        if name.endswith((".csv", ".tsv", ".txt")) and mark in first:
            return True
        if re.search(rb'name="[^"]*' + mark, content) or re.search(mark + rb'[^"]*"\s*:', content):
            return True
    return False


def left(one: Case, command: tuple[str, ...], status: int) -> Iterator[str]:
    """Files that should not be there, or should."""
    found = {path.relative_to(".").as_posix() for path in Path().rglob("*") if path.is_file()} - set(
        one.files
    )
    hidden = [name for name in found if Path(name).name.startswith(".")]
    if hidden:
        yield f"left behind {hidden}"
    if status and found:
        yield f"written though it failed: {sorted(found)}"
    if not status and "-o" in command and command[command.index("-o") + 1] not in found:
        yield "nothing written"


if __name__ == "__main__":
    first, *others = map(int, sys.argv[1:])
    stop, seconds = others or (first + 1, 120)
    main(range(first, stop), seconds)
