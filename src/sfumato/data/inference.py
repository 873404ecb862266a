"""Proposing a schema from the data, with a reason for each choice. The user confirms or edits it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import Result
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, check_usable, is_text, plain
from sfumato.data.attribute import Attribute, Role, Scale, Storage
from sfumato.data.column_facts import ColumnFacts, are_all, facts_of
from sfumato.data.doubts import BIRTH, MANY_DAYS, doubt_of
from sfumato.data.known_names import BODIES, NOMINAL_KEYS, words_of
from sfumato.data.moments import as_numbers
from sfumato.data.proposed_roles import role_of
from sfumato.data.schema import Schema

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
WHOLE = r"[+-]?(0|[1-9][0-9]*)"
ISO_FORMS: dict[Storage, str] = {
    "date": r"\d{4}-\d\d-\d\d",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?",
}
FEW_VALUES = 10
LEVELS = {"edu", "educ", "education", "schl", "degree", "grade", "level", "decile", "quintile", "quartile"}
MOST_LEVELS = 30
CODES = {"cat", "category", "class", "code", "codes", "type", "industry", "indp", "occupation", "occp"} | {
    *(
        [
            "naics",
            "nace",
            "isco",
            "isic",
            "puma",
            "state",
            "statefip",
            "county",
            "zip",
            "zipcode",
            "postcode",
            "municipality",
            "district",
        ]
    )
}


class Proposal(Result):
    """A schema made from the data, and why each attribute was read as it was.

    `doubts` are columns that should not be released before somebody has declared them, and why. A column without an
    attribute, of too many values to list, has a reason all the same.
    """

    schema: Schema
    reasons: dict[str, str]
    doubts: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            a.name: {"scale": a.scale, "role": a.role, "storage": a.storage, "because": self.reasons[a.name]}
            for a in self.schema
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [{"column": name, **row} for name, row in self.to_dict().items()]


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a file itself says about a column; it goes before anything the values suggest."""

    scale: Scale | None = None
    storage: Storage | None = None
    missing: tuple[str, ...] = ()
    label: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    role: Role | None = None  # unless the name says that others know it
    tables: tuple[str, ...] = ()
    form: str = ""


def read_by(schema: Schema, declared: Mapping[str, Declared]) -> Schema:
    """A schema by which a file is read: laid out as it is, and with its special missing values.

    Stata and SAS call these .a to .z and ._; they are no values, whatever the schema says of the column.
    """
    schema, changed = laid_out(schema, declared), []
    for attribute in schema:
        known = declared.get(attribute.name, Declared())
        special = [code for code in known.missing if re.fullmatch(r"\.[a-z_]", code)]
        new = [code for code in special if code not in (*attribute.missing, *attribute.categories)]
        if new and known.storage != "text":
            changed.append(attribute.evolve(missing=(*attribute.missing, *new)))
    return schema.replace(changed)


def laid_out(schema: Schema, declared: Mapping[str, Declared]) -> Schema:
    """A schema of a file that says itself which of several files its columns are of, and how its days are written."""
    changed = []
    for attribute in schema:
        known = declared.get(attribute.name, Declared())
        is_day = attribute.storage in ("date", "timestamp")
        changed.append(
            attribute.evolve(
                tables=known.tables or attribute.tables,
                form=attribute.form or (known.form if is_day else ""),
            )
        )
    return schema.replace(changed)


@dataclass(frozen=True)
class Reading:
    """What a column seems to be, why, and what speaks against releasing it."""

    attribute: Attribute
    because: str
    doubt: str = ""


def propose(arrow: pa.Table, declared: Mapping[str, Declared] | None = None) -> Proposal:
    """Propose a schema for an Arrow table, from what its file declares and from its values.

    >>> people = pa.table({"age": ["31", "45", "NA"], "sex": ["f", "m", "m"]})
    >>> proposal = propose(people)
    >>> proposal.schema
    Schema(age: numeric key, sex: nominal key)
    >>> proposal.schema["age"].missing
    ('NA',)
    >>> propose(people, {"sex": Declared(scale="ordinal", labels={"x": "other"})}).schema["sex"].categories
    ('f', 'm', 'x')
    """
    check_usable(arrow, "the table")
    found = {}
    for name in arrow.column_names:
        known = (declared or {}).get(name, Declared())
        found[name] = attribute_from(
            name,
            facts_of(arrow.column(name).combine_chunks(), known.missing, labelled=bool(known.labels)),
            known,
        )
    return proposal_from(found)


