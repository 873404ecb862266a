"""Weights of attributes under which true records are nearer than wrong ones."""

import numpy as np
import scipy

from sfumato.kernels.single_thread import one_thread

PENALTY = 1e-3


def fitted_weights(pairs: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Weights w ≥ 0 of 1 / (1 + exp(−Σ_j w_j · pair_j)), the chance that a true record is nearer than a wrong one.

    A row of `pairs` is the distance to the wrong record minus that to the true one, attribute by attribute.
    """
    columns = np.ascontiguousarray(pairs.T)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        # column by column: the sums do not depend on how many threads a matrix product would take
        margins = np.zeros(len(pairs))
        for weight, column in zip(weights, columns, strict=True):
            margins += weight * column
        slopes = -np.exp(-np.logaddexp(0.0, margins))
        gradient = np.array([(slopes * column).mean() for column in columns])
        value = np.logaddexp(0.0, -margins).mean() + PENALTY / 2 * np.square(weights).sum()
        return float(value), gradient + PENALTY * weights

    with one_thread():
        found = scipy.optimize.minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(start)
        )
    return found.x
