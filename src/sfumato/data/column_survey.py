"""Surveying a column piece by piece: the facts a proposal needs, without holding its values.

While a column has few different values they are all kept, and the facts are those of the whole column. Of a
column with very many, only a few *telling* values are kept: those that decide what the column is (the ends of
its range, one that is no whole number, one with so many decimals) as all of them together would.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, as_text, is_text, plain
from sfumato.data.column_facts import MISSING_WORDS, ColumnFacts, missing_words
from sfumato.data.inference import FEW_VALUES

MOST_VALUES = 100_000  # that are listed; a column of numbers may have more
MOST_DECIMALS = 7
WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
LEADING_ZERO = r"^[+-]?0[0-9]"


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What is known of a column so far. `values` are all its different ones, or where `many`, telling ones."""

    kind: pa.DataType
    records: int
    nulls: int
    absent: int
    values: pa.Array
    many: bool = False

    def facts(self) -> ColumnFacts:
        if pa.types.is_dictionary(self.kind):
            named = dict.fromkeys(text for text in as_text(self.values).to_pylist() if text)
            return self._facts(tuple(named), ())
        distinct = [text for text in as_text(self.values).to_pylist() if text]
        missing = missing_words(self.kind, distinct)
        return self._facts(tuple(text for text in distinct if text not in set(missing)), missing)

    def _facts(self, values: tuple[str, ...], missing: tuple[str, ...]) -> ColumnFacts:
        return ColumnFacts(
            kind=self.kind,
            records=self.records,
            nulls=self.nulls,
            absent=self.absent,
            values=values,
            missing=missing,
        )


def survey(column: pa.ChunkedArray, *, most: int = MOST_VALUES) -> Survey:
    if pa.types.is_dictionary(column.type):
        values = pa.concat_arrays([chunk.dictionary for chunk in column.chunks])
        nulls = column.null_count
        found = Survey(kind=column.type, records=len(column), nulls=nulls, absent=nulls, values=values)
        return _reduced(found, most)
    array = plain(column)
    found = Survey(
        kind=array.type, records=len(array), nulls=array.null_count, absent=_absent(array), values=array
    )
    return _reduced(found, most)


def merged(surveys: Sequence[Survey], *, most: int = MOST_VALUES) -> Survey:
    """The survey of a column from those of its pieces, in their order."""
    first = surveys[0]
    together = replace(
        first,
        records=sum(one.records for one in surveys),
        nulls=sum(one.nulls for one in surveys),
        absent=sum(one.absent for one in surveys),
        values=pa.concat_arrays([one.values for one in surveys]),
        many=any(one.many for one in surveys),
    )
    return _reduced(together, most)


def _absent(array: pa.Array) -> int:
    """How many have no value: null, not a number, empty, or one of the usual words for it."""
    if is_text(array.type):
        none = pc.is_in(array, value_set=pa.array(["", *MISSING_WORDS, None], pa.string()))
    else:
        none = pc.is_null(array, nan_is_null=True)
    return pc.sum(none).as_py() or 0


def _reduced(found: Survey, most: int) -> Survey:
    values = pc.unique(found.values).drop_null()
    if not found.many and len(values) <= most:
        return replace(found, values=values)
    return replace(found, many=True, values=values.take(pa.array(_telling(values))))


def _telling(values: pa.Array) -> list[int]:
    """The positions of a few values that decide together what all of them would."""
    some = list(range(min(len(values), FEW_VALUES + 1)))
    if is_text(values.type):
        return sorted({*some, *_telling_texts(values)})
    if pa.types.is_floating(values.type):
        return sorted({*some, *_telling_numbers(_as_doubles(values))})
    if pa.types.is_integer(values.type):
        numbers = values.to_numpy(zero_copy_only=False)
        return sorted({*some, int(numbers.argmin()), int(numbers.argmax())})
    return some


def _telling_numbers(numbers: np.ndarray) -> set[int]:
    usable = np.isfinite(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        broken = [numbers != np.floor(numbers), np.abs(numbers) >= LARGEST_EXACT_INTEGER, np.isinf(numbers)]
        broken += [np.round(numbers, decimals) != numbers for decimals in range(MOST_DECIMALS)]
    ends = {int(np.argmin(numbers[usable])), int(np.argmax(numbers[usable]))} if usable.any() else set()
    here = np.flatnonzero(usable)
    return {int(here[end]) for end in ends} | _firsts(broken)


def _telling_texts(texts: pa.Array) -> set[int]:
    trimmed = pc.utf8_trim_whitespace(texts)
    usable = ~np.asarray(pc.is_in(texts, value_set=pa.array(["", *MISSING_WORDS], pa.string())))
    whole, number, zero = (
        np.asarray(pc.match_substring_regex(trimmed, rule)) for rule in (WHOLE, NUMBER, LEADING_ZERO)
    )
    words = np.flatnonzero(~usable).tolist()
    found = _firsts([usable & ~whole, usable & ~number, usable & zero]) | set(words)
    here = np.flatnonzero(usable & number)
    if len(here):
        numbers = pc.cast(trimmed.take(pa.array(here)), pa.float64()).to_numpy(zero_copy_only=False)
        found |= {int(here[position]) for position in _telling_numbers(numbers)}
    return found


def _firsts(broken: list[np.ndarray]) -> set[int]:
    return {int(np.argmax(rule)) for rule in broken if rule.any()}


def _as_doubles(values: pa.Array) -> np.ndarray:
    """Floats as the numbers their texts stand for: 0.1 in single precision is 0.1."""
    if values.type == pa.float64():
        return np.asarray(values.to_numpy(zero_copy_only=False))
    return np.asarray(pc.cast(pc.cast(values, pa.string()), pa.float64()).to_numpy(zero_copy_only=False))