def proposal_from(found: Mapping[str, Reading]) -> Proposal:
    """The attributes found, with their reasons, as a proposal in which at least one is a key."""
    attributes = [reading.attribute for reading in found.values()]
    reasons = {name: reading.because for name, reading in found.items()}
    doubts = {name: reading.doubt for name, reading in found.items() if reading.doubt}
    for position, attribute in _body_weights(attributes):
        attributes[position] = attribute.evolve(role="confidential")
        reasons[attribute.name] += "; of a body, since another column is its height"
    if not any(a.role == "key" for a in attributes):
        for position, attribute in enumerate(attributes):
            if attribute.role in ("other", "confidential"):
                attributes[position] = attribute.evolve(role="key")
                reasons[attribute.name] += "; no name suggests a key, so every column could be one"
    return Proposal(schema=Schema(attributes), reasons=reasons, doubts=doubts)


def _body_weights(attributes: Sequence[Attribute]) -> list[tuple[int, Attribute]]:
    """What would be a weight of the survey, if nobody's height stood beside it."""
    if not any(BODIES.found(one.name) for one in attributes if one.is_numeric and one.role != "household"):
        return []
    return [
        (at, one)
        for at, one in enumerate(attributes)
        if one.role == "weight" and len(words_of(one.name)) == 1
    ]


def attribute_from(name: str, facts: ColumnFacts, declared: Declared) -> Reading:
    """The attribute that a column seems to be, and why."""
    if pa.types.is_dictionary(facts.kind):
        attribute, because = _from_dictionary(name, facts)
        return doubted(attribute.evolve(tables=declared.tables), because, facts)
    values = list(facts.values)
    storage = declared.storage or _storage(facts.kind, facts.nulls, values)
    scale, because, details = _domain(name, values, storage, facts.records, declared)
    role, role_because = role_of(name, values, scale, facts.present)
    if declared.role is not None and role != "key":
        role, role_because = declared.role, "it links files"
    absent = [code for code in facts.missing if code not in facts.structural]
    because += f"; {', '.join(absent)} read as missing" if absent else ""
    because += f"; {', '.join(facts.structural)} read as not asked" if facts.structural else ""
    attribute = Attribute(
        name=name,
        scale=scale,
        role=role,
        storage=storage,
        missing=facts.missing,
        structural=facts.structural,
        label=declared.label,
        labels=declared.labels,
        tables=declared.tables,
        form=declared.form if storage in ("date", "timestamp") else "",
        **details,
    )
    return doubted(attribute, f"{because}; {role_because}", facts)


def doubted(attribute: Attribute, because: str, facts: ColumnFacts) -> Reading:
    """A reading with what speaks against releasing the column, which makes an identifier of texts and dates."""
    doubt = doubt_of(attribute, facts)
    if not doubt:
        return Reading(attribute, because)
    leaves = attribute.is_moment and doubt == BIRTH
    if leaves or (not attribute.is_numeric and (attribute.role != "key" or doubt == BIRTH)):
        attribute = attribute.evolve(role="identifier")
    return Reading(attribute, f"{because}; doubtful: {doubt}", doubt)


def _from_dictionary(name: str, facts: ColumnFacts) -> tuple[Attribute, str]:
    role, because = role_of(name, list(facts.values), "nominal", facts.present)
    kind = plain(pa.array([], facts.kind.value_type)).type
    attribute = Attribute(
        name=name,
        scale="ordinal" if facts.kind.ordered else "nominal",
        role=role,
        storage="text" if is_text(kind) else _storage(kind, 0, []),
        categories=facts.values,
    )
    return attribute, f"a categorical column; {because}"


