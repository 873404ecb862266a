"""Shapes that a PRAM matrix can be held to: a diagonal within bounds, and expected frequencies that stay."""

from dataclasses import dataclass

import numpy as np

from sfumato.core import ParameterError
from sfumato.kernels.markov import posterior

ROUNDS = 300  # of scaling rows and columns in turn
CLOSE = 1e-10
MARGIN = 0.02  # of the room between the bounds, so that what is nearly there is there
LEAST_FLOW = 1e-3  # share of the flows that goes between all categories, so that none is cut off


@dataclass(frozen=True)
class Shape:
    """What is asked of a matrix: `low` ≤ p_kk ≤ `high`, and with `invariant` T R = T.

    The matrix that evolves is free; what is drawn from, judged and released is what `of` makes of it, as the
    source does "every time a new matrix is evaluated". First the diagonal is brought between the bounds:

    - a row below `low` becomes α P_k + (1 − α) e_k, with the α that puts p_kk on the bound (eq. 4.6);
    - a row above `high` is multiplied by β = high / p_kk, and what is missing, 1 − β, goes to the other
      categories in equal parts. Eq. 4.7 as printed takes one β for the whole matrix and divides by the length
      of the row, after which rows do not add up to 1; here each row has its own, and they do.

    For an invariant matrix the two stages R = P Q follow, where Q undoes P by Bayes' rule. They move the
    diagonal, which the source leaves so. Here, where there are bounds, the flows T_i r_ij, which are the same
    in both directions, are scaled until the diagonal is again what it was in P. A category that holds most of the records cannot
    always change as often as `high` asks, for want of others to change with: `low` then holds, `high` not.
    Categories that no record has matter to neither rule.

    With `whole` one α serves the whole matrix, as eq. 4.6 is printed: α R + (1 − α) I, which keeps invariance by itself. It is the
    smallest hundredth for which no category stays more often than `high`; where categories leave so unlike each other
    that `low` would be broken, `low` holds and `high` not. So the source's row "only invariance" comes out.

    With `one_beta` eq. 4.7 is taken as printed, one β = `high` / max p_kk for all rows and (1 − β) / n for each other category,
    and rows are divided by their sums, after which the largest p_kk is a little above `high`.

    Source: Marés, *thesis*, §4.1.4, after Willenborg & de Waal (2000) and Shlomo & Young (2008).

    >>> Shape(low=0.55, high=0.75).of(np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([5, 5])).round(3).tolist()
    [[0.55, 0.45], [0.25, 0.75]]
    >>> T = np.array([30, 40, 30])
    >>> R = Shape(low=0.55, high=0.75, invariant=True).of(np.full((3, 3), 1 / 3), T)
    >>> (T @ R).round(9).tolist(), np.diag(R).round(3).tolist()
    ([30.0, 40.0, 30.0], [0.554, 0.554, 0.554])
    """

    low: float = 0.0
    high: float = 1.0
    invariant: bool = False
    whole: bool = False
    one_beta: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise ParameterError(
                "diagonal: the bounds must be two numbers from 0 to 1, the lower one first. "
                f"Got {self.low:g} and {self.high:g}."
            )
        if self.whole and self.low == 0 and self.high == 1:
            raise ParameterError(
                "whole: one share for the whole matrix needs bounds of the diagonal; give them."
            )

    @property
    def is_free(self) -> bool:
        return self.low == 0 and self.high == 1 and not self.invariant

    def of(self, P: np.ndarray, T: np.ndarray) -> np.ndarray:
        """The matrix held to the shape, for categories of these frequencies."""
        if self.is_free or len(P) < 2:
            return P
        P = printed_high(P, self.high) if self.one_beta else P
        P = within(P, 0.0 if self.whole else self.low, 1.0 if self.one_beta else self.high)
        if self.invariant and np.count_nonzero(T) < 2:
            return np.eye(len(P))
        if self.whole:
            return self._mixed(invariant(P, T) if self.invariant else P, T)
        if not self.invariant:
            return P
        return self._scaled(invariant(P, T), P, T.astype(float))

    def spec(self) -> dict[str, float | bool]:
        asked = {"low": self.low, "high": self.high, "invariant": self.invariant}
        printed = {name: True for name in ("whole", "one_beta") if getattr(self, name)}
        return {**asked, **printed}

    def _mixed(self, R: np.ndarray, T: np.ndarray) -> np.ndarray:
        """One mixture with the identity for the whole matrix (eq. 4.6)."""
        stays = np.diag(R)[T > 0] if T.any() else np.diag(R)
        share = mixing_share(stays, self.low, self.high)
        return share * R + (1 - share) * np.eye(len(R))

    def _scaled(self, R: np.ndarray, P: np.ndarray, T: np.ndarray) -> np.ndarray:
        here = np.flatnonzero(T > 0)
        t, leaves = T[here], 1 - np.diag(P)[here]
        scaled = P.copy()
        scaled[here] = R[here]
        if self.low > 0 or self.high < 1:
            room = MARGIN * (self.high - self.low)
            least, most = t * (1 - self.high + room), t * (1 - self.low - room)
            wanted = feasible(np.clip(t * leaves, least, most), least, most)
            flows = balanced(R[np.ix_(here, here)] * t[:, None], t, wanted, t * (1 - self.low))
            scaled[np.ix_(here, here)] = flows / t[:, None]
        return scaled


