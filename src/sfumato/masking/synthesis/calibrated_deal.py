"""A deal on its way to its targets: it can be looked at, brought nearer, and looked at again."""

import copy

import numpy as np

from sfumato.kernels.block_swaps import Blocks
from sfumato.kernels.coincidences import part_coincidences
from sfumato.kernels.random_draws import seed_from, state_from
from sfumato.masking.synthesis.calibration import ROUND, Calibration
from sfumato.masking.synthesis.deck import Deck
from sfumato.parallel.threads import stop_if_dropped

LARGE = 100_000  # values, of which a round takes long
WATCHED = 5  # rounds, in which
LEAST_FALL = 0.1  # is the share by which products of a large deal have to come nearer
PARTINGS = 5  # times that coincidences are parted
SWAPS_TRIED = 300  # for each


class CalibratedDeal:
    """Which record of a deck each new one has its values from, and how far it is from the targets.

    `tried` counts the swaps that were proposed for each value, and `kept` those of all that were kept. Advancing in
    several steps gives what one step gives.
    """

    def __init__(
        self, deck: Deck, calibration: Calibration, movable: np.ndarray, rng: np.random.Generator
    ) -> None:
        self.deck, self.calibration, self.movable = deck, calibration, movable
        self.tried = self.kept = 0
        self._gaps_of_products: list[float] = []  # before each round
        self._blocks = None if deck.blocks is None else Blocks.of(deck.blocks)
        self._rng = rng
        self._state: np.ndarray | None = None

    @property
    def gaps(self) -> tuple[float, float]:
        """Of tables and of products."""
        return self.calibration.table_gap, self.calibration.product_gap

    @property
    def size(self) -> int:
        """How many values can be swapped."""
        return len(self.calibration.records.bins) * len(self.movable)

    @property
    def can_move(self) -> bool:
        return len(self.movable) > 0 and len(self.deck.names) > 1

    def is_slow(self, near: float) -> bool:
        """Whether it is large, its tables are near enough, and products come nearer too slowly to be worth the time."""
        before = self._gaps_of_products[-WATCHED:]
        if self.size < LARGE or len(before) < WATCHED:
            return False
        tables, products = self.gaps
        return tables <= near and products > (1 - LEAST_FALL) * before[0]

    @property
    def donors(self) -> np.ndarray:
        return self.calibration.records.donor[:, : len(self.deck.free)].copy()

    def advance(self, proposals: int, near: float) -> None:
        """Try up to so many more swaps for each value, until it is near enough or slow; what must not meet is parted first."""
        if not self.can_move:
            return
        if self._state is None:
            self._state = state_from(seed_from(self._rng))
            if self._blocks is None:
                self.calibration.mend(self.movable, self._state)
        last = self.tried + proposals
        while self.tried < last and not (self.calibration.is_near(near) or self.is_slow(near)):
            stop_if_dropped()
            step = min(ROUND, last - self.tried)
            self._gaps_of_products.append(self.calibration.product_gap)
            self.kept += self.calibration.swap(self.movable, step, self._state, self._blocks)
            self.tried += step

    def parted(self) -> tuple[int, np.ndarray]:
        """Donors of which no record equals that of a unique person, as far as that goes, and how many still do."""
        work, rng = self.calibration.copy(), copy.deepcopy(self._rng)
        marks, people, movable = self.deck.marks, self.deck.people, self.movable
        assert marks is not None and people is not None, "nobody is to be parted from"
        held = np.column_stack([marks[work.records.donor[:, j], j] for j in range(len(self.deck.names))])
        state, left = state_from(seed_from(rng)), 0
        parts = work.records, work.tables, work.products, work.guard
        for _ in range(PARTINGS):
            left = int(part_coincidences(*parts, movable, held, people, SWAPS_TRIED, state))
            if left == 0:
                break
        return left, work.records.donor[:, : len(self.deck.free)]
