"""Protecting, masking and judging tables that stay on disk, against the same jobs in memory."""

import json
import shlex
from functools import partial

import numpy as np
import pytest

import sfumato
from sfumato import evaluate, write_release
from sfumato.core import DataError, GateError, progress, stream
from sfumato.data import Attribute, Schema, Table, write_table
from sfumato.data.blocks import Blocks, BlockWriter
from sfumato.data.source import Source
from sfumato.data.workplace import LEAST, MOST, Workplace
from sfumato.jobs import Work
from sfumato.jobs.describe import described, described_blocks, sampled_rows
from sfumato.jobs.evaluate import Evaluation, scored
from sfumato.jobs.mask import masked_blocks
from sfumato.jobs.protect import Protect
from sfumato.masking import Pram
from sfumato.measures import Estimate, Score
from sfumato.reports._cautions import cautions
from sfumato.reports.repetition import repeat_command
from sfumato.search.maskings.gates import Gate

protect = partial(sfumato.protect, with_verdict=False)  # which takes long, and is tested by itself


def people(n: int = 600) -> Table:
    """Two keys with few values, of which one is rare; an identifier; something to keep."""
    rng = stream(3, "people")
    schema = Schema(
        [
            Attribute(name="person", scale="numeric", role="identifier", storage="integer", decimals=0),
            Attribute(name="sex", scale="nominal", role="key", categories=("f", "m")),
            Attribute(name="region", scale="nominal", role="key", categories=("north", "south", "isle")),
            Attribute(name="income", scale="numeric", role="confidential", decimals=0, storage="integer"),
        ]
    )
    region = rng.choice(3, n, p=[0.5, 0.49, 0.01]).astype(np.int8)
    columns = {"sex": rng.integers(0, 2, n).astype(np.int8), "region": region}
    return Table(schema, {"person": np.arange(n), "income": rng.integers(900, 5000, n), **columns})


@pytest.fixture
def work(tmp_path):
    with Work(workers=1, memory=10**6, folder=tmp_path / "work") as opened:
        yield opened


def protect_from_disk(blocks: Blocks, work: Work, **fields):
    names = tuple(blocks.schema.names)
    source = Source(blocks.schema, names, lambda names, schema: blocks, lambda names: {}, on_disk=True)
    return Protect(**{"seed": 0, "with_verdict": False, **fields}).run(source, work=work)


def evaluate_from_disk(original: Blocks, masked: Blocks, work: Work) -> Evaluation:
    return scored(original, masked, work)


def on_disk(table: Table, folder, records: int = 250) -> Blocks:
    rows = np.arange(table.n)
    return BlockWriter(folder, table.schema).write_all(
        [table.take(rows[at : at + records]) for at in range(0, table.n, records)]
    )


def whole(blocks: Blocks) -> Table:
    return blocks.take(np.arange(blocks.n))


def test_sampled_rows_are_fixed_by_the_seed_and_fair():
    assert sampled_rows(1000, 50, 1).tolist() == sampled_rows(1000, 50, 1).tolist()
    assert sampled_rows(1000, 50, 1).tolist() != sampled_rows(1000, 50, 2).tolist()
    counts = np.bincount(np.concatenate([sampled_rows(20, 5, seed) for seed in range(400)]), minlength=20)
    assert counts.min() > 60 and counts.max() < 140  # 100 expected, standard deviation 8.7


def test_memory_for_the_database_has_bounds(work):
    place = work.place
    assert place.for_database == LEAST
    assert Workplace(place.folder, place.crew, memory=10**12).for_database == MOST


