"""Proposing a schema for a source, from all its values but without holding them.

The proposal is that of the in-memory `propose`, with one exception: a column of so many different values that
they cannot all be listed, and that is not one of numbers, is left out. Such a column is nearly always an
identifier, which no release would hold either; a schema that lists its categories brings it back.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError, progress
from sfumato.core.crew import Crew, outcomes
from sfumato.data.attribute import Attribute
from sfumato.data.blocks import BLOCK
from sfumato.data.column_survey import MOST_VALUES, Survey, merged, survey
from sfumato.data.encoding import encode
from sfumato.data.inference import Declared, Proposal, attribute_from, proposal_from
from sfumato.data.parquet_source import ParquetSource


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
    return proposal_from(dict(_attributes(source, found)))


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


def _attributes(
    source: ParquetSource, surveys: dict[str, Survey]
) -> Iterator[tuple[str, tuple[Attribute, str]]]:
    left_out = []
    for name, found in surveys.items():
        attribute, because = attribute_from(name, found.facts(), Declared())
        if not found.many:
            yield name, (attribute, because)
        elif attribute.is_numeric:
            yield name, _of_many(source, attribute, because, found)
        else:
            left_out.append(name)
    if left_out:
        progress.note(
            f"left out {', '.join(left_out)}: so many different values are an identifier; to keep a column, "
            "list its categories in a schema."
        )


def _of_many(
    source: ParquetSource, attribute: Attribute, because: str, found: Survey
) -> tuple[Attribute, str]:
    """The attribute of a column of very many numbers, which may still count the records."""
    if (
        attribute.role == "other"
        and attribute.storage == "integer"
        and _counts_records(source, attribute, found)
    ):
        reason, _, _ = because.rpartition("; ")
        return attribute.evolve(role="identifier"), f"{reason}; the values count the records"
    return attribute, because


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
