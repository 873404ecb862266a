"""German credit: 1000 applicants for a credit, 7 numeric and 13 categorical attributes (UCI)."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets._attributes import category, coded, number
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("german.csv",)
ATTRIBUTES = (
    category(
        "EXISTACC",
        "status of the checking account",
        "A11 below 0 DM | A12 from 0 to 200 DM | A13 200 DM or more, or salary paid in | A14 no account",
        scale="ordinal",
        role="key",
    ),
    number("DURATION", "duration in months", role="other", low=0),
    category(
        "CREDHIST",
        "credit history",
        "A30 none, or all paid back | A31 all at this bank paid back | A32 existing ones paid so far "
        "| A33 delays in the past | A34 critical, or credits elsewhere",
    ),
    category(
        "PURPOSE",
        "purpose of the credit",
        "A40 new car | A41 used car | A42 furniture | A43 radio or television | A44 appliances | A45 repairs "
        "| A46 education | A47 vacation | A48 retraining | A49 business | A410 other",
    ),
    number("CREDAMOUNT", "credit amount in DM", role="other", low=0),
    category(
        "SAVINGS",
        "savings account or bonds",
        "A61 below 100 DM | A62 from 100 to 500 DM | A63 from 500 to 1000 DM | A64 1000 DM or more "
        "| A65 unknown or none",
        scale="ordinal",
        role="key",
    ),
    category(
        "PRESEMPLOY",
        "in the present employment for",
        "A71 unemployed | A72 less than 1 year | A73 from 1 to 4 years | A74 from 4 to 7 years "
        "| A75 7 years or more",
        scale="ordinal",
        role="key",
    ),
    number("INSTALRATE", "instalment rate in percent of the income", role="other", low=0),
    category(
        "STATSEX",
        "personal status and sex",
        "A91 man, divorced or separated | A92 woman, divorced, separated or married | A93 man, single "
        "| A94 man, married or widowed | A95 woman, single",
    ),
    category("OTHER", "other debtors", "A101 none | A102 co-applicant | A103 guarantor"),
    number("RESIDENCE", "years in the present residence", role="other", low=0),
    category(
        "PROPERTY",
        "most valuable property",
        "A121 real estate | A122 building savings or life insurance | A123 car or other | A124 unknown or none",
    ),
    number("AGE", "age in years", role="other", low=0),
    category("OTHERPLANS", "other instalment plans", "A141 bank | A142 stores | A143 none"),
    category("HOUSING", "housing", "A151 rent | A152 own | A153 free"),
    number("NUMCREDITS", "credits at this bank", role="other", low=0),
    category(
        "JOB",
        "job",
        "A171 unemployed or unskilled, not resident | A172 unskilled, resident | A173 skilled or official "
        "| A174 management, self-employed or highly qualified",
        scale="ordinal",
    ),
    number("PEOPLE", "people to maintain", role="other", low=0),
    category("TELEPHONE", "telephone", "A191 none | A192 in the customer's name"),
    category("FOREIGN", "foreign worker", "A201 yes | A202 no"),
    coded("CLASS", "verdict on the credit", {"1": "good", "2": "bad"}, role="confidential"),
)


def german(folder: Path | str | None = None) -> Table:
    """Credit applicants of 1994; the keys are the three ordinal attributes the source protects.

    Each categorical domain ends with the category "." for missing, which no record takes: so the domains have
    the sizes of the source (Marés, *thesis*, Table 2.3). "No account" (A14) and "unknown or none" (A65) come
    right before it.

    >>> [(a.name, a.domain_size) for a in ATTRIBUTES if a.role == "key"]
    [('EXISTACC', 5), ('SAVINGS', 6), ('PRESEMPLOY', 6)]
    >>> german()  # doctest: +SKIP
    Table(1000 records × 21 attributes)
    """
    path = find(FILES[0], folder)
    return table_from_rows(path.name, ATTRIBUTES, read_rows(path, len(ATTRIBUTES)))
