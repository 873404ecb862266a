"""Solar flare: 1389 active regions of the sun, 13 categorical attributes (UCI)."""

from pathlib import Path

from sfumato.data import Table
from sfumato.datasets._attributes import category
from sfumato.datasets._classic_files import find, read_rows, table_from_rows

FILES = ("flare.data1", "flare.data2")
COUNTS = " | ".join("012345678")
ATTRIBUTES = (
    category("CLASS", "modified Zurich class", "A | B | C | D | E | F | H", role="key"),
    category("LARGSPOT", "size of the largest spot", "X | R | S | A | H | K", role="key"),
    category("SPOTDIST", "distribution of the spots", "X | O | I | C", role="key"),
    category("ACTIVITY", "activity", "1 reduced | 2 unchanged", scale="ordinal"),
    category("EVOLUTION", "evolution", "1 decay | 2 no growth | 3 growth", scale="ordinal"),
    category(
        "PREVFLARE",
        "flares in the 24 hours before",
        "1 none as big as M1 | 2 one M1 | 3 more than one M1",
        scale="ordinal",
    ),
    category("HISTOCOMP", "historically complex", "1 yes | 2 no"),
    category("SUNDISK", "became complex on this pass across the disk", "1 yes | 2 no"),
    category("AREA", "area", "1 small | 2 large", scale="ordinal"),
    category("AREALARGSPOT", "area of the largest spot", "1 at most 5 | 2 more than 5", scale="ordinal"),
    category("C-CLASS", "common flares in the next 24 hours", COUNTS, scale="ordinal", role="confidential"),
    category("M-CLASS", "moderate flares in the next 24 hours", COUNTS, scale="ordinal", role="confidential"),
    category("X-CLASS", "severe flares in the next 24 hours", COUNTS, scale="ordinal", role="confidential"),
)


def flare(folder: Path | str | None = None) -> Table:
    """Both parts of the file, the first 323 regions first; the keys are the nominal attributes protected.

    Each domain ends with the category "." for missing, which no record takes: so the domains have the sizes
    of the source (Marés, *thesis*, Table 2.4).

    >>> [(a.name, a.domain_size) for a in ATTRIBUTES if a.role == "key"]
    [('CLASS', 8), ('LARGSPOT', 7), ('SPOTDIST', 5)]
    >>> flare()  # doctest: +SKIP
    Table(1389 records × 13 attributes)
    """
    first, second = (find(file, folder) for file in FILES)
    rows = read_rows(first, len(ATTRIBUTES), delimiter=" ")
    rows += read_rows(second, len(ATTRIBUTES), delimiter=" ", header=1)
    return table_from_rows("flare", ATTRIBUTES, rows)
