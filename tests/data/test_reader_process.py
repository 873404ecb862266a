"""Readers that crash, stall or flood memory, in processes that really do so."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from seed_files import SEEDS

from sfumato.core import FileError
from sfumato.data import read_table
from sfumato.data.reader_process import ReaderFailure, ReaderProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of a process are set as Unix has them")

BEGINNING = (
    "import json, os, sys, signal, resource\nrequest = json.load(sys.stdin)\nsys.path[:] = request['path']\n"
)
ENDS = {
    "crash": "os.kill(os.getpid(), signal.SIGSEGV)",
    "time": "resource.setrlimit(resource.RLIMIT_CPU, (1, 9))\nwhile True: pass",
    "memory": "os.kill(os.getpid(), signal.SIGKILL)",
    "refused": "sys.exit(3)",
}


def reader(folder: Path, script: str) -> ReaderProcess:
    path = folder / "script.py"
    path.write_text(BEGINNING + script)
    return ReaderProcess(script=path, statuses={"refused": 3}, memory=10**9, seconds=5)


@pytest.mark.parametrize("why", ENDS)
def test_how_a_reader_ends_is_told_in_a_word(tmp_path, why):
    with pytest.raises(ReaderFailure) as failure:
        reader(tmp_path, ENDS[why]).read()
    assert failure.value.why == why


@pytest.mark.parametrize("script", ["", "print('no table')", "sys.stdout.buffer.write(bytes(5000))"])
def test_what_is_no_table_is_a_crash(tmp_path, script):
    with pytest.raises(ReaderFailure, match="crash"):
        reader(tmp_path, script).read()


def test_a_table_that_was_cut_is_none(tmp_path):
    script = (
        "import pyarrow as pa\n"
        "stream = pa.ipc.new_stream(sys.stdout.buffer, pa.schema([('x', pa.int64())]))\n"
        "stream.write_table(pa.table({'x': [1, 2]}))\nsys.stdout.flush()\nos._exit(9)"
    )
    with pytest.raises(ReaderFailure, match="crash"):
        reader(tmp_path, script).read()


def test_a_whole_table_comes_back(tmp_path):
    script = (
        "import pyarrow as pa\n"
        "table = pa.table({'x': request['cells']})\n"
        "with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream: stream.write_table(table)"
    )
    assert reader(tmp_path, script).read(cells=[1, 2]) == pa.table({"x": [1, 2]})


def hurt(name: str, changes: dict[int, bytes]) -> bytes:
    content = bytearray((SEEDS / name).read_bytes())
    for place, new in changes.items():
        content[place : place + len(new)] = new
    return bytes(content)


def test_a_file_that_kills_its_reader_is_refused_in_a_sentence(tmp_path):
    changes = {30: bytes(4), 394: b"\x08", 558: b"\x05", 857: b"\xff"}
    (tmp_path / "t.zsav").write_bytes(hurt("people.zsav", changes))
    alone = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, pyreadstat; pyreadstat.read_sav(sys.argv[1])",
            tmp_path / "t.zsav",
        ],
        capture_output=True,
        check=False,
    )
    assert alone.returncode != 0
    with pytest.raises(FileError, match=r"t\.zsav cannot be read as a SPSS file: it is damaged"):
        read_table(tmp_path / "t.zsav")


def test_a_file_that_claims_a_billion_records_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "t.dta").write_bytes(hurt("people8.dta", {6: b"\xff\xff\xff\x7f"}))
    with pytest.raises(FileError, match=r"t\.dta cannot be read as a Stata file: "):
        read_table(tmp_path / "t.dta")


def test_it_works_inside_a_process_that_may_have_no_children_of_its_own(tmp_path):
    script = (
        "import multiprocessing, sys\n"
        "from sfumato.data import read_table\n"
        "def read(path): return read_table(path).n\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.apply(read, (sys.argv[1],)))\n"
    )
    (tmp_path / "main.py").write_text(script)
    command = [sys.executable, str(tmp_path / "main.py"), str(SEEDS / "people.sav")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "8"


def test_the_script_imports_little():
    script = "import sfumato.data.formats._statistics_child as child, runpy, sys\nprint(child.__file__)"
    path = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import runpy, sys; runpy.run_path({path!r}); print('sfumato' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "False"
