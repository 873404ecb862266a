"""Files of every format, whole, damaged or nonsense: no crash, no hang, no flood, no value told, nothing half-written.

A case that fails is looked at with `python tests/fuzz/fuzz_worker.py NUMBER`; what it shows gets a test of its own.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits of a process are set as Linux has them"
)

WORKER = Path(__file__).with_name("fuzz_worker.py")
COMPILING = 120  # seconds of processor time that the first use of methods may take
STALLED = 600  # seconds without a word, in which even a busy machine does a case
LIMITS = ("SIGPROF", "SIGKILL")  # of processor time, by the process itself, and of patience, by us
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}


def test_some_hundred_files():
    assert dict(findings(range(150))) == {}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 10_000, 500))
def test_thousands_of_files(start):
    assert dict(findings(range(start, start + 500))) == {}


def test_a_case_is_made_from_its_number():
    from fuzz_cases import case

    assert [case(number) for number in range(60)] == [case(number) for number in range(60)]


def findings(numbers: range) -> Iterator[tuple[int, list[str]]]:
    """What is wrong, by case; a process that a case ended is followed by another, which goes on behind it."""
    slow = None
    while numbers:
        lines, status = _done(numbers)
        yield from ((told["case"], told["findings"]) for told in lines if told["findings"])
        if not status and len(lines) == len(numbers):
            return
        ended = numbers[len(lines)]
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        if name in LIMITS and ended != slow:  # the first use of a method may have been compiling it
            _done(range(ended, ended + 1), seconds=COMPILING)
            slow, numbers = ended, numbers[len(lines) :]
            continue
        yield ended, [f"ended by {name}"]
        numbers = numbers[len(lines) + 1 :]


def _done(numbers: range, *, seconds: int = 10) -> tuple[list[dict[str, Any]], int]:
    """What a worker tells of each case it did, and the status it ended with."""
    command = [sys.executable, str(WORKER), *map(str, (numbers.start, numbers.stop, seconds))]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True) as process:
        assert process.stdout is not None
        watch = None
        for line in process.stdout:
            if watch is not None:
                watch.cancel()
            lines.append(json.loads(line))
            watch = Timer(STALLED, process.kill)
            watch.start()
        if watch is not None:
            watch.cancel()
        return [told for told in lines if "case" in told], process.wait()
