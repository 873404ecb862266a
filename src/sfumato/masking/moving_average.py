"""Moving average: each value is mixed with those that come before and after it in order of size."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, ParameterError, param
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import present_rows


class MovingAverage(Masking):
    """Of the sorted values of an attribute, each becomes a% of the one before, b% of its own and c% of the next.

    Each attribute is sorted by itself. The first and the last value have only one neighbour, and take what the value
    beside them releases. No released value is shared by several records: **the file is not k-anonymous**, and
    where values stand close an intruder knows each nearly.

    If the percentages are those given for every value (`fixed`, as in the source), who knows them solves one linear system and
    has nearly all values back. By default they are therefore drawn anew for each value, each within half of itself above
    and below what is given, and then brought to a sum of 100.

    Missing values have no rank and stay missing. Of two values both become their mean.

    Source: weighted moving average, as told in Fayyoumi, *thesis*, §2.6.3.1; percentages that are drawn are ours.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [40.0, 8.0, 4.0, 20.0]}))
    >>> MovingAverage(fixed=True).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [22.0, 10.0, 10.0, 22.0]
    """

    aliases: ClassVar[Aliases] = {"weighted moving average": {"fixed": True}}

    scales = ("numeric",)
    for_users: ClassVar[Advice] = Advice(
        done="In each variable by itself, each value was mixed with the next smaller and the next larger one.",
        effect="Means are nearly those collected, and so are ranks and relations between variables; extremes are smaller.",
        remedy="Use it as the file it came from, but read nothing from maxima and minima or the exact value of a record.",
    )

    before: float = param(default=25.0, low=0, high=100, help="a: percent of the next smaller value")
    own: float = param(default=50.0, low=0, high=100, help="b: percent of the value itself")
    after: float = param(default=25.0, low=0, high=100, help="c: percent of the next larger value")
    fixed: bool = param(default=False, help="the same percentages for all values")

    def check(self) -> None:
        total = self.before + self.own + self.after
        if abs(total - 100) > 1e-9:
            raise ParameterError(f"{self.name}: before, own and after must sum to 100. Got {total:g}.")
        if self.own == 100:
            raise ParameterError(f"{self.name}: own must be below 100, or nothing changes. Got {self.own:g}.")

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        columns = {}
        for name in names:
            rows = present_rows(table, name, self.name)
            columns[name] = table[name].copy()
            columns[name][rows] = self._averaged(table[name][rows], rng)
        return table.replace({name: table.schema[name].conform(v) for name, v in columns.items()})

    def _averaged(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if len(values) <= 2:
            return np.full(len(values), values.mean()) if len(values) else values
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        mixed = np.empty(len(values))
        around = np.column_stack([ranked[:-2], ranked[1:-1], ranked[2:]])
        mixed[1:-1] = (self._weights(len(around), rng) * around).sum(axis=1)
        mixed[0], mixed[-1] = mixed[1], mixed[-2]
        released = np.empty(len(values))
        released[order] = mixed
        return released

    def _weights(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """The shares of the three values in each mixture."""
        given = np.broadcast_to([self.before, self.own, self.after], (n, 3))
        weights = given if self.fixed else given * rng.uniform(0.5, 1.5, (n, 3))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
