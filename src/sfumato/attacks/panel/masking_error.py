"""Masking error: one who knows the method knows how released values differ from true ones."""

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.search import Coordinate, Search, squared
from sfumato.kernels.nearest import EQUAL

RIDGE = (
    1e-6  # added to the variances of errors, in units of the values' own; where nothing was masked they are 0
)


def likelihood(case: Case, taught: np.ndarray) -> Search:
    """The Mahalanobis distance of errors (and log odds of categories), learned from the records of some people.

    The numbers of the release are moved by the mean error, and turned and scaled so that errors have variance 1 and
    no covariance. What is missing has no error. Categories that differ cost 2·log(m(1 − u) / ((1 − m)u)), with the
    shares m of people and u of random pairs that agree; so that both sums are twice a log likelihood.
    """
    numbers = [column for column in case.columns if column.reading is None]
    categories = [column for column in case.columns if column.reading is not None]
    return Search.by(
        case,
        [*_whitened(case, numbers, taught), *(_agreement(case, column, taught) for column in categories)],
    )


def _whitened(case: Case, numbers: list[Column], taught: np.ndarray) -> list[Coordinate]:
    if not numbers:
        return []
    centres = [np.nanmean(c.known) if not np.isnan(c.known).all() else 0.0 for c in numbers]
    K, R = (
        np.column_stack(
            [np.nan_to_num((v - m) / c.spread) for v, m, c in zip(side, centres, numbers, strict=True)]
        )
        for side in ([c.known for c in numbers], [c.released for c in numbers])
    )
    errors = R[case.own[taught]] - K[taught]
    mean = errors.mean(0)
    # einsum: the same sums on any number of threads
    covariance = np.einsum("ni,nj->ij", errors - mean, errors - mean) / len(errors)
    values, axes = np.linalg.eigh(covariance)
    turned = axes / np.sqrt(np.maximum(values, 0) + RIDGE)
    sides = [np.einsum("ni,ij->nj", side, turned).T for side in (K, R - mean)]
    return [squared(known, released, 1.0, 0.0) for known, released in zip(*sides, strict=True)]


def _agreement(case: Case, column: Column, taught: np.ndarray) -> Coordinate:
    assert column.reading is not None
    known = np.where(np.isnan(column.known), -1, column.known).astype(np.int64)[taught]
    released = np.where(np.isnan(column.released), -1, column.released).astype(np.int64)[case.own[taught]]
    m = _share(column.reading.distances(released, known) < 1)
    u = _share(column.reading.distances(np.roll(released, 1), known) < 1)
    weight = max(2 * float(np.log(m * (1 - u) / ((1 - m) * u))), 0.0)
    return Coordinate(column.known, column.released, EQUAL, weight, weight, column.reading, covered=0.0)


def _share(agree: np.ndarray) -> float:
    """Neither 0 nor 1, however few there were."""
    return float((agree.sum() + 0.5) / (len(agree) + 1))


def masking_error(case: Case) -> np.ndarray:
    return case.cross_fitted(lambda taught, sought: likelihood(case, taught).found(sought))


def masking_error_released(case: Case) -> np.ndarray:
    return case.cross_fitted(lambda taught, sought: likelihood(case, taught).found_from_release(sought))
