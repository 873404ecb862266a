"""Kept moments: another masking, and then the least change that gives means and covariances back."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, DataError, ParameterError, param
from sfumato.data import Table
from sfumato.masking._chain import make_masking
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import check_not_alone, correlation, scaled, spreads


class KeptMoments(Masking):
    """The file that another masking makes, moved so that its means, variances and correlations are the original ones.

    All records are moved by one linear map, x' = m + D (z − z̄) T, where T is the one among all maps that give the original
    covariance matrix which moves records least:

        T = B^(−½) (B^½ A B^½)^½ B^(−½),

    A and B being the correlations of the original and of the masked file. It corrects what the masking did to
    variances and correlations and adds no other change; records that were released alike stay alike, so that k-anonymous files
    stay so until values are rounded to declared decimals or kept within declared bounds, which comes last. (Those that the
    masking made too alike, such as two columns that became one, cannot be told apart again: there B has no inverse, and
    what does not vary stays so.)

    It may bring released values nearer to the original ones: judge the file as you would any other. Missing values stay as the masking left them; correlations are those of records with both values.
    With strata, each keeps its own moments.

    Source: Sebé, Domingo-Ferrer, Mateo-Sanz & Torra (2002), optimisation after masking, as named in Fayyoumi, *thesis*,
    §2.4.3, and masked values with Cholesky factors, §2.5 (hybrid) and eq. 2.1 (its B); the map of least change is ours.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import Mdav
    >>> firms = business_survey(200, seed=1)
    >>> moved = KeptMoments(masking="mdav(k=5)").apply(firms, np.random.default_rng(1))
    >>> plain = Mdav(k=5).apply(firms, np.random.default_rng(1))
    >>> [round(float(masked["turnover"].std() / firms["turnover"].std()), 2) for masked in (plain, moved)]
    [0.95, 1.0]
    """

    aliases: ClassVar[Aliases] = {"post-masking optimisation": {}}

    scales = ("numeric",)
    for_users: ClassVar[Advice] = Advice(
        done="Numbers were changed, and then all moved together so that means, variances and correlations are those collected.",
        effect="Means, variances and correlations of these variables are those collected; all else is blurred.",
        remedy="Use linear analyses of these variables as they are; read nothing from extremes, from small groups or from "
        "the exact value of a record.",
    )

    masking: str = param(default="noise", help="the masking before, such as mdav(k=5)")

    def check(self) -> None:
        inner = make_masking(self.masking)
        one = len(inner.sequence) == 1 and not isinstance(inner, KeptMoments)
        if not one or "numeric" not in inner.taken or not inner.keeps_records:
            raise ParameterError(
                f"{self.name}: masking must be one that takes numbers and keeps all records. Got {self.masking!r}."
            )

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        for name in names:
            check_not_alone(int(np.count_nonzero(~table.missing(name))), name, self.name)
        masked = self._inner_masked(table, names, rng)
        moved = with_moments(masked.numbers(names), table.numbers(names))
        return masked.replace({n: masked.schema[n].conform(moved[:, j]) for j, n in enumerate(names)})

    def _inner_masked(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        try:
            return make_masking(self.masking).mask(table, names, rng)
        except DataError as error:
            raise DataError(f"{self.name}: {error}") from None


def with_moments(masked: np.ndarray, original: np.ndarray) -> np.ndarray:
    """Masked records after the least linear map that gives them the means and covariances of the original.

    >>> with_moments(np.array([[1.0], [1.0], [2.0], [2.0]]), np.array([[0.0], [2.0], [6.0], [8.0]])).round(2).tolist()
    [[0.84], [0.84], [7.16], [7.16]]
    """
    means, deviations = spreads(original)
    Z = scaled(masked, *spreads(masked))
    wanted = correlation(scaled(original, means, deviations))
    moved = np.nan_to_num(Z) @ least_map(correlation(Z), wanted)
    return np.where(np.isnan(masked), np.nan, means + deviations * moved)


def least_map(given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """T with T B T = A, B given and A wanted, so that records of covariance B are moved least; in the space of B alone."""
    values, vectors = np.linalg.eigh(given)
    varies = values > 1e-9
    root = np.sqrt(np.where(varies, values, 0.0))
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=varies)
    half, back = (vectors * root) @ vectors.T, (vectors * inverse) @ vectors.T
    middle = half @ wanted @ half
    inner, axes = np.linalg.eigh((middle + middle.T) / 2)
    found: np.ndarray = back @ ((axes * np.sqrt(np.maximum(inner, 0.0))) @ axes.T) @ back
    return found
