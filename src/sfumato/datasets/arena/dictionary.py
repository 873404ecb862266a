"""The dictionary of the arena: what NIST says of each feature, made the attributes of a schema."""

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Role
from sfumato.datasets._attributes import number

NOT_APPLICABLE = "N"
DECIMALS = {"AGEP": 0, "PINCP": 0, "POVPIP": 0, "PWGTP": 0, "WGTP": 0, "DENSITY": 1}  # the numbers
ORDINAL = ("EDU", "PINCP_DECILE", "NOC", "NPF")
FOUND = ("PUMA", "INDP")  # of their codes only those that occur belong to an extract
KEYS = ("AGEP", "SEX", "MSP", "RAC1P", "HISP", "PUMA", "HOUSING_TYPE", "OWN_RENT")
CONFIDENTIAL = ("PINCP", "PINCP_DECILE", "POVPIP")
WEIGHTS = ("PWGTP", "WGTP")  # of persons, which counts, and of households
LOW, HIGH = "min", "max"


class Entry(msgspec.Struct, frozen=True):
    """A feature: what it is, and what its codes mean; `min` and `max` bound the numbers among them."""

    description: str
    values: dict[str, str | int | float] = {}

    @property
    def labels(self) -> dict[str, str]:
        return {code: str(text) for code, text in self.values.items() if code not in (LOW, HIGH)}

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest number, those with a meaning of their own among them."""
        coded = [float(code) for code in self.labels if code != NOT_APPLICABLE]
        numbers = [*coded, *(float(self.values[end]) for end in (LOW, HIGH) if end in self.values)]
        return min(numbers), max(numbers)

    @property
    def codes(self) -> tuple[str, ...]:
        """All codes, "not applicable" first, then by size."""
        counted = range(int(self.values[LOW]), int(self.values[HIGH]) + 1) if LOW in self.values else ()
        return tuple(sorted({*self.labels, *map(str, counted)}, key=_place))


def read_dictionary(path: Path) -> dict[str, Entry]:
    """What is said of each feature, by its name."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Entry])
    except (OSError, msgspec.DecodeError):
        raise FileError(f"{path.name} is not the arena's dictionary: a table of features in JSON.") from None


def attribute(name: str, entry: Entry, found: Collection[str]) -> Attribute:
    """The attribute of a feature, of which these values were found in an extract.

    "N", not applicable, is a missing code of a number. Elsewhere it is a category like others, since the arena counts
    it so, and the first one: nobody has less schooling than those too young for it.

    >>> school = Entry("schooling", {"N": "too young", "2": "some", "10": "much", "1": "none"})
    >>> attribute("EDU", school, ()).categories
    ('N', '1', '2', '10')
    >>> ratio = attribute("POVPIP", Entry("ratio", {"N": "none", "min": 0, "max": 500, "501": "above"}), ())
    >>> ratio.low, ratio.high, ratio.missing
    (0.0, 501.0, ('N',))
    """
    if name in DECIMALS:
        return _number(name, entry)
    codes = _codes(name, entry, found)
    return Attribute(
        name=name,
        scale="ordinal" if name in ORDINAL else "nominal",
        role=_role(name),
        storage="text" if name == "PUMA" else "integer",
        categories=codes,
        label=entry.description,
        labels={code: label for code, label in entry.labels.items() if code in codes},
    )


def _number(name: str, entry: Entry) -> Attribute:
    if not {LOW, HIGH} <= set(entry.values):
        raise DataError(f"The arena's dictionary must bound {name} by min and max.")
    low, high = entry.bounds
    fields = {"missing": (NOT_APPLICABLE,)} if NOT_APPLICABLE in entry.values else {}
    made = number(
        name, entry.description, decimals=DECIMALS[name], role=_role(name), low=low, high=high, **fields
    )
    return made.evolve(labels=entry.labels)


def _codes(name: str, entry: Entry, found: Collection[str]) -> tuple[str, ...]:
    """The domain: what the dictionary lists, but for areas and industries, of which an extract has its own."""
    if name not in FOUND:
        return entry.codes
    known: Sequence[str] = entry.codes or sorted(found, key=_place)  # industries are not listed
    return tuple(code for code in known if code in found)


def _role(name: str) -> Role:
    if name in WEIGHTS:
        return "weight"
    if name in KEYS:
        return "key"
    return "confidential" if name in CONFIDENTIAL else "other"


def _place(code: str) -> tuple[bool, int, str]:
    return code != NOT_APPLICABLE, int(code) if code.isdecimal() else 0, code
