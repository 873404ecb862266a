"""The risk of records that stand for people of a population: from frequencies in the file and among people."""

import numpy as np
import scipy

LARGEST_EXACT = 10  # the series of larger frequencies converges fast


def individual_risk(f: np.ndarray, F: np.ndarray) -> np.ndarray:
    """E(1 / F_k | f_k) from frequencies in the file and estimated ones in the population.

    >>> individual_risk(np.array([1, 2]), np.array([1.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    p = sampled_share(f, F)
    risk: np.ndarray = (
        p
        / f
        * np.where(
            f < LARGEST_EXACT,
            scipy.special.hyp2f1(1.0, 1.0, np.minimum(f, LARGEST_EXACT) + 1.0, 1 - p),
            _series(f, 1 - p),
        )
    )
    return risk


def sampled_share(f: np.ndarray, F: np.ndarray) -> np.ndarray:
    """The estimated share p_k of a combination's people that are in the file."""
    sampled: np.ndarray = f / np.maximum(F, f)
    return sampled


def weight_unit(total: float) -> float:
    """The largest power of two of which a sum of weights up to the total has at most 2^52.

    >>> weight_unit(1000.0) == 2.0**-42
    True
    """
    return float(2.0 ** (np.ceil(np.log2(max(total, 1e-300))) - 52))


def _series(f: np.ndarray, q: np.ndarray) -> np.ndarray:
    """₂F₁(1, 1; f + 1; q) = Σ_n n! q^n / ((f + 1) … (f + n)) for large f, where scipy's function overflows."""
    f = np.maximum(f, LARGEST_EXACT)
    term = total = np.ones(len(f))
    for n in range(1, 400):
        term = term * n * q / (f + n)
        total = total + term
        if not np.any(term > 1e-17):
            break
    return total
