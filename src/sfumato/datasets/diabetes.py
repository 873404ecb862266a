"""Diabetes: 768 women of Pima heritage with 8 numeric attributes and a diagnosis (UCI)."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets._attributes import coded, number
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("pima-indians-diabetes.csv",)
ATTRIBUTES = (
    number("PREGNANCIES", "number of pregnancies", low=0),
    number("GLUCOSE", "plasma glucose after two hours", low=0),
    number("PRESSURE", "diastolic blood pressure (mm Hg)", low=0),
    number("SKIN", "triceps skin fold (mm)", low=0),
    number("INSULIN", "serum insulin after two hours (mu U/ml)", low=0),
    number("MASS", "body mass index", decimals=1, low=0),
    number("PEDIGREE", "diabetes pedigree function", decimals=3, low=0),
    number("AGE", "age in years", low=0),
    coded("CLASS", "", {"0": "no diabetes", "1": "diabetes"}, role="confidential"),
)


def diabetes(folder: Path | str | None = None) -> Table:
    """Measurements as keys, the diagnosis as confidential.

    A zero in GLUCOSE, PRESSURE, SKIN, INSULIN and MASS stands for a measurement that was not taken; the
    literature calculates with it, so it stays a number.

    >>> diabetes()  # doctest: +SKIP
    Table(768 records × 9 attributes)
    >>> [a.name for a in ATTRIBUTES if a.role == "confidential"]
    ['CLASS']
    """
    path = find(FILES[0], folder)
    return table_from_rows(path.name, ATTRIBUTES, read_rows(path, len(ATTRIBUTES)))