def test_masked_files_are_judged_as_in_memory(tmp_path, work):
    table = people()
    original = on_disk(table, tmp_path / "original")
    masked = masked_blocks(original, Pram(p=0.6), work, seed=4)
    assert masked_blocks(original, Pram(p=0.6), work, seed=4).folder == masked.folder
    assert masked_blocks(original, Pram(p=0.6), work, seed=5).folder != masked.folder
    found, expected = evaluate_from_disk(original, masked, work), evaluate(table, whole(masked))
    assert {"information_loss", "disclosure_risk"} <= set(found.scores)
    for name, score in found.scores.items():
        assert score.value == pytest.approx(expected.scores[name].value, rel=1e-9), name
        assert found.senses[name] == expected.senses[name]
    with pytest.raises(DataError, match="Got 250 records where the original has 600"):
        evaluate_from_disk(original, on_disk(table.take(np.arange(250)), tmp_path / "few"), work)


class Tasks:
    """A listener that remembers what was begun, and what was told."""

    def __init__(self):
        self.labels, self.notes = [], []

    def started(self, task):
        self.labels.append(task.label)

    def advanced(self, task): ...
    def finished(self, task): ...
    def noted(self, message):
        self.notes.append(message)

    def found(self, what, values): ...
    def honoured(self): ...


JUDGING = {"Comparing blocks", "Looking for records alike"}


def test_work_that_is_taken_up_again_does_not_judge_again(tmp_path, work):
    original = on_disk(people(), tmp_path / "original")
    options = {"masking": {"method": "pram", "p": 0.7}, "sample": 100}
    first, second, third = Tasks(), Tasks(), Tasks()
    with progress.listening(first):
        found = protect_from_disk(original, work, **options)
    with progress.listening(second):
        again = protect_from_disk(original, work, **options)
        evaluation = evaluate_from_disk(original, found.whole.blocks, work)
    with progress.listening(third):
        protect_from_disk(original, work, seed=1, **options)
    assert JUDGING.issubset(first.labels) and JUDGING.isdisjoint(second.labels)
    assert JUDGING.issubset(third.labels)
    assert again.evaluation.to_dict() == found.evaluation.to_dict() == evaluation.to_dict()
    assert again.whole.uniques == found.whole.uniques


def test_what_the_sample_cannot_meet_the_whole_file_may(tmp_path, work):
    """Of the rare region a sample has one or none; in the whole file there are several of each sex."""
    table = people(1500)
    original = on_disk(table, tmp_path / "original")
    gates, pram = ["k_anonymity.smallest >= 10"], {"method": "pram", "p": 0.9}
    found = protect_from_disk(original, work, masking=pram, require=gates, sample=120, seed=1)
    assert not Gate.parse(gates[0]).holds(found.chosen.scores)
    [reading] = found.gates
    release = whole(found.whole.blocks)
    classes = np.unique(np.column_stack([release["sex"], release["region"]]), axis=0, return_counts=True)[1]
    assert reading.holds and reading.reading == classes.min() >= 10
    assert found.original.n == found.release.n == 120 and found.whole.blocks.n == 1500
    assert "person" not in found.whole.release.names and "person" not in found.release.names
    expected = evaluate(table, release)
    assert found.loss == pytest.approx(expected.loss) and found.risk == pytest.approx(expected.risk)
    assert found.whole.uniques == (0.0, 0.0)
    assert found.whole.counts["region"][0] == dict(
        zip(("north", "south", "isle"), np.bincount(table["region"]).tolist(), strict=True)
    )
    assert not any("occur in no released record" in sentence for sentence in cautions(found))


@pytest.mark.parametrize(("sample", "told"), [(120, True), (600, False)])
def test_it_is_told_what_was_not_tried_and_on_how_many(tmp_path, work, sample, told):
    original = on_disk(people(), tmp_path / "original")
    options = {"methods": ("pram", "shuffling"), "require": ["people_found <= 100"], "sample": sample}
    with progress.listening(tasks := Tasks()):
        protect_from_disk(original, work, seed=1, **options)
    assert "not tried, since they need all records in memory: shuffling." in tasks.notes
    assert any(f"on a random sample of {sample} of 600 records" in note for note in tasks.notes) == told


