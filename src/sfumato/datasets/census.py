"""Census: 1080 people of the U.S. Current Population Survey with 13 numeric attributes (CASC project)."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets._classic_files import read_numbers

FILES = ("Census_1080x13.csv",)
NAMES = (
    "AFNLWGT",
    "AGI",
    "EMCONTRB",
    "FEDTAX",
    "PTOTVAL",
    "STATETAX",
    "TAXINC",
    "POTHVAL",
    "INTVAL",
    "PEARNVAL",
    "FICA",
    "WSALVAL",
    "ERNVAL",
)


def census(folder: Path | str | None = None) -> Table:
    """Incomes and taxes of 1995; every attribute is a whole number and a key.

    AFNLWGT is the weight of the survey; the literature masks it like the others, so it is a key here too.
    PTOTVAL is the sum of POTHVAL and PEARNVAL: the file has rank 12.

    >>> census()  # doctest: +SKIP
    Table(1080 records × 13 attributes)
    >>> len(NAMES)
    13
    """
    return read_numbers(FILES[0], folder, NAMES)
