"""Mean and standard deviation of a column, weighted or not."""

import numpy as np

from sfumato.kernels import spread


def centre_and_spread(values: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
    """Mean and standard deviation of the values present, counted by their weights if there are any.

    >>> centre_and_spread(np.array([0.0, 6.0, np.nan]), np.array([2.0, 1.0, 5.0]))[0]
    2.0
    """
    if weights is None:
        return spread.centre_and_spread(values)
    here = ~np.isnan(values) & (weights > 0)
    x, w = values[here], weights[here]
    if len(x) == 0 or x.min() == x.max():
        return spread.centre_and_spread(x)
    centre = float(np.average(x, weights=w))
    return centre, float(np.sqrt(np.average((x - centre) ** 2, weights=w)))
