"""Mean and spread that do not depend on the order of the records."""

import math

import numpy as np


def centre_and_spread(values: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of the values present; the spread of a constant is exactly 0.

    The values are summed in sorted order, so that the order of the records cannot change the last digit.

    >>> centre_and_spread(np.array([0.1, np.nan, 0.1, 0.1]))
    (0.1, 0.0)
    """
    present = np.sort(values[~np.isnan(values)])
    if len(present) == 0 or present[0] == present[-1]:
        return (float(present[0]) if len(present) else 0.0), 0.0
    # a power of two changes no digit, and keeps squares of very large or small values within range
    power = int(np.frexp(np.abs(present[[0, -1]]).max())[1])
    scaled = np.ldexp(present, -power)
    return math.ldexp(scaled.mean(), power), math.ldexp(scaled.std(), power)
