"""Intervals: numbers between given cuts become one number."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, ParameterError, param
from sfumato.data import Attribute, Table
from sfumato.masking._calendar_levels import (
    calendar_unit,
    check_calendar,
    check_days_are,
    check_is_moment,
    day_of_ages,
    middles,
    periods,
)
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import DistinctRecords, InParts, Plan, Whole

FEWEST = 3  # records of an interval whose mean tells nobody the value of another


class Intervals(InParts):
    """Numbers are put into the intervals between the `cuts`, and each releases one number.

    With the cuts 18, 30 and 65 these are the numbers below 18, from 18 to below 30, from 30 to below 65, and from 65
    on; with `closed="right"` a cut belongs to the interval below it. An interval releases its middle: of whole numbers
    from 18 to below 30 that is the middle of 18 and 29. The first and the last interval end at the declared bounds of
    the column; where there is none, they release what is next to their cut, as top and bottom coding does.

    With `value="mean"` an interval releases the mean of its numbers, which keeps the total of the column; one of fewer
    than three records releases its middle all the same, since a mean would tell them of each other. What is released
    has the declared decimals and lies in its interval.

    **Days and moments** take `calendar` in place of cuts: each becomes the middle of its month, quarter, year or decade.
    With `calendar="age"` it becomes the middle of all birthdays with the same age `at` a day, so that ages at that day are as
    collected and nothing else is left of a date of birth. What is released is a day again, written as it came in.

    Missing values stay missing. Nothing is drawn at random. Strata play no part: a column has one set of intervals.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.4.1, global recoding of continuous variables.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [15, 18, 24, 29, 30, 64, 90]}))
    >>> Intervals(cuts=(18, 30, 65)).apply(people, np.random.default_rng(1))["age"].tolist()
    [17.0, 24.0, 24.0, 24.0, 47.0, 47.0, 65.0]
    >>> born = pa.table({"born": [f"{year}-05-{day}" for year in range(1950, 1990) for day in range(10, 20)]})
    >>> months = Intervals(calendar="month", attributes=("born",)).apply(born, np.random.default_rng(1))
    >>> str(months["born"][0]), str(months["born"][399])
    ('1950-05-16', '1989-05-16')
    """

    scales = ("numeric",)
    only_coarsens = True
    stratified = False
    parted_by = "records"
    for_users: ClassVar[Advice] = Advice(
        done="Numbers were put into intervals, and each was replaced by the middle of its own.",
        effect="Each number is right up to the width of its interval; differences inside an interval are lost, and "
        "means and variances are shifted a little.",
        remedy="Treat the numbers as ordered classes, or as known up to the distance to the next one; read nothing "
        "from ties.",
    )

    cuts: tuple[float, ...] = param(default=(), help="where intervals begin, in growing order")
    closed: str = param(
        default="left", choices=("left", "right"), help="which end of an interval belongs to it"
    )
    value: str = param(
        default="middle", choices=("middle", "mean"), help="the number that an interval releases"
    )

    calendar: str = calendar_unit()
    at: str = day_of_ages()

    def check(self) -> None:
        check_calendar(self.name, self.calendar, self.at)
        if self.calendar != "none":
            if self.cuts or self.value != "middle":
                raise ParameterError(
                    f"{self.name}: calendar takes the place of cuts, and releases middles. Leave the others out."
                )
        elif not self.cuts or any(a >= b for a, b in pairwise(self.cuts)):
            raise ParameterError(
                f"{self.name}: cuts must be numbers in growing order, at least one. Got {list(self.cuts)!r}."
            )

    @property
    def advice(self) -> Advice:
        """Means in place of middles keep totals."""
        if self.value != "mean":
            return self.for_users
        return self.for_users._replace(
            done="Numbers were put into intervals, and each was replaced by the mean of its own.",
            effect="Means and totals are nearly those collected; differences inside an interval are lost, and "
            "variances are smaller.",
        )

    def targets(self, table: Table) -> tuple[str, ...]:
        if self.calendar != "none":
            check_days_are("numeric", self.name, table, self.attributes)
        return super().targets(table)

    @property
    def households(self) -> Agreement:
        return "alike"

    @property
    def needs_plan(self) -> bool:
        return self.value == "mean"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        if self.needs_plan:
            return whole.plan(self, names).applied(part)
        if self.calendar != "none":
            return part.replace({name: self._by_calendar(part.schema[name], part[name]) for name in names})
        return IntervalValues(self, {name: self._middles(part.schema[name]) for name in names}).applied(part)

    def planned(self, records: DistinctRecords, names: tuple[str, ...]) -> Plan:
        """The mean of each interval of each column."""
        table = records.table
        return IntervalValues(
            self, {name: self._means(table.schema[name], table[name], records.counts) for name in names}
        )

    def released(self, table: Table, name: str) -> np.ndarray:
        """The number that each interval of a column releases, from the lowest on."""
        if not self.needs_plan:
            return self._middles(table.schema[name])
        return self._means(table.schema[name], table[name], np.ones(table.n, np.int64))

    def _by_calendar(self, attribute: Attribute, values: np.ndarray) -> np.ndarray:
        """The middle of the period of each day, within the declared bounds."""
        check_is_moment(self.name, attribute)
        missing = np.isnan(values)
        unit = (attribute.storage, self.calendar, self.at)
        found = middles(periods(np.where(missing, 0, values), *unit), *unit)
        return np.where(missing, np.nan, attribute.conform(found))

    def placed(self, values: np.ndarray) -> np.ndarray:
        """The number of the interval that each value lies in; that of a missing one means nothing."""
        side = "right" if self.closed == "left" else "left"
        return np.searchsorted(np.array(self.cuts), values, side=side)  # type: ignore[call-overload, no-any-return]

    def _middles(self, attribute: Attribute) -> np.ndarray:
        ends = zip((-inf, *self.cuts), (*self.cuts, inf), strict=True)
        return np.array([self._middle(attribute, low, high) for low, high in ends])

    def _middle(self, attribute: Attribute, low: float, high: float) -> float:
        """The middle of what is legal in an interval; where it has no end, the other one."""
        step = 0.0 if attribute.decimals is None else 10.0**-attribute.decimals
        first, last = _legal(low, step, up=True), _legal(high, step, up=False)
        if step and self.closed == "left" and last == high:
            last -= step
        elif step and self.closed == "right" and first == low:
            first += step
        first = max(first, -inf if attribute.low is None else attribute.low)
        last = min(last, inf if attribute.high is None else attribute.high)
        ends = [end for end in (first, last) if isfinite(end)]
        return float(attribute.conform(np.array(sum(ends) / len(ends))))

    def _means(self, attribute: Attribute, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        there = ~np.isnan(values)
        place, size = self.placed(values[there]), len(self.cuts) + 1
        present = np.bincount(place, counts[there], size)
        sums = np.bincount(place, counts[there] * values[there], size)
        means = attribute.conform(sums / np.maximum(present, 1))
        inside = self.placed(means) == np.arange(size)
        return np.where((present >= FEWEST) & inside, means, self._middles(attribute))


@dataclass(frozen=True)
class IntervalValues:
    """What each interval of some columns releases."""

    intervals: Intervals
    released: dict[str, np.ndarray]

    def applied(self, part: Table) -> Table:
        return part.replace({name: self._column(part[name], name) for name in self.released})

    def _column(self, values: np.ndarray, name: str) -> np.ndarray:
        return np.where(np.isnan(values), np.nan, self.released[name][self.intervals.placed(values)])


def _legal(end: float, step: float, *, up: bool) -> float:
    """The next number with so many decimals from an end on, up or down."""
    if not step or not isfinite(end):
        return end
    units = np.round(end / step, 9)  # a cut at 0.3 is 3 steps of 0.1
    return float((np.ceil(units) if up else np.floor(units)) * step)
