"""Principal factors of a correlation matrix, as those of one file are held against those of another."""

from typing import NamedTuple

import numpy as np

NONE = 1e-9  # a factor of this variance is none
DIGITS = 12  # what is behind them is rounding, which must not turn factors of equal variance


class Factors(NamedTuple):
    """`loadings` are the correlations of attributes (rows) with factors, `coefficients` what multiplies a standardised
    attribute in the score of a factor; `communalities` the shares of attributes that the first factor explains."""

    loadings: np.ndarray
    coefficients: np.ndarray

    @classmethod
    def of(cls, correlations: np.ndarray) -> "Factors":
        """The factor of greatest variance first; the sum of the loadings of each is not negative."""
        variances, directions = np.linalg.eigh(np.round(correlations, DIGITS))
        variances, directions = variances[::-1], directions[:, ::-1]
        directions = directions * np.where(directions.sum(axis=0) < 0, -1.0, 1.0)
        roots = np.sqrt(np.where(variances > NONE, variances, 0.0))
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        return cls(directions * roots, directions * inverse)

    @property
    def communalities(self) -> np.ndarray:
        first: np.ndarray = self.loadings[:, 0] ** 2
        return first

    def facing(self, other: "Factors") -> "Factors":
        """The same factors, each turned to the side of the other's: their signs mean nothing."""
        signs = np.where((self.loadings * other.loadings).sum(axis=0) < 0, -1.0, 1.0)
        return Factors(self.loadings * signs, self.coefficients * signs)
