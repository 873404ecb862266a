"""Adult: 48,842 people of the 1994 U.S. census with 15 attributes (UCI)."""

from pathlib import Path
from typing import Any

from sfumato.data import Attribute, Role, Table
from sfumato.datasets._attributes import number
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("adult-train.csv", "adult-test.csv")


def _number(name: str, role: Role = "other", low: float = 0.0, high: float | None = None) -> Attribute:
    return number(name, role=role, low=low, high=high)


def _nominal(name: str, categories: str, role: Role = "other", **fields: Any) -> Attribute:
    return Attribute(name=name, scale="nominal", role=role, categories=tuple(categories.split()), **fields)


ATTRIBUTES = (
    _number("AGE", high=90),
    _nominal(
        "WORKCLASS",
        "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
        missing=("?",),
    ),
    _number("FNLWGT", "weight"),
    Attribute(
        name="EDUCATION",
        scale="ordinal",
        role="key",
        categories=(
            *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad"),
            *("Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
        ),
    ),
    _number("EDUCATION-NUM", low=1, high=16),
    _nominal(
        "MARITAL-STATUS",
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
        "key",
    ),
    _nominal(
        "OCCUPATION",
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
        "Armed-Forces",
        "key",
        missing=("?",),
    ),
    _nominal("RELATIONSHIP", "Wife Own-child Husband Not-in-family Other-relative Unmarried"),
    _nominal("RACE", "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"),
    _nominal("SEX", "Female Male"),
    _number("CAPITAL-GAIN"),
    _number("CAPITAL-LOSS"),
    _number("HOURS-PER-WEEK", high=99),
    _nominal(
        "NATIVE-COUNTRY",
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan "
        "Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal "
        "Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua "
        "Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands",
        missing=("?",),
    ),
    Attribute(name="INCOME", scale="ordinal", role="confidential", categories=("<=50K", ">50K")),
)


def adult(folder: Path | str | None = None) -> Table:
    """Both parts of the file, the 32,561 training records first; the keys are the attributes protected.

    EDUCATION is in the order of EDUCATION-NUM. A "?" is a missing value in WORKCLASS, OCCUPATION and
    NATIVE-COUNTRY. FNLWGT is the weight of the survey.

    >>> [(a.name, a.domain_size) for a in ATTRIBUTES if a.role == "key"]
    [('EDUCATION', 16), ('MARITAL-STATUS', 7), ('OCCUPATION', 14)]
    >>> adult()  # doctest: +SKIP
    Table(48842 records × 15 attributes)
    """
    rows = [row for file in FILES for row in read_rows(find(file, folder), len(ATTRIBUTES))]
    for row in rows:
        row[-1] = row[-1].removesuffix(".")  # only the test part ends its lines so
    return table_from_rows("adult", ATTRIBUTES, rows)
