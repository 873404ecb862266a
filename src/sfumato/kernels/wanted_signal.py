"""How well a signal fits the one that is wanted: a trapezoid of memberships for each place."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def memberships(signal: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The membership of each value in its trapezoid: 0 up to the first corner, 1 from the second to the third."""
    grades = np.ones(len(signal))
    for p in range(len(signal)):
        x, a, b, c, d = signal[p], corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
        if x < b:
            grades[p] = 0.0 if x <= a else (x - a) / (b - a)
        elif x > c:
            grades[p] = 0.0 if x >= d else (d - x) / (d - c)
    return grades


@kernel
def signals_after(U: np.ndarray, signals: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """What each attacker sees in each place (a row) after a list of swaps; `amounts[i]` is what record i adds."""
    after = signals.copy()
    for i in range(len(U)):
        giver, record, taker, partner = U[i]
        for v in range(signals.shape[1]):
            moved = amounts[record, v] - amounts[partner, v]
            after[giver, v] -= moved
            after[taker, v] += moved
    return after
