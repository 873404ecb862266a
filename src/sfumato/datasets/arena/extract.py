"""The extracts: persons of the 2019 American Community Survey in one region, all with the same 24 columns."""

from pathlib import Path

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.datasets._classic_files import find, read_rows, table_from_rows
from sfumato.datasets.arena.dictionary import attribute, read_dictionary

FOLDER = "nist"
DICTIONARY = f"{FOLDER}/data_dictionary.json"
NAMES = (
    *("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "DENSITY"),
    *("INDP", "INDP_CAT", "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "DVET", "DREM", "DPHY", "DEYE", "DEAR"),
    *("PWGTP", "WGTP"),
)


def extract(name: str = "ma2019", folder: Path | str | None = None) -> Table:
    """An extract by the name of its file: ma2019, tx2019 or national2019, where that is in the folder `nist`.

    >>> extract("ma2019")  # doctest: +SKIP
    Table(7634 records × 24 attributes)
    """
    path = find(path_of(name), folder)
    header, *rows = read_rows(path, len(NAMES)) or [[]]
    if sorted(header) != sorted(NAMES):
        raise DataError(f"{path.name}: the header is not that of an extract of the arena.")
    entries = read_dictionary(find(DICTIONARY, folder))
    absent = [column for column in header if column not in entries]
    if absent:
        raise DataError(f"{DICTIONARY}: must describe {absent[0]}, a column of {path.name}.")
    columns = zip(*rows, strict=True) if rows else ((),) * len(header)
    attributes = [attribute(n, entries[n], set(cells)) for n, cells in zip(header, columns, strict=True)]
    return table_from_rows(path.name, attributes, rows)


def path_of(name: str) -> str:
    """Where an extract lies in the folder of classic files.

    >>> path_of("tx2019")
    'nist/tx2019.csv'
    """
    return f"{FOLDER}/{Path(name).name.removesuffix('.csv')}.csv"
