"""Facts about a column: what its values say, in so few words that a proposal can be made from them."""

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.arrow_columns import as_text, is_text, plain

MISSING_WORDS = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", ".")
NOT_ASKED = (
    "N",
    "n",
    "NIU",
    "niu",
    "DK",
    "RF",
    "-",
    "--",
    "*",
)  # which are so beside numbers, and else may be words
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What the values of a column say about it.

    `values` are the different texts that name them, for a categorical column in its order; `absent` counts
    the records without a value, `nulls` those of them that are null, and `missing` lists the codes in use.
    `counted` is how many different values there are where not all of them are listed.

    >>> facts_of(pa.array(["31", "NA", None, "31"])).values
    ('31',)
    """

    kind: pa.DataType
    records: int
    nulls: int
    absent: int
    values: tuple[str, ...]
    missing: tuple[str, ...] = ()
    counted: int = 0

    @property
    def distinct(self) -> int:
        return max(self.counted, len(self.values))

    @property
    def present(self) -> int:
        return self.records - self.absent


def facts_of(column: pa.Array, missing: tuple[str, ...] = ()) -> ColumnFacts:
    """The facts about a column; where no missing codes are declared, the usual words are looked for."""
    if pa.types.is_dictionary(column.type):
        return ColumnFacts(
            kind=column.type,
            records=len(column),
            nulls=column.null_count,
            absent=column.null_count,
            values=tuple(dict.fromkeys(text for text in as_text(column.dictionary).to_pylist() if text)),
        )
    column = plain(column)
    texts = as_text(column)
    distinct = [text for text in pc.unique(texts).to_pylist() if text]
    missing = missing or missing_words(column.type, distinct)
    absent = pc.is_in(texts, value_set=pa.array(["", *missing, None], pa.string()))
    return ColumnFacts(
        kind=column.type,
        records=len(column),
        nulls=column.null_count,
        absent=pc.sum(absent).as_py() or 0,
        values=tuple(text for text in distinct if text not in set(missing)),
        missing=missing,
    )


def missing_words(kind: pa.DataType, texts: list[str]) -> tuple[str, ...]:
    """The usual words for a missing value that are among these texts; only texts can be such words.

    A letter for what was not asked, or not answered, is one only if all else is numbers, two of them at the least.

    >>> missing_words(pa.string(), ["1", "N", "2"]), missing_words(pa.string(), ["Y", "N"])
    (('N',), ())
    """
    if not is_text(kind):
        return ()
    found = tuple(word for word in MISSING_WORDS if word in set(texts))
    letters = tuple(word for word in NOT_ASKED if word in set(texts))
    others = [text for text in texts if text not in {*found, *letters}]
    beside = letters and len(others) > 1 and all(re.fullmatch(NUMBER, text.strip()) for text in others)
    return (*found, *letters) if beside else found
