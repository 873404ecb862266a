"""Calibration: a start is brought to its targets by swaps, as near as another sample would be and no nearer."""

from dataclasses import dataclass

import numpy as np

from sfumato.kernels.block_swaps import Blocks, calibrate_within
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables, calibrate, part_banned
from sfumato.kernels.random_draws import seed_from, state_from
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
    def begun(cls, targets: Targets, donors: np.ndarray, released: dict[str, np.ndarray]) -> "Calibration":
        records = targets.records(donors, released)
        return cls(records, targets.tables(records), targets.products(records), targets.guard())

    @property
    def table_gap(self) -> float:
        """Mean over cells of the squared gap over its variance by chance: about 1 in another sample."""
        return float(np.mean(self.tables.gap**2 * self.tables.weight)) if len(self.tables.gap) else 0.0

    @property
    def product_gap(self) -> float:
        """The same of products."""
        told = self.products.weight > 0
        costs = (self.products.gap**2 * self.products.weight)[told] / PRODUCT_WEIGHT
        return float(np.mean(costs)) if costs.size else 0.0

    @property
    def _parts(self) -> tuple[Records, Tables, Products, Guard]:
        return self.records, self.tables, self.products, self.guard

    def run(
        self,
        movable: np.ndarray,
        proposals: int,
        near: float,
        rng: np.random.Generator,
        blocks: np.ndarray | None = None,
    ) -> int:
        """Swap until tables are so near and products too, or so many swaps a value were proposed; told is how many were.

        With blocks, values stay within them.
        """
        state = state_from(seed_from(rng))
        for _ in range(MENDINGS if blocks is None else 0):
            if part_banned(*self._parts, movable, SWAPS_TRIED, state) == 0:
                break
        done, size = 0, self.records.bins.shape[0] * len(movable)
        while done < proposals and (self.table_gap > near or self.product_gap > NEAR_PRODUCTS):
            step = min(ROUND, proposals - done)
            if blocks is None:
                calibrate(*self._parts, movable, step * size, state)
            else:
                calibrate_within(*self._parts, movable, Blocks.of(blocks), step * size, state)
            done += step
        return done
