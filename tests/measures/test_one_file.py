"""A measure that is one file of somebody else's package: in memory, from disk, and tracked."""

import json
import subprocess
import sys
import textwrap

MEASURE = '''
"""Unchanged: how many cells are as they were."""

from dataclasses import dataclass

import numpy as np

from sfumato.measures import Measure
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.record_sums import RecordSums


class Unchanged(Measure):
    """Percent of the cells that are as they were. A missing value is as it was if it is missing still."""

    sense = "risk"

    def statistics(self, files):
        return (UnchangedCells(files.names, self.weighted),)

    def value(self, files, *found):
        shares = (100 * found[0] / files.n).tolist()
        return sum(shares) / len(shares), dict(zip(files.names, shares, strict=True))


@dataclass(frozen=True)
class UnchangedCells(Statistic):
    names: tuple[str, ...]
    weighted: bool

    def bound(self, original):
        return BoundCells(self, original, self.names, weighted=self.weighted)


class BoundCells(RecordSums):
    def readers(self, masked):
        return {name: self.reader(self.original.table[name]) for name in self.names}

    def reader(self, before):
        return lambda values, rows: np.equal(values, before[rows])[:, None].astype(float)
'''

USE = """
import json, tempfile
from pathlib import Path

import numpy as np

from sfumato.core import registry
from sfumato.data.blocks import BlockWriter
from sfumato.datasets import household_survey
from sfumato.measures import Change
from sfumato.measures.from_disk import score_blocks
from sfumato.parallel import crew

original = household_survey(300, seed=1)
masked = original.replace({"age": np.round(original["age"] / 2) * 2})
row, found = int(np.flatnonzero(masked["age"] != original["age"])[0]), {}
for weighted in (False, True):
    measure = registry.make("measures", {"method": "unchanged", "weighted": weighted})
    bound = measure.bind(original)
    tracker = bound.track(masked)
    tracker.try_(Change.cell(row, "age", original["age"][row]))
    tracker.accept()
    changed = masked["age"].copy()
    changed[row] = original["age"][row]
    anew = bound.score(masked.replace({"age": changed})).value
    with tempfile.TemporaryDirectory() as name, crew(None, workers=2) as here:
        blocks = []
        for side, table in (("a", original), ("b", masked)):
            pieces = [table.take(np.arange(i, min(i + 120, 300))) for i in range(0, 300, 120)]
            blocks.append(BlockWriter(Path(name, side), table.schema).write_all(pieces))
        disk = score_blocks(*blocks, folder=Path(name), crew=here, measures=[measure])[measure.plain()]
    score = bound.score(masked)
    found[str(weighted)] = {
        "memory": [score.value, *score.parts.values()],
        "disk": [disk.value, *disk.parts.values()],
        "tracked": [type(tracker).__name__, tracker.value, anew],
    }
age = float((original["age"] == masked["age"]).mean())
print(json.dumps({"found": found, "age": age, "keys": len(original.schema.with_role("key"))}))
"""


def test_a_measure_costs_one_file(tmp_path):
    (tmp_path / "unchanged.py").write_text(MEASURE)
    info = tmp_path / "unchanged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: unchanged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sfumato.measures]\nunchanged = unchanged:Unchanged\n")
    (tmp_path / "use.py").write_text(f"def main():\n{textwrap.indent(USE, '    ')}\n")
    code = "if __name__ == '__main__':\n    import use\n    use.main()\n"
    (tmp_path / "run.py").write_text(code)
    path = [str(tmp_path), *sys.path]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "run.py")],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, path))},
    )
    answer = json.loads(done.stdout)
    for found in answer["found"].values():
        assert max(abs(a - b) for a, b in zip(found["memory"], found["disk"], strict=True)) < 1e-9
        kind, tracked, anew = found["tracked"]
        assert kind == "StatisticTracker"
        assert abs(tracked - anew) < 1e-9
        assert tracked > found["memory"][0]
    keys = answer["keys"]
    assert abs(answer["found"]["False"]["memory"][0] - 100 * (keys - 1 + answer["age"]) / keys) < 1e-9
