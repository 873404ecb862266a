"""Temporaries: those of a process that is gone are removed by the next, those of a running one never."""

import os
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from sfumato.core import temporaries
from sfumato.core.temporaries import claimed, sweep, temporary_folder

HOLDING = """
import sys, time
from pathlib import Path
from sfumato.core.temporaries import claimed, temporary_folder
here = Path(sys.argv[1])
with temporary_folder(here) as folder, claimed(here) as start:
    (folder / "deep").mkdir()
    (folder / "deep" / "records").write_text("private")
    (here / f"{start}-0.csv").write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


def holding(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("deep", [False, True])
def test_what_a_killed_process_left_is_removed_and_what_a_running_one_has_is_not(tmp_path, deep):
    folder = tmp_path / "a" / "b" if deep else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kept.csv").write_text("kept")
    with holding(folder) as process:
        before = sorted(folder.rglob("*"))
        assert len(before) == 7
        sweep(tmp_path, deep=deep)
        assert sorted(folder.rglob("*")) == before
        process.send_signal(signal.SIGKILL)
        process.wait()
        sweep(tmp_path, deep=deep)
        assert sorted(folder.rglob("*")) == [folder / "kept.csv"]


def test_whoever_makes_a_temporary_in_a_folder_removes_what_was_left_there(tmp_path):
    with holding(tmp_path) as process:
        process.kill()
    with temporary_folder(tmp_path) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {folder.name, f"{folder.name}.lock"}
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(tmp_path.iterdir())


def test_nothing_is_removed_that_has_no_lock_or_another_name(tmp_path):
    for name in (
        ".sfumato-0123456789abcdef",
        ".sfumato-old",
        ".lock",
        ".sfumato-0123456789abcdef.csv",
        "x.lock",
    ):
        (tmp_path / name).write_text("")
    before = sorted(tmp_path.iterdir())
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_what_cannot_be_removed_keeps_its_lock_for_the_next(tmp_path, monkeypatch):
    with monkeypatch.context() as broken, temporary_folder(tmp_path) as folder:
        broken.setattr(temporaries.shutil, "rmtree", lambda *_, **__: None)
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, f"{folder.name}.lock"}
    sweep(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_others_is_left_alone(tmp_path):
    for name in (".sfumato-0123456789abcdef.lock", ".sfumato-0123456789abcdef.csv"):
        (tmp_path / name).write_text("")
        os.chown(tmp_path / name, 65534, 65534)
    sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_many_who_make_and_sweep_at_once_never_take_from_each_other(tmp_path):
    failures = []

    def work():
        for _ in range(50):
            with claimed(tmp_path) as start:
                file = tmp_path / f"{start}.txt"
                file.write_text("mine")
                sweep(tmp_path)
                if file.read_text() != "mine":
                    failures.append(start)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert not list(tmp_path.iterdir())


def test_without_a_place_it_is_where_the_system_has_them(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder() as folder:
        assert folder.parent == tmp_path