def test_the_release_is_written_with_its_report_and_can_be_repeated(tmp_path, work):
    original = on_disk(people(), tmp_path / "original")
    found = protect_from_disk(original, work, methods=["pram"], sample=120, keep=["person"])
    paths = write_release(found, tmp_path / "out.parquet", source="people.parquet")
    assert all(path.is_file() for path in paths)
    record = json.loads((tmp_path / "out.private/record.json").read_text())
    assert record["sample"]["tried_on_the_whole_file"] == [str(found.chosen.masking)]
    assert record["release"]["fingerprint"] != record["original"]["fingerprint"]
    words = shlex.split(repeat_command(found))
    assert words[words.index("--sample") + 1] == "120" and words[words.index("--memory") + 1] == "1MB"
    assert words[words.index("--keep") + 1] == "person"
    with Work(workers=1, memory=10**9, folder=tmp_path / "elsewhere") as other:
        again = protect_from_disk(original, other, methods=["pram"], sample=120, keep=["person"])
    assert again.fingerprints == found.fingerprints and again.chosen.masking == found.chosen.masking


def test_a_given_masking_is_the_only_candidate(tmp_path, work):
    original = on_disk(people(), tmp_path / "original")
    found = protect_from_disk(original, work, masking={"method": "pram", "p": 0.7}, sample=100)
    assert len(found.candidates) == 1 and not found.searched
    assert "--masking" in repeat_command(found)


def test_gates_that_nothing_meets_end_with_an_error(tmp_path, work):
    original = on_disk(people(), tmp_path / "original")
    with pytest.raises(
        GateError, match=r"None of the 4 best of \d+ candidates meets, on the whole file, information_loss"
    ):
        protect_from_disk(original, work, methods=["pram"], require=["loss <= 0.01"], sample=100)
    with pytest.raises(DataError, match="clustering needs all records in memory"):
        protect_from_disk(original, work, require=["clustering <= 5"])
    with pytest.raises(DataError, match="shuffling: needs all records in memory"):
        protect_from_disk(original, work, methods=["shuffling"])


def test_an_estimate_must_meet_a_gate_with_its_cautious_end():
    guess = Estimate(
        measure="distance_linkage", value=1.9, parts={}, seconds=0.0, low=1.5, high=2.3, sample=10_000
    )
    sure = Score(measure="distance_linkage", value=1.9, parts={}, seconds=0.0)
    gate = Gate.parse("linkage <= 2")
    assert not gate.read({"distance_linkage": guess}).holds
    assert gate.read({"distance_linkage": guess}).reading == 2.3
    assert gate.read({"distance_linkage": sure}).holds
    assert Gate.parse("linkage >= 1.6").read({"distance_linkage": guess}).reading == 1.5


def test_described_from_disk_as_in_memory(tmp_path, work):
    table = people()
    blocks = on_disk(table, tmp_path / "original")
    found, expected = described_blocks(blocks, work), described(table)
    assert found.sample == 600 and found.to_dict() == expected.to_dict()
    part = described_blocks(blocks, work, sample=50)
    assert part.sample == 50 and part.records == 600 and part.keys.to_dict() == expected.keys.to_dict()


@pytest.mark.slow
def test_candidates_are_judged_on_a_cluster_as_here():
    table = people(80)
    here = protect(table, methods=["pram"], seed=2)
    there = protect(table, methods=["pram"], seed=2, workers=2, cluster="local")
    assert there.release.fingerprint == here.release.fingerprint
    assert [(c.loss, c.risk) for c in there.candidates] == [(c.loss, c.risk) for c in here.candidates]


def test_what_fails_in_python_leaves_nothing_behind(tmp_path):
    write_table(people(), tmp_path / "people.parquet")
    with pytest.raises(GateError):
        sfumato.protect(
            tmp_path / "people.parquet", memory="1KB", masking="pram(p=0.9)", require=["k >= 1000"]
        )
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]
