"""Syntheses under one key: the same bytes whoever does the work, in memory and from disk."""

import pytest

import sfumato
from sfumato.core import Key
from sfumato.data.files import write_table
from sfumato.datasets import household_survey
from sfumato.jobs import _work
from sfumato.masking.from_disk import mask_blocks

KEY = Key(bytes(range(32)))
PUBLIC = (".csv", ".parquet", ".schema.toml", ".about.html")
IN_MEMORY, FROM_DISK = "1GB", "1KB"
PROCESSES, CLUSTER = {"workers": 2}, {"workers": 2, "cluster": "local"}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file of several blocks, where it is worked on from disk, and of several parts that are drawn together."""
    monkeypatch.setattr(_work, "BLOCK", 40)
    monkeypatch.setitem(mask_blocks.mask_blocks.__kwdefaults__, "partition", 40)
    people = household_survey(100, seed=1)
    write_table(people, tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


def mask(file, folder, **work):
    return sfumato.mask(
        file, "calibrated_synthesis", secret=KEY, shuffle=True, output=folder / "out.parquet", **work
    )


def protect(file, folder, **work):
    asked = {"methods": ["calibrated_synthesis", "tree_synthesis"], "with_verdict": False}
    return sfumato.protect(file, secret=KEY, output=folder / "out.parquet", **asked, **work)


def written(job, file, folder, **work):
    folder.mkdir()
    job(file, folder, **work)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.endswith(PUBLIC)}


@pytest.mark.parametrize(
    ("job", "memory", "elsewhere"),
    [
        pytest.param(mask, FROM_DISK, PROCESSES, id="mask from disk, processes"),
        pytest.param(mask, FROM_DISK, CLUSTER, id="mask from disk, cluster", marks=pytest.mark.slow),
        pytest.param(protect, IN_MEMORY, PROCESSES, id="protect, processes", marks=pytest.mark.slow),
        pytest.param(protect, IN_MEMORY, CLUSTER, id="protect, cluster", marks=pytest.mark.slow),
        pytest.param(
            protect, FROM_DISK, PROCESSES, id="protect from disk, processes", marks=pytest.mark.slow
        ),
        pytest.param(protect, FROM_DISK, CLUSTER, id="protect from disk, cluster", marks=pytest.mark.slow),
    ],
)
def test_whoever_does_the_work_what_goes_out_is_the_same(file, tmp_path, job, memory, elsewhere):
    here = written(job, file, tmp_path / "here", workers=1, memory=memory)
    there = written(job, file, tmp_path / "there", memory=memory, **elsewhere)
    assert len(here) == 3
    assert here == there


def test_from_disk_there_are_parts_and_another_key_draws_others(file, tmp_path):
    files = []
    for number, key in enumerate((KEY, Key(b"1" * 32))):
        output = tmp_path / f"{number}.parquet"
        made = sfumato.mask(file, "calibrated_synthesis", secret=key, workers=1, memory="1KB", output=output)
        assert len(made.counts) > 1
        files.append(output.read_bytes())
    assert files[0] != files[1]
