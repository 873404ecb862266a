import json
import os
import tomllib
import xml.etree.ElementTree as ET

import pytest

from plots.results import mixed_table, protection
from sfumato import write_release
from sfumato.core import FileError, SfumatoError
from sfumato.data import Schema
from sfumato.data.files import read_table
from sfumato.masking import make_masking, masked_with
from sfumato.reports import delivery

PUBLIC = {"out.csv", "out.schema.toml", "out.about.html"}
PRIVATE = {"board.html", "report.html", "record.json", "order.csv", "schema.toml", "risk-utility.svg"}
COMPANIONS = sorted([*PUBLIC - {"out.csv"}, *(f"out.private/{name}" for name in PRIVATE)])


@pytest.fixture(scope="module")
def made():
    return protection(mixed_table())


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("drawn")
def test_writes_everything_together(made, tmp_path):
    written = write_release(made, tmp_path / "out.csv", source="somewhere/people.csv")
    assert {path.name for path in written if path.parent == tmp_path} == PUBLIC
    assert files(tmp_path) == sorted([*PUBLIC, "out.private"])
    private = {*PRIVATE, "study.toml"}  # which says what file it was
    assert {path.name for path in written if path.parent == tmp_path / "out.private"} == private
    assert {path.name for path in (tmp_path / "out.private").iterdir()} == private
    assert (tmp_path / "out.private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "out.private").iterdir()} == {0o600}
    schema = Schema.read(tmp_path / "out.schema.toml")
    assert schema == made.release.schema
    assert read_table(tmp_path / "out.csv", schema=schema).n == made.release.n
    ET.parse(tmp_path / "out.private/risk-utility.svg")
    study = tomllib.loads((tmp_path / "out.private/study.toml").read_text(encoding="utf-8"))
    assert "SCHEMA.toml" in str(study)  # a table knows its columns, and a file has to be told them


def test_the_record_repeats_the_release(made, tmp_path):
    write_release(made, tmp_path / "out.parquet", source="somewhere/people.csv")
    record = json.loads((tmp_path / "out.private/record.json").read_text(encoding="utf-8"))
    assert record["source"] == "people.csv"
    masking = make_masking(record["chosen"]["masking"])
    again = masked_with(masking, made.original, seed=record["job"]["seed"]).select(made.aligned.names)
    assert again.fingerprint == made.aligned.fingerprint
    assert made.release.fingerprint == record["release"]["fingerprint"]


def test_no_companion_holds_identifiers_or_folders(made, tmp_path):
    for path in write_release(made, tmp_path / "out.csv", source="/home/ann/people.csv"):
        text = path.read_text(encoding="utf-8")
        assert "SECRET" not in text
        assert "/home/ann" not in text or path.name == "study.toml"  # which finds the file again


def test_the_same_bytes_each_time(made, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_release(made, tmp_path / name / "out.csv")
    for one in (path for path in (tmp_path / "a").rglob("*") if path.is_file()):
        assert one.read_bytes() == (tmp_path / "b" / one.relative_to(tmp_path / "a")).read_bytes()


def test_the_original_is_never_written_over(made, tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="is also an input"):
        write_release(made, "people.csv", source=tmp_path / "people.csv")
    assert files(tmp_path) == ["people.csv"]
    assert (tmp_path / "people.csv").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", COMPANIONS)
def test_a_folder_in_the_way_leaves_nothing(made, tmp_path, name):
    (tmp_path / name).mkdir(parents=True)
    with pytest.raises(FileError):
        write_release(made, tmp_path / "out.csv")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert files(tmp_path) == [name.split("/")[0]]


def test_a_file_in_the_place_of_the_private_folder_is_left_alone(made, tmp_path):
    (tmp_path / "out.private").write_text("mine")
    with pytest.raises(FileError, match=r"out\.private is a file"):
        write_release(made, tmp_path / "out.csv")
    assert files(tmp_path) == ["out.private"]


def test_what_told_of_an_earlier_release_goes(made, tmp_path):
    write_release(made, tmp_path / "out.csv")
    (tmp_path / "out.private" / "swaps.csv").write_text("of an earlier one")
    (tmp_path / "out.private" / "notes.txt").write_text("of the owner")
    write_release(made, tmp_path / "out.csv")
    assert {path.name for path in (tmp_path / "out.private").iterdir()} == {*PRIVATE, "notes.txt"}


def test_an_earlier_release_survives_a_failure(made, tmp_path, monkeypatch):
    write_release(made, tmp_path / "out.csv")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def broken(*given, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(delivery, "write_table", broken)
    with pytest.raises(FileError, match="no space"):
        write_release(made, tmp_path / "out.csv")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_missing_folder_and_an_unknown_suffix_leave_nothing(made, tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        write_release(made, tmp_path / "nowhere" / "out.csv")
    with pytest.raises(SfumatoError, match=r"out\.xyz"):
        write_release(made, tmp_path / "out.xyz")
    assert files(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_takes_no_files(made, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FileError):
            write_release(made, tmp_path / "out.csv")
    finally:
        tmp_path.chmod(0o700)
    assert files(tmp_path) == []
