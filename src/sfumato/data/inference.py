"""Proposing a schema from the data, with a reason for each choice. The user confirms or edits it."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import Result
from sfumato.data.attribute import Attribute, Role, Scale, Storage
from sfumato.data.encoding import LARGEST_EXACT_INTEGER, as_text
from sfumato.data.schema import Schema

MISSING_WORDS = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", ".")
FEW_VALUES = 10

WORDS: dict[Role, str] = {
    "identifier": """id ids identifier uuid guid name names surname firstname lastname forename ssn nif dni passport
        email mail phone telephone mobile address street iban login username""",
    "weight": "weight weights wgt wt fnlwgt pweight hweight",
    "household": "household hh hhid famid familyid dwelling",
    "key": """age sex gender race ethnicity ethnic marital married region state province county municipality
        district city town zip zipcode postcode postal country nationality citizenship birth birthday birthplace dob
        education degree school occupation job profession employment industry sector religion language children
        size tenure urban area""",
    "confidential": """income salary wage wages earnings tax taxes disease diagnosis health disability debt credit
        loan benefit benefits crime conviction vote wealth savings turnover profit""",
}


class Proposal(Result):
    """A schema made from the data, and why each attribute was read as it was."""

    schema: Schema
    reasons: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The proposal by column."""
        return {
            a.name: {"scale": a.scale, "role": a.role, "storage": a.storage, "because": self.reasons[a.name]}
            for a in self.schema
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [{"column": name, **row} for name, row in self.to_dict().items()]


def propose(arrow: pa.Table) -> Proposal:
    """Propose a schema for an Arrow table.

    >>> people = pa.table({"age": ["31", "45", "NA"], "sex": ["f", "m", "m"]})
    >>> proposal = propose(people)
    >>> proposal.schema
    Schema(age: numeric key, sex: nominal key)
    >>> proposal.schema["age"].missing
    ('NA',)
    """
    attributes, reasons = [], {}
    for name in arrow.column_names:
        attribute, because = _attribute(name, arrow.column(name).combine_chunks())
        attributes.append(attribute)
        reasons[name] = because
    if not any(a.role == "key" for a in attributes):
        for position, attribute in enumerate(attributes):
            if attribute.role in ("other", "confidential"):
                attributes[position] = attribute.evolve(role="key")
                reasons[attribute.name] += "; no name suggests a key, so every column could be one"
    return Proposal(schema=Schema(attributes), reasons=reasons)


def _attribute(name: str, column: pa.Array) -> tuple[Attribute, str]:
    if pa.types.is_dictionary(column.type):
        return _from_dictionary(name, column)
    texts = as_text(column)
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    distinct = [text for text in pc.unique(texts).to_pylist() if text is not None]
    missing = tuple(word for word in MISSING_WORDS if word in set(distinct)) if _is_text(column) else ()
    values = [text for text in distinct if text not in missing]
    storage = _storage(column, values)
    scale: Scale
    if storage in ("integer", "real"):
        scale, because, details = _numeric_or_coded(values, storage, len(column))
    else:
        scale = "ordinal" if storage in ("date", "timestamp") else "nominal"
        because, details = f"{storage} values", {"categories": tuple(sorted(values))}
    role, role_because = _role(name, values, scale, len(column) - texts.null_count)
    if missing:
        because += f"; {', '.join(missing)} read as missing"
    attribute = Attribute(name=name, scale=scale, role=role, storage=storage, missing=missing, **details)
    return attribute, f"{because}; {role_because}"


def _from_dictionary(name: str, column: pa.DictionaryArray) -> tuple[Attribute, str]:
    values = as_text(column.dictionary)
    role, because = _role(name, values.to_pylist(), "nominal", len(column) - column.null_count)
    scale: Scale = "ordinal" if column.type.ordered else "nominal"
    storage = _storage(column.dictionary, []) if not _is_text(column.dictionary) else "text"
    attribute = Attribute(
        name=name,
        scale=scale,
        role=role,
        storage=storage,
        categories=tuple(v for v in values.to_pylist() if v),
    )
    return attribute, f"a categorical column; {because}"


def _is_text(column: pa.Array) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _storage(column: pa.Array, values: list[str]) -> Storage:
    kind = column.type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        whole = bool(values) and all(re.fullmatch(r"-?\d+", value) for value in values)
        return "integer" if whole and column.null_count else "real"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    trimmed = [value.strip() for value in values]
    if trimmed and all(re.fullmatch(r"[+-]?(0|[1-9]\d*)", value) for value in trimmed):
        return "integer"
    if trimmed and all(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", value) for value in trimmed):
        # leading zeros make a code, not a number
        return "text" if any(re.match(r"0\d", value) for value in trimmed) else "real"
    return "text"


def _numeric_or_coded(values: list[str], storage: Storage, n: int) -> tuple[Any, str, dict[str, Any]]:
    numbers = [float(value) for value in values]
    in_order = tuple(value for _, value in sorted(zip(numbers, values, strict=True)))
    if storage == "integer" and any(abs(number) > LARGEST_EXACT_INTEGER for number in numbers):
        return "nominal", "integers too long to calculate with", {"categories": in_order}
    if storage == "integer" and len(values) <= FEW_VALUES and len(values) * FEW_VALUES <= n:
        if len(values) <= 2:
            return "nominal", "two codes or fewer", {"categories": in_order}
        return "ordinal", f"{len(values)} whole numbers, each used often", {"categories": in_order}
    if storage == "integer":
        return "numeric", "whole numbers", {"decimals": 0}
    return "numeric", "decimal numbers", {"decimals": _decimals(numbers)}


def _decimals(numbers: list[float]) -> int | None:
    array = np.array(numbers)
    for decimals in range(7):
        if np.array_equal(np.round(array, decimals), array):
            return decimals
    return None


def _role(name: str, values: list[str], scale: str, present: int) -> tuple[Role, str]:
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))
    roles: tuple[Role, ...] = ("weight", "household", "identifier", "key", "confidential")
    for role in roles:
        found = words.intersection(WORDS[role].split())
        if found and not (role == "weight" and scale != "numeric"):
            return role, f"the name says {min(found)!r}"
    if scale == "nominal" and present >= 20 and len(values) >= 0.95 * present:
        return "identifier", "nearly every record has a value of its own"
    if scale == "numeric" and present >= 20 and _is_counter(values, present):
        return "identifier", "the values count the records"
    return "other", "nothing suggests that others know it"


def _is_counter(values: list[str], present: int) -> bool:
    if len(values) != present or not all(re.fullmatch(r"\d+", value.strip()) for value in values):
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) + 1 == present
