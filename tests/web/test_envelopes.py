"""What goes out and what stays: sorted by what the job says, and whatever it does not know stays."""

import io
import zipfile
from pathlib import Path

from run_examples import protection, write_people

from sfumato.jobs import job_class
from sfumato.web.runs.envelopes import OTHERS, archived, envelopes

WRITTEN = ("out.about.html", "out.csv", "out.private/order.csv", "out.private/secret.key", "out.schema.toml")


def test_what_nobody_knows_of_stays(tmp_path: Path) -> None:
    job = protection(write_people(tmp_path), output="elsewhere/out.csv")
    odd = ("out.private/new.bin", "out.xlsx", "other.csv", "deep/out.csv")
    found = envelopes(job, (*WRITTEN, *odd))
    assert [file.name for file in found.goes_out] == ["out.csv", "out.schema.toml", "out.about.html"]
    assert {file.name for file in found.stays if file.about == OTHERS} == set(odd)
    told = {file.title: file.about for file in (*found.goes_out, *found.stays)}
    assert "whoever has it can undo the release" in told["secret.key"]
    assert "codebook" in told["out.schema.toml"]


def test_a_job_that_releases_nothing_has_nothing_that_goes_out(tmp_path: Path) -> None:
    attack = job_class("attack", "the test").from_settings(
        {"original": tmp_path / "a", "released": tmp_path / "b"}
    )
    found = envelopes(attack, ("attack.record.json",))
    assert not found.goes_out and [file.name for file in found.stays] == ["attack.record.json"]


def test_an_archive_holds_its_envelope_and_leaves_nothing(tmp_path: Path) -> None:
    for name in WRITTEN:
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name * 100_000)
    found = envelopes(protection(write_people(tmp_path)), WRITTEN)
    before = sorted(tmp_path.rglob("*"))
    packed = zipfile.ZipFile(io.BytesIO(b"".join(archived(tmp_path, found.goes_out))))
    assert packed.namelist() == [file.name for file in found.goes_out]
    assert packed.read("out.csv").decode() == "out.csv" * 100_000
    assert sorted(tmp_path.rglob("*")) == before
