"""Proposing a schema for a source, from all its values but without holding them.

The proposal is that of the in-memory `propose`, with one exception: a column of so many different values that
they cannot all be listed, and that is not one of numbers, is left out. Such a column is nearly always an
identifier, which no release would hold either; a schema that lists its categories brings it back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError, progress
from sfumato.core.crew import Crew, outcomes
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, as_text, is_text, plain
from sfumato.data.attribute import Attribute
from sfumato.data.blocks import BLOCK
from sfumato.data.column_facts import (
    MISSING_WORDS,
    NOT_ASKED,
    ColumnFacts,
    missing_words,
    not_asked,
    numeric_codes,
)
from sfumato.data.column_facts import NUMBER as ONE_NUMBER
from sfumato.data.doubts import DECIDED, are_day_numbers
from sfumato.data.encoding import encode
from sfumato.data.inference import (
    FEW_VALUES,
    Declared,
    Proposal,
    Reading,
    attribute_from,
    doubted,
    proposal_from,
)
from sfumato.data.parquet_source import ParquetSource
from sfumato.data.value_counts import ValueCounts, value_counts

MOST_VALUES = 100_000  # that are listed; a column of numbers may have more
MOST_DECIMALS = 7
TOO_MANY = "so many different values are an identifier; to keep a column, list its categories in a schema"
WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
NUMBER = f"^{ONE_NUMBER}$"
LEADING_ZERO = r"^[+-]?0[0-9]"


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What is known of a column so far, from its pieces. `values` are all its different ones while they are few.

    `letters` counts the records with each of those that may say that something was not asked.

    Where they are `many`, only telling ones are kept: those that decide what the column is (the ends of its range,
    one that is no whole number, one with so many decimals) as all of them together would.
    """

    kind: pa.DataType
    records: int
    nulls: int
    absent: int
    values: pa.Array
    many: bool = False
    letters: tuple[int, ...] = (0,) * len(NOT_ASKED)

    def facts(self) -> ColumnFacts:
        if pa.types.is_dictionary(self.kind):
            named = dict.fromkeys(text for text in as_text(self.values).to_pylist() if text)
            return self._facts(tuple(named), ())
        distinct = list(dict.fromkeys(text for text in as_text(self.values).to_pylist() if text))
        missing = missing_words(self.kind, distinct)
        if not self.many:
            missing += numeric_codes(self.records, [text for text in distinct if text not in missing])
        return self._facts(tuple(text for text in distinct if text not in set(missing)), missing)

    def _facts(self, values: tuple[str, ...], missing: tuple[str, ...]) -> ColumnFacts:
        return ColumnFacts(
            kind=self.kind,
            records=self.records,
            nulls=self.nulls,
            absent=self.absent
            + sum(n for n, word in zip(self.letters, NOT_ASKED, strict=True) if word in missing),
            values=values,
            missing=missing,
            structural=not_asked(missing),
        )


def survey(column: pa.ChunkedArray, *, most: int = MOST_VALUES) -> Survey:
    if pa.types.is_dictionary(column.type):
        values = pa.concat_arrays([chunk.dictionary for chunk in column.chunks])
        nulls = column.null_count
        found = Survey(kind=column.type, records=len(column), nulls=nulls, absent=nulls, values=values)
        return _reduced(found, most)
    array = plain(column)
    found = Survey(
        kind=array.type,
        records=len(array),
        nulls=array.null_count,
        absent=_absent(array),
        values=array,
        letters=_letters(array),
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
        letters=tuple(sum(counts) for counts in zip(*(one.letters for one in surveys), strict=True)),
    )
    return _reduced(together, most)


def _absent(array: pa.Array) -> int:
    """How many have no value: null, not a number, empty, or one of the usual words for it."""
    if is_text(array.type):
        none = pc.is_in(array, value_set=pa.array(["", *MISSING_WORDS, None], pa.string()))
    else:
        none = pc.is_null(array, nan_is_null=True)
    return pc.sum(none).as_py() or 0


def _letters(array: pa.Array) -> tuple[int, ...]:
    """How many have each letter for what was not asked."""
    if not is_text(array.type):
        return (0,) * len(NOT_ASKED)
    return tuple(pc.sum(pc.equal(array, word)).as_py() or 0 for word in NOT_ASKED)


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
        no_day = _firsts([~are_day_numbers(numbers.astype(float))])
        return sorted({*some, int(numbers.argmin()), int(numbers.argmax()), *no_day})
    return some


