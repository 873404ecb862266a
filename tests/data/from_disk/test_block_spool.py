"""Parquet to blocks and back, against the reader and writer that hold the whole table in memory."""

import datetime
import decimal
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Schema, Table, propose, propose_schema, read_table, write_table
from sfumato.data.block_spool import spool
from sfumato.data.blocks import Blocks, BlockWriter, joined
from sfumato.data.parquet_proposal import propose_from_disk
from sfumato.data.parquet_source import is_parquet, parquet_source
from sfumato.data.parquet_stream import write_parquet_blocks
from sfumato.datasets import business_survey, household_survey
from sfumato.parallel import Workers

HERE = Workers(None, 1)


def whole(blocks: Blocks) -> Table:
    return joined(list(blocks.tables()), blocks.schema)


def in_blocks(table: Table, folder, records: int) -> Blocks:
    rows = np.arange(table.n)
    pieces = [table.take(rows[at : at + records]) for at in range(0, table.n, records)]
    return BlockWriter(folder, table.schema).write_all(pieces)


def many_types() -> pa.Table:
    days = [datetime.date(2020, 1, 1 + i % 28) for i in range(120)]
    moments = [datetime.datetime(2020, 1, 1, i % 24, 30) for i in range(120)]
    return pa.table(
        {
            "whole": pa.array([None if i % 11 == 0 else i * 7 % 190 for i in range(120)], pa.int16()),
            "floats": [float(i % 30) / 4 for i in range(120)],
            "single": pa.array([(i % 13) / 10 for i in range(120)], pa.float32()),
            "holed": pa.array([None if i % 5 == 0 else float(i) for i in range(120)]),
            "codes": [i % 3 for i in range(120)],
            "sex": ["fm"[i % 2] if i % 17 else None for i in range(120)],
            "numbers_in_text": [str(i * 3) if i % 9 else "NA" for i in range(120)],
            "postcode": [f"0{i % 20}" for i in range(120)],
            "region": pa.array(
                [("north", "south", "east")[i * i % 3] for i in range(120)]
            ).dictionary_encode(),
            "married": [i % 4 == 0 for i in range(120)],
            "day": days,
            "moment": pa.array(moments, pa.timestamp("us", "UTC")),
            "sum": pa.array([decimal.Decimal(i % 50) / 4 for i in range(120)], pa.decimal128(9, 2)),
            "person": [f"p{i}" for i in range(120)],
            "row": list(range(5, 125)),
            "nothing": pa.nulls(120),
        }
    )


@pytest.fixture
def file(tmp_path):
    pq.write_table(many_types(), tmp_path / "all.parquet", row_group_size=37)
    return tmp_path / "all.parquet"


def test_footers_tell_size_and_columns(file):
    source = parquet_source(file)
    assert (source.n, source.names) == (120, tuple(many_types().column_names))
    assert source.bytes_in_memory > many_types().nbytes
    assert is_parquet(file) and is_parquet(file.parent) and not is_parquet(file.with_name("x.csv"))


@pytest.mark.parametrize("row_groups", [7, 37, 50, 500])
@pytest.mark.parametrize("records", [7, 50, 120, 999])
def test_blocks_do_not_depend_on_row_groups(tmp_path, row_groups, records):
    pq.write_table(many_types(), tmp_path / "all.parquet", row_group_size=row_groups)
    source = parquet_source(tmp_path / "all.parquet")
    schema = propose(many_types()).schema
    blocks = spool(source, tmp_path / "work", schema=schema, crew=HERE, records=records)
    assert set(blocks.counts[:-1]) <= {records} and blocks.n == 120
    assert whole(blocks).fingerprint == read_table(tmp_path / "all.parquet", schema=schema).fingerprint


def test_a_run_skips_less_than_a_block(tmp_path):
    for row_groups in (1, 9, 60, 120):
        pq.write_table(many_types(), tmp_path / "all.parquet", row_group_size=row_groups)
        source = parquet_source(tmp_path / "all.parquet")
        begins = set(range(0, 120, row_groups))
        runs = source.runs(20)
        assert [block for run in runs for block in run] == list(range(6))
        for run in runs:
            home = max(begin for begin in begins if begin <= run.start * 20)
            assert run.start * 20 - home < 20


