"""Running a command as a user would, and seeing what it and its children take."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.25  # seconds between looks at the memory


@dataclass(frozen=True)
class Watched:
    """What a command took: seconds by the clock, of all processors, and bytes of memory at the worst moment."""

    seconds: float
    processor: float
    peak: int
    output: str


def watched(*words: str) -> Watched:
    """Run `sfumato` with these words; its memory is that of the whole family of processes, shared pages once."""
    start, before = time.perf_counter(), children_seconds()
    process = subprocess.Popen(
        [sys.executable, "-m", "sfumato", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_memory, _family(process.pid))))
        time.sleep(INTERVAL)
    output = process.communicate()[0]
    if process.returncode:
        raise RuntimeError(f"sfumato {words[0]} ended with {process.returncode}: {output}")
    return Watched(time.perf_counter() - start, children_seconds() - before, peak, output)


def children_seconds() -> float:
    """Processor time of all children that have ended, and theirs."""
    times = os.times()
    return times.children_user + times.children_system


def _family(pid: int) -> list[int]:
    """The process and all that descend from it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it ended meanwhile
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def _memory(pid: int) -> int:
    """Proportional set size: pages shared by several processes count once among them."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
