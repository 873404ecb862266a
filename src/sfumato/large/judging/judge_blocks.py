"""Judging a masked file against its original, where neither fits into memory."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.core import DataError, ParameterError, progress, registry
from sfumato.core.crew import Crew
from sfumato.data import Schema
from sfumato.data.blocks import Blocks, without_records
from sfumato.large.judging.estimates import Estimate
from sfumato.large.judging.finding import Timed, find
from sfumato.large.judging.streamed._contract import Refused, Sources, Statistic, Streamed, Subject, streamed
from sfumato.large.judging.totals import Totals, totals
from sfumato.measures import Measure, Score
from sfumato.measures._choice import fitting_measures

SAMPLE = 10_000
MEMORY = 2**30


def can_judge(measure: Measure) -> bool:
    """Whether a measure has a form for files larger than memory.

    >>> from sfumato.measures import Clustering, Sse
    >>> can_judge(Sse()), can_judge(Clustering())
    (True, False)
    """
    return measure.name in registry.names("streamed")


def default_measures(original: Schema) -> list[Measure]:
    """All measures that fit the key attributes and judge block by block as they are; a note names the others."""
    able, left_out = list[Measure](), list[str]()
    for measure in fitting_measures(without_records(original)):
        try:
            _form(measure, original, original)
            able.append(measure)
        except Refused:
            left_out.append(measure.name)
    if left_out:
        progress.note(f"not judged, since they need all records in memory: {', '.join(left_out)}.")
    if not able:
        raise DataError("No measure fits the key attributes; give some attributes the role key.")
    return able


def judge_blocks(
    original: Blocks,
    masked: Blocks,
    *,
    folder: Path,
    crew: Crew,
    measures: Sequence[Measure] = (),
    seed: int = 0,
    sample: int = SAMPLE,
    memory: int = MEMORY,
) -> dict[str, Score]:
    """Score a masked file by these measures, or by all that fit and can be judged block by block.

    Values are those the measures have in memory, but for linkage, which is estimated from a random sample of
    so many records: such scores are `Estimate`s. The seed fixes the sample. The database uses so many bytes
    of memory at most, and what is written into the folder meanwhile is removed. The crew changes nothing but
    the time it takes.
    """
    _check_records(original, masked)
    if sample < 1:
        raise ParameterError(f"sample must be an integer of at least 1. Got {sample}.")
    chosen = list(measures) or default_measures(original.schema)
    forms = [_form(measure, original.schema, masked.schema) for measure in chosen]
    if not original.n:
        return {m.name: Score(measure=m.name, value=0.0, parts={}, seconds=0.0) for m in chosen}
    columns = tuple(dict.fromkeys(name for form in forms for name in form.columns))
    weighted = any(form.weighted for form in forms)
    known = totals(original, masked, columns, weighted=weighted, crew=crew)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="judging-", dir=folder) as work:
        sources = Sources(original, masked, known, Path(work), crew, seed, sample, memory)
        found = find(tuple(dict.fromkeys(need for form in forms for need in form.needs)), sources)
    return {form.measure.name: _score(form, found, known) for form in forms}


def _score(form: Streamed, found: Mapping[Statistic, Timed], known: Totals) -> Score:
    name, seconds = form.measure.name, sum(found[need].seconds for need in form.needs)
    value, parts, rate, sample = form.finish({need: found[need].value for need in form.needs}, known)
    if rate is None:
        return Score(measure=name, value=value, parts=parts, seconds=seconds)
    return Estimate(
        measure=name, value=value, parts=parts, seconds=seconds, low=rate.low, high=rate.high, sample=sample
    )


def _form(measure: Measure, original: Schema, masked: Schema) -> Streamed:
    """The streamed form of a measure for two files, checked."""
    if not can_judge(measure):
        known = ", ".join(registry.names("streamed"))
        raise Refused(f"{measure.name} is not for files larger than memory; those that are: {known}.")
    form = streamed(measure, Subject(measure.judged(without_records(original)), original, masked))
    for name in form.columns:
        if name not in masked:
            raise DataError(f"{measure.name}: the masked file has no column {name}.")
        if masked[name].is_numeric != original[name].is_numeric:
            raise DataError(
                f"{measure.name}: column {name} is {original[name].scale} in the original "
                f"and {masked[name].scale} in the masked file."
            )
    return form


def _check_records(original: Blocks, masked: Blocks) -> None:
    if original.n != masked.n:
        raise DataError(
            "The masked file must hold the records of the original in the same order. "
            f"Got {masked.n} records where the original has {original.n}."
        )
    if original.counts != masked.counts:
        raise DataError(
            "The two files must be cut into the same blocks; write both with the same block size."
        )
