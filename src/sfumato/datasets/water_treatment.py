"""Water treatment: 527 days of a treatment plant, 38 measurements with missing values (UCI)."""

from pathlib import Path

from sfumato.data import Attribute, Table
from sfumato.datasets._attributes import number
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("water-treatment.data",)
MISSING_CODES = ("-1",)

QUANTITIES = {
    "Q": "flow",
    "ZN": "zinc",
    "PH": "pH",
    "DBO": "biological demand of oxygen",
    "DQO": "chemical demand of oxygen",
    "SS": "suspended solids",
    "SSV": "volatile suspended solids",
    "SED": "sediments",
    "COND": "conductivity",
}
PLACES = {
    "E": "into the plant",
    "P": "into the primary settler",
    "D": "into the secondary settler",
    "S": "out of the plant",
}
DECIMALS = {"Q": 0, "ZN": 2, "PH": 1, "DBO": 0, "DQO": 0, "SS": 0, "SSV": 1, "SED": 1, "COND": 0}
MEASURED = (
    *("Q-E", "ZN-E", "PH-E", "DBO-E", "DQO-E", "SS-E", "SSV-E", "SED-E", "COND-E"),
    *("PH-P", "DBO-P", "SS-P", "SSV-P", "SED-P", "COND-P"),
    *("PH-D", "DBO-D", "DQO-D", "SS-D", "SSV-D", "SED-D", "COND-D"),
    *("PH-S", "DBO-S", "DQO-S", "SS-S", "SSV-S", "SED-S", "COND-S"),
)
PERFORMANCE = (
    *("RD-DBO-P", "RD-SS-P", "RD-SED-P", "RD-DBO-S", "RD-DQO-S"),
    *("RD-DBO-G", "RD-DQO-G", "RD-SS-G", "RD-SED-G"),
)


def water_treatment(folder: Path | str | None = None) -> Table:
    """Daily measurements as keys, the day as identifier; 380 days have all measurements.

    >>> days = water_treatment()  # doctest: +SKIP
    >>> whole = days.take(~np.isnan(days.numbers(days.schema.with_role("key"))).any(axis=1))  # doctest: +SKIP
    >>> len(MEASURED) + len(PERFORMANCE)
    38
    """
    path = find(FILES[0], folder)
    rows = read_rows(path, 1 + len(MEASURED) + len(PERFORMANCE))
    days = tuple(dict.fromkeys(row[0] for row in rows))
    day = Attribute(name="DATE", scale="nominal", role="identifier", categories=days, label="day of the data")
    return table_from_rows(path.name, [day, *map(_measured, MEASURED), *map(_performance, PERFORMANCE)], rows)


def _measured(name: str) -> Attribute:
    quantity, place = name.split("-")
    decimals = 2 if name == "SED-S" else DECIMALS[quantity]
    label = f"{QUANTITIES[quantity]} {PLACES[place]}"
    return number(name, label, decimals=decimals, low=0, missing=MISSING_CODES)


def _performance(name: str) -> Attribute:
    _, quantity, stage = name.split("-")
    where = {"P": "in the primary settler", "S": "in the secondary settler", "G": "of the whole plant"}[stage]
    label = f"performance {where}: {QUANTITIES[quantity]}"
    return number(name, label, decimals=1, low=0, high=100, missing=MISSING_CODES)
