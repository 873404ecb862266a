"""Days by the calendar, as numbers and as categories, against the calendar of Python."""

import calendar
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Generalisation, Intervals, Recoding
from sfumato.masking._calendar_levels import middles, periods
from sfumato.masking._levels import levels_of

EPOCH = date(1970, 1, 1)
SOME_DAY = st.dates(date(1850, 1, 1), date(2150, 12, 31))
RNG = np.random.default_rng(1)


def number(day: date) -> float:
    return float((day - EPOCH).days)


def age(born: date, at: date) -> int:
    return at.year - born.year - ((born.month, born.day) > (at.month, at.day))


def first_and_last(day: date, unit: str) -> tuple[date, date]:
    """The ends of a period, step by step."""
    if unit in ("month", "quarter"):
        first = day.month if unit == "month" else (day.month - 1) // 3 * 3 + 1
        last = first + (0 if unit == "month" else 2)
        return date(day.year, first, 1), date(day.year, last, calendar.monthrange(day.year, last)[1])
    first = day.year if unit == "year" else day.year // 10 * 10
    return date(first, 1, 1), date(first + (0 if unit == "year" else 9), 12, 31)


@given(SOME_DAY, st.sampled_from(["month", "quarter", "year", "decade"]))
def test_the_middle_of_a_period(day: date, unit: str) -> None:
    first, last = first_and_last(day, unit)
    place = periods(np.array([number(day), number(first), number(last)]), "date", unit)
    assert len({*place.tolist()}) == 1
    assert periods(np.array([number(first) - 1, number(last) + 1]), "date", unit).tolist() == [
        place[0] - 1,
        place[0] + 1,
    ]
    middle = EPOCH + timedelta(int(middles(place[:1], "date", unit)[0]))
    assert (middle - first).days == (last - first).days // 2
    moments = np.array([number(day) * 86_400 + 1, number(last) * 86_400 + 86_399.5])
    assert periods(moments, "timestamp", unit).tolist() == place[:2].tolist()
    assert (
        first
        <= EPOCH
        + timedelta(seconds=middles(place[:1], "timestamp", unit)[0]) // timedelta(days=1) * timedelta(days=1)
        <= last
    )


@given(SOME_DAY, SOME_DAY)
def test_ages_are_as_collected_and_nothing_else(born: date, at: date) -> None:
    unit = ("date", "age", at.isoformat())
    found = periods(np.array([number(born)]), *unit)
    assert found.tolist() == [age(born, at)]
    middle = middles(found, *unit)
    assert age(EPOCH + timedelta(int(middle[0])), at) == age(born, at)
    same = [d for d in (born + timedelta(i) for i in range(-366, 367)) if age(d, at) == age(born, at)]
    assert same[0] <= EPOCH + timedelta(int(middle[0])) <= same[-1]
    assert abs((same[-1] - same[0]).days // 2 - (EPOCH + timedelta(int(middle[0])) - same[0]).days) <= 1


def births(days: list[date], **more: object) -> Table:
    born = Attribute(name="born", scale="numeric", role="key", storage="date", decimals=0, **more)
    return Table(Schema([born]), {"born": [number(day) for day in days] + [np.nan]})


def test_a_column_of_numbers_stays_one_of_days() -> None:
    table = births([date(1961, 3, 4), date(1961, 3, 28), date(1970, 12, 31)], low=number(date(1961, 3, 4)))
    found = Intervals(calendar="month").apply(table, RNG)
    assert found.to_arrow()["born"].to_pylist() == [
        date(1961, 3, 16),
        date(1961, 3, 16),
        date(1970, 12, 16),
        None,
    ]
    years = Intervals(calendar="decade").apply(table, RNG)
    assert years.to_arrow()["born"].to_pylist()[0] == date(1964, 12, 31)
    aged = Intervals(calendar="age", at="2000-03-10").apply(table, RNG)
    assert [age(day, date(2000, 3, 10)) for day in aged.to_arrow()["born"].to_pylist()[:3]] == [39, 38, 29]


def test_few_days_are_called_by_their_periods() -> None:
    days = ("1999-12-31", "2000-01-01", "2000-02-29")
    seen = Attribute(name="seen", scale="ordinal", role="key", storage="date", categories=days)
    table = Table(Schema([seen]), {"seen": [0, 1, 2, -1]})
    for unit, names in (
        ("month", ["1999-12", "2000-01", "2000-02"]),
        ("quarter", ["1999-Q4", *["2000-Q1"] * 2]),
        ("year", ["1999", "2000", "2000"]),
    ):
        assert Recoding(calendar=unit).apply(table, RNG).to_arrow(text=True)["seen"].to_pylist() == [
            *names,
            None,
        ]
    aged = Recoding(calendar="age", at="2010-01-01").apply(table, RNG)
    assert aged.to_arrow(text=True)["seen"].to_pylist() == ["10", "10", "9", None]
    assert aged.schema["seen"].covers == {"10": days[:2], "9": days[2:]} and aged.schema["seen"].form == ""


def test_the_lattice_knows_the_calendar() -> None:
    rng = np.random.default_rng(3)
    table = births([EPOCH + timedelta(int(day)) for day in rng.integers(0, 9000, 400)])
    sizes = [level.size for level in levels_of(table, "born").levels]
    months = {(d.year, d.month) for d in table.to_arrow()["born"].to_pylist() if d}
    assert len(months) + 1 in sizes and len({month[0] for month in months}) + 1 in sizes
    released = Generalisation(k=5).apply(table.take(np.arange(400)), rng)
    shown = [d for d in released.to_arrow()["born"].to_pylist() if d]
    assert min(shown.count(day) for day in {*shown}) >= 5


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"calendar": "age"}, "at must be given"),
        ({"calendar": "month", "at": "2000-01-01"}, "for nothing else"),
        ({"calendar": "age", "at": "1.1.2000"}, "at must be a day"),
        ({"calendar": "month", "cuts": (1.0,)}, "takes the place of cuts"),
    ],
)
def test_what_does_not_go_together(asked: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Intervals(**asked)


def test_columns_without_days() -> None:
    with pytest.raises(DataError, match="column age holds no days"):
        Intervals(calendar="year").apply(
            Table(Schema([Attribute(name="age", scale="numeric", role="key")]), {"age": [1]}), RNG
        )
    with pytest.raises(ParameterError, match="Leave the map out"):
        Recoding(calendar="year", others="x")


def test_the_method_for_the_other_kind_of_days_is_named() -> None:
    with pytest.raises(DataError, match=r"are numbers: take intervals\(calendar=…\)"):
        Recoding(calendar="year", attributes=("born",)).apply(births([EPOCH]), RNG)
    seen = Attribute(name="seen", scale="ordinal", storage="date", categories=("1999-12-31",))
    with pytest.raises(DataError, match=r"are categories, being few: take recoding\(calendar=…\)"):
        Intervals(calendar="year", attributes=("seen",)).apply(Table(Schema([seen]), {"seen": [0]}), RNG)