def test_proposal_is_that_of_memory(file):
    source = parquet_source(file)
    expected = propose_schema(file)
    for records in (16, 120):
        found = propose_from_disk(source, HERE, records=records)
        assert found.schema == expected.schema
        assert found.reasons == expected.reasons


def test_proposal_with_too_many_values_to_list(file):
    """Numbers are told from a few of their values; other columns are left out."""
    expected = propose_schema(file)
    found = propose_from_disk(parquet_source(file), HERE, records=16, most=10)
    for name in ("whole", "floats", "single", "holed", "codes", "sex", "numbers_in_text", "sum", "row"):
        assert found.schema[name] == expected.schema[name], name
        assert found.reasons[name] == expected.reasons[name], name
    assert "person" not in found.schema and "postcode" not in found.schema


texts = st.sampled_from(["1", "2.50", "007", "x", "", "NA", ".", "+3", "1e3", " 4", "9007199254740993", "-0"])
floats = st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e9, 3e17, 0.123456789, float("nan"), 4.25])
beside = st.sampled_from(["1", "2", "N", "-", "NA", "40", "17.5", "11", "12", "13", "14", "15"])
columns = st.one_of(
    st.lists(st.none() | beside, min_size=30, max_size=30).map(lambda v: pa.array(v, pa.string())),
    st.lists(st.none() | texts | st.just("N"), min_size=30, max_size=30).map(
        lambda v: pa.array(v, pa.string())
    ),
    st.lists(st.none() | floats, min_size=30, max_size=30).map(lambda v: pa.array(v, pa.float64())),
    st.lists(st.none() | st.integers(-(2**60), 2**60) | st.integers(0, 5), min_size=30, max_size=30).map(
        lambda v: pa.array(v, pa.int64())
    ),
    st.lists(st.integers(1, 40), min_size=30, max_size=30, unique=True).map(
        lambda v: pa.array(v, pa.int32())
    ),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(["a", "b", "age"]), columns, min_size=1, max_size=2), st.integers(1, 40)
)
def test_any_column_is_proposed_and_read_as_in_memory(tmp_path_factory, drawn, records):
    folder = tmp_path_factory.mktemp("drawn")
    arrow = pa.table(drawn)
    pq.write_table(arrow, folder / "t.parquet", row_group_size=8)
    source = parquet_source(folder / "t.parquet")
    expected = propose(arrow)
    found = propose_from_disk(source, HERE, records=records)
    assert (found.schema, found.reasons) == (expected.schema, expected.reasons)
    many = propose_from_disk(source, HERE, records=records, most=5)
    for attribute in many.schema:
        if attribute.is_numeric:
            assert attribute.evolve(role="other") == expected.schema[attribute.name].evolve(role="other")
    try:
        table = Table.from_arrow(arrow, expected.schema)
    except DataError:
        with pytest.raises(DataError):
            spool(source, folder, schema=expected.schema, crew=HERE, records=records)
        return
    blocks = spool(source, folder, schema=expected.schema, crew=HERE, records=records)
    assert whole(blocks).fingerprint == table.fingerprint
    write_table(table, folder / "memory.parquet")
    write_parquet_blocks(blocks, folder / "disk.parquet")
    assert pq.read_table(folder / "disk.parquet").equals(
        pq.read_table(folder / "memory.parquet"), check_metadata=True
    )


