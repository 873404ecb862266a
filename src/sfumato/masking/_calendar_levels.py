"""Dates and times made coarser by the calendar: days, months, quarters, years, decades, and ages at a day."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from sfumato.core import DataError, ParameterError, param
from sfumato.data import Attribute, Hierarchy, Table
from sfumato.data.attribute import free_name
from sfumato.masking._recoding import taken_names

UNITS = ("month", "quarter", "year", "decade", "age")
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
SECONDS = 86_400  # of a day
OF_1970 = 1970 * 12  # months
DATE = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:[T ].*)?")


def calendar_hierarchy(attribute: Attribute) -> Hierarchy | None:
    """The levels of a column of dates that tell fewer apart than the one before; None where some are no dates.

    >>> dates = ("2019-12-31", "2020-01-05", "2020-01-09", "2020-05-01")
    >>> born = Attribute(name="born", scale="ordinal", categories=dates, storage="date")
    >>> [row[1:] for row in calendar_hierarchy(born).rows]
    [('2019-12', '2019'), ('2020-01', '2020'), ('2020-01', '2020'), ('2020-05', '2020')]
    """
    found = [DATE.fullmatch(category) for category in attribute.categories]
    if attribute.storage not in ("date", "timestamp") or not all(found):
        return None
    taken = taken_names(attribute)
    paths = [[category] for category in attribute.categories]
    rungs = [_rungs(date) for date in found if date]
    before = len(paths)
    for level in range(len(rungs[0]) if rungs else 0):
        names = [rung[level] for rung in rungs]
        if 1 < len(set(names)) < before:
            before = len(set(names))
            for path, name in zip(paths, names, strict=True):
                path.append(free_name(name, taken) if name in taken and name != path[0] else name)
    return Hierarchy(tuple(map(tuple, paths))) if paths and len(paths[0]) > 1 else None


def _rungs(date: re.Match[str]) -> tuple[str, ...]:
    """What a date is called by day, month, quarter, year and decade."""
    year, month, day = date["year"], date["month"], date["day"]
    quarter = f"{year}-Q{(int(month) + 2) // 3}"
    decade = f"{year[:3]}0..{year[:3]}9"
    return f"{year}-{month}-{day}", f"{year}-{month}", quarter, year, decade


def calendar_unit() -> Any:
    """Declare the option of a method for what days are made of."""
    help = "make days coarser: by month, quarter, year or decade, or by the age that whoever was born then has --at a day"
    return param(default="none", choices=("none", *UNITS), help=help)


def day_of_ages() -> Any:
    """Declare the option for the day on which ages are counted."""
    return param(default="", word="DATE", help="the day on which ages are counted, such as 2024-01-31")


def check_calendar(owner: str, unit: str, at: str) -> None:
    """Refuse ages without a day, and a day without ages."""
    if (unit == "age") != bool(at):
        raise ParameterError(
            f"{owner}: at must be given for ages, and for nothing else. Got {at!r} for {unit}."
        )
    if at:
        try:
            date.fromisoformat(at)
        except ValueError:
            raise ParameterError(f"{owner}: at must be a day such as 2024-01-31. Got {at!r}.") from None


def check_is_moment(owner: str, attribute: Attribute) -> None:
    """Refuse a column that is not one of days or moments."""
    if attribute.storage not in ("date", "timestamp"):
        raise DataError(f"{owner}: column {attribute.name} holds no days; the calendar is for those that do.")


def check_days_are(scale: str, owner: str, table: Table, names: Sequence[str]) -> None:
    """Refuse days of the other kind, and say which method is for them."""
    for name in names:
        attribute = table.schema[name]
        if attribute.storage in ("date", "timestamp") and attribute.is_numeric != (scale == "numeric"):
            other = "intervals" if attribute.is_numeric else "recoding"
            kind = "numbers" if attribute.is_numeric else "categories, being few"
            raise DataError(
                f"{owner}: the days of column {name} are {kind}: take {other}(calendar=…) for them."
            )


def periods(numbers: np.ndarray, storage: str, unit: str, at: str = "") -> np.ndarray:
    """The number of the month, quarter, year or decade that each day or moment lies in, or the age of whoever was born then.

    >>> days = np.array(["2000-02-29", "2000-03-01"], "datetime64[D]").astype(float)
    >>> periods(days, "date", "year").tolist(), periods(days, "date", "age", "2024-02-29").tolist()
    ([2000, 2000], [24, 23])
    """
    days = np.floor(numbers / (1 if storage == "date" else SECONDS)).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    number: np.ndarray = months.astype(np.int64) + OF_1970
    if unit != "age":
        return number // MONTHS[unit]
    day = date.fromisoformat(at)
    within = (number % 12) * 31 + (days - months).astype(np.int64)
    found: np.ndarray = day.year - number // 12 - (within > (day.month - 1) * 31 + day.day - 1)
    return found


def middles(places: np.ndarray, storage: str, unit: str, at: str = "") -> np.ndarray:
    """The day or moment in the middle of each period; in doubt the earlier.

    >>> middles(np.array([2000]), "date", "year").astype("datetime64[D]").astype(str).tolist()
    ['2000-07-01']
    """
    if unit == "age":
        first, last = _birthdays(places + 1, at) + 1, _birthdays(places, at)
    else:
        starts = (places * MONTHS[unit] - OF_1970).astype("datetime64[M]")
        first = starts.astype("datetime64[D]").astype(np.int64)
        last = (starts + MONTHS[unit]).astype("datetime64[D]").astype(np.int64) - 1
    if storage == "date":
        days: np.ndarray = np.floor((first + last) / 2)
        return days
    moments: np.ndarray = np.floor((first + last + 1) * SECONDS / 2) - 1
    return moments


def period_name(place: int, unit: str) -> str:
    """What a period is called among categories.

    >>> [period_name(place, unit) for place, unit in ((24000, "month"), (8001, "quarter"), (199, "decade"), (34, "age"))]
    ['2000-01', '2000-Q2', '1990..1999', '34']
    """
    if unit == "month":
        return f"{place // 12:04d}-{place % 12 + 1:02d}"
    if unit == "quarter":
        return f"{place // 4:04d}-Q{place % 4 + 1}"
    return f"{place}0..{place}9" if unit == "decade" else f"{place:04d}" if unit == "year" else str(place)


def _birthdays(ages: np.ndarray, at: str) -> np.ndarray:
    """The last day on which somebody was born who has this age at a day; the 28th of February for a 29th that there is not."""
    day = date.fromisoformat(at)
    months = ((day.year - ages - 1970) * 12 + day.month - 1).astype("datetime64[M]")
    last = (months + 1).astype("datetime64[D]").astype(np.int64) - 1
    found: np.ndarray = np.minimum(months.astype("datetime64[D]").astype(np.int64) + day.day - 1, last)
    return found