def _storage(kind: pa.DataType, nulls: int, values: list[str]) -> Storage:
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_floating(kind):
        whole = bool(values) and all(re.fullmatch(r"-?\d+", value) for value in values)
        return "integer" if whole and nulls else "real"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    return _storage_of_text([value.strip() for value in values])


def _storage_of_text(values: list[str]) -> Storage:
    for storage, form in ISO_FORMS.items():
        if values and re.fullmatch(form, values[0]) and are_all(values, form) and _exist(values, storage):
            return storage
    if values and are_all(values, WHOLE):
        return "integer"
    if values and are_all(values, NUMBER):
        # leading zeros make a code, not a number
        return "text" if any(re.match(r"[+-]?0[0-9]", value) for value in values) else "real"
    return "text"


def _exist(values: list[str], storage: str) -> bool:
    """Whether there are such days: the 30th of February is a text."""
    try:
        as_numbers(pa.array(values, pa.string()), storage)
    except pa.ArrowInvalid:
        return False
    return True


def _domain(
    name: str, values: list[str], storage: Storage, n: int, declared: Declared
) -> tuple[Scale, str, dict[str, Any]]:
    """Scale, the reason for it, and what the scale needs: categories or decimals."""
    if storage in ("integer", "real"):
        scale, because = _numeric_or_coded(name, values, storage, n)
    else:
        scale, because = "nominal", f"{storage} values"
        if storage in ("date", "timestamp"):  # few are categories, which a calendar can group
            scale = "ordinal" if len(values) <= MANY_DAYS else "numeric"
    if declared.scale is not None and (
        declared.scale != "numeric" or storage in ("integer", "real", "date", "timestamp")
    ):
        scale, because = declared.scale, "the file says so"
    elif values and set(values) <= set(declared.labels):
        scale, because = "nominal", "all its values have labels"
    if scale == "numeric":
        return scale, because, {"decimals": _decimals_of(values, storage)}
    labelled = set(declared.labels) - set(declared.missing)
    return scale, because, {"categories": _in_order(labelled.union(values), storage)}


def _numeric_or_coded(name: str, values: list[str], storage: Storage, n: int) -> tuple[Scale, str]:
    if storage == "real":
        return "numeric", "decimal numbers"
    if any(abs(int(value)) > LARGEST_EXACT_INTEGER for value in values):
        return "nominal", "integers too long to calculate with"
    if len(values) * FEW_VALUES > n:
        return "numeric", "whole numbers"
    if len(values) > FEW_VALUES:
        return _many_codes(set(words_of(name)), len(values))
    if len(values) <= 2:
        return "nominal", "two codes or fewer"
    if NOMINAL_KEYS.found(name):
        return "nominal", f"{len(values)} codes without an order"
    return "ordinal", f"{len(values)} whole numbers, each used often"


def _many_codes(words: set[str], count: int) -> tuple[Scale, str]:
    """More whole numbers than codes usually are: they are codes, or levels, if the name says so."""
    if words & LEVELS and count <= MOST_LEVELS:
        return "ordinal", f"whole numbers, and the name says {min(words & LEVELS)!r}"
    if words & CODES:
        return "nominal", f"whole numbers, and the name says {min(words & CODES)!r}"
    return "numeric", "whole numbers"


def _in_order(values: set[str], storage: Storage) -> tuple[str, ...]:
    return tuple(sorted(values, key=_number_first if storage in ("integer", "real") else None))


def _number_first(value: str) -> tuple[bool, float, str]:
    """Numbers by their size, and behind them codes that are none: a codebook may label what nobody has."""
    is_number = re.fullmatch(NUMBER, value.strip()) is not None
    return not is_number, float(value) if is_number else 0.0, value


def _decimals_of(values: list[str], storage: Storage) -> int | None:
    if storage == "timestamp":
        return None
    return 0 if storage in ("integer", "date") else _decimals(values)


def _decimals(values: list[str]) -> int | None:
    array = np.array([float(value) for value in values])
    for decimals in range(7):
        with np.errstate(over="ignore"):  # numbers near the largest there are
            rounded = np.round(array, decimals)
        if np.array_equal(rounded, array):
            return decimals
    return None
