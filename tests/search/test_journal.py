import sqlite3
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import FileError
from sfumato.search.contracts import Leg, Outcome
from sfumato.search.journal import Journal

IDENTITY = {
    "sfumato": "1.0",
    "seed": 1,
    "optimizer": {"method": "evolution", "walk": 3},
    "problem": {"file": "ab", "start": "cd", "attributes": ["x"], "fitness": {"how": "max"}},
}
FRAME = 4096 + 24  # bytes of a page in the write-ahead log, with its header
GENERATIONS = [
    [
        Outcome(
            (float(g), 0.1 * g), tuple(range(g % 3)), (Leg("swap_values", 8, g, g % 3, 58 * g, (0.3, g / 7)),)
        ),
        Outcome((1 / 3, float("inf"))),
    ]
    for g in range(40)
]


def write(path, generations=GENERATIONS, identity=IDENTITY):
    with Journal(path, identity) as written:
        for number, outcomes in enumerate(generations):
            written.append(number, number / 10, outcomes)


def read(path, identity=IDENTITY):
    with Journal(path, identity) as stored:
        return list(stored.generations())


@cache
def crashed():
    """The bytes of a journal whose process is gone: the generations are still in its write-ahead log."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j", IDENTITY) as living:
        for number, outcomes in enumerate(GENERATIONS):
            living.append(number, number / 10, outcomes)
        return Path(folder, "j").read_bytes(), Path(folder, "j-wal").read_bytes()


def read_with(log):
    """The outcomes that are left with another write-ahead log."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "j").write_bytes(crashed()[0])
        Path(folder, "j-wal").write_bytes(log)
        return [outcomes for _, outcomes in read(Path(folder, "j"))]


def test_what_was_written_is_read_again_to_the_last_bit(tmp_path):
    write(tmp_path / "j")
    assert read(tmp_path / "j") == [(g / 10, outcomes) for g, outcomes in enumerate(GENERATIONS)]


def test_parts_of_a_generation_under_way_are_read_again_by_their_positions(tmp_path):
    outcomes = {5: Outcome((1.0, 2.0), facts={"seconds": 0.5, "parts": [1, 2.5]}), 0: GENERATIONS[3][0]}
    with Journal(tmp_path / "j", IDENTITY) as written:
        written.append(0, 0.1, GENERATIONS[0])
        written.append_part(1, 0.2, outcomes)
        written.append_part(1, 0.4, {2: GENERATIONS[4][1]})
    with Journal(tmp_path / "j", IDENTITY) as stored:
        assert stored.parts(1) == (0.4, {**outcomes, 2: GENERATIONS[4][1]})
        assert stored.parts(0) == stored.parts(2) == (0.0, {})
        assert len(list(stored.generations())) == 1


def test_a_journal_goes_on_where_it_was(tmp_path):
    write(tmp_path / "j", GENERATIONS[:7])
    with Journal(tmp_path / "j", IDENTITY) as second:
        assert len(list(second.generations())) == 7
        second.append(7, 0.7, GENERATIONS[7])
    assert len(read(tmp_path / "j")) == 8


@pytest.mark.parametrize(
    ("difference", "named"),
    [
        ({"sfumato": "1.1"}, "another version of sfumato"),
        ({"seed": 2}, "another seed"),
        ({"optimizer": {"method": "evolution", "walk": 4}}, "another optimiser or other parameters of it"),
        ({"optimizer": {"method": "nsga2", "walk": 3}}, "another optimiser or other parameters of it"),
        ({"problem": {**IDENTITY["problem"], "file": "ac"}}, "another file"),
        ({"problem": {**IDENTITY["problem"], "start": "ce"}}, "other starting files"),
        ({"problem": {**IDENTITY["problem"], "attributes": ["x", "y"]}}, "other attributes"),
        ({"problem": {**IDENTITY["problem"], "fitness": {"how": "mean"}}}, "other measures"),
        ({"problem": {**IDENTITY["problem"], "rules": "age"}}, r"another problem\.rules"),
    ],
)
def test_another_run_is_refused_by_name(tmp_path, difference, named):
    write(tmp_path / "j")
    with pytest.raises(FileError, match=f"j: holds a run with {named}; name another run folder"):
        Journal(tmp_path / "j", {**IDENTITY, **difference})
    assert len(read(tmp_path / "j")) == len(GENERATIONS)


