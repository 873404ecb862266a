"""What jobs keep is theirs alone, whatever the umask; what they release is as any new file is."""

import os
import stat
import subprocess
import sys

import pytest

from sfumato.data import write_table
from sfumato.datasets import household_survey
from sfumato.jobs import _work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no modes")
NOBODY = 65534
LOOK = """
import os, sys
os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
for path in sys.argv[1:]:
    try:
        print(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
    except PermissionError:
        print("refused")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_work, "BLOCK", 100)
    people = household_survey(300)
    write_table(people, tmp_path / "in.parquet")
    earlier = os.umask(0)
    yield tmp_path
    os.umask(earlier)


@pytest.mark.parametrize(
    "words",
    [
        ("mask", "in.parquet", "-m", "mdav", "-o", "out.parquet", "--work", "kept", "--memory", "1KB"),
        (
            "evolve",
            "in.parquet",
            "--no-verdict",
            "--generations",
            "1",
            "-o",
            "out.parquet",
            "--run",
            "kept",
        ),
    ],
    ids=lambda words: words[0],
)
def test_what_is_kept_is_closed_to_others(run, folder, words):
    (folder / "kept").mkdir()
    result = run(*words, "--seed", "1", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "others could look into kept, and now they cannot" in " ".join(result.stderr.split())
    kept = [folder / "kept", *(folder / "kept").rglob("*")]
    assert len(kept) > 1
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_file()} == {0o600}
    assert stat.S_IMODE((folder / "out.parquet").stat().st_mode) == 0o666
    if os.geteuid() == 0:
        command = [sys.executable, "-c", LOOK.format(nobody=NOBODY), *map(str, kept)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert said.splitlines() == ["refused"] * len(kept)
