"""Scores that are kept: read where nothing has changed, and found anew where anything has."""

import json
import os

import numpy as np
import pytest
from judged_blocks import blocks_of, masked_survey

from sfumato.core import FileError
from sfumato.data.blocks import Blocks, BlockWriter
from sfumato.datasets import household_survey
from sfumato.measures import DistanceLinkage, Estimate, KAnonymity, Pil, Sse, TCloseness
from sfumato.measures.from_disk import cached_scores
from sfumato.parallel import Workers

MEASURES = (Sse(), Pil(), KAnonymity(), TCloseness(), DistanceLinkage())


@pytest.fixture
def files(tmp_path):
    original = household_survey(300, seed=5)
    return blocks_of(original, tmp_path / "a", 120), blocks_of(masked_survey(original), tmp_path / "b", 120)


def scored(files, folder, *, measures=MEASURES, seed=1, sample=50):
    original, masked = (Blocks(blocks.folder) for blocks in files)
    options = {"measures": measures, "seed": seed, "sample": sample}
    return cached_scores(original, masked, folder=folder, crew=Workers(None), **options)


def kept(folder):
    return sorted(path.name for path in folder.glob("scores-*.json"))


def spoil(blocks):
    """Make the records unreadable, without a trace in the names, sizes and times of the files."""
    for path in blocks.folder.glob("*.arrow"):
        fact = path.stat()
        path.write_bytes(bytes(fact.st_size))
        os.utime(path, ns=(fact.st_atime_ns, fact.st_mtime_ns))


def test_kept_scores_are_the_same_and_no_record_is_read_for_them(files, tmp_path):
    first = scored(files, tmp_path / "work")
    for blocks in files:
        spoil(blocks)
    again = scored(files, tmp_path / "work")
    assert list(again) == [measure.name for measure in MEASURES]
    assert {name: score.to_dict() for name, score in again.items()} == {
        name: score.to_dict() for name, score in first.items()
    }
    assert isinstance(again["distance_linkage"], Estimate) and not isinstance(again["sse"], Estimate)
    with pytest.raises(FileError, match="damaged"):  # a folder that has not kept them must read
        scored(files, tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "change",
    [
        {"measures": MEASURES[1:]},
        {"measures": (Sse(attributes=("age",)), *MEASURES[1:])},
        {"measures": MEASURES[::-1]},
        {"seed": 2},
        {"sample": 60},
    ],
    ids=["fewer", "options", "order", "seed", "sample"],
)
def test_another_question_is_judged_anew(files, tmp_path, change):
    scored(files, tmp_path / "work")
    scores = scored(files, tmp_path / "work", **change)
    assert list(scores) == [measure.plain() for measure in change.get("measures", MEASURES)]
    assert len(kept(tmp_path / "work")) == 2


@pytest.mark.parametrize("side", [0, 1])
def test_another_file_is_judged_anew(files, tmp_path, side):
    before = scored(files, tmp_path / "work", measures=(Sse(),))
    table = files[side].take(np.arange(files[side].n))
    blocks_of(table.replace({"age": table["age"] + 1.0}), files[side].folder, 120)
    after = scored(files, tmp_path / "work", measures=(Sse(),))
    assert after["sse"].value != before["sse"].value
    assert len(kept(tmp_path / "work")) == 2


@pytest.mark.parametrize("torn", ["", "[", "[]", "{}", "null", "[1]", '[{"measure": "sse"}]', "half"])
def test_a_torn_file_is_judged_anew_and_mended(files, tmp_path, torn):
    first = scored(files, tmp_path / "work")
    [name] = kept(tmp_path / "work")
    path = tmp_path / "work" / name
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2] if torn == "half" else torn)
    again = scored(files, tmp_path / "work")
    assert {name: score.value for name, score in again.items()} == {n: s.value for n, s in first.items()}
    assert [one["measure"] for one in json.loads(path.read_text())] == list(first)
    assert kept(tmp_path / "work") == [name]


def test_tables_without_records_are_kept_too(files, tmp_path):
    empty = [BlockWriter(tmp_path / name, files[0].schema).write_all([]) for name in ("none", "nobody")]
    first, again = (scored(empty, tmp_path / "new" / "work", measures=(Sse(),)) for _ in range(2))
    assert first["sse"].value == again["sse"].value == 0.0
    assert len(kept(tmp_path / "new" / "work")) == 1


def test_nothing_but_scores_is_kept(files, tmp_path):
    scored(files, tmp_path / "work")
    [name] = kept(tmp_path / "work")
    fields = {"measure", "value", "parts", "seconds", "low", "high", "sample"}
    for score in json.loads((tmp_path / "work" / name).read_text()):
        assert set(score) <= fields
        assert all(isinstance(part, float) for part in score["parts"].values())
    assert [path.name for path in (tmp_path / "work").iterdir()] == [name]
