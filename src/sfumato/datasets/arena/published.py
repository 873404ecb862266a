"""What others reached: the scores that NIST's evaluator gave to the files in its archive."""

import csv
from pathlib import Path
from typing import NamedTuple, Self

from sfumato.core import DataError, FileError
from sfumato.datasets._classic_files import find

FILE = "nist/published.csv"


class Submission(NamedTuple):
    """A protected file that was judged: who made it of which extract, on which features, and what it scored.

    The k-marginal goes from 0 to 1000, more is better; the UEM is a percentage. `epsilon` is nothing where no formal
    promise was made.
    """

    library: str
    algorithm: str
    extract: str
    feature_set: str
    features: int
    epsilon: float | None
    variant: str
    k_marginal: float
    uem: float
    pmse: float

    @classmethod
    def of(cls, row: dict[str, str]) -> Self:
        return cls(
            library=row["library"],
            algorithm=row["algorithm"],
            extract=row["dataset"],
            feature_set=row["feature_set"],
            features=int(float(row["features"])),
            epsilon=float(row["epsilon"]) if row["epsilon"] else None,
            variant=row["variant"],
            k_marginal=float(row["k_marginal"]),
            uem=float(row["uem_percent"]),
            pmse=float(row["pmse"]),
        )


def published(folder: Path | str | None = None) -> tuple[Submission, ...]:
    """All submissions whose scores could be read, 322 of 458.

    >>> max(one.k_marginal for one in published() if one.extract == "ma2019")  # doctest: +SKIP
    979.0
    """
    path = find(FILE, folder)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise FileError(f"{path.name} cannot be read as UTF-8 text.") from None
    found = []
    for number, row in enumerate(rows, start=2):
        try:
            found.append(Submission.of(row))
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{path.name}, line {number}: not a submission with its scores; correct or remove it."
            ) from None
    return tuple(found)
