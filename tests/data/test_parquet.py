import datetime
import decimal
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from table_strategies import same, tables

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Schema, Table, propose_schema, read_arrow, read_table, write_table


@settings(max_examples=30, deadline=None)
@given(tables())
def test_round_trip_needs_no_schema(table):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        write_table(table, path)
        assert same(read_table(path), table)
        assert [file.name for file in Path(folder).iterdir()] == ["t.parquet"]


def test_types_of_others_files(tmp_path):
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9)
    arrow = pa.table(
        {
            "dictionary": pa.array(["b", None, "a"]).dictionary_encode(),
            "integer": pa.array([1, None, 300], pa.int16()),
            "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")]),
            "long": pa.array([decimal.Decimal(10**30), None, decimal.Decimal(1)]),
            "boolean": pa.array([True, None, False]),
            "date": pa.array([datetime.date(2024, 1, 2), None, datetime.date(1900, 1, 1)]),
            "moment": pa.array([moment, None, moment], pa.timestamp("ns")),
            "zoned": pa.array([moment, None, moment], pa.timestamp("ms", "Europe/Madrid")),
            "text": pa.array(["x", None, "y"], pa.large_string()),
            "nothing": pa.nulls(3),
        }
    )
    pq.write_table(arrow, tmp_path / "t.pq")
    table = read_table(tmp_path / "t.pq")
    assert {a.name: a.storage for a in table.schema} == {
        "dictionary": "text",
        "integer": "integer",
        "decimal": "real",
        "long": "integer",
        "boolean": "boolean",
        "date": "date",
        "moment": "timestamp",
        "zoned": "timestamp",
        "text": "text",
        "nothing": "text",
    }
    back = table.to_arrow().to_pydict()
    assert back["moment"] == [moment, None, moment]
    assert [m and m.astimezone(datetime.UTC).replace(tzinfo=None) for m in back["zoned"]] == [
        moment,
        None,
        moment,
    ]
    assert back["decimal"] == [1.5, None, -2.25]
    assert back["dictionary"] == ["b", None, "a"]
    assert all(table.missing(name).tolist()[1] for name in table.names)


def test_numbers_stay_numbers_unless_a_code_needs_text(tmp_path):
    age = Attribute(name="age", scale="numeric", storage="integer", missing=("-9", "NA"))
    for reason, kind in ((1, pa.int64()), (2, pa.string())):
        write_table(
            Table(Schema([age]), {"age": [3, float("nan")]}, reasons={"age": [0, reason]}), tmp_path / "t.pq"
        )
        assert read_arrow(tmp_path / "t.pq").schema.field("age").type == kind


def test_a_stored_schema_that_no_longer_fits_is_not_used(tmp_path):
    write_table(Table(Schema([Attribute(name="a", scale="numeric")]), {"a": [1, 2]}), tmp_path / "t.pq")
    arrow = read_arrow(tmp_path / "t.pq")
    pq.write_table(arrow.append_column("b", pa.array(["x", "y"])), tmp_path / "u.pq")
    assert read_table(tmp_path / "u.pq").names == ("a", "b")
    assert propose_schema(tmp_path / "t.pq").reasons == {"a": "the file holds this schema"}


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ([[1], [2]], "lists or structures"),
        ([{"a": 1}, None], "lists or structures"),
        ([b"\xff", b""], "bytes"),
    ],
)
def test_columns_that_are_no_attributes_are_refused_by_name(tmp_path, column, found):
    pq.write_table(pa.table({"good": [1, 2], "odd": column}), tmp_path / "t.parquet")
    with pytest.raises(DataError) as refused:
        read_table(tmp_path / "t.parquet")
    assert str(refused.value) == (
        f"{tmp_path / 't.parquet'}, column odd: its values are {found}, which no attribute can hold; "
        "drop the column or turn it into plain columns."
    )


@pytest.mark.parametrize("damage", ["truncated", "empty", "foreign"])
def test_damaged_files(tmp_path, damage):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"name": ["Kowalski"] * 100}), path)
    whole = path.read_bytes()
    path.write_bytes(
        {"truncated": whole[: len(whole) // 2], "empty": b"", "foreign": b"name\nKowalski\n"}[damage]
    )
    with pytest.raises(FileError) as refused:
        read_table(path)
    assert str(refused.value) == f"{path} cannot be read as Parquet: it is damaged or in another format."
