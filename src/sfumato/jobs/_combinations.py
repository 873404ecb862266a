"""What some columns together give away: how many records share their values with few others, or with nobody."""

import itertools
import math

import numpy as np

from sfumato.core import Result
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct

LARGEST_COMBINATION = 3
COMBINATIONS_SHOWN = 10
MOST_COMBINATIONS = 10_000  # of one size that are looked at; there can be billions in a file of a few lines
# what is confidential is no secret from everybody, but what a release is about
KNOWABLE = ("key", "other", "stratum")


class CombinationProfile(Result):
    """How far some key attributes together single people out."""

    attributes: tuple[str, ...]
    uniques: float
    below_3: float
    below_5: float
    smallest: int


def known_by_others(table: Table) -> CombinationProfile | None:
    """What an intruder finds who knows all that others may know: all but numbers of persons and households, weights, and
    what a release is about."""
    return seen_by(table, tuple(a.name for a in table.schema if a.role in KNOWABLE))


def all_but_names(table: Table) -> CombinationProfile | None:
    """What an intruder finds who knows all columns but those that name somebody, which no release would hold."""
    return seen_by(table, tuple(a.name for a in table.schema if a.role not in ("identifier", "household")))


def seen_by(table: Table, names: tuple[str, ...]) -> CombinationProfile | None:
    """What who knows these columns finds; nothing where there are none, or no records."""
    return combination_profile(table, names) if names and table.n else None


def combination_profile(table: Table, names: tuple[str, ...]) -> CombinationProfile:
    """How many records share their values of these attributes with few others or with nobody."""
    classes = distinct(table.shown(names))
    sizes = classes.counts[classes.labels]
    return CombinationProfile(
        attributes=names,
        uniques=100 * float(np.mean(sizes == 1)),
        below_3=100 * float(np.mean(sizes < 3)),
        below_5=100 * float(np.mean(sizes < 5)),
        smallest=int(sizes.min()),
    )


def riskiest_combinations(table: Table, names: tuple[str, ...]) -> tuple[CombinationProfile, ...]:
    """The single keys, pairs and triples that single out most records; of very many keys, no pairs or triples."""
    sizes = range(1, min(LARGEST_COMBINATION, len(names)) + 1)
    found = [
        combination_profile(table, chosen)
        for size in sizes
        if size == 1 or math.comb(len(names), size) <= MOST_COMBINATIONS
        for chosen in itertools.combinations(names, size)
    ]
    found.sort(key=lambda profile: (-profile.uniques, len(profile.attributes)))
    return tuple(profile for profile in found[:COMBINATIONS_SHOWN] if profile.below_5 > 0)
