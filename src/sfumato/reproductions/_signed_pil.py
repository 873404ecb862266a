"""PIL as the published falls of chapter 3 would need it: signs cancel before the absolute value is taken."""

from typing import Any, ClassVar

import numpy as np

from sfumato.data import Table
from sfumato.measures.pil import Comparison, Pil


class SignedPil(Pil):
    """|mean of the families of 2 · P(0 ≤ N(0, 1) ≤ (θ' − θ) / sd(θ̂))|, with the sign of θ' − θ: what rose cancels what fell.

    No formula is printed; that the source did so is inferred from its falls, which PIL as its authors define it does not
    allow. A file whose covariances are all lost may have a loss of 0 here, so it is a yardstick of the reproduction
    alone, and no measure that a search or a release is judged by.
    """

    name: ClassVar[str] = "signed_pil"

    def value(self, files: Any, *found: Any) -> tuple[float, dict[str, float]]:
        old, sums, errors, new, masked_sums = found
        signed = SignedComparison(files.names, old, sums.moments(), errors)
        value, parts = signed.judged(new, masked_sums.moments())
        return abs(value), parts

    def tracker(self, bound: Any, masked: Table) -> None:
        return None


class SignedComparison(Comparison):
    """Losses with the signs of the differences."""

    __slots__ = ()

    def lost_quantiles(self, j: int, found: np.ndarray) -> np.ndarray:
        lost: np.ndarray = super().lost_quantiles(j, found) * np.sign(found - self.quantiles[j])
        return lost

    def lost_moments(self, found: np.ndarray) -> np.ndarray:
        lost: np.ndarray = super().lost_moments(found) * np.sign(found - self.moments)
        return lost
