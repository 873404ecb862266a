"""How a microaggregation made its groups, as values that a command or a report can show."""

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import Table
from sfumato.masking._households import Homes

if TYPE_CHECKING:
    from sfumato.masking._microaggregation import Microaggregation, Partition

NONE = "none"


class GroupingAccount(Result):
    """The groups of a file and what the method tells of how it came to them.

    `ssa` is the sum of squares among groups, SST − SSE, and `lost_variance` SSE for each record. `work` holds what there is
    to tell of this method: the cuts of k-Ward, the cycles of OMMA, the tree of EMAD.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import Kwr
    >>> firms = business_survey(60, seed=1)
    >>> account = GroupingAccount.of(Kwr(k=3), firms, np.random.default_rng(1))
    >>> account.groups.smallest >= 3, account.work.depth > 0
    (True, True)
    """

    groups: "Partition"
    ssa: float
    lost_variance: float
    work: Result | None

    @classmethod
    def of(
        cls, masking: "Microaggregation", table: Table, rng: np.random.Generator, *, bound: str = NONE
    ) -> "GroupingAccount":
        """The groups that the masking of a table makes, with the same random numbers; a `bound` of theirs where asked for."""
        if masking.households == "once" and Homes.of(table, masking.targets(table)) is not None:
            raise DataError(
                f"{masking.name}: groups of households are grouped once more by person, and cannot be told."
            )
        same = deepcopy(rng)
        found = masking.partition(table, rng, bound=bound)
        return cls(
            groups=found,
            ssa=found.sst - found.sse,
            lost_variance=found.sse / max(table.n, 1),
            work=masking.work(table, same),
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """What there is to tell, in words and numbers, a line each."""
        least, most = self.groups.smallest, self.groups.largest
        yield (
            "groups",
            f"{self.groups.groups:,}, of {least if least == most else f'{least} to {most}'} records",
        )
        yield "within groups (SSE)", f"{self.groups.sse:.6g}"
        yield "among groups (SSA)", f"{self.ssa:.6g}"
        yield "in all (SST)", f"{self.groups.sst:.6g}"
        yield "variance lost for each record", f"{self.lost_variance:.6g}"
        yield "information loss", f"{self.groups.il:.6g} %"
        if self.groups.lower_bound is not None:
            yield "no groups lose less than", f"{self.groups.lower_bound:.6g} %"
        yield from self._own()

    def _own(self) -> Iterator[tuple[str, str]]:
        for name, value in (self.work.to_dict() if self.work is not None else {}).items():
            yield name.replace("_", " "), _written(value)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(f"({_written(one)})" if isinstance(one, list) else _written(one) for one in value)
    return str(value)
