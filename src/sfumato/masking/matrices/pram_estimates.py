"""Original counts estimated from a file that went through PRAM, by those who know the matrix."""

from typing import Any

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import Attribute
from sfumato.masking.matrices.markov_matrices import frequencies

LARGEST_CONDITION = 1e12


class CountEstimates(Result):
    """How many records had each category, with the covariance of the estimates.

    They are unbiased, and so may be negative where a category is rare; they add up to the records present.
    """

    column: str
    categories: tuple[str, ...]
    counts: np.ndarray
    covariance: np.ndarray

    @property
    def variances(self) -> np.ndarray:
        """The estimated variance of each count, never below 0."""
        variances: np.ndarray = np.maximum(np.diag(self.covariance), 0)
        return variances

    def to_dict(self) -> dict[str, Any]:
        rows = {row.pop("category"): row for row in self._rows()}
        return {"column": self.column, "categories": rows}

    def _rows(self) -> list[dict[str, Any]]:
        errors = np.sqrt(self.variances)
        rows = zip(self.categories, self.counts.tolist(), errors.tolist(), strict=True)
        return [{"category": c, "count": count, "error": error} for c, count, error in rows]


def estimate_counts(attribute: Attribute, masked: np.ndarray, P: np.ndarray) -> CountEstimates:
    """Undo PRAM on the average: t̂ = t' P⁻¹, where t' are the counts of the masked codes.

    Given the original counts t, the masked ones have the mean t P and the covariance Σ_k t(k) V_k with
    V_k = diag(P_k) − P_kᵀ P_k. So

        Cov(t̂) = P⁻ᵀ (Σ_k t(k) V_k) P⁻¹,

    which is linear in t: with t̂ in its place the covariance is estimated without bias too. Missing values
    count for no category.

    Source: Gouweleeuw et al. (1998); Kooiman et al. (1997).

    >>> region = Attribute(name="region", scale="nominal", categories=("north", "south"))
    >>> P = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> found = estimate_counts(region, np.repeat([0, 1], [38, 62]), P)
    >>> found.counts.round(6).tolist(), found.variances.round(3).tolist()
    ([30.0, 70.0], [44.444, 44.444])
    """
    if P.shape != (attribute.domain_size, attribute.domain_size):
        raise DataError(
            f"pram: the matrix of column {attribute.name} must have a row and a column for each of its "
            f"{attribute.domain_size} categories. Got {' × '.join(map(str, P.shape))}."
        )
    if attribute.domain_size and np.linalg.cond(P) > LARGEST_CONDITION:
        raise DataError(
            f"pram: the matrix of column {attribute.name} has no inverse: the original counts cannot be known."
        )
    inverse = np.linalg.inv(P)
    counts = frequencies(masked, attribute.domain_size) @ inverse
    spread = np.diag(counts @ P) - (P * counts[:, None]).T @ P
    return CountEstimates(
        column=attribute.name,
        categories=attribute.categories,
        counts=counts,
        covariance=inverse.T @ spread @ inverse,
    )