def test_less_than_it_was_started_with_is_refused_too(tmp_path):
    write(tmp_path / "j", identity={**IDENTITY, "problem": {**IDENTITY["problem"], "rules": "age"}})
    with pytest.raises(FileError, match=r"another problem\.rules"):
        Journal(tmp_path / "j", IDENTITY)


def test_another_format_is_refused(tmp_path, monkeypatch):
    write(tmp_path / "j")
    monkeypatch.setattr(Journal, "format", "0")
    with pytest.raises(FileError, match="written in another format; resume it with the version that made it"):
        Journal(tmp_path / "j", IDENTITY)


@pytest.mark.parametrize("content", [b"garbage", b"garbage" * 1000, b"SQLite format 3\0" + b"\7" * 5000])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path, content):
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(FileError, match="not a journal that can be used"):
        Journal(tmp_path / "j", IDENTITY)
    assert (tmp_path / "j").read_bytes() == content


def test_the_database_of_somebody_else_is_refused_and_left_alone(tmp_path):
    base = sqlite3.connect(tmp_path / "j")
    base.execute("CREATE TABLE recipes (name TEXT)")
    base.commit()
    base.close()
    with pytest.raises(FileError, match="not a journal that can be used"):
        Journal(tmp_path / "j", IDENTITY)
    base = sqlite3.connect(tmp_path / "j")
    assert base.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    base.close()


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="cannot be made: is a directory"):
        Journal(tmp_path, IDENTITY)


def test_an_empty_file_is_a_new_journal(tmp_path):
    (tmp_path / "j").touch()
    assert read(tmp_path / "j") == []


def test_a_generation_that_is_missing_or_mangled_is_told(tmp_path):
    write(tmp_path / "j")
    for command, said in [
        ("UPDATE generations SET outcomes = x'9301' WHERE number = 9", "not a journal that can be used"),
        ("DELETE FROM generations WHERE number = 4", "generation 4 is missing"),
    ]:
        base = sqlite3.connect(tmp_path / "j")
        base.execute(command)
        base.commit()
        base.close()
        with pytest.raises(FileError, match=said):
            read(tmp_path / "j")


@settings(max_examples=40)
@given(cut=st.floats(0, 1), garbage=st.binary(max_size=200))
def test_a_torn_write_loses_no_more_than_what_was_torn(cut, garbage):
    whole = crashed()[1]
    kept = int((1 - cut) * len(whole))
    left = read_with(whole[:kept] + garbage)
    assert left == GENERATIONS[: len(left)]
    torn = -(-(len(whole) - kept) // FRAME)
    assert len(GENERATIONS) - len(left) <= torn


@settings(max_examples=25)
@given(at=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_loses_what_followed_it(at, bit):
    mangled = bytearray(crashed()[1])
    mangled[int(at * len(mangled))] ^= 1 << bit
    left = read_with(bytes(mangled))
    assert left == GENERATIONS[: len(left)]


def test_two_runs_cannot_write_to_one_journal(tmp_path):
    with Journal(tmp_path / "j", IDENTITY), pytest.raises(FileError, match="another run is writing to it"):
        Journal(tmp_path / "j", IDENTITY)
    assert read(tmp_path / "j") == []


def test_nor_can_two_processes_and_a_killed_one_lets_go(tmp_path):
    write(tmp_path / "j")
    holding = (
        "import sys, pathlib\n"
        "from sfumato.search.journal import Journal\n"
        f"with Journal(pathlib.Path(sys.argv[1]), {IDENTITY!r}):\n"
        "    print('open', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", holding, str(tmp_path / "j")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(FileError, match=f"^{tmp_path}: another run is writing to it; wait for its end"):
            Journal(tmp_path / "j", IDENTITY)
        other.kill()
    assert len(read(tmp_path / "j")) == len(GENERATIONS)
