import datetime
import string

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import arrow_from_frame, frame_like, table_from_frame

DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))
MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))
WORDS = st.text(string.ascii_letters + "é ,", min_size=1, max_size=4).map(lambda word: f"w{word}")


def maybe(values, n):
    return st.lists(st.one_of(st.none(), values), min_size=n, max_size=n)


@st.composite
def columns(draw):
    n = draw(st.integers(1, 6))
    return {
        "byte": draw(st.lists(st.integers(-128, 127), min_size=n, max_size=n)),
        "integer": draw(maybe(st.integers(-(2**31), 2**31 - 1), n)),
        "real": draw(maybe(st.floats(-1e9, 1e9), n)),
        "single": draw(st.lists(st.floats(-1e9, 1e9, width=32), min_size=n, max_size=n)),
        "truth": draw(st.lists(st.booleans(), min_size=n, max_size=n)),
        "maybe_truth": draw(maybe(st.booleans(), n)),
        "word": draw(maybe(WORDS, n)),
        "digits": draw(st.lists(st.integers(0, 10**6).map(str), min_size=n, max_size=n)),
        "category": draw(maybe(st.sampled_from(["hi", "lo"]), n)),
        "day": draw(maybe(DAYS, n)),
        "moment": draw(maybe(MOMENTS, n)),
    }


def pandas_frame(cells, index=None):
    made = {
        "byte": pd.Series(cells["byte"], dtype="int8"),
        "integer": pd.Series(cells["integer"], dtype="Int32"),
        "real": pd.Series(cells["real"], dtype="float64"),
        "single": pd.Series(cells["single"], dtype="float32"),
        "truth": pd.Series(cells["truth"], dtype="bool"),
        "maybe_truth": pd.Series(cells["maybe_truth"], dtype="boolean"),
        "word": pd.Series(cells["word"], dtype="string"),
        "digits": pd.Series(cells["digits"], dtype="string"),
        "category": pd.Series(pd.Categorical(cells["category"], ["lo", "never", "hi"], ordered=True)),
        "moment": pd.Series(cells["moment"], dtype="datetime64[ns]"),
        "zoned": pd.Series(cells["moment"], dtype="datetime64[us]")
        .dt.tz_localize("UTC")
        .dt.tz_convert("Asia/Kolkata"),
    }
    frame = pd.DataFrame(made)
    return frame if index is None else frame.set_axis(index)


@settings(max_examples=25, deadline=None)
@given(columns(), st.randoms())
def test_pandas_round_trip_with_an_odd_index(cells, random):
    n = len(cells["byte"])
    index = random.choice(
        [None, list(range(n, 0, -1)), ["x"] * n, [None, *range(n - 1)], [("a", i) for i in range(n)]]
    )
    frame = pandas_frame(cells, pd.Index(index) if index else None)
    before = frame.copy(deep=True)
    back = frame_like(table_from_frame(frame), frame)
    pd.testing.assert_frame_equal(back, before)
    pd.testing.assert_frame_equal(frame, before)


@settings(max_examples=25, deadline=None)
@given(columns())
def test_polars_round_trip(cells):
    schema = {
        "byte": pl.Int8,
        "integer": pl.Int32,
        "real": pl.Float64,
        "single": pl.Float32,
        "truth": pl.Boolean,
        "maybe_truth": pl.Boolean,
        "word": pl.String,
        "digits": pl.String,
        "category": pl.Enum(["lo", "never", "hi"]),
        "day": pl.Date,
        "moment": pl.Datetime("ns"),
    }
    frame = pl.DataFrame(cells, schema=schema)
    frame = frame.with_columns(
        loose=pl.col("word").cast(pl.Categorical), zoned=pl.col("moment").dt.replace_time_zone("UTC")
    )
    back = frame_like(table_from_frame(frame), frame)
    assert back.schema == frame.schema
    assert back.equals(frame)


@settings(max_examples=25, deadline=None)
@given(columns())
def test_pyarrow_round_trip(cells):
    frame = pa.table(cells).cast(
        pa.schema(
            {
                "byte": pa.int8(),
                "integer": pa.int32(),
                "real": pa.float64(),
                "single": pa.float32(),
                "truth": pa.bool_(),
                "maybe_truth": pa.bool_(),
                "word": pa.large_string(),
                "digits": pa.string(),
                "category": pa.dictionary(pa.int8(), pa.string()),
                "day": pa.date32(),
                "moment": pa.timestamp("ms"),
            }
        ),
        safe=False,
    )
    back = frame_like(table_from_frame(frame), frame)
    assert back.schema == frame.schema
    assert back.to_pydict() == frame.to_pydict()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_minus_999_in_integers_is_a_value_until_declared(library):
    made = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    frame = made({"income": [-999, 5, 7, -999]})
    table = table_from_frame(frame)
    assert table["income"].tolist() == [-999, 5, 7, -999]
    schema = table.schema.replace([table.schema["income"].evolve(missing=("-999",))])
    declared = table_from_frame(frame, schema)
    assert declared.missing("income").tolist() == [True, False, False, True]
    assert frame_like(declared, frame).equals(frame)
    assert frame.equals(made({"income": [-999, 5, 7, -999]}))


@pytest.mark.parametrize(
    ("frame", "wider"),
    [
        (pd.DataFrame({"a": pd.Series([1, 2], dtype="int8")}), [1.5, 300.0]),
        (pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int8)}), [1.5, 300.0]),
        (pa.table({"a": pa.array([1, 2], pa.int8())}), [1.5, 300.0]),
        (pd.DataFrame({"a": pd.Series([1, 2], dtype="int8")}), [1.0, 300.0]),
        (pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int8)}), [1.0, 300.0]),
        (pa.table({"a": pa.array([1, 2], pa.int8())}), [1.0, 300.0]),
    ],
)
def test_masked_values_are_never_cut_to_fit_the_old_type(frame, wider):
    table = table_from_frame(frame)
    back = frame_like(table.replace({"a": wider}), frame)
    assert arrow_from_frame(back)["a"].to_pylist() == wider


def test_a_recoded_category_leaves_the_old_categorical_type():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"])})
    table = table_from_frame(frame)
    coarser = table.replace({"a": np.array([0, 0])}, [table.schema["a"].evolve(categories=("x or y",))])
    assert frame_like(coarser, frame)["a"].tolist() == ["x or y", "x or y"]


def test_fewer_records_get_a_new_index_and_dropped_columns_stay_away():
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}, index=["p", "q"])
    back = frame_like(table_from_frame(frame).select(["b"]).take(np.array([1])), frame)
    assert (list(back.columns), back["b"].tolist(), list(back.index)) == (["b"], [2], [0])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([1, 2], r"^Expected a Table, or a pandas, polars or pyarrow data frame\. Got list\.$"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"^The frame has two columns of the same name"),
        (pa.table([[1], [2]], names=["a", "a"]), r"^The frame has two columns of the same name"),
        (
            pd.DataFrame({"a": [1, "Kowalski"]}),
            r"^The frame has a column that mixes types: give each column one type\.$",
        ),
        (pl.DataFrame({"a": [[1], [2]]}), r"^the frame, column a: its values are lists or structures"),
        (pd.DataFrame({7: [1, 2]}), r"^Column names must be texts\. Got int: rename the columns\.$"),
    ],
)
def test_frames_that_are_none(frame, message):
    with pytest.raises(DataError, match=message):
        table_from_frame(frame)
