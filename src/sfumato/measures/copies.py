"""Copies: what only one person has, standing in the release."""

from typing import NamedTuple

import numpy as np

from sfumato.attacks.insiders.unique_people import UniquePeople
from sfumato.data import Table
from sfumato.measures._outside_measure import Finding, OutsideBound, OutsideMeasure

Z_95 = 1.959963984540054  # the normal quantile of 97.5 %


class Copies(OutsideMeasure):
    """100 · (inside − outside) / (1 − outside), of whole records or of single numbers, whichever is surely more.

    `inside`: of the people whose whole record nobody else in the original has, the share whose record stands in the
    release; or, of the numbers that only one person of the original has, pooled over columns, the share that stand in
    the release. `outside`: the same for people outside whose record, or number, nobody of the original has: as
    if each had been the one more person in the file. They show how often a coincidence happens, so that 0
    is a file in which unique people stand no more often than people who were never asked, and 100 one in which all
    of them stand, as in the original itself.

    The parts are the four shares in percent: `records`, `records_outside`, `values`, `values_outside`. All columns
    are judged but identifiers and numbers of households; with a scenario, what its intruder knows. A missing value
    equals a missing one in a record, and is no number that anybody has. A recoded category counts as a uniform draw
    from those it covers. A kind of which nobody has any, inside, is 0. The interval is normal, by people; that kind
    counts whose interval begins higher, so that a few numbers by chance do not.

    It does not see copies that were changed a little (see `membership`), nor rare categories and pairs of values.

    Source: the replicated uniques of Raab, Nowok & Dibben (2024), *Practical privacy metrics for synthetic data*,
    with people outside as control, and the same for single numbers.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": [1.0, 2.0, 3.0, 3.0]})
    >>> bound = Copies().bind(original, original.replace({"x": [4.0, 5.0, 6.0, 6.0]}))
    >>> bound.score(original).value, bound.score(original.replace({"x": [1.0, 4.0, 7.0, 7.0]})).value
    (100.0, 33.33333333333333)
    """

    def beside(self, original: Table, outside: Table, names: tuple[str, ...]) -> OutsideBound:
        return _BoundCopies(self, original, outside, names)


class _BoundCopies(OutsideBound):
    def __init__(self, measure: Copies, original: Table, outside: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.people = UniquePeople(original.select(names), outside, names)

    def finding(self, released: Table) -> Finding:
        inside, outside = self.people.standing(released)
        kinds = {
            "records": (_share(inside.records[:, None]), _share(outside.records[:, None])),
            "values": (_share(inside.values), _share(outside.values)),
        }
        parts: dict[str, float] = {}
        excesses = []
        for kind, (here, there) in kinds.items():
            parts |= {kind: 100 * here.value, f"{kind}_outside": 100 * there.value}
            if here.counted:
                excesses.append(_excess(here, there))
        value, error = max(excesses, key=_surely, default=(0.0, 0.0))
        return Finding(100 * value, parts, 100 * Z_95 * error, self.people.original.n + self.people.outside.n)


def _surely(excess: tuple[float, float]) -> tuple[float, float]:
    """The lower end of an excess, nothing at least; of equals the one that is better known."""
    value, error = excess
    return max(value - Z_95 * error, 0.0), -error


class Share(NamedTuple):
    """A share of cells that are 1 among those that are not NaN, its standard error, and how many those are."""

    value: float
    error: float
    counted: int


def _share(cells: np.ndarray) -> Share:
    """The cells of one person hang together: the error is that of a ratio of sums by person."""
    counted = ~np.isnan(cells)
    number, standing = counted.sum(axis=1), np.nansum(cells, axis=1)
    total = number.sum()
    if not total:
        return Share(0.0, 0.0, 0)
    value = standing.sum() / total
    error = np.sqrt(np.square(standing - value * number).sum()) / total
    return Share(float(value), float(error), int(total))


def _excess(inside: Share, outside: Share) -> tuple[float, float]:
    """What stands above coincidence, and its standard error."""
    room = 1 - outside.value
    if room <= 0:
        return 0.0, 0.0
    excess = (inside.value - outside.value) / room
    return excess, float(np.hypot(inside.error, (1 - excess) * outside.error)) / room
