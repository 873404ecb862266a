"""Census pair: a generated survey and an older census, with a group that gathers in a few secret areas.

It tells the story of the source: military personnel work where the bases are, so an area with far too many of
them gives a base away. The survey is to be released without the attribute that says who they are; the census
is what an adversary has. A folder and not a file, since what it makes is a pair and not one table.
"""

from dataclasses import dataclass

import numpy as np

from sfumato.core import ParameterError, stream
from sfumato.data import Schema, Table
from sfumato.datasets._random_columns import checked_size, quotas
from sfumato.datasets.census_pair.attributes import BASIC, attributes
from sfumato.datasets.census_pair.people import people
from sfumato.datasets.census_pair.vocabulary import HARMONISATION, WORDS

__all__ = ["BASIC", "HARMONISATION", "WORDS", "CensusPair", "census_pair"]

NAME = "census_pair"
PARAMETER, VITAL, BELONGS = "workplace", "military", "1"
CROWDED = (0.025, 0.06)  # share of the group in a planted area, from and to


@dataclass(frozen=True, kw_only=True)
class CensusPair:
    """The two files, and what only their maker knows: the areas in which the group was gathered."""

    survey: Table
    auxiliary: Table
    planted: tuple[str, ...]
    vital: dict[str, tuple[str, ...]]
    parameter: str

    @property
    def released(self) -> Table:
        """The survey as a careless owner would release it: without the vital attribute, and nothing else."""
        return self.survey.select(name for name in self.survey.names if name not in self.vital)


def census_pair(
    n: int = 300_000,
    *,
    auxiliary_n: int | None = None,
    areas: int = 100,
    planted: int = 8,
    share: float = 0.003,
    described: float = 1.0,
    seed: int = 0,
) -> CensusPair:
    """A survey of n working people and a census of the same areas some years before.

    Both have the 13 basic attributes of the source in its codes, the area of work, and whether a person is
    military. In an ordinary area `share` of the people are; in each of the `planted` ones, which are the same
    in both years, ten times as many or more. A member of the group is young, male, single, walks to work
    early in the morning over a short way and has a medium income with the chance `described`; else nothing
    tells members from others, so that with `described=0` the group has nothing to do with the attributes.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016), Tables 3 and 4 (attributes and ranges; all values here
    are made up).

    >>> pair = census_pair(2000, areas=20, planted=2, seed=1)
    >>> pair.survey
    Table(2000 records × 15 attributes)
    >>> len(pair.planted), pair.parameter in pair.released, "military" in pair.released
    (2, True, False)
    """
    n = checked_size(NAME, n)
    auxiliary_n = n if auxiliary_n is None else checked_size(NAME, auxiliary_n)
    _check(areas, planted, share, described)
    rng = stream(seed, NAME, "areas")
    shares = np.full(areas, share)
    crowded = np.sort(rng.choice(areas, planted, replace=False))
    shares[crowded] = rng.uniform(*CROWDED, planted)
    sizes = np.exp(0.12 * rng.standard_normal(areas))
    names = tuple(f"A{number:04d}" for number in range(1, areas + 1))
    files = {
        year: _file(size, sizes, shares, names, described, year, seed)
        for year, size in (("survey", n), ("auxiliary", auxiliary_n))
    }
    return CensusPair(
        survey=files["survey"],
        auxiliary=files["auxiliary"],
        planted=tuple(names[area] for area in crowded),
        vital={VITAL: (BELONGS,)},
        parameter=PARAMETER,
    )


def _file(
    n: int,
    sizes: np.ndarray,
    shares: np.ndarray,
    names: tuple[str, ...],
    described: float,
    year: str,
    seed: int,
) -> Table:
    rng = stream(seed, NAME, year, "areas")
    # some people moved between the years, and some posts were closed
    area = np.repeat(np.arange(len(sizes)), quotas(n, sizes * np.exp(0.03 * rng.standard_normal(len(sizes)))))
    area = rng.permutation(area)
    shares = shares * np.exp(0.1 * rng.standard_normal(len(shares)))
    military = rng.random(n) < shares[area]
    typical = military & (rng.random(n) < described)
    columns = people(typical, stream(seed, NAME, year, "people"))
    schema = Schema(attributes(PARAMETER, names, VITAL))
    return Table(schema, {**columns, PARAMETER: area, VITAL: military.astype(np.int8)})


def _check(areas: int, planted: int, share: float, described: float) -> None:
    if areas < 1:
        raise ParameterError(f"{NAME}: areas must be an integer of at least 1. Got {areas!r}.")
    if not 0 <= planted <= areas:
        raise ParameterError(f"{NAME}: planted must be from 0 to the number of areas. Got {planted!r}.")
    if not 0 <= share < CROWDED[0]:
        raise ParameterError(f"{NAME}: share must be from 0 to {CROWDED[0]}. Got {share!r}.")
    if not 0 <= described <= 1:
        raise ParameterError(f"{NAME}: described must be from 0 to 1. Got {described!r}.")
