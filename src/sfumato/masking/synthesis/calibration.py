"""Calibration: a start is brought to its targets by swaps, as near as another sample would be and no nearer."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.kernels.block_swaps import Blocks, calibrate_within
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables, part_banned
from sfumato.kernels.offered_swaps import calibrate
from sfumato.masking.synthesis.targets import PRODUCT_WEIGHT, Targets

MENDINGS, SWAPS_TRIED = 3, 300  # of pairs of values that must not meet
NEAR_PRODUCTS = (
    0.001  # mean squared gap of products to end at: regressions on columns that are nearly one magnify it
)
ROUND = 1  # proposals a value between two looks at how near it is


@dataclass(frozen=True)
class Calibration:
    """Records on their way to the targets; arrays are changed in place."""

    records: Records
    tables: Tables
    products: Products
    guard: Guard

    @classmethod
    def begun(cls, targets: Targets, donors: np.ndarray, released: Mapping[str, np.ndarray]) -> "Calibration":
        records = targets.records(donors, released)
        return cls(records, targets.tables(records), targets.products(records), targets.guard())

    @property
    def table_gap(self) -> float:
        """Mean over cells of the squared gap over its variance by chance: about 1 in another sample."""
        told = np.count_nonzero(self.tables.weight)
        return float(np.sum(self.tables.gap**2 * self.tables.weight) / told) if told else 0.0

    @property
    def product_gap(self) -> float:
        """The same of products of numbers; those with categories count by their lesser weight."""
        told = self.products.weight > 0
        costs = (self.products.gap**2 * self.products.weight)[told] / PRODUCT_WEIGHT
        return float(np.mean(costs)) if costs.size else 0.0

    @property
    def _parts(self) -> tuple[Records, Tables, Products, Guard]:
        return self.records, self.tables, self.products, self.guard

    def is_near(self, near: float) -> bool:
        """Whether tables are so near as this, and products near enough."""
        return self.table_gap <= near and self.product_gap <= NEAR_PRODUCTS

    def mend(self, movable: np.ndarray, state: np.ndarray) -> None:
        """Part values that must not meet, as far as that goes."""
        for _ in range(MENDINGS):
            if part_banned(*self._parts, movable, SWAPS_TRIED, state) == 0:
                break

    def swap(
        self, movable: np.ndarray, proposals: int, state: np.ndarray, blocks: Blocks | None = None
    ) -> int:
        """Propose so many swaps a value, within blocks if there are any; told is how many of all were kept."""
        proposals *= self.records.bins.shape[0] * len(movable)
        if blocks is None:
            return int(calibrate(*self._parts, movable, proposals, state))
        return int(calibrate_within(*self._parts, movable, blocks, proposals, state))

    def copy(self) -> "Calibration":
        """The same, whose records can be changed while these stay."""
        return Calibration(
            Records(*(array.copy() for array in self.records)),
            self.tables._replace(gap=self.tables.gap.copy()),
            self.products._replace(gap=self.products.gap.copy()),
            self.guard,
        )
