"""Tarragona: 834 companies with 13 numeric attributes, a reference file of the CASC project."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets._classic_files import read_numbers

FILES = ("Tarragona_834x13.csv",)
NAMES = (
    "FIXED.ASSETS",
    "CURRENT.ASSETS",
    "TREASURY",
    "UNCOMMITTED.FUNDS",
    "PAID.UP.CAPITAL",
    "SHORT.TERM.DEBT",
    "SALES",
    "LABOR.COSTS",
    "DEPRECIATION",
    "OPERATING.PROFIT",
    "FINANCIAL.OUTCOME",
    "GROSS.PROFIT",
    "NET.PROFIT",
)


def tarragona(folder: Path | str | None = None) -> Table:
    """Companies of the Tarragona area in 1995; every attribute is a whole number and a key.

    >>> tarragona()  # doctest: +SKIP
    Table(834 records × 13 attributes)
    >>> len(NAMES)
    13
    """
    return read_numbers(FILES[0], folder, NAMES)
