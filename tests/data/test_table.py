import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_strategies import same, tables

from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute, Schema, Table

AGE = Attribute(name="age", scale="numeric", missing=("-9", "-8"))
SEX = Attribute(name="sex", scale="nominal", role="stratum", categories=("f", "m"))
NAN = float("nan")


def people(**columns):
    given_columns = {"age": [31, NAN, NAN], "sex": [0, 1, -1], **columns}
    return Table(Schema([AGE, SEX]), given_columns, reasons={"age": np.array([0, 2, 1])})


@settings(max_examples=30, deadline=None)
@given(tables())
def test_arrow_round_trip_as_text_keeps_everything(table):
    assert same(Table.from_arrow(table.to_arrow(text=True), table.schema), table)


@settings(max_examples=25, deadline=None)
@given(tables(), st.data())
def test_taking_all_rows_in_another_order_and_back_changes_nothing(table, data):
    order = np.array(data.draw(st.permutations(range(table.n))), dtype=int)
    back = np.argsort(order)
    assert same(table.take(order).take(back), table)
    assert table.take(order[:1]).n == min(1, table.n)


def test_columns_are_read_only_and_not_those_of_the_caller():
    ages = np.array([31.0, 45, 28])
    table = people(age=ages)
    ages[0] = 99
    assert table["age"].tolist() == [31, 45, 28]
    with pytest.raises(ValueError, match="read-only"):
        table["age"][0] = 1
    with pytest.raises(ValueError, match="read-only"):
        people().reasons("age")[0] = 1


def test_views():
    table = people()
    assert table.missing("age").tolist() == [False, True, True]
    assert table.missing("sex").tolist() == [False, False, True]
    assert table.numbers(["age"]).shape == (3, 1)
    assert table.codes(["sex"]).tolist() == [[0], [1], [-1]]
    assert table.numbers([]).shape == table.codes([]).shape == (3, 0)
    assert (len(table), "age" in table, "x" in table) == (3, True, False)
    assert repr(table) == "Table(3 records × 2 attributes)"
    with pytest.raises(DataError, match=r"^Column sex is nominal, not numeric\.$"):
        table.numbers(["sex"])
    with pytest.raises(DataError, match=r"^Column age is numeric, not ordinal or nominal\.$"):
        table.codes(["age"])
    with pytest.raises(UnknownNameError, match="Did you mean age"):
        table["agee"]


def test_a_reason_goes_with_its_missing_value():
    filled = people().replace({"age": [31, 40, NAN]})
    assert filled.reasons("age").tolist() == [0, 0, 1]
    undeclared = people().replace({}, [AGE.evolve(missing=("-9",))])
    assert undeclared.reasons("age").tolist() == [0, 0, 1]
    assert people().replace({"age": [1, 2, 3]}).reasons("age") is None
    assert people().select(["sex"]).reasons("age") is None


def test_the_fingerprint_sees_values_reasons_and_declarations():
    prints = {
        people().fingerprint,
        people(age=[32, NAN, NAN]).fingerprint,
        people(sex=[0, 1, 1]).fingerprint,
        people().with_schema(people().schema.with_roles({"age": "key"})).fingerprint,
        Table(people().schema, {"age": people()["age"], "sex": people()["sex"]}).fingerprint,
    }
    assert len(prints) == 5
    assert people().fingerprint == people().fingerprint
    assert people(age=[0.0, NAN, NAN]).fingerprint == people(age=[-0.0, -NAN, NAN]).fingerprint


def test_strata():
    assert [(name, rows.tolist()) for name, rows in people().strata()] == [
        ("sex = missing", [2]),
        ("sex = f", [0]),
        ("sex = m", [1]),
    ]
    one = people().with_schema(people().schema.with_roles({"sex": "other"}))
    assert [(name, rows.tolist()) for name, rows in one.strata()] == [("", [0, 1, 2])]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"age": [1, 2]}, r"^All columns must have the same length\. Got \[2, 3\]\.$"),
        ({"age": [1, 2, float("inf")]}, r"^Column age: values must be finite\.$"),
        ({"sex": [0, 1, 2]}, r"^Column sex: codes must lie within the 2 categories\.$"),
        ({"sex": [0, 1, -2]}, r"^Column sex: codes must lie within the 2 categories\.$"),
    ],
)
def test_illegal_columns(columns, message):
    with pytest.raises(DataError, match=message):
        people(**columns)


def test_schema_and_data_must_name_the_same_columns():
    with pytest.raises(DataError, match=r"^f, column x: not declared in the schema; add a table for it\.$"):
        Table.from_arrow(pa.table({"age": [1], "sex": ["f"], "x": [1]}), people().schema, source="f")
    with pytest.raises(DataError, match=r"^f: column sex is declared in the schema but not in the data\.$"):
        Table.from_arrow(pa.table({"age": [1]}), people().schema, source="f")
