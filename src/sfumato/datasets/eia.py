"""EIA: 4092 monthly returns of U.S. electricity companies for 1996 (CASC project)."""

import csv
from pathlib import Path

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Table
from sfumato.datasets._attributes import integers
from sfumato.datasets._classic_files import check_header, find, table_from_rows

FILES = ("EIA_4092x15.csv",)
NUMBERS = (
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
)
NAMES = ("UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH", *NUMBERS)


def eia(folder: Path | str | None = None) -> Table:
    """Revenues and sales by kind of customer.

    The keys are the literature's 11 attributes: UTILITYID, used as a number there, and the ten revenues and
    sales. UTILNAME is an identifier; STATE, YEAR and MONTH are neither.

    >>> eia().schema.with_role("key")[:3]  # doctest: +SKIP
    ('UTILITYID', 'RESREVENUE', 'RESSALES')
    >>> len(NAMES)
    15
    """
    path = find(FILES[0], folder)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [_cells(row, path.name) for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise FileError(f"Classic file {path} cannot be read as UTF-8 text.") from None
    check_header(path, rows, NAMES)
    return table_from_rows(path.name, _attributes(rows[1:]), rows[1:])


def _cells(row: list[str], source: str) -> list[str]:
    """Fifteen cells, whatever commas the unquoted name of the company holds.

    >>> _cells(["15257", "Poudre Valley R E A", " Inc", "CO", "96", "1", *"0123456789"], "EIA")[:3]
    ['15257', 'Poudre Valley R E A, Inc', 'CO']
    """
    after = len(NAMES) - 2
    if len(row) < len(NAMES):
        raise DataError(f"{source}: a row must have at least {len(NAMES)} cells. Got {len(row)}.")
    return [row[0], ",".join(row[1:-after]), *row[-after:]]


def _attributes(rows: list[list[str]]) -> list[Attribute]:
    companies, states, years = (tuple(sorted({row[at] for row in rows})) for at in (1, 2, 3))
    months = tuple(str(month) for month in range(1, 13))
    return [
        *integers(["UTILITYID"]),
        Attribute(name="UTILNAME", scale="nominal", role="identifier", categories=companies),
        Attribute(name="STATE", scale="nominal", categories=states),
        Attribute(name="YEAR", scale="ordinal", storage="integer", categories=years),
        Attribute(name="MONTH", scale="ordinal", storage="integer", categories=months),
        *integers(NUMBERS),
    ]
