import os
import stat
import subprocess
import sys

import pytest

from sfumato.core import FileError
from sfumato.data import Attribute, Schema, Table, write_table, writing, writing_all


def test_a_file_appears_only_when_the_block_ends(tmp_path):
    target = tmp_path / "t.txt"
    target.write_text("old")
    with writing(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
        assert temporary.suffix == ".txt"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "t.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), writing(target) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="there are no modes")
@pytest.mark.parametrize(("mask", "expected"), [(0o027, 0o640), (0o000, 0o666), (0o077, 0o600)])
def test_nobody_else_reads_a_file_before_it_is_whole_or_ever_if_it_is_private(tmp_path, mask, expected):
    names = [tmp_path / "public.txt", tmp_path / "private.txt"]
    names[0].touch(mode=0o600)
    earlier = os.umask(mask)
    try:
        with writing_all(names, private=names[1:]) as temporaries:
            for temporary in temporaries:
                temporary.write_text("new")
            assert {_mode(path) for path in tmp_path.iterdir() if path not in names} == {0o600}
        with writing(tmp_path / "another.txt", private=True) as temporary:
            temporary.write_text("new")
    finally:
        os.umask(earlier)
    assert {path.name: _mode(path) for path in tmp_path.iterdir()} == {
        "public.txt": expected,
        "private.txt": 0o600,
        "another.txt": 0o600,
    }


KILLED = """
import os, signal, sys
from pathlib import Path
from sfumato.data import writing_all
here = Path(sys.argv[1])
with writing_all([here / "a.txt", here / "b.txt"]) as temporaries:
    for temporary in temporaries:
        temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 3
    with writing(tmp_path / "b.txt") as temporary:
        temporary.write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


def test_several_files_appear_together(tmp_path):
    names = [tmp_path / "a.csv", tmp_path / "b.toml"]
    names[0].write_text("old")
    with writing_all(names) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new")
        assert not names[1].exists()
    assert [name.read_text() for name in names] == ["new", "new"]
    assert sorted(tmp_path.iterdir()) == names


def test_when_a_later_rename_fails_the_earlier_files_come_back(tmp_path):
    names = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    names[0].write_text("old")
    with pytest.raises(FileError, match=r"cannot be written: "), writing_all(names) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new")
        names[2].mkdir()  # a file cannot take the name of a folder
    assert names[0].read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [names[0], names[2]]


def test_when_one_of_several_cannot_begin_none_does(tmp_path):
    with (
        pytest.raises(FileError, match=r"folder .*nowhere does not exist\.$"),
        writing_all([tmp_path / "a", tmp_path / "nowhere" / "b"]),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def _table():
    return Table(Schema([Attribute(name="a", scale="numeric")]), {"a": [1, 2]})


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".sav", ".dta", ".xpt"])
def test_targets_that_cannot_be_written(tmp_path, suffix):
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    for target, rule in [
        (tmp_path / f"folder{suffix}", "it is a folder; give the name of a file in it"),
        (tmp_path / "nowhere" / f"t{suffix}", f"folder {tmp_path / 'nowhere'} does not exist"),
        (tmp_path / "file" / f"t{suffix}", f"folder {tmp_path / 'file'} does not exist"),
    ]:
        with pytest.raises(FileError) as refused:
            write_table(_table(), target)
        assert str(refused.value) == f"{target} cannot be written: {rule}."
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_takes_no_files():
    with pytest.raises(
        FileError, match=r"^/proc/t\.csv cannot be written: folder /proc does not take new files"
    ):
        write_table(_table(), "/proc/t.csv")


def test_a_full_disk_is_one_sentence(tmp_path):
    target = tmp_path / "t.csv"
    with (
        pytest.raises(FileError, match=r"t\.csv cannot be written: no space left on device\.$"),
        writing(target),
        open("/dev/full", "w") as full,  # noqa: PTH123
    ):
        full.write("x" * 100_000)
    assert list(tmp_path.iterdir()) == []


def test_sas_itself_writes_sas7bdat(tmp_path):
    with pytest.raises(FileError, match=r"only SAS itself writes \.sas7bdat; use \.xpt\.$"):
        write_table(_table(), tmp_path / "t.sas7bdat")
    assert list(tmp_path.iterdir()) == []
