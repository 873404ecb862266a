import subprocess
import sys

import pytest

from sfumato.data import SUFFIXES, WRITABLE, Attribute, Schema, Table, read_table, write_table

THING = '''"""Columns as JSON, for this test only."""

import json

import pyarrow as pa

from sfumato.data.formats._format import Format


class Thing(Format):
    suffixes = (".thing",)

    def read(self, path, options, memory):
        return pa.table(json.loads(path.read_text())), {}

    def write(self, table, target, options):
        target.write_text(json.dumps(table.to_arrow().to_pydict()))
'''

WITH_THING = """
import sys
from pathlib import Path

import sfumato
import sfumato.data.formats

sfumato.__path__.append(sys.argv[1])
sfumato.data.formats.__path__.append(str(Path(sys.argv[1], "data", "formats")))

from sfumato.cli import main

main(sys.argv[2:])
"""

LIGHT = """
import sys
from pathlib import Path

from sfumato.data.formats import format_of

format_of(Path("people.sav"))
assert not {"pandas", "pyreadstat", "pyarrow.csv", "pyarrow.parquet"} & set(sys.modules)
"""


def python(script, *words):
    return subprocess.run([sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True)


@pytest.fixture
def thing(tmp_path):
    """A folder like that of the package, with one more format in it."""
    home = tmp_path / "more"
    (home / "data" / "formats").mkdir(parents=True)
    (home / "data" / "formats" / "thing.py").write_text(THING)
    return home


def test_no_two_formats_have_the_same_suffix():
    assert len(set(SUFFIXES)) == len(SUFFIXES) and all(suffix.startswith(".") for suffix in SUFFIXES)
    assert set(SUFFIXES) - set(WRITABLE) == {
        *(".sas7bdat", ".dat", ".dat.gz", ".fwf", ".asc", ".sql", ".tables.toml"),
        *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    }


@pytest.mark.parametrize("suffix", WRITABLE)
def test_what_can_be_written_can_be_read(suffix, tmp_path):
    sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    table = Table(Schema([sex]), {"sex": [0, 1, 1]})
    write_table(table, tmp_path / f"t{suffix}")
    assert read_table(tmp_path / f"t{suffix}").to_arrow()["sex"].to_pylist() == ["f", "m", "m"]


def test_finding_a_format_imports_no_heavy_package():
    done = python(LIGHT)
    assert done.returncode == 0, done.stderr


def test_a_new_format_is_one_file(thing, tmp_path):
    (tmp_path / "in.csv").write_text("age,sex\n" + "31,f\n45,m\n38,f\n52,m\n" * 3)
    there, back = tmp_path / "out.thing", tmp_path / "back.csv"
    words = ("--method", "rounding", "--base", "10")
    for source, target in ((tmp_path / "in.csv", there), (there, back)):
        done = python(WITH_THING, thing, "mask", source, *words, "-o", target)
        assert done.returncode == 0, done.stderr
    assert there.read_text().startswith('{"age": [')
    assert back.read_text() == "age,sex\n" + "30,f\n40,m\n40,f\n50,m\n" * 3
    known = python(WITH_THING, thing, "mask", there, *words, "-o", tmp_path / "out.other")
    assert known.returncode and ".thing" in known.stderr
