"""Diabetes: 768 women of Pima heritage with 8 numeric attributes and a diagnosis (UCI)."""

from pathlib import Path

from sfumato.data import Attribute, Table
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("pima-indians-diabetes.csv",)


def _number(name: str, decimals: int, label: str) -> Attribute:
    return Attribute(
        name=name,
        scale="numeric",
        role="key",
        storage="real" if decimals else "integer",
        decimals=decimals,
        low=0,
        label=label,
    )


ATTRIBUTES = (
    _number("PREGNANCIES", 0, "number of pregnancies"),
    _number("GLUCOSE", 0, "plasma glucose after two hours"),
    _number("PRESSURE", 0, "diastolic blood pressure (mm Hg)"),
    _number("SKIN", 0, "triceps skin fold (mm)"),
    _number("INSULIN", 0, "serum insulin after two hours (mu U/ml)"),
    _number("MASS", 1, "body mass index"),
    _number("PEDIGREE", 3, "diabetes pedigree function"),
    _number("AGE", 0, "age in years"),
    Attribute(
        name="CLASS",
        scale="nominal",
        role="confidential",
        storage="integer",
        categories=("0", "1"),
        labels={"0": "no diabetes", "1": "diabetes"},
    ),
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
