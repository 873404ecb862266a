"""Days and moments are numbers inside, in whatever file they come."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table, propose, read_table, write_table
from sfumato.data.moments import as_moments, as_numbers

BORN = Attribute(name="born", scale="numeric", role="key", storage="date", decimals=0, missing=("NA",))
DAYS = [datetime.date(1961, 3, 4), None, datetime.date(2004, 2, 29)]


@given(st.lists(st.one_of(st.none(), st.dates(datetime.date(1800, 1, 1), datetime.date(2300, 1, 1)))))
def test_days_come_back(days):
    numbers = as_numbers(pa.array(days, pa.date32()), "date").to_numpy(zero_copy_only=False).astype(float)
    assert as_moments(numbers, "date").to_pylist() == days
    assert [
        None if np.isnan(n) else (datetime.date(1970, 1, 1) + datetime.timedelta(n)) for n in numbers
    ] == days


@given(st.lists(st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))))
def test_moments_come_back_to_the_second(moments):
    moments = [moment.replace(microsecond=0) for moment in moments]
    numbers = as_numbers(pa.array(moments, pa.timestamp("us")), "timestamp").to_numpy(zero_copy_only=False)
    assert as_moments(numbers.astype(float), "timestamp").to_pylist() == moments


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".sav", ".dta"])
def test_days_keep_their_kind_in_every_format(tmp_path, suffix):
    table = Table.from_arrow(pa.table({"born": pa.array(DAYS)}), Schema([BORN]))
    path = tmp_path / f"people{suffix}"
    write_table(table, path)
    back = read_table(path, schema=table.schema)
    assert back.to_arrow()["born"].to_pylist() == DAYS


def test_masked_days_are_days(tmp_path):
    table = Table.from_arrow(pa.table({"born": pa.array(DAYS)}), Schema([BORN]))
    mean = np.nanmean(table["born"])
    masked = table.replace({"born": BORN.conform(np.full(3, mean))})
    assert masked.to_arrow()["born"].to_pylist() == [datetime.date(1982, 9, 1)] * 3


def test_a_code_for_a_missing_day_comes_back_as_text():
    column = pa.table({"born": ["1961-03-04", "NA", "2004-02-29"]})
    table = Table.from_arrow(column, Schema([BORN]))
    assert table.to_arrow(text=True).to_pydict() == column.to_pydict()
    with pytest.raises(DataError, match="a value is no date in ISO form"):
        Table.from_arrow(pa.table({"born": ["yesterday"]}), Schema([BORN]))


@pytest.mark.parametrize(("count", "scale"), [(300, "ordinal"), (3000, "numeric")])
def test_many_days_are_never_listed(count, scale):
    days = [str(datetime.date(1990, 1, 1) + datetime.timedelta(day)) for day in range(count)] * 3
    attribute = propose(pa.table({"admitted": days})).schema["admitted"]
    assert (attribute.scale, attribute.storage) == (scale, "date")
    assert Table.from_arrow(pa.table({"admitted": days}), Schema([attribute])).to_arrow()["admitted"][
        0
    ].as_py() == (datetime.date(1990, 1, 1))


def test_a_day_that_does_not_exist_is_a_text():
    assert propose(pa.table({"x": ["2001-02-30", "2001-02-03"]})).schema["x"].storage == "text"