def test_folder_is_one_table_in_order_of_names(tmp_path):
    arrow, folder = many_types(), tmp_path / "parts"
    folder.mkdir()
    names = arrow.column_names
    for i, start in enumerate((0, 50, 90)):
        part = arrow.slice(start, (50, 40, 30)[i])
        pq.write_table(part.select(names if i != 1 else names[::-1]), folder / f"part-{i}.parquet")
    (folder / "_SUCCESS").touch()
    source = parquet_source(folder)
    schema = propose_from_disk(source, HERE, records=31).schema
    assert schema == propose(arrow).schema
    blocks = spool(source, tmp_path, schema=schema, crew=HERE, records=31)
    assert whole(blocks).fingerprint == Table.from_arrow(arrow, schema).fingerprint
    assert source.place(0) == (folder / "part-0.parquet", 0)
    assert source.place(89) == (folder / "part-1.parquet", 39)
    assert source.place(119) == (folder / "part-2.parquet", 29)


def test_files_of_a_folder_must_have_the_same_columns(tmp_path):
    pq.write_table(pa.table({"age": [1], "sex": ["f"]}), tmp_path / "a.parquet")
    for other, sentence in (
        (pa.table({"age": [1]}), "b.parquet has no column sex"),
        (pa.table({"age": [1], "sex": ["f"], "job": ["x"]}), "b.parquet, column job: a.parquet has none"),
        (pa.table({"age": ["1"], "sex": ["f"]}), "b.parquet, column age: its type must be the same"),
    ):
        pq.write_table(other, tmp_path / "b.parquet")
        with pytest.raises(DataError, match=sentence):
            parquet_source(tmp_path)


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        parquet_source(tmp_path / "none.parquet")
    with pytest.raises(FileError, match="a folder without Parquet files"):
        parquet_source(tmp_path)
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(FileError, match="damaged or in another format"):
        parquet_source(tmp_path / "x.parquet")
    pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="column a: its values are lists"):
        parquet_source(tmp_path / "x.parquet")


def test_refusals_are_those_of_memory(tmp_path):
    """The first bad column, and its first bad row, counted in the whole file or in the file of a folder."""
    ages = pa.array([i % 90 for i in range(100)]).to_pylist()
    ages[71] = 500
    ages[88] = 600
    sexes = ["fm"[i % 2] for i in range(100)]
    sexes[3] = "unknown to all"
    arrow = pa.table({"age": ages, "sex": sexes})
    age = Attribute(name="age", scale="numeric", storage="integer", decimals=0, high=120.0)
    schema = Schema([age, Attribute(name="sex", scale="nominal", categories=("f", "m"))])
    file = tmp_path / "t.parquet"
    pq.write_table(arrow, file, row_group_size=9)
    with pytest.raises(DataError) as expected:
        read_table(file, schema=schema)
    with Workers(None, 2) as crew, pytest.raises(DataError) as found:
        spool(parquet_source(file), tmp_path, schema=schema, crew=crew, records=10)
    assert str(found.value) == str(expected.value)
    assert "column age, row 72" in str(found.value) and "unknown to all" not in str(found.value)
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(4):
        pq.write_table(arrow.slice(25 * i, 25), folder / f"{i}.parquet")
    with pytest.raises(DataError, match=r"2.parquet, column age, row 22: the value is above"):
        spool(parquet_source(folder), tmp_path, schema=schema, crew=HERE, records=10)


def test_columns_must_be_those_of_the_schema(file, tmp_path):
    schema = propose_schema(file).schema
    with pytest.raises(DataError, match="column whole: not declared in the schema"):
        spool(parquet_source(file), tmp_path, schema=schema.select(schema.names[1:]), crew=HERE)


def test_a_stopped_job_goes_on(file, tmp_path):
    source, schema = parquet_source(file), propose_schema(file).schema
    blocks = spool(source, tmp_path, schema=schema, crew=HERE, records=20)
    expected = whole(blocks).fingerprint
    (blocks.folder / "index.json").unlink()
    (blocks.folder / "000003.arrow").unlink()
    kept = {path: path.stat().st_mtime_ns for path in blocks.folder.glob("*.arrow") if path.stem < "000003"}
    again = spool(source, tmp_path, schema=schema, crew=HERE, records=20)
    assert again.folder == blocks.folder and whole(again).fingerprint == expected
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    index = (blocks.folder / "index.json").stat().st_mtime_ns
    assert spool(source, tmp_path, schema=schema, crew=HERE, records=20).folder == blocks.folder
    assert (blocks.folder / "index.json").stat().st_mtime_ns == index


