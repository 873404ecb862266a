"""Tables of three columns: which are kept, and that none of their cells is about few people."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table
from sfumato.masking import make_masking
from sfumato.masking.synthesis.cells import Cells
from sfumato.masking.synthesis.columns import columns_of
from sfumato.masking.synthesis.triples import (
    ENOUGH_RECORDS,
    beyond_pairs,
    fitted_to_pairs,
    related_triples,
    tables_of_three,
    triple_cells,
)

NAMES = ("a", "b", "c", "d", "e")


def people(n, seed=0):
    """Two coins and whether they agree: no pair of the three is related; d hangs on a alone, and e on nothing."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, n))
    c, d = np.where(rng.random(n) < 0.9, a ^ b, 1 - (a ^ b)), np.where(rng.random(n) < 0.8, a, 1 - a)
    schema = Schema([Attribute(name=name, scale="nominal", categories=("0", "1")) for name in NAMES])
    return Table(schema, dict(zip(NAMES, [a, b, c, d, rng.integers(0, 2, n)], strict=True)))


def everything(d):
    return np.ones((d, d), bool)


def test_what_three_columns_say_together_and_their_pairs_do_not_is_found():
    columns = columns_of(people(ENOUGH_RECORDS), NAMES)
    assert related_triples(columns, 1, everything(5))[0] == (0, 1, 2)
    found = related_triples(columns, 10, everything(5))
    assert {t for t in found if "e" in {NAMES[j] for j in t}} == set()  # e is by itself
    apart = everything(5)
    apart[0, 1] = apart[1, 0] = False
    assert (0, 1, 2) not in related_triples(columns, 10, apart)
    assert related_triples(columns, 0, everything(5)) == []


def test_small_files_have_none():
    assert related_triples(columns_of(people(ENOUGH_RECORDS - 1), NAMES), 10, everything(5)) == []


@given(seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_a_table_fitted_to_pairs_has_these_pairs(seed):
    counts = np.random.default_rng(seed).integers(1, 60, (3, 4, 2)).astype(float)
    fitted = fitted_to_pairs(counts)
    for axis in range(3):
        np.testing.assert_allclose(fitted.sum(axis=axis), counts.sum(axis=axis), rtol=1e-2)
    independent = np.ones((3, 4, 2)) * counts.sum() / 24
    np.testing.assert_allclose(fitted_to_pairs(independent), independent)


def test_chance_alone_is_about_one_deviation():
    rng = np.random.default_rng(1)
    found = [beyond_pairs(list(rng.integers(0, 4, (3, 5000)))) for _ in range(40)]
    assert abs(np.mean(found)) < 1
    assert 0.5 < np.std(found) < 1.6


@given(n=st.integers(1, 400), seed=st.integers(0, 1000), least=st.integers(2, 80))
@settings(max_examples=20)
def test_no_cell_is_about_fewer_people_than_it_may(n, seed, least):
    rng = np.random.default_rng(seed)
    schema = Schema([Attribute(name=name, scale="numeric") for name in "xyz"])
    table = Table(schema, {name: rng.integers(0, 30, n).astype(float) for name in "xyz"})
    columns = columns_of(table, ("x", "y", "z"))
    labels, counts = triple_cells(columns, least)
    bins = [column.bins for column in columns]
    np.testing.assert_array_equal(np.bincount(labels[tuple(bins)], minlength=len(counts)), counts)
    assert counts.sum() == n
    assert len(counts) == 1 or counts.min() >= least
    cells = Cells()
    first = cells.add(*triple_cells(columns, least))
    threes = tables_of_three(columns, [(0, 1, 2)], least, cells)
    at = threes.start[0] + np.column_stack(bins).astype(np.int64) @ threes.step[0]
    assert first == 0
    np.testing.assert_array_equal(cells.numbers[at], labels[tuple(bins)] + len(counts))
    assert (threes.of == [[0, -1]] * 3).all()


@pytest.mark.parametrize("triples", [0, 3])
def test_a_release_shows_a_relation_of_three_only_with_their_table(triples):
    table = people(ENOUGH_RECORDS)
    method = make_masking({"method": "calibrated_synthesis", "triples": triples, "leaf": 100_000})
    new = method.apply(table, np.random.default_rng(0))
    agree = np.mean((new["a"] ^ new["b"]) == new["c"])
    before = np.mean((table["a"] ^ table["b"]) == table["c"])
    assert abs(agree - before) < 0.02 if triples else abs(agree - 0.5) < 0.05
