import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core import DataError
from sfumato.data import Attribute
from sfumato.data.arrow_columns import as_text, plain
from sfumato.data.encoding import code_type, decode, encode

SECRET = "Kowalski"
AGE = Attribute(name="age", scale="numeric", storage="integer", missing=("-9", "NA"))
SEX = Attribute(name="sex", scale="nominal", categories=("f", "m"), missing=("?",))


def test_code_types():
    assert [code_type(n) for n in (0, 127, 128, 32767, 32768)] == [
        np.int8,
        np.int8,
        np.int16,
        np.int16,
        np.int32,
    ]
    with pytest.raises(DataError, match="at most 2147483647 categories"):
        code_type(2**31)


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_texts_of_every_layout(kind):
    column = (
        pa.array([" 31", "-9", "NA", "", None, "-9.0"]).cast(kind)
        if not pa.types.is_dictionary(kind)
        else pa.array([" 31", "-9", "NA", "", None, "-9.0"]).dictionary_encode()
    )
    values, reasons = encode(pa.chunked_array([column]), AGE, "t.csv")
    np.testing.assert_array_equal(values, [31] + [np.nan] * 5)
    assert reasons.tolist() == [0, 1, 2, 0, 0, 1]
    codes, reasons = encode(pa.array(["m", "?", "", None]).cast(pa.large_string()), SEX, "t.csv")
    assert (codes.tolist(), codes.dtype, reasons.tolist()) == ([1, -1, -1, -1], np.int8, [0, 1, 0, 0])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([31, -9, None], pa.int8()),
        pa.array([31.0, -9.0, float("nan")]),
        pa.array([31.0, -9.0, None], pa.float32()),
        pa.array(np.array([31, -9, np.nan], np.float16)),
        pa.array([decimal.Decimal("31"), decimal.Decimal("-9"), None]),
        pa.array([decimal.Decimal("31.00"), decimal.Decimal("-9.00"), None]),
    ],
)
def test_numbers_of_every_type(column):
    values, reasons = encode(column, AGE, "t")
    np.testing.assert_array_equal(values, [31, np.nan, np.nan])
    assert reasons.tolist() == [0, 1, 0]


def test_undeclared_codes_are_values():
    values, reasons = encode(pa.array([-999, -99, 9]), AGE, "t")
    assert values.tolist() == [-999, -99, 9]
    assert reasons is None


def test_more_missing_codes_than_a_byte_holds():
    attribute = Attribute(name="x", scale="numeric", missing=tuple(str(-n) for n in range(1, 301)))
    _, reasons = encode(pa.array([-300, 5, -128]), attribute, "t")
    assert reasons.tolist() == [300, 0, 128]


@pytest.mark.parametrize(
    ("column", "attribute", "message"),
    [
        (
            ["1", SECRET],
            AGE,
            "t, column age, row 2: not a number; correct it or declare a missing code for it.",
        ),
        (
            ["1", "nan"],
            AGE,
            "t, column age, row 2: not a number; correct it or declare a missing code for it.",
        ),
        (
            ["1", "1_000"],
            AGE,
            "t, column age, row 2: not a number; correct it or declare a missing code for it.",
        ),
        (
            ["inf"],
            AGE,
            "t, column age, row 1: the value is infinite; correct it or declare a missing code for it.",
        ),
        (
            [2**53 + 2],
            AGE,
            "t, column age, row 1: the integer is too long to calculate with; make it nominal.",
        ),
        ([1, -5], AGE.evolve(low=0), "t, column age, row 2: the value is below the declared low of 0."),
        (
            [1, 200],
            AGE.evolve(high=120),
            "t, column age, row 2: the value is above the declared high of 120.",
        ),
        (
            [datetime.date(2020, 1, 1)],
            AGE,
            "t, column age: a numeric attribute cannot be made from date32[day] values; give it another scale.",
        ),
        (
            ["f", SECRET],
            SEX,
            "t, column sex, row 2: the category is not declared in the schema; add it to categories or to missing.",
        ),
    ],
)
def test_refusals_name_column_row_and_rule_but_no_value(column, attribute, message):
    with pytest.raises(DataError) as refused:
        encode(pa.array(column), attribute, "t")
    assert str(refused.value) == message


def test_decode_gives_the_stored_type_back():
    array = decode(np.array([31, np.nan, np.nan]), np.array([0, 1, 2]), AGE)
    assert (array.type, array.to_pylist()) == (pa.int64(), [31, -9, None])
    assert decode(np.array([31, np.nan]), np.array([0, 2]), AGE, text=True).to_pylist() == ["31", "NA"]
    assert decode(np.array([31.5, np.nan]), None, AGE).to_pylist() == [31.5, None]
    assert decode(np.array([1e300]), None, AGE).to_pylist() == [1e300]


def test_a_category_that_is_no_value_of_the_type_any_more_stays_text():
    ages = Attribute(name="age", scale="ordinal", storage="integer", categories=("1", "2-9"))
    assert decode(np.array([0, 1, -1]), None, ages).to_pylist() == ["1", "2-9", None]
    prices = Attribute(name="p", scale="ordinal", storage="real", categories=("1.50", "2.5"))
    assert decode(np.array([0, 1]), None, prices).to_pylist() == ["1.50", "2.5"]


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([1.0, 2.5, -0.0, None]), ["1", "2.5", "0", None]),
        (pa.array([True, None]), ["true", None]),
        (pa.array([0], pa.date64()), ["1970-01-01"]),
        (pa.array([0, 10_000], pa.timestamp("ms")), ["1970-01-01T00:00:00", "1970-01-01T00:00:10"]),
        (pa.array([10], pa.timestamp("s")), ["1970-01-01T00:00:10"]),
        (
            pa.array([1, 1_500_000_000], pa.timestamp("ns")),
            ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:01.5"],
        ),
        (pa.array([0], pa.timestamp("us", "Europe/Madrid")), ["1970-01-01T00:00:00Z"]),
        (pa.array([2**63], pa.uint64()), ["9223372036854775808"]),
    ],
)
def test_texts_that_name_values(array, texts):
    assert as_text(array).to_pylist() == texts


def test_plain_leaves_the_column_of_the_caller():
    column = pa.chunked_array([["a"], ["b"]]).dictionary_encode()
    assert plain(column).to_pylist() == ["a", "b"]
    assert column.num_chunks == 2
