"""Run folders on storage that several processes, or machines, see: one run at a time, and no shared memory."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.search.journal import SETTINGS, Journal
from sfumato.search.loop import JOURNAL

SCRIPT = str(Path(__file__).with_name("evolving.py"))
ENDLESS = "100000"


def run(folder, generations):
    return [sys.executable, SCRIPT, str(folder), generations, "1"]


@pytest.mark.skipif(os.name != "posix", reason="SQLite has this way of locking on POSIX only")
@pytest.mark.parametrize(("settings", "mode"), [(SETTINGS, "wal"), (SETTINGS[1:], "delete")])
def test_the_settings_need_no_shared_memory(tmp_path, settings, mode):
    """SQLite has no shared memory with locks that are files, as on the file systems of networks."""
    base = sqlite3.connect(f"{(tmp_path / 'j').as_uri()}?vfs=unix-dotfile", uri=True, isolation_level=None)
    for setting in settings:
        base.execute(f"PRAGMA {setting}")
    base.execute("CREATE TABLE meta (key TEXT)")
    assert base.execute("PRAGMA journal_mode").fetchone() == (mode,)
    base.close()


def test_an_open_journal_is_two_files_in_its_folder(tmp_path):
    with Journal(tmp_path / JOURNAL, {"seed": 1}):
        assert {path.name for path in tmp_path.iterdir()} == {JOURNAL, f"{JOURNAL}-wal"}
    assert [path.name for path in tmp_path.iterdir()] == [JOURNAL]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path):
    with subprocess.Popen(run(tmp_path, ENDLESS), stdout=subprocess.PIPE) as first:
        assert all(first.stdout.readline() for _ in range(3))
        second = subprocess.run(run(tmp_path, "5"), capture_output=True, text=True, check=False)
        assert first.poll() is None and first.stdout.readline()
        first.kill()
    assert second.returncode != 0
    sentence = f"{tmp_path}: another run is writing to it; wait for its end, or name another run folder."
    assert second.stderr.rstrip().endswith(sentence)
    assert first.returncode == -signal.SIGKILL
    third = subprocess.run(run(tmp_path, "5"), capture_output=True, text=True, check=False)
    assert third.returncode == 0, third.stderr
