import os
import shutil
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from masking.from_disk.masked_blocks import CATEGORIES, NUMBERS, files, in_memory, on_disk, people
from sfumato.core import Cancelled, DataError, FileError, progress, registry
from sfumato.data.blocks import BlockWriter
from sfumato.kernels.distinct_records import distinct
from sfumato.masking import (
    Chain,
    Clustered,
    DataSwapping,
    Generalisation,
    GlobalMedian,
    GlobalRecoding,
    IndividualRanking,
    InParts,
    Intervals,
    LocalSuppression,
    Mdav,
    MdavGeneric,
    Mondrian,
    Noise,
    Pram,
    RankSwapping,
    Recoding,
    Removal,
    Rounding,
    Sampling,
    Shuffling,
    SingleAxis,
    Suppression,
    TopBottomCoding,
    Vmdav,
)
from sfumato.masking.from_disk.mask_blocks import can_mask, mask_blocks
from sfumato.parallel import Workers
from sfumato.parallel.cluster import Cluster

ALL = Chain(
    [
        Mdav(k=4, attributes=NUMBERS),
        Noise(attributes=("wealth",)),
        RankSwapping(p=3, attributes=("degree",)),
        Pram(attributes=("town",)),
        Mondrian(k=3, attributes=CATEGORIES),
    ]
)

KILLED = """
import os, signal, sys
from pathlib import Path
from masking.from_disk.test_mask_blocks import ALL
from sfumato.core import progress
from sfumato.data.blocks import Blocks
from sfumato.masking.from_disk.mask_blocks import mask_blocks
from sfumato.parallel import Workers

class Killing:
    steps = 0
    def started(self, task): pass
    def finished(self, task): pass
    def advanced(self, task):
        self.steps += 1
        if self.steps == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)

here = Path(sys.argv[1])
with progress.listening(Killing()):
    mask_blocks(Blocks(here / "o"), ALL, here / "killed", seed=3, crew=Workers(None), partition=60)
"""


def masked(table, masking, folder, *, records=70, partition=60, seed=1):
    """The table masked on disk, in memory again."""
    blocks = on_disk(table, folder / "o", records)
    found = mask_blocks(blocks, masking, folder / "m", seed=seed, crew=Workers(None), partition=partition)
    assert found.counts == blocks.counts
    return in_memory(found)


def assert_kept(table, after, names):
    """Same records in the same order, and nothing else touched."""
    assert after.names == table.names
    for name in table.names:
        if name not in names:
            np.testing.assert_array_equal(after[name], table[name])
            assert after.schema[name] == table.schema[name]


def smallest_class(table, names):
    """The least number of records of one stratum whose cells in these columns are written alike."""
    texts = table.select([*names, *table.schema.with_role("stratum")]).to_arrow(text=True)
    return min(Counter(zip(*(column.to_pylist() for column in texts.columns), strict=True)).values())


GROUPING = [
    (Mdav(k=5, attributes=NUMBERS), NUMBERS),
    (Mdav(k=5, attributes=NUMBERS, missing="impute"), NUMBERS),
    (Vmdav(k=5, attributes=NUMBERS, standardise="range"), NUMBERS),
    (SingleAxis(k=5, attributes=NUMBERS, weighted=True), NUMBERS),
    (MdavGeneric(k=5), (*NUMBERS, *CATEGORIES)),
    (LocalSuppression(k=5, attributes=CATEGORIES), CATEGORIES),
    (Mondrian(k=5), (*NUMBERS, *CATEGORIES)),
    (GlobalMedian(k=5, attributes=("degree",)), ("degree",)),
    (Clustered(k=5, clusters=2, runs=2), (*NUMBERS, *CATEGORIES)),
]


