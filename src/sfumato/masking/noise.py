"""Noise: random numbers are added to the values, or multiplied with them."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data import Table
from sfumato.masking._contract import Parts
from sfumato.masking._correlation import IN_CACHE, check_not_alone, scaled, square_root, standardised
from sfumato.masking._parts import InParts, Whole

KINDS = ("uncorrelated", "correlated", "correlated_transformed", "multiplicative")


class Noise(InParts):
    """Normal noise whose variance is a share α of that of the attribute; four kinds.

    - **uncorrelated**: x' = x + e, e ~ N(0, α σ²), for each attribute by itself. Means are kept in
      expectation, variances grow to (1 + α) σ², and correlations shrink by 1 / (1 + α).
    - **correlated**: e ~ N(0, α Σ), Σ being the covariance matrix of the attributes. The covariances grow to
      (1 + α) Σ, so that correlations are kept in expectation.
    - **correlated_transformed**: the values z of the kind before are moved and scaled back,

          x' = x̄ + (s_x / s_z) (z − z̄),

      which keeps the mean and the variance of each attribute exactly, and correlations in expectation.
    - **multiplicative**: x' = x·e, with e lognormal of mean 1 and variance α. Signs and zeros are kept, and
      large values change more than small ones, as suits incomes and turnovers.

    Values are rounded to the declared decimals and kept within the declared bounds last; what was said of
    means and variances holds before. Missing values stay missing, and Σ is made from the records that have
    both values of a pair. With strata, variances and means are those of the stratum; one in which an
    attribute has a single value is refused, except by multiplicative noise. A file larger than memory can have all
    kinds but correlated_transformed, which needs the noise of all records at once.

    Source: Kim (1986), Tendick & Matloff (1994); Brand (2002); multiplicative: Kim & Winkler (2003).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"sales": [12.5, 95.0, 31.0, 40.5, 8.0, 25.0]}))
    >>> masked = Noise(kind="correlated_transformed", alpha=0.2).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [14.9, 98.4, 32.1, 21.2, 17.4, 27.9]
    """

    scales = ("numeric",)
    parted_by = "records"
    grid: ClassVar = {
        "kind": ("uncorrelated", "correlated_transformed"),
        "alpha": (0.01, 0.05, 0.1, 0.2, 0.5),
    }
    for_users: ClassVar[Advice] = Advice(
        done="Each number was changed by random noise.",
        effect="Means are nearly those collected; variances are larger, and slopes and correlations with "
        "other variables are weaker.",
        remedy="Correct with the known variance of the noise, or use a method for errors in variables; "
        "read nothing from extremes or the exact value of a record.",
    )

    kind: str = param(default="correlated", choices=KINDS, help="how the noise is made")
    alpha: float = param(default=0.1, low=0, help="variance of the noise as a share of the attribute's")

    @property
    def advice(self) -> Advice:
        """What a kind of noise does, and the factor that corrects it."""
        return self.for_users._replace(**_advice(self.kind, 1 + self.alpha))

    @property
    def parted(self) -> Parts:
        """Values that are scaled back need the noise of all records at once."""
        return "none" if self.kind == "correlated_transformed" else "records"

    @property
    def needs_correlation(self) -> bool:
        return self.kind == "correlated"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        """Add noise to all columns at once, since it may be correlated."""
        if self.kind != "multiplicative":
            for name in names:
                check_not_alone(whole.present(name), name, self.name)
        if self.kind in ("uncorrelated", "correlated"):
            columns = self._added([part[name] for name in names], rng, names, whole)
        else:
            X = part.numbers(names)
            columns = list(self._masked(X, rng.standard_normal(X.shape), names, whole).T)
        return part.replace(
            {name: part.schema[name].conform(column) for name, column in zip(names, columns, strict=True)}
        )

    def _added(
        self, columns: list[np.ndarray], rng: np.random.Generator, names: tuple[str, ...], whole: Whole
    ) -> list[np.ndarray]:
        """In blocks that stay at hand; the draws are those of all records at once."""
        factors = np.sqrt(self.alpha) * whole.spreads(names)[1]
        root = None
        if self.kind == "correlated":
            root = factors[:, None] * square_root(whole.correlation(names))
        n = len(columns[0])
        masked = [np.empty(n) for _ in columns]
        for top in range(0, n, IN_CACHE):
            draws = rng.standard_normal((min(IN_CACHE, n - top), len(columns)))
            noise = factors[:, None] * draws.T if root is None else root @ draws.T
            rows = slice(top, top + IN_CACHE)
            for j, column in enumerate(columns):
                np.add(column[rows], noise[j], out=masked[j][rows])
        return masked

    def _masked(self, X: np.ndarray, draws: np.ndarray, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        masked: np.ndarray
        if self.kind == "multiplicative":
            variance = np.log1p(self.alpha)  # of the logarithm of e
            masked = X * np.exp(np.sqrt(variance) * draws - variance / 2)
            return masked
        means, spreads = whole.spreads(names)
        noise = np.sqrt(self.alpha) * (draws @ square_root(whole.correlation(names)).T)
        masked = means + standardised(scaled(X, means, spreads) + noise)[0] * spreads
        return masked


def _advice(kind: str, factor: float) -> dict[str, str]:
    """Where the words for noise of any kind are not precise enough; `factor` is 1 + α."""
    larger, root = f"about {factor:g} times", f"{np.sqrt(factor):.3g}"
    if kind == "uncorrelated":
        return {
            "effect": f"Means are nearly those collected; variances are {larger} what they were, and correlations "
            "and slopes on these variables are weaker.",
            "remedy": f"Divide variances by {factor:g} and multiply slopes on one such variable by {factor:g}, or use "
            "a method for errors in variables; read nothing from extremes or the exact value of a record.",
        }
    if kind == "correlated":
        return {
            "effect": f"Means, and correlations among these variables, are nearly those collected; their variances "
            f"and covariances are {larger} what they were, and relations with all other variables are weaker.",
            "remedy": f"Divide variances and covariances of these variables by {factor:g}, and multiply the slope of "
            f"another variable on one of them by {factor:g}; read nothing from extremes.",
        }
    if kind == "correlated_transformed":
        return {
            "effect": "Means, variances, and correlations among these variables are nearly those collected; "
            "relations with all other variables are weaker.",
            "remedy": f"Multiply correlations with other variables by {root}, and use all else as it is; read nothing "
            "from extremes or the exact value of a record.",
        }
    return {
        "effect": "Means are nearly those collected; variances are larger, large values changed more than small ones, "
        "and relations with other variables are weaker.",
        "remedy": f"For a variance, divide the mean of the squares by {factor:g} before subtracting the square of the "
        "mean; prefer logarithms, on which the noise is the same for all values.",
    }
