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
def signal_after(U: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """The quantity signal after a list of swaps."""
    after = signal.copy()
    for i in range(len(U)):
        after[U[i, 0]] -= 1
        after[U[i, 2]] += 1
    return after
