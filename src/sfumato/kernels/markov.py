"""What a Markov matrix is expected to do to categories of given frequencies, before any record is drawn.

Row k of P holds the probabilities of what category k becomes, as in PRAM; T holds the frequencies of the
original categories. Counts of original (rows) and masked (columns) categories can take the place of both:
`estimated_matrix` turns them into P.
"""

import numpy as np


def estimated_matrix(counts: np.ndarray) -> np.ndarray:
    """The matrix that counts of original and masked categories suggest; a row without records stays as it is.

    >>> estimated_matrix(np.array([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    totals = counts.sum(axis=1, keepdims=True)
    matrix: np.ndarray = np.where(totals > 0, counts / np.maximum(totals, 1e-300), np.eye(len(counts)))
    return matrix


def posterior(P: np.ndarray, T: np.ndarray) -> np.ndarray:
    """P(V = i | V' = j), original categories i in columns, by Bayes' formula; 0 where j is never released.

    >>> posterior(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([2, 1])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    joint = (P * np.asarray(T, float)[:, None]).T
    totals = joint.sum(axis=1, keepdims=True)
    Q: np.ndarray = np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)
    return Q


def expected_entropy_loss(P: np.ndarray, T: np.ndarray) -> float:
    """EBIL in percent as the matrix says it, without a masked file: 100 · Σ_j n'_j H(V | V' = j) / (n log2 |D|).

    n'_j = Σ_i T_i p_ij is the expected frequency of the masked category.

    >>> round(expected_entropy_loss(np.full((2, 2), 0.5), np.array([5, 5])), 6)
    100.0
    """
    n, size = float(np.sum(T)), len(T)
    if n == 0 or size < 2:
        return 0.0
    Q = posterior(P, T)
    bits = -(Q * np.log2(Q, out=np.zeros_like(Q), where=Q > 0)).sum(axis=1)
    return float(100 * (np.asarray(T, float) @ P) @ bits / (n * np.log2(size)))


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
