"""What a Markov matrix is expected to do to categories of given frequencies, before any record is drawn.

Row k of P holds the probabilities of what category k becomes, as in PRAM; T holds the frequencies of the
original categories.
"""

from functools import cache

import numpy as np

LN2 = np.log(2.0)
LEAST = 1e-12  # a count below it is none


def posterior(P: np.ndarray, T: np.ndarray) -> np.ndarray:
    """P(V = i | V' = j), original categories i in columns, by Bayes' formula; 0 where j is never released.

    >>> posterior(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([2, 1])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    joint = (P * np.asarray(T, float)[:, None]).T
    totals = joint.sum(axis=1, keepdims=True)
    Q: np.ndarray = np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)
    return Q


def expectation_ratios(P: np.ndarray, T: np.ndarray) -> np.ndarray:
    """For each category: expected records that kept it, to expected records that came to it from others.

    Infinite where none comes; NaN where the category is never released.

    >>> expectation_ratios(np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([10, 10])).tolist()
    [2.0, 3.0]
    """
    kept = np.asarray(T, float) * np.diag(P)
    come = np.where(np.eye(len(P), dtype=bool), 0.0, P * np.asarray(T, float)[:, None]).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: np.ndarray = kept / come
    return ratios


def average_expectation_ratio(P: np.ndarray, T: np.ndarray) -> float:
    """The expectation ratios, averaged by the frequencies of the categories that some record has.

    >>> average_expectation_ratio(np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([10, 10]))
    2.5
    """
    present = np.asarray(T) > 0
    return float(np.average(expectation_ratios(P, T)[present], weights=np.asarray(T)[present]))


def expected_count_bits(mean: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E[n log2 n] of counts whose variance is `spread` times their mean, and its derivatives by mean and spread.

    A count that is certain (spread 0) has mean · log2 mean, a Poisson count (spread 1) what its distribution
    says; what lies between is shared in proportion.

    >>> value, _, _ = expected_count_bits(np.array([8.0, 8.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    >>> value.round(3).tolist()
    [24.0, 24.739, 0.0]
    """
    roots, excess, slopes = _poisson_excess()
    root = np.sqrt(mean)
    poisson = mean * np.log2(1 + mean) + np.interp(root, roots, excess)
    poisson_slope = np.log2(1 + mean) + mean / (1 + mean) / LN2 + np.interp(root, roots, slopes)
    logs = np.log2(np.maximum(mean, LEAST))
    certain = mean * logs
    by_mean = (1 - spread) * (logs + 1 / LN2) + spread * poisson_slope
    return certain + spread * (poisson - certain), by_mean, poisson - certain


@cache
def _poisson_excess() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E[n log2 n] − λ log2(1 + λ) of Poisson counts and its slope, by √λ; constant beyond the last."""
    roots = np.linspace(0, 16, 1601)
    means = roots**2
    numbers = np.arange(512)
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(numbers[1:]))])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chances = (
            np.where(numbers, numbers * np.log(means)[:, None], 0.0) - means[:, None] - log_factorials
        )
    chances = np.exp(np.nan_to_num(log_chances, nan=-np.inf))
    excess = means * (chances @ np.log2(1 + numbers) - np.log2(1 + means))
    slopes = np.gradient(excess, means, edge_order=2)
    slopes[-1] = 0.0
    return roots, excess, slopes