def test_another_file_or_schema_is_another_table(file, tmp_path):
    source, schema = parquet_source(file), propose_schema(file).schema
    first = spool(source, tmp_path, schema=schema, crew=HERE, records=20).folder
    other = schema.with_roles({"sex": "confidential"})
    assert spool(source, tmp_path, schema=other, crew=HERE, records=20).folder != first
    os.utime(file, ns=(1, 1))
    assert spool(parquet_source(file), tmp_path, schema=schema, crew=HERE, records=20).folder != first


def test_several_processes_make_the_same_blocks(file, tmp_path):
    source, schema = parquet_source(file), propose_schema(file).schema
    one = spool(source, tmp_path / "one", schema=schema, crew=HERE, records=11)
    with Workers(None, 2) as crew:
        assert propose_from_disk(source, crew, records=11).schema == schema
        two = spool(source, tmp_path / "two", schema=schema, crew=crew, records=11)
    files = sorted(path.name for path in one.folder.iterdir())
    assert files == sorted(path.name for path in two.folder.iterdir())
    assert all((one.folder / name).read_bytes() == (two.folder / name).read_bytes() for name in files)


@pytest.mark.parametrize(
    "table", [household_survey(400), business_survey(300)], ids=["household", "business"]
)
def test_written_blocks_are_the_file_of_the_table(table, tmp_path):
    write_table(table, tmp_path / "memory.parquet")
    blocks = in_blocks(table, tmp_path / "blocks", 70)
    write_parquet_blocks(blocks, tmp_path / "disk.parquet")
    memory, disk = pq.read_table(tmp_path / "memory.parquet"), pq.read_table(tmp_path / "disk.parquet")
    assert disk.equals(memory, check_metadata=True)
    assert read_table(tmp_path / "disk.parquet").fingerprint == table.fingerprint
    assert pq.ParquetFile(tmp_path / "disk.parquet").num_row_groups == len(blocks)


def test_types_are_those_of_all_blocks_together(tmp_path):
    """One block alone would make other types: whole numbers, no missing code, dates without the odd one."""
    days = Attribute(name="day", scale="nominal", storage="date", categories=("2020-01-01", "some day"))
    zoned = Attribute(
        name="at",
        scale="nominal",
        storage="timestamp",
        categories=("2020-01-01T00:00:00Z", "2020-01-01T00:00:00"),
    )
    height = Attribute(name="height", scale="numeric", storage="integer")
    asked = Attribute(name="asked", scale="numeric", storage="integer", missing=("refused", "-9"))
    table = Table(
        Schema([days, zoned, height, asked]),
        {
            "day": np.int8([0, 0, -1, 1]),
            "at": np.int8([0, 0, 1, -1]),
            "height": [1.0, 2.0, 2.5, np.nan],
            "asked": [3.0, np.nan, np.nan, np.nan],
        },
        reasons={"asked": np.array([0, 2, 0, 1])},
    )
    write_table(table, tmp_path / "memory.parquet")
    write_parquet_blocks(in_blocks(table, tmp_path / "b", 2), tmp_path / "disk.parquet")
    assert pq.read_table(tmp_path / "disk.parquet").equals(pq.read_table(tmp_path / "memory.parquet"))
    assert read_table(tmp_path / "disk.parquet").fingerprint == table.fingerprint


def test_some_columns_and_nothing_half_written(tmp_path):
    table = household_survey(100)
    blocks = in_blocks(table, tmp_path / "b", 30)
    names = table.names[2:5]
    write_parquet_blocks(blocks, tmp_path / "some.parquet", names)
    assert read_table(tmp_path / "some.parquet").fingerprint == table.select(names).fingerprint
    (blocks.folder / "000002.arrow").unlink()
    with pytest.raises(FileError, match="missing or damaged"):
        write_parquet_blocks(blocks, tmp_path / "broken.parquet")
    assert {path.name for path in tmp_path.iterdir()} == {"b", "some.parquet"}
