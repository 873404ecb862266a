import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_blocks import blocks_of

from sfumato.core import MissingExtraError, SfumatoError
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.ranks import ranks_in_order
from sfumato.measures.statistics import database as databases
from sfumato.measures.statistics.database import database
from sfumato.measures.statistics.ranks import rank

X = Schema([Attribute(name="x", scale="numeric")])
VALUES = st.lists(st.sampled_from([np.nan, -0.0, 0.0, 1.5, -3.0, 7.0, 1e300, 1e-300]), max_size=30)


@settings(max_examples=25)
@given(values=VALUES, others=VALUES, size=st.integers(1, 9))
def test_ranks_are_those_of_all_values_in_memory(values, others, size, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    values = np.array(values or [np.nan], float)
    blocks = blocks_of(Table(X, {"x": values}), folder / "x", size)
    with database(folder, memory=2**26) as db:
        yardstick = rank(blocks, "x", folder, db).yardstick()
    present = np.sort(values[~np.isnan(values)])
    distinct, counts = np.unique(present, return_counts=True)
    assert yardstick.distinct.tolist() == distinct.tolist()
    assert np.diff(yardstick.below).tolist() == counts.tolist()
    for value, position in zip(others, yardstick.positions(np.array(others, float)), strict=True):
        if not np.isnan(value):
            assert position == (present < value).sum() + (present == value).sum() / 2


def test_values_in_a_row_are_counted_across_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "ROWS", 2048)
    values = np.repeat(np.arange(5.0), 3000)[np.random.default_rng(0).permutation(15_000)]
    blocks = blocks_of(Table(X, {"x": values}), tmp_path / "x", 4000)
    with database(tmp_path, memory=2**26) as db:
        found = rank(blocks, "x", tmp_path, db).yardstick()
    assert found.distinct.tolist() == [0, 1, 2, 3, 4]
    assert found.below.tolist() == [0, 3000, 6000, 9000, 12_000, 15_000]


@given(
    ordered=st.lists(st.floats(-9, 9), max_size=20).map(sorted),
    distinct=st.lists(st.integers(-9, 9), unique=True, max_size=20).map(sorted),
    data=st.data(),
)
def test_the_ranks_of_the_kernel_are_counted_one_by_one(ordered, distinct, data):
    counts = data.draw(st.lists(st.integers(1, 3), min_size=len(distinct), max_size=len(distinct)))
    below = np.append(0, np.cumsum(np.array(counts, np.int64)))
    found = ranks_in_order(np.array([*ordered, np.nan]), np.array(distinct, float), below)
    values = np.repeat(np.array(distinct, float), counts)
    assert found[:-1].tolist() == [(values < x).sum() + (values == x).sum() / 2 for x in ordered]
    assert found[-1] == len(values)


def test_what_exceeds_the_memory_of_the_database_is_spilled(tmp_path):
    n = 2_000_000
    values = np.random.default_rng(0).permutation(n) / 7
    spilled = 0
    with database(tmp_path, memory=2**26) as db:
        db.give("t", pa.table({"x": values, "y": values}))
        found = []
        query = "SELECT x, y, count(*) AS n FROM t GROUP BY x, y ORDER BY x"
        for batch in db.ask(query):
            spilled += sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
            found.append(batch)
    assert spilled > 2**20
    assert np.array_equal(np.concatenate([b.column(0).to_numpy() for b in found]), np.arange(n) / 7)
    assert all((batch.column(2).to_numpy() == 1).all() for batch in found)
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_cannot_spill_enough_says_so(tmp_path):
    with database(tmp_path, memory=2**20) as db:
        db.give("t", pa.table({"x": np.random.default_rng(0).random(500_000)}))
        with pytest.raises(SfumatoError, match="give more"):
            list(db.ask("SELECT x, count(*) AS n FROM t GROUP BY x ORDER BY x"))


@pytest.mark.parametrize(
    "query", ["SELECT * FROM read_csv('somewhere.csv')", "INSTALL httpfs", "SET memory_limit = '1TB'"]
)
def test_the_database_reaches_nothing_but_its_tables(tmp_path, query):
    import duckdb

    (tmp_path / "somewhere.csv").write_text("a\n1\n")
    with database(tmp_path, memory=2**26) as db, pytest.raises(duckdb.Error):
        list(db.ask(query))


def test_without_the_extra_one_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"sfumato\[large\]"), database(tmp_path, memory=2**26):
        pass