@pytest.mark.parametrize(("masking", "names"), GROUPING, ids=lambda value: getattr(value, "name", ""))
@given(
    n=st.integers(5, 250),
    seed=st.integers(0, 10**6),
    records=st.integers(9, 120),
    partition=st.integers(1, 150),
    strata=st.sampled_from([0, 0, 3]),
    missing=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
def test_every_record_is_like_k_of_its_stratum(
    tmp_path_factory, masking, names, n, seed, records, partition, strata, missing
):
    table = people(n, seed=seed, strata=strata, missing=missing)
    if strata and np.bincount(table["sector"]).min() < 5:
        table = table.replace({"sector": table["sector"] * 0})
    folder = tmp_path_factory.mktemp("k")
    after = masked(table, masking, folder, records=records, partition=partition)
    assert_kept(table, after, names)
    assert smallest_class(after, names) >= min(5, n)
    shutil.rmtree(folder)


@given(n=st.integers(5, 200), seed=st.integers(0, 10**6), partition=st.integers(1, 150))
@settings(max_examples=8)
def test_suppressed_records_are_like_k_if_missing_is_like_any(tmp_path_factory, n, seed, partition):
    table = people(n, seed=seed)
    folder = tmp_path_factory.mktemp("k")
    after = masked(table, LocalSuppression(k=4, attributes=CATEGORIES), folder, partition=partition)
    codes = after.codes(CATEGORIES)
    like = ((codes[:, None] == codes) | (codes[:, None] < 0) | (codes < 0)).all(axis=2)
    assert like.sum(axis=1).min() >= min(4, n)
    changed = codes != table.codes(CATEGORIES)
    assert (codes[changed] == -1).all()
    shutil.rmtree(folder)


def test_equal_records_make_partitions_too(tmp_path):
    table = people(400, missing=0)
    same = table.replace({name: np.repeat(table[name][:1], 400) for name in NUMBERS})
    after = masked(same, Mdav(k=5, attributes=NUMBERS), tmp_path, partition=20)
    np.testing.assert_array_equal(after.numbers(NUMBERS), same.numbers(NUMBERS))


def test_little_more_is_lost_than_in_memory(tmp_path):
    table = people(20_000, missing=0)
    X = table.numbers(NUMBERS)
    scale = X.std(axis=0)
    mdav = Mdav(k=5, attributes=NUMBERS)

    def lost(after):
        return float((((after.numbers(NUMBERS) - X) / scale) ** 2).sum())

    on_disk_ = lost(masked(table, mdav, tmp_path, records=3000, partition=2000))
    assert on_disk_ < 1.05 * lost(mdav.apply(table, np.random.default_rng(1)))


def test_partitions_are_grouped_on_the_scale_of_the_file(tmp_path):
    # in units of the file only x matters; a partition by itself would look at y as much
    rng = np.random.default_rng(1)
    table = people(400, missing=0).replace({"age": np.arange(400) % 100, "wealth": rng.normal(size=400)})
    table = table.replace({"wealth": np.where(np.arange(400) < 3, 1e6, table["wealth"])})
    after = masked(table, Mdav(k=3, attributes=("age", "wealth")), tmp_path, partition=100)
    moved = np.abs(after["age"] - table["age"])[3:]
    assert moved.mean() < 1


@pytest.mark.parametrize(
    "masking",
    [
        Rounding(attributes=NUMBERS),
        Rounding(attributes=NUMBERS, share=2.0),
        TopBottomCoding(attributes=(*NUMBERS, "degree")),
        TopBottomCoding(attributes=("age", "income"), replace="mean", percent=20),
        TopBottomCoding(attributes=NUMBERS, top=70, bottom=10),
        Intervals(attributes=("age", "income"), cuts=(20, 50)),
        Intervals(attributes=("age", "wealth"), cuts=(20, 50), value="mean"),
        Recoding(attributes=("town", "degree"), to={"low": ["1..3"], "inland": ["Soria", "Avila"]}),
        Suppression(where="age > 60 and town = Soria", attributes=("income", "degree")),
        Removal(attributes=("income", "town")),
        Chain(
            [
                Recoding(to={"inland": ["Soria", "Avila"]}, attributes=("town",)),
                Suppression(where="town = inland", attributes=("degree",)),
            ]
        ),
        GlobalRecoding(p=3),
        GlobalRecoding(attributes=("town",), level=1),
        Generalisation(k=4, suppress=10, attributes=("age", "income", "degree")),
        Generalisation(k=3, suppress=5, risk=20, attributes=("degree", "town"), loss="discernibility"),
        Generalisation(k=2, l=2, t=0.6, suppress=9, confidential=("town",), attributes=("age", "degree")),
        Chain([GlobalRecoding(p=2), TopBottomCoding(attributes=("wealth",)), Rounding(base=7)]),
    ],
    ids=str,
)
@pytest.mark.parametrize("strata", [0, 3])
def test_methods_that_draw_nothing_give_the_file_they_give_in_memory(tmp_path, masking, strata):
    blocks = on_disk(people(600, strata=strata), tmp_path / "o", 170)
    after = in_memory(mask_blocks(blocks, masking, tmp_path / "m", seed=1, crew=Workers(None)))
    expected = masking.apply(in_memory(blocks), np.random.default_rng(0))
    assert after.schema == expected.schema
    assert after.fingerprint == expected.fingerprint


@pytest.mark.parametrize("matrix", ["frequency", "invariant"])
def test_pram_moves_as_many_as_its_matrix_says(tmp_path, matrix):
    table = people(20_000)
    pram = Pram(matrix=matrix, p=0.6, attributes=CATEGORIES)
    after = masked(table, pram, tmp_path, records=3000)
    assert_kept(table, after, CATEGORIES)
    for name, P in pram.matrices(table).items():
        np.testing.assert_array_equal(after.missing(name), table.missing(name))
        counts = np.zeros_like(P)
        np.add.at(counts, (table[name][table[name] >= 0], after[name][table[name] >= 0]), 1)
        expected = counts.sum(axis=1, keepdims=True) * P
        assert (counts[P == 0] == 0).all()
        seen = expected > 0
        chi_square = ((counts - expected)[seen] ** 2 / expected[seen]).sum()
        freedom = np.count_nonzero(seen) - np.count_nonzero(seen.any(axis=1))
        assert chi_square < freedom + 4 * np.sqrt(2 * freedom)


def test_pram_draws_other_numbers_in_each_block_and_step(tmp_path):
    table = people(100, missing=0).take(np.tile(np.arange(50), 20))
    chain = Chain([Pram(attributes=("town",), p=0.5, matrix="uniform")] * 2)
    blocks = on_disk(table, tmp_path / "o", 50)
    once = mask_blocks(blocks, chain.steps[0], tmp_path / "a", seed=1, crew=Workers(None))
    towns = in_memory(once)["town"].reshape(20, 50)
    assert len(np.unique(towns, axis=0)) == 20
    twice = mask_blocks(blocks, chain, tmp_path / "b", seed=1, crew=Workers(None))
    assert (in_memory(twice)["town"] == table["town"]).mean() < 0.55  # 0.6 after one step, 0.4 after two


@pytest.mark.parametrize("strata", [0, 3])
def test_rank_swapping_keeps_each_distribution_and_its_window(tmp_path, strata):
    table = people(3000, strata=strata)
    names = ("income", "degree")
    masking = RankSwapping(p=2, attributes=names)
    after = masked(table, masking, tmp_path, records=400, partition=100)
    assert_kept(table, after, names)
    for name in names:
        np.testing.assert_array_equal(after.missing(name), table.missing(name))
        for _, rows in table.strata():
            rows = rows[~table.missing(name)[rows]]
            before, now = table[name][rows], after[name][rows]
            ordered = np.sort(before)
            np.testing.assert_array_equal(ordered, np.sort(now))
            window = masking.window(len(rows))
            low, high = np.searchsorted(ordered, now), np.searchsorted(ordered, now, side="right") - 1
            first, last = np.searchsorted(ordered, before), np.searchsorted(ordered, before, side="right") - 1
            assert (np.maximum(low - last, first - high) <= window).all()
    assert (after["income"] != table["income"])[~table.missing("income")].mean() > 0.9


def test_individual_ranking_shares_each_value_among_k(tmp_path):
    table = people(1000, strata=2)
    after = masked(table, IndividualRanking(k=4, attributes=("wealth",)), tmp_path, partition=50)
    assert_kept(table, after, ("wealth",))
    present = ~table.missing("wealth")
    counts = distinct([after["wealth"][present], after["sector"][present]]).counts
    assert counts.min() >= 4
    assert counts.max() < 8
    assert np.corrcoef(after["wealth"][present], table["wealth"][present])[0, 1] > 0.98


def test_swapped_categories_keep_their_frequencies(tmp_path):
    table = people(1000, strata=2)
    masking = DataSwapping(p=50, attributes=("town",), matching=("degree",))
    after = masked(table, masking, tmp_path, records=300)
    columns = ("town", "degree", "sector")
    before, now = (distinct([t[name] for name in columns]) for t in (table, after))
    np.testing.assert_array_equal(before.counts, now.counts)
    assert 0.1 < (after["town"] != table["town"]).mean() <= 0.5


def test_recoded_categories_of_all_partitions_make_one_domain(tmp_path):
    table = people(900, missing=0.05)
    after = masked(table, Mondrian(k=4, attributes=CATEGORIES), tmp_path)
    for name in CATEGORIES:
        attribute, present = after.schema[name], (after[name] >= 0) & (table[name] >= 0)
        stands_for = [set(attribute.covers.get(category, (category,))) for category in attribute.categories]
        original = [table.schema[name].categories[code] for code in table[name][present]]
        assert all(o in stands_for[c] for o, c in zip(original, after[name][present], strict=True))
        assert set(after[name].tolist()) - {-1} == set(range(attribute.domain_size))
    degrees = after.schema["degree"]
    middles = [sum(map(int, (c.split("..")[0], c.split("..")[-1]))) for c in degrees.categories]
    assert middles == sorted(middles)


def test_missing_values_keep_their_reasons(tmp_path):
    table = people(300)
    after = masked(table, Mdav(k=3, attributes=NUMBERS, missing="any"), tmp_path)
    np.testing.assert_array_equal(after.reasons("income"), table.reasons("income"))


def test_another_seed_gives_another_file(tmp_path):
    blocks = on_disk(people(150), tmp_path / "o", 150)
    one, other = (
        mask_blocks(blocks, Pram(), tmp_path / str(seed), seed=seed, crew=Workers(None)) for seed in (3, 4)
    )
    assert in_memory(one).fingerprint != in_memory(other).fingerprint


@pytest.mark.parametrize(
    ("make", "masking"),
    [
        (lambda: Workers(None, 2), ALL),
        (lambda: Cluster(None, workers=2), Chain([Mdav(k=4, attributes=NUMBERS), Pram()])),
    ],
    ids=["processes", "cluster"],
)
def test_whoever_does_the_work_the_files_are_the_same(tmp_path, make, masking):
    blocks = on_disk(people(400, strata=2), tmp_path / "o", 150)
    mask_blocks(blocks, masking, tmp_path / "here", seed=3, crew=Workers(None), partition=60)
    with make() as crew:
        mask_blocks(blocks, masking, tmp_path / "there", seed=3, crew=crew, partition=60)
    assert files(tmp_path / "here") == files(tmp_path / "there")


class Stopping:
    """A listener that stops the work after so many steps."""

    def __init__(self, steps):
        self.left = steps

    def started(self, task):
        pass

    def finished(self, task):
        pass

    def advanced(self, task):
        self.left -= 1
        if self.left == 0:
            raise Cancelled("enough")


def test_stopped_work_is_taken_up_where_it_was_left(tmp_path):
    blocks = on_disk(people(300), tmp_path / "o", 110)

    def mask(folder):
        return mask_blocks(blocks, ALL, folder, seed=3, crew=Workers(None), partition=60)

    expected = files(mask(tmp_path / "whole").folder)
    for steps in range(1, 200, 12):
        try:
            with progress.listening(Stopping(steps)):
                mask(tmp_path / f"{steps}")
        except Cancelled:
            stopped = tmp_path / f"{steps}"
            assert not (stopped / "index.json").exists()
            kept = {path: path.stat().st_mtime_ns for path in stopped.rglob("*.arrow")}
            mask(stopped)
            assert files(stopped) == expected
            assert all(path.stat().st_mtime_ns == at for path, at in kept.items() if path.exists())
            assert [path for path in stopped.iterdir() if path.is_dir()] == []
        else:
            break
    else:
        pytest.fail("it never came to an end")
    assert mask(tmp_path / "whole").n == 300  # and what is finished is left alone


def test_killed_work_is_taken_up_too(tmp_path):
    blocks = on_disk(people(300), tmp_path / "o", 70)
    command = [sys.executable, "-c", KILLED, str(tmp_path), "17"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    for folder in ("killed", "whole"):
        mask_blocks(blocks, ALL, tmp_path / folder, seed=3, crew=Workers(None), partition=60)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_a_folder_is_not_used_for_something_else(tmp_path):
    blocks = on_disk(people(100), tmp_path / "o", 70)
    mask_blocks(blocks, Pram(), tmp_path / "m", seed=1, crew=Workers(None))
    other = on_disk(people(100, seed=5), tmp_path / "p", 70)
    for original, masking, seed in ((blocks, Pram(), 2), (blocks, Pram(p=0.1), 1), (other, Pram(), 1)):
        with pytest.raises(FileError, match="the work of another masking; remove it"):
            mask_blocks(original, masking, tmp_path / "m", seed=seed, crew=Workers(None))


@pytest.mark.parametrize(
    "masking",
    [Shuffling(), Sampling(fraction=0.5), Noise(kind="correlated_transformed"), Chain([Pram(), Shuffling()])],
    ids=str,
)
def test_methods_that_need_all_records_are_refused(tmp_path, masking):
    blocks = on_disk(people(100), tmp_path / "o", 70)
    assert not can_mask(masking)
    with pytest.raises(DataError, match=r"needs all records in memory.* use .*mdav, .*pram, .*vmdav\."):
        mask_blocks(blocks, masking, tmp_path / "m", seed=1, crew=Workers(None))
    assert not (tmp_path / "m").exists()


def test_a_stratum_that_is_too_small_is_refused_by_name(tmp_path):
    table = people(200, strata=2)
    table = table.replace({"sector": np.where(np.arange(200) < 3, 1, 0)})
    for masking, step in ((Mdav(k=5), ""), (Chain([Pram(), Mondrian(k=5)]), "Step 2: ")):
        with pytest.raises(DataError) as raised:
            masked(table, masking, tmp_path / masking.__class__.__name__)
        with pytest.raises(DataError) as expected:
            masking.apply(table, np.random.default_rng(1))
        assert str(raised.value) == str(expected.value)
        assert str(raised.value).startswith(f"{step}Stratum sector = s1: ")


def test_no_records_are_masked_too(tmp_path):
    table = people(20).take(np.arange(0))
    original = BlockWriter(tmp_path / "o", table.schema).write_all([table])
    assert mask_blocks(original, Mdav(k=3), tmp_path / "m", seed=1, crew=Workers(None)).n == 0


def test_every_k_anonymous_method_can_mask_a_file_in_parts():
    for name in registry.names("masking"):
        method = registry.load("masking", name)
        assert (method.parted_by == "none") == (not issubclass(method, InParts))
        if method.k_anonymous:
            assert method.parted_by in ("neighbours", "records")
