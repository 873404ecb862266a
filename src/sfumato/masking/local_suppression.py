"""Local suppression: cells of risky records become missing until k records share every combination."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import MISSING, Table
from sfumato.masking._contract import Parts
from sfumato.masking._parts import InParts
from sfumato.masking._suppression import cells_to_suppress
from sfumato.masking._whole_file import Whole


class LocalSuppression(InParts):
    """Few cells are made missing, so that every record is like at least k, counting itself.

    A missing value is like any value: two records are alike if they are equal wherever neither is missing. A
    record is risky if fewer than k are like it. Suppressing cells only makes records more alike, so nobody
    safe becomes risky. Finding the fewest is hard; this is greedy. Sets of attributes are tried from the
    least important on (by default from the smallest on): risky records that share all other values with k
    records in all lose these attributes, the rarest combinations first, and only until the others of them
    have k records like them. At the latest the set of all attributes helps.

    `importance` holds a number for each masked attribute in their order; sets are tried by increasing sum.
    A cell of importance 5 goes only where no set of cells with a smaller sum helps.

    Missing values stay missing, and count as like any: a file that is k-anonymous so stays as it is. Numbers
    are alike only if equal; round or recode those with many values first. Nothing is drawn at random. With
    strata, records must be like k of their stratum.

    Source: Hundepool et al. (1998), the method of μ-Argus; Samarati (2001).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"sex": ["f", "f", "f", "m", "m"], "town": ["a", "a", "b", "c", "c"]})
    >>> masked = LocalSuppression(k=2).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist()
    ['a', 'a', None, 'c', 'c']
    """

    k_anonymous: ClassVar[bool] = True
    parted_by: ClassVar[Parts] = "neighbours"
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"k": (2, 3, 5, 10)}

    k: int = param(default=5, low=1, help="smallest number of records that are alike")
    importance: tuple[float, ...] = param(
        default=(), low=0, help="how much each attribute counts (default: all the same)"
    )

    @classmethod
    def settings(cls, *, numeric: bool) -> Iterator[dict[str, Any]]:
        """Only for categories: numbers are mostly unique, and all would go."""
        return iter(()) if numeric else super().settings(numeric=numeric)

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        if part.n < self.k:
            raise DataError(f"{self.name}: k = {self.k} needs at least {self.k} records. Got {part.n}.")
        importance = self.importance or (1.0,) * len(names)
        if len(importance) != len(names):
            raise DataError(
                f"{self.name}: importance must hold one number for each of the {len(names)} masked columns. "
                f"Got {len(importance)}."
            )
        missing = np.column_stack([part.missing(name) for name in names])
        gone = cells_to_suppress([part[name] for name in names], missing, self.k, importance)
        return part.replace({name: self._without(part, name, gone[:, j]) for j, name in enumerate(names)})

    @staticmethod
    def _without(table: Table, name: str, gone: np.ndarray) -> np.ndarray:
        values = table[name].copy()
        values[gone] = np.nan if table.schema[name].is_numeric else MISSING
        return values
