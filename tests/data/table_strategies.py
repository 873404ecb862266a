"""Random attributes and tables for the round trips."""

import datetime
import string

import numpy as np
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table

TEXTS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0\ufeff"), min_size=1, max_size=6
)
NAMES = st.text(string.ascii_letters, min_size=1, max_size=6)
MISSING_CODES = ("-999", "-98.5", "NA", ".a", "refused, twice")


def same(left, right):
    """Equal in every value, reason and declaration."""
    return left.schema == right.schema and left.fingerprint == right.fingerprint


@st.composite
def categorical_attributes(draw, name="x"):
    storage = draw(st.sampled_from(["text", "integer", "real", "boolean", "date", "timestamp"]))
    moments = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))
    values = {
        "text": TEXTS,
        "integer": st.integers(-(2**62), 2**62).map(str),
        "real": st.sampled_from(["0.5", "1.50", "2.25", "1", "1e5"]),
        "boolean": st.sampled_from(["false", "true"]),
        "date": st.dates().map(str),
        "timestamp": moments.map(lambda moment: moment.isoformat()),
    }[storage]
    categories = draw(st.lists(values, unique=True, min_size=1, max_size=5))
    missing = draw(st.lists(st.sampled_from(MISSING_CODES), unique=True, max_size=3))
    return Attribute(
        name=name,
        scale=draw(st.sampled_from(["nominal", "ordinal"])),
        storage=storage,
        categories=tuple(categories),
        missing=tuple(code for code in missing if code not in categories),
        label=draw(st.sampled_from(["", "a label"])),
        labels={categories[0]: "the first"} if draw(st.booleans()) else {},
    )


@st.composite
def numeric_attributes(draw, name="x"):
    storage = draw(st.sampled_from(["integer", "real"]))
    return Attribute(
        name=name,
        scale="numeric",
        role=draw(st.sampled_from(["key", "confidential", "weight"])),
        storage=storage,
        decimals=0 if storage == "integer" else None,
        missing=tuple(draw(st.lists(st.sampled_from(MISSING_CODES), unique=True, max_size=3))),
    )


@st.composite
def tables(draw, max_columns=4):
    n = draw(st.integers(0, 8))
    names = draw(st.lists(NAMES, unique_by=str.lower, min_size=1, max_size=max_columns))
    attributes = [draw(st.one_of(categorical_attributes(name), numeric_attributes(name))) for name in names]
    columns, reasons = {}, {}
    for a in attributes:
        columns[a.name] = draw(_values(a, n))
        gone = np.isnan(columns[a.name]) if a.is_numeric else columns[a.name] < 0
        drawn = draw(st.lists(st.integers(0, len(a.missing)), min_size=n, max_size=n))
        reasons[a.name] = np.where(gone, np.array(drawn, dtype=int), 0)
    return Table(Schema(attributes), columns, reasons=reasons)


def _values(attribute, n):
    if attribute.is_numeric and attribute.storage == "integer":
        numbers = st.integers(-(2**53), 2**53).filter(lambda v: v != -999)
    elif attribute.is_numeric:
        numbers = st.floats(-1e100, 1e100).filter(lambda v: v not in (-999, -98.5))
    else:
        codes = st.integers(-1, attribute.domain_size - 1)
        return st.lists(codes, min_size=n, max_size=n).map(lambda found: np.array(found, dtype=int))
    cells = st.one_of(st.just(float("nan")), numbers)
    return st.lists(cells, min_size=n, max_size=n).map(lambda found: np.array(found, dtype=float))
