"""Data to try things on: generators that make a file of any size, and readers of the field's classic files.

One data set is one file with a function of the same name. Generators take `n` and `seed`; classic files take
the folder they are in and are not part of the package.

>>> household_survey(200, seed=1)
Table(200 records × 15 attributes)
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from sfumato.core import FileError, ParameterError, UnknownNameError, registry
from sfumato.data import Table
from sfumato.datasets._classic_files import find
from sfumato.datasets.adult import adult
from sfumato.datasets.business_survey import business_survey
from sfumato.datasets.census import census
from sfumato.datasets.census_pair import CensusPair, census_pair
from sfumato.datasets.dependent_numbers import dependent_numbers
from sfumato.datasets.diabetes import diabetes
from sfumato.datasets.eia import eia
from sfumato.datasets.flare import flare
from sfumato.datasets.german import german
from sfumato.datasets.household_survey import household_survey
from sfumato.datasets.housing import housing
from sfumato.datasets.massachusetts import massachusetts
from sfumato.datasets.profile_graph import profile_graph
from sfumato.datasets.random_numbers import random_numbers
from sfumato.datasets.tarragona import tarragona
from sfumato.datasets.water_treatment import water_treatment

__all__ = [
    "CensusPair",
    "adult",
    "available",
    "business_survey",
    "census",
    "census_pair",
    "dependent_numbers",
    "diabetes",
    "eia",
    "flare",
    "german",
    "household_survey",
    "housing",
    "is_classic",
    "load",
    "massachusetts",
    "names",
    "profile_graph",
    "random_numbers",
    "summary",
    "tarragona",
    "water_treatment",
]


def names() -> tuple[str, ...]:
    """Names of all data sets, in alphabetical order.

    >>> names()[:3]
    ('adult', 'business_survey', 'census')
    """
    return registry.names("datasets")


def summary(name: str) -> str:
    """What a data set is, in one line.

    >>> summary("tarragona")
    'Tarragona: 834 companies with 13 numeric attributes, a reference file of the CASC project.'
    """
    _module(name)
    return registry.summary("datasets", name)


def is_classic(name: str) -> bool:
    """Whether a data set is read from a classic file; the others are generated.

    >>> is_classic("tarragona"), is_classic("housing")
    (True, False)
    """
    return hasattr(_module(name), "FILES")


def available(name: str, folder: Path | str | None = None) -> bool:
    """Whether `load` would find the files of a data set; generated ones need none.

    >>> available("housing"), available("german", "no such folder")
    (True, False)
    """
    try:
        for file in getattr(_module(name), "FILES", ()):
            find(file, folder)
    except FileError:
        return False
    return True


def load(
    name: str, *, n: int | None = None, seed: int | None = None, folder: Path | str | None = None
) -> Table:
    """The data set of that name: `n` and `seed` are for generated ones, `folder` for classic ones.

    >>> load("housing", n=50, seed=3)
    Table(50 records × 14 attributes)
    """
    make: Callable[..., Table] = getattr(_module(name), name)
    if is_classic(name):
        if n is not None or seed is not None:
            raise ParameterError(f"{name} is a classic file and takes no n or seed: give only its folder.")
        return make(folder)
    if folder is not None:
        raise ParameterError(f"{name} is generated and takes no folder: give only n and seed.")
    given = {"n": n, "seed": seed}
    return make(**{key: value for key, value in given.items() if value is not None})


def _module(name: str) -> ModuleType:
    if name not in names():
        raise UnknownNameError("data set", name, names())
    return importlib.import_module(f"sfumato.datasets.{name}")
