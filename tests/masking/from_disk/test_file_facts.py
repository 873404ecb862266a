import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.from_disk.masked_blocks import CATEGORIES, NUMBERS, on_disk, people
from sfumato.masking import Noise, Pram, TopBottomCoding, Whole
from sfumato.masking.from_disk.file_facts import facts_of, wholes_for
from sfumato.masking.from_disk.masking_task import MaskingTask
from sfumato.parallel import Workers

NAMES = (*NUMBERS, *CATEGORIES)


def assert_same_facts(known, whole):
    for name in NAMES:
        assert known.present(name) == whole.present(name)
    for name in CATEGORIES:
        np.testing.assert_array_equal(known.frequencies(name), whole.frequencies(name))
    for name in NUMBERS:
        assert known.ends(name) == whole.ends(name)
    for mine, theirs in zip(known.moments(NUMBERS), whole.moments(NUMBERS), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    for mine, theirs in zip(known.spreads(NUMBERS), whole.spreads(NUMBERS), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@pytest.mark.parametrize("strata", [0, 4])
def test_facts_of_blocks_are_those_of_the_table(tmp_path, strata):
    table = people(500, strata=strata)
    blocks = on_disk(table, tmp_path / "o", 70)
    work = MaskingTask(blocks, Noise(attributes=NUMBERS), NUMBERS, tmp_path, (1, "", 0))
    known = facts_of(blocks, NAMES, table.schema.with_role("stratum"), Workers(None))
    assert len(known) == max(strata, 1)
    wholes = wholes_for(work, known, Workers(None))
    for (_, rows), found in zip(table.strata(), wholes.values(), strict=True):
        whole = Whole.of(table.take(rows))
        assert_same_facts(found, whole)
        np.testing.assert_allclose(found.correlation(NUMBERS), whole.correlation(NUMBERS), atol=1e-12)


def test_a_method_that_sees_no_strata_is_told_of_the_whole_file(tmp_path):
    table = people(300, strata=3)
    blocks = on_disk(table, tmp_path / "o", 70)
    masking = TopBottomCoding(attributes=NUMBERS)
    work = MaskingTask(blocks, masking, NUMBERS, tmp_path, (1, "", 0))
    known = facts_of(blocks, NAMES, ("sector",), Workers(None))
    assert_same_facts(wholes_for(work, known, Workers(None))[()], Whole.of(table))


def test_columns_without_a_value_or_with_one_are_known(tmp_path):
    table = people(90).replace(
        {"age": np.full(90, np.nan), "wealth": np.full(90, 7.1), "town": np.full(90, -1)}
    )
    known = facts_of(on_disk(table, tmp_path / "o", 40), NAMES, (), Workers(None))[()]
    whole = Whole.of(table)
    assert known.present("age") == known.present("town") == 0
    assert known.moments(("wealth",)).deviations == known.moments(("wealth",)).spans == 0
    X = table.numbers(NUMBERS)
    for how in ("zscore", "range", "none"):
        mine, theirs = known.moments(NUMBERS).scaled(X, how), whole.moments(NUMBERS).scaled(X, how)
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@given(
    seed=st.integers(0, 1000), percent=st.floats(0, 50), n=st.integers(2, 200), whole_numbers=st.booleans()
)
@settings(max_examples=30)
def test_tails_are_found_exactly(tmp_path_factory, seed, percent, n, whole_numbers):
    table = people(n, seed=seed)
    if whole_numbers:
        table = table.replace({"wealth": np.round(table["wealth"] / 50)})
    blocks = on_disk(table, tmp_path_factory.mktemp("tails") / "o", 37)
    masking = TopBottomCoding(attributes=("wealth",), percent=percent)
    work = MaskingTask(blocks, masking, ("wealth",), blocks.folder, (seed, "", 0))
    known = facts_of(blocks, ("wealth",), (), Workers(None))
    if known[()].present("wealth") == 0:
        return
    found = wholes_for(work, known, Workers(None))[()].tails("wealth", percent)
    expected = Whole.of(table).tails("wealth", percent)
    assert found[:4] == expected[:4]
    np.testing.assert_allclose(found[4:], expected[4:], rtol=1e-12)


def test_tails_are_found_where_the_sample_misleads(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.masking.from_disk.masking_task.SAMPLE", 20)
    table = people(2000, missing=0)
    blocks = on_disk(table, tmp_path / "o", 300)
    for percent in (0.0, 0.1, 5.0, 50.0):
        masking = TopBottomCoding(attributes=("wealth",), percent=percent)
        work = MaskingTask(blocks, masking, ("wealth",), tmp_path, (1, "", 0))
        known = facts_of(blocks, ("wealth",), (), Workers(None))
        found = wholes_for(work, known, Workers(None))[()].tails("wealth", percent)
        assert found[:4] == Whole.of(table).tails("wealth", percent)[:4]


def test_the_matrices_of_pram_are_those_of_the_file_in_memory(tmp_path):
    table = people(400)
    known = facts_of(on_disk(table, tmp_path / "o", 90), CATEGORIES, (), Workers(None))[()]
    for matrix in ("frequency", "diagonal", "uniform", "max_entropy", "invariant"):
        pram = Pram(matrix=matrix, attributes=CATEGORIES)
        for name, expected in pram.matrices(table).items():
            np.testing.assert_array_equal(pram._matrix(table.schema[name], known, None), expected)
