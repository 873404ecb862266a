"""Noise and swapping: noise first, then the values of records that would still be linked change places."""

from typing import ClassVar

import numpy as np
from scipy.spatial import cKDTree

from sfumato.core import Advice, Aliases, param, progress
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import check_not_alone, scaled, spreads
from sfumato.masking.noise import Noise


class NoiseSwapping(Masking):
    """Correlated noise of little variance, and swaps of whole records wherever a link by distance would still find the owner.

    Noise is added as `noise` of the kind "correlated_transformed" does, which keeps means and variances. Then the owner's link is
    tried: every released record is linked to the nearest original one, in standard deviations. Those linked to their own are
    paired at random, and the two of a pair trade their masked values; what is left of an odd number trades with any
    other record. This is done again until at most `linked` percent of the records are linked to their own, or so many `rounds`
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
        for _ in range(self.rounds):
            if 100 * found.mean() <= self.linked:
                break
            order = swapped(order, np.flatnonzero(found), rng)
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


def swapped(order: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An order in which the given places have traded, two by two at random; a lone one with any other.

    >>> swapped(np.arange(4), np.array([1, 3]), np.random.default_rng(0)).tolist()
    [0, 3, 2, 1]
    """
    rows, traded = rng.permutation(rows), order.copy()
    pairs = len(rows) - len(rows) % 2
    traded[rows[:pairs:2]], traded[rows[1:pairs:2]] = order[rows[1:pairs:2]], order[rows[:pairs:2]]
    if pairs < len(rows) and len(order) > 1:
        lone = rows[-1]
        other = rng.choice(np.delete(np.arange(len(order)), lone))
        traded[[lone, other]] = traded[[other, lone]]
    return traded
