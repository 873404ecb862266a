"""Massachusetts: 7,634 people of the 2019 American Community Survey with 24 attributes (NIST's public arena)."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets.arena.extract import DICTIONARY, extract, path_of

NAME = "ma2019"
FILES = (path_of(NAME), DICTIONARY)


def massachusetts(folder: Path | str | None = None) -> Table:
    """The extract on which NIST judged protected files; see `datasets.arena` for others and for their scores.

    Age, sex, marital status, race, Hispanic origin, area and housing are keys; income, its decile and its ratio to
    poverty are confidential; PWGTP is the weight of the survey, and WGTP, the weight of the household, a column like
    others. "N", not applicable, is a missing code of numbers and the first category of all others. Domains are
    those of NIST's dictionary; of areas and industries they hold what occurs.

    >>> massachusetts()  # doctest: +SKIP
    Table(7634 records × 24 attributes)
    """
    return extract(NAME, folder)