def _telling_numbers(numbers: np.ndarray) -> set[int]:
    usable = np.isfinite(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        broken = [numbers != np.floor(numbers), np.abs(numbers) >= LARGEST_EXACT_INTEGER, np.isinf(numbers)]
        broken += [np.round(numbers, decimals) != numbers for decimals in range(MOST_DECIMALS)]
        broken.append(~are_day_numbers(numbers))
    ends = {int(np.argmin(numbers[usable])), int(np.argmax(numbers[usable]))} if usable.any() else set()
    here = np.flatnonzero(usable)
    return {int(here[end]) for end in ends} | _firsts(broken)


def _telling_texts(texts: pa.Array) -> set[int]:
    trimmed = pc.utf8_trim_whitespace(texts)
    usable = ~np.asarray(pc.is_in(texts, value_set=pa.array(["", *MISSING_WORDS, *NOT_ASKED], pa.string())))
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


@dataclass(frozen=True)
class _Piece:
    """Some records to survey."""

    source: ParquetSource
    start: int
    end: int
    step: int
    most: int


def propose_from_disk(
    source: ParquetSource, crew: Crew, *, records: int = BLOCK, most: int = MOST_VALUES
) -> Proposal:
    """A schema for all columns of a source that one can be proposed for; a note names the others."""
    if source.n == 0:
        raise DataError(f"{source.path} holds no record.")
    found = surveyed(source, crew, records=records, most=most)
    proposal = proposal_from(dict(_readings(source, found)))
    left_out = [name for name in found if name not in proposal.schema]
    if left_out:
        progress.note(f"left out {', '.join(left_out)}: {TOO_MANY}.")
    return replace(proposal, reasons={**proposal.reasons, **dict.fromkeys(left_out, TOO_MANY)})


def surveyed(
    source: ParquetSource, crew: Crew, *, records: int = BLOCK, most: int = MOST_VALUES
) -> dict[str, Survey]:
    pieces = [
        _Piece(source, run.start * records, min(run.stop * records, source.n), records, most)
        for run in source.runs(records)
    ]
    found = outcomes(crew, _surveyed, pieces, label="Looking at the columns")
    columns = zip(*found, strict=True)
    return {name: merged(list(column), most=most) for name, column in zip(source.names, columns, strict=True)}


def _surveyed(_: None, piece: _Piece) -> list[Survey]:
    found: list[list[Survey]] = [[] for _ in piece.source.names]
    for arrow in piece.source.read(piece.start, piece.end, piece.step):
        for column, surveys in zip(arrow.columns, found, strict=True):
            surveys.append(survey(column, most=piece.most))
    return [merged(surveys, most=piece.most) for surveys in found]


def _readings(source: ParquetSource, surveys: dict[str, Survey]) -> Iterator[tuple[str, Reading]]:
    for name, found in surveys.items():
        reading = attribute_from(name, _facts(source, name, found), Declared())
        if not found.many:
            yield name, reading
        elif reading.attribute.is_numeric:
            yield name, _of_many(source, reading, found)


def _facts(source: ParquetSource, name: str, found: Survey) -> ColumnFacts:
    """The facts about a column, in which records with a number that stands for none are absent too."""
    facts = found.facts()
    codes = [code for code in facts.missing if code not in (*MISSING_WORDS, *NOT_ASKED)]
    if not codes:
        return facts
    wanted = pa.array(codes, pa.string())
    coded = sum(
        pc.sum(pc.is_in(as_text(plain(arrow.column(name))), value_set=wanted)).as_py() or 0
        for arrow in source.select([name]).read(0, source.n, BLOCK)
    )
    return replace(facts, absent=facts.absent + coded)


def _of_many(source: ParquetSource, reading: Reading, found: Survey) -> Reading:
    """The attribute of a column of very many numbers, which may still count the records."""
    attribute, because = reading.attribute, reading.because
    if (
        attribute.role == "other"
        and attribute.storage == "integer"
        and _counts_records(source, attribute, found)
    ):
        reason, _, _ = because.rpartition("; ")
        return Reading(attribute.evolve(role="identifier"), f"{reason}; the values count the records")
    counted = _counted(source, attribute).distinct if attribute.role not in DECIDED else 0
    return doubted(attribute, because, replace(found.facts(), counted=counted))


def _counted(source: ParquetSource, attribute: Attribute) -> ValueCounts:
    def pieces() -> Iterator[np.ndarray]:
        for arrow in source.select([attribute.name]).read(0, source.n, BLOCK):
            yield encode(arrow.column(attribute.name), attribute, str(source.path))[0]

    return value_counts(pieces)


def _counts_records(source: ParquetSource, attribute: Attribute, found: Survey) -> bool:
    """Whether each whole number from the smallest to the largest occurs once."""
    ends = encode(found.values, attribute, str(source.path))[0]
    low, present = np.nanmin(ends), found.facts().present
    if low < 0 or np.nanmax(ends) - low + 1 != present:
        return False
    seen = np.zeros(present, bool)
    for arrow in source.select([attribute.name]).read(0, source.n, BLOCK):
        numbers = encode(arrow.column(attribute.name), attribute, str(source.path))[0]
        seen[(numbers[~np.isnan(numbers)] - low).astype(np.int64)] = True
    return bool(seen.all())
