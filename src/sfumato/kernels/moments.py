"""Sums over records from which means, variances, covariances and correlations follow, pair by pair."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles

EPSILON = np.finfo(np.float64).eps
NEGLIGIBLE = 1e-12  # a sum of squares this small beside that of the whole attribute is rounding
_small_files, _small_sums = SmallFiles(), SmallFiles()


def pair_sums(U: np.ndarray, w: np.ndarray) -> np.ndarray:
    """For each pair j, l the sums of w, w·u_j, w·u_j² and w·u_j·u_l over the rows where both are present."""
    return plain_pair_sums(U, w) if _small_files.takes(len(U)) else compiled_pair_sums(U, w)


def plain_pair_sums(U: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The same without compiled code; sums run in the same order."""
    d = U.shape[1]
    if len(U) == 0:
        return np.zeros((4, d, d))
    present = ~np.isnan(U)
    both = present[:, :, None] & present[:, None, :]
    linear = np.where(present, w[:, None] * U, 0.0)[:, :, None]
    own, other = np.where(present, U, 0.0)[:, :, None], np.where(present, U, 0.0)[:, None, :]
    terms = (w[:, None, None], linear, linear * own, linear * other)
    return np.array([np.cumsum(np.where(both, term, 0.0), axis=0)[-1] for term in terms])


@kernel
def compiled_pair_sums(U: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The same, compiled."""
    d = U.shape[1]
    sums = np.zeros((4, d, d))
    every = np.ones(d, np.bool_)
    for i in range(len(U)):
        _add(sums, U[i], w[i], every)
    return sums


@kernel
def replace_rows(sums: np.ndarray, rounding: np.ndarray, old: np.ndarray, new: np.ndarray) -> None:
    """Let rows of weight 1 leave the sums and others enter; only pairs with a changed attribute are touched.

    `rounding` grows by a bound of the error that this adds to the sum of squares of each attribute.
    """
    changed = np.zeros(old.shape[1], np.bool_)
    for i in range(len(old)):
        for j in range(len(changed)):
            changed[j] = old[i, j] != new[i, j]  # also where both are missing: then nothing is added
        _add(sums, old[i], -1.0, changed)
        for j in range(len(changed)):
            if changed[j]:
                left = 0.0 if np.isnan(old[i, j]) else old[i, j] * old[i, j]
                entered = 0.0 if np.isnan(new[i, j]) else new[i, j] * new[i, j]
                rounding[j] += EPSILON * (abs(sums[2, j, j]) + left + entered)
        _add(sums, new[i], 1.0, changed)


@kernel
def trusted(sums: np.ndarray, rounding: np.ndarray, drift: float) -> bool:
    """Whether rounding is at most this share of each attribute's variance."""
    for j in range(len(rounding)):
        n, total = sums[0, j, j], sums[1, j, j]
        left = sums[2, j, j] - total * total / n if n > 0 else 0.0
        if rounding[j] > drift * left:
            return False
    return True


@kernel
def _add(sums: np.ndarray, u: np.ndarray, w: float, changed: np.ndarray) -> None:
    for j in range(len(u)):
        if np.isnan(u[j]):
            continue
        for m in range(len(u)):
            if np.isnan(u[m]) or not (changed[j] or changed[m]):
                continue
            sums[0, j, m] += w
            sums[1, j, m] += w * u[j]
            sums[2, j, m] += w * u[j] * u[j]
            sums[3, j, m] += w * u[j] * u[m]


def statistics(sums: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Means and variances (on the diagonal), covariances and correlations (above it); NaN where undefined."""
    plain = _small_sums.takes(sums.size)
    return plain_statistics(sums, centre) if plain else compiled_statistics(sums, centre)


def plain_statistics(sums: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The same without compiled code."""
    n, diagonal = sums[0], np.eye(len(centre), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = sums[1] / n
        left = sums[2] - n * mean * mean
        variance = np.where(left > NEGLIGIBLE * sums[2].diagonal()[:, None], left / n, 0.0)
        covariance = sums[3] / n - mean * mean.T
        correlation = covariance / np.sqrt(variance * variance.T)
    varies = (variance > 0) & (variance.T > 0)
    found = np.zeros((4, *n.shape))
    found[0] = np.where(diagonal, centre[:, None] + mean, 0.0)
    found[1] = np.where(diagonal, variance, 0.0)
    found[2] = np.where(diagonal, variance, np.where(varies, covariance, 0.0))
    found[3] = np.where(diagonal, 1.0, np.where(varies, correlation, np.nan))
    found[2:, n <= 0] = np.nan
    found[:2, diagonal & (n <= 0)] = np.nan
    found[:, np.tri(len(centre), k=-1, dtype=bool)] = 0.0
    return found


@kernel
def compiled_statistics(sums: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The same, compiled."""
    d = len(centre)
    found = np.zeros((4, d, d))
    for j in range(d):
        for m in range(j, d):
            n = sums[0, j, m]
            if n <= 0:
                found[(0 if j == m else 2) :, j, m] = np.nan
                continue
            mean, other = sums[1, j, m] / n, sums[1, m, j] / n
            v = _variance(sums[2, j, m], mean, n, sums[2, j, j])
            v_other = _variance(sums[2, m, j], other, n, sums[2, m, m])
            if j == m:
                found[0, j, j], found[1, j, j] = centre[j] + mean, v
                found[2, j, j], found[3, j, j] = v, 1.0
            elif v > 0 and v_other > 0:
                found[2, j, m] = sums[3, j, m] / n - mean * other
                found[3, j, m] = found[2, j, m] / np.sqrt(v * v_other)
            else:
                found[3, j, m] = np.nan
    return found


@kernel
def _variance(squares: float, mean: float, n: float, all_squares: float) -> float:
    left = squares - n * mean * mean
    return left / n if left > NEGLIGIBLE * all_squares else 0.0


def variations(old: np.ndarray, new: np.ndarray, nothing: float) -> np.ndarray:
    """|old − new| / |old|; |new| divides where old is nothing, and 1 stands for what one side has not."""
    apart = np.zeros(len(old))
    np.divide(np.abs(old - new), np.abs(old), out=apart, where=np.abs(old) > nothing)
    apart[(np.abs(old) <= nothing) & (np.abs(new) > nothing)] = 1.0
    apart[np.isnan(old) | np.isnan(new)] = 1.0
    apart[np.isnan(old) & np.isnan(new)] = 0.0
    return apart
