"""Noise and swapping: noise first, then the values of records that would still be linked change places."""

from typing import ClassVar

import numpy as np
from scipy.spatial import cKDTree

from sfumato.core import Advice, Aliases, param, progress
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import check_not_alone, scaled, spreads
from sfumato.masking._nearest_records import neighbours
from sfumato.masking.noise import Noise

NEAR = 5  # records among which a partner is looked for


class NoiseSwapping(Masking):
    """Correlated noise of little variance, and swaps of whole records wherever a link by distance would still find the owner.

    Noise is added as `noise` of the kind "correlated_transformed" does, which keeps means and variances. Then the owner's link is
    tried: every released record is linked to the nearest original one, in standard deviations. Those linked to their own are
    paired, near ones first, and the two of a pair trade their masked values; what is left of an odd number trades with
    any other record. This is done again until at most `linked` percent of the records are linked to their own, or so many `rounds`
    were done; how many remain is told.

    A swap moves values between records and changes no distribution or correlation of the masked attributes;
    relations with all other attributes weaken by how many were swapped. With strata, no value leaves its stratum, so that what
    is known of each stratum stays. Missing values stand at the mean for the link, and move with the record.

    Source: Kim & Winkler (1995), as told in Fayyoumi, *thesis*, §2.4.3; the link and the pairs are ours.

    >>> from sfumato.datasets import business_survey
    >>> firms = business_survey(100, seed=1)
    >>> masked = NoiseSwapping(alpha=0.01).apply(firms, np.random.default_rng(1))
    >>> float(linked(firms.numbers(firms.names), masked.numbers(firms.names)).mean()) <= 0.05
    True
    """

    aliases: ClassVar[Aliases] = {"Kim-Winkler": {}}

    scales = ("numeric",)
    for_users: ClassVar[Advice] = Advice(
        done="Each number was changed by random noise, and some records traded their numbers.",
        effect="Means, variances, and correlations among these variables are nearly those collected; relations with all "
        "other variables are weaker.",
        remedy="Analyse these variables among themselves, take associations with others as understated, and read nothing "
        "from the exact value of a record.",
    )

    alpha: float = param(default=0.1, low=0, help="variance of the noise as a share of the attribute's")
    linked: float = param(
        default=5.0, low=0, high=100, help="percent of the records that may be linked to their own"
    )
    rounds: int = param(default=20, low=1, help="rounds of swapping, at most")

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        for name in names:
            check_not_alone(int(np.count_nonzero(~table.missing(name))), name, self.name)
        noisy = Noise(kind="correlated_transformed", alpha=self.alpha).mask(table, names, rng)
        original, released = table.numbers(names), noisy.numbers(names)
        order, found = np.arange(table.n), linked(original, released)
        X = np.nan_to_num(scaled(original, *spreads(original)))
        for _ in range(self.rounds):
            if 100 * found.mean() <= self.linked:
                break
            order = swapped(order, np.flatnonzero(found), X, rng)
            found = linked(original, released[order])
        progress.counted(
            f"{self.name}: {{}} records are nearest to their own after swapping.", int(found.sum())
        )
        return noisy.replace({name: noisy[name][order] for name in names})


def linked(original: np.ndarray, released: np.ndarray) -> np.ndarray:
    """Whether no original record is nearer to a released one than its own; missing stands at the mean.

    >>> linked(np.array([[1.0], [2.0], [8.0]]), np.array([[1.2], [7.0], [7.5]])).tolist()
    [True, False, True]
    """
    scales = spreads(original)
    X, Y = (np.nan_to_num(scaled(values, *scales)) for values in (original, released))
    nearest = cKDTree(X).query(Y)[0]
    own = np.sqrt(((X - Y) ** 2).sum(axis=1))
    near: np.ndarray = own <= nearest * (1 + 1e-12)
    return near


def swapped(order: np.ndarray, rows: np.ndarray, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An order in which the given places have traded, near ones two by two; a lone one with any other.

    >>> X = np.array([[0.0], [5.0], [0.1], [5.2]])
    >>> swapped(np.arange(4), np.arange(4), X, np.random.default_rng(0)).tolist()
    [2, 3, 0, 1]
    """
    traded, free = order.copy(), np.zeros(len(order), bool)
    free[rows] = True
    for i, j in near_pairs(X, rows):
        if free[i] and free[j]:
            traded[[i, j]], free[[i, j]] = traded[[j, i]], False
    left = rng.permutation(np.flatnonzero(free))
    if len(left) % 2 and len(order) > 1:
        left = np.append(left, rng.choice(np.delete(np.arange(len(order)), left[-1])))
    for i, j in left[: len(left) - len(left) % 2].reshape(-1, 2):
        traded[[i, j]] = traded[[j, i]]
    return traded


def near_pairs(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Pairs of rows of which one is among the nearest of the other, the nearest pair first."""
    if len(rows) < 2:
        return np.empty((0, 2), np.int64)
    near = neighbours(X[rows], min(NEAR, len(rows) - 1))
    first, second = rows[np.repeat(np.arange(len(rows)), near.shape[1])], rows[near.ravel()]
    apart = ((X[first] - X[second]) ** 2).sum(axis=1)
    return np.column_stack([first, second])[np.argsort(apart, kind="stable")]