def within(P: np.ndarray, low: float, high: float) -> np.ndarray:
    """Each row with its diagonal between the bounds, and the others in proportion (eqs. 4.6 and 4.7)."""
    n = len(P)
    stays = np.diag(P)
    held = np.array(P, float)
    for k in np.flatnonzero(stays < low):
        held[k] *= (1 - low) / (1 - stays[k])
        held[k, k] = low
    for k in np.flatnonzero(stays > high):
        beta = high / stays[k]
        held[k] = beta * held[k] + (1 - beta) / (n - 1)
        held[k, k] = high
    return held


def printed_high(P: np.ndarray, high: float) -> np.ndarray:
    """Eq. 4.7 as printed, with rows divided by their sums.

    >>> printed_high(np.array([[1.0, 0.0], [0.5, 0.5]]), 0.75).round(3).tolist()
    [[0.857, 0.143], [0.571, 0.429]]
    """
    n, largest = len(P), float(np.diag(P).max())
    if largest <= high:
        return P
    beta = high / largest
    held = beta * P + (1 - beta) / n * (1 - np.eye(n))
    rows: np.ndarray = held / held.sum(axis=1, keepdims=True)
    return rows


def mixing_share(stays: np.ndarray, low: float, high: float) -> float:
    """The α of eq. 4.6: the smallest hundredth with α p_kk + 1 − α ≤ high for all k, or less where low asks for it.

    >>> mixing_share(np.array([0.4, 0.5]), 0.55, 0.75), round(mixing_share(np.array([0.1, 0.5]), 0.65, 0.75), 3)
    (0.5, 0.389)
    """
    leaves = 1 - stays
    most, least = float(leaves.max()), float(leaves.min())
    by_high = np.ceil(100 * (1 - high) / least - CLOSE) / 100 if least > 0 else 1.0
    by_low = (1 - low) / most if most > 0 else 1.0
    return float(min(1.0, by_high, by_low))


def invariant(P: np.ndarray, T: np.ndarray) -> np.ndarray:
    """R = P Q with q_jk = p_kj T_k / Σ_l p_lj T_l: T R = T, and no record gets a category that none had.

    >>> invariant(np.array([[0.6, 0.4], [0.4, 0.6]]), np.array([20, 80])).round(3).tolist()
    [[0.221, 0.779], [0.195, 0.805]]
    """
    Q = posterior(P, T)
    unseen = Q.sum(axis=1) == 0
    Q[unseen] = np.eye(len(P))[unseen]
    R: np.ndarray = P @ Q
    return R


def feasible(wanted: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """How many leave each category, changed so that the largest has others to change with.

    As many as leave one category must leave all others together.

    >>> feasible(np.array([40.0, 5.0, 5.0]), np.array([20.0, 5.0, 5.0]), np.array([45.0, 15.0, 15.0])).tolist()
    [20.0, 10.0, 10.0]
    """
    k = int(wanted.argmax())
    others = np.arange(len(wanted)) != k
    held = wanted.copy()
    held[k] = min(wanted[k], max(least[k], wanted[others].sum()))
    short = held[k] - held[others].sum()
    if short > 0:
        spare = most[others] - held[others]
        held[others] += spare * min(1.0, short / max(spare.sum(), 1e-300))
    return held


def balanced(flows: np.ndarray, T: np.ndarray, wanted: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Flows between categories, alike in both directions, scaled so that each is left by as many as wanted.

    Rows and columns are scaled in turn, as in iterative proportional fitting; at the end none is left by more
    than `most`, whatever was feasible. What does not move stays, so that rows add up to T.
    """
    moving: np.ndarray = flows.copy()
    np.fill_diagonal(moving, 0.0)
    evenly = np.outer(T, T) / T.sum()
    np.fill_diagonal(evenly, 0.0)
    moving = (1 - LEAST_FLOW) * (moving + moving.T) / 2 + LEAST_FLOW * evenly
    for _ in range(ROUNDS):
        left = moving.sum(axis=1)
        if np.all(np.abs(left - wanted) <= CLOSE * T):
            break
        scale = np.sqrt(np.divide(wanted, left, out=np.ones_like(left), where=left > 0))
        moving *= np.outer(scale, scale)
    over = np.minimum(1.0, most / np.maximum(moving.sum(axis=1), 1e-300))
    moving *= np.minimum.outer(over, over)
    np.fill_diagonal(moving, T - moving.sum(axis=1))
    return moving
