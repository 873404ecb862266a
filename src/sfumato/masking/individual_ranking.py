"""Individual ranking: every attribute is microaggregated by itself."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, DataError, ParameterError, param
from sfumato.data import Schema, Table
from sfumato.masking._aggregates import AGGREGATES
from sfumato.masking._microaggregation import Microaggregation, Partition
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.optimal_univariate import OptimalUnivariate
from sfumato.masking.single_axis import SingleAxis


class IndividualRanking(InParts):
    """The values of each attribute are sorted, and every k in a row are replaced by their mean.

    The n mod k values left over go to the group in the middle, to the one where values stand closest
    (`remainder="modal"`) or to the last. With `optimal=True` groups hold k to 2k − 1 values and are those of
    least SSE (see `optimal_univariate`).

    The groups of one attribute are not those of another: **the released file is not k-anonymous**; each
    released value of an attribute is shared by k records, but the records that share all their values are
    fewer. Little is lost, and an intruder knows each true value up to its neighbours: the disclosure risk is
    high. There is no partition of the records, therefore, but one of the values of each attribute:
    `partitions` gives them by name.

    Missing values have no rank and stay missing; k values of an attribute must be present, or none.

    Source: Defays & Nanopoulos (1993); Fayyoumi, *thesis*, §2.6.3.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 9.0, 3.0, 7.0], "sales": [95.0, 5.0, 85.0, 7.0]})
    >>> firms = table_from_frame(firms)
    >>> masked = IndividualRanking(k=2).apply(firms, np.random.default_rng(1))
    >>> masked["staff"].tolist(), masked["sales"].tolist()
    ([2.0, 8.0, 2.0, 8.0], [90.0, 6.0, 90.0, 6.0])
    """

    aliases: ClassVar[Aliases] = {"blurring": {}}

    scales = ("numeric",)
    parted_by = "ranks"
    grid: ClassVar = {"k": (3, 5, 10, 20, 50)}
    for_users: ClassVar[Advice] = Advice(
        done="In each variable by itself, values of similar size were put into small groups and "
        "replaced by the average of their group.",
        effect="Means and totals are nearly those collected, and so are ranks and relations between "
        "variables; extremes are smaller.",
        remedy="Use it as the file it came from, but read nothing from maxima and minima, and take equal "
        "values as a range rather than as ties.",
    )

    k: int = param(default=5, low=1, help="smallest number of values in a group")
    optimal: bool = param(default=False, help="groups of least loss instead of equal size")
    remainder: str = param(
        default="median",
        choices=("median", "modal", "last"),
        help="the group that takes what is left over, where groups are of equal size",
    )
    aggregate: str = param(default="mean", choices=AGGREGATES, help="what a group releases")
    weighted: bool = param(default=False, help="let survey weights count in what a group releases")

    def check(self) -> None:
        """Optimal groups leave nothing over."""
        if self.optimal and self.remainder != "median":
            raise ParameterError(
                f"{self.name}: remainder must be median where optimal is true. Got {self.remainder!r}."
            )

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        columns = {}
        for name in names:
            rows = self._present(part, name)
            columns[name] = part[name].copy()
            if len(rows):
                columns[name][rows] = self._alone(name).mask(part.take(rows), (name,), rng)[name]
        return part.replace(columns)

    def reach(self, n: int) -> int:
        """As far as the largest group."""
        return 2 * self.k

    def beside(self, schema: Schema) -> tuple[str, ...]:
        return schema.with_role("stratum", "weight") if self.weighted else super().beside(schema)

    def partitions(self, table: Table, rng: np.random.Generator) -> dict[str, Partition]:
        """The groups of each attribute's values present, in the order of the records that have one."""
        found = {}
        for name in self.targets(table):
            rows = self._present(table, name)
            if len(rows):
                found[name] = self._alone(name).partition(table.take(rows), rng)
        return found

    def _present(self, table: Table, name: str) -> np.ndarray:
        rows = np.flatnonzero(~table.missing(name))
        if 0 < len(rows) < self.k:
            raise DataError(
                f"{self.name}: k = {self.k} needs at least {self.k} values in column {name}. Got {len(rows)}."
            )
        return rows

    def _alone(self, name: str) -> Microaggregation:
        if self.optimal:
            return OptimalUnivariate(
                attributes=(name,), k=self.k, aggregate=self.aggregate, weighted=self.weighted
            )
        return SingleAxis(
            attributes=(name,),
            k=self.k,
            remainder=self.remainder,
            aggregate=self.aggregate,
            weighted=self.weighted,
        )
