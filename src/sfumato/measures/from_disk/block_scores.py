"""Scores of a masked file in blocks against its original, where neither fits into memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.core import DataError, ParameterError, Seed, progress, registry
from sfumato.core.crew import Crew
from sfumato.core.private import private_folder
from sfumato.core.temporaries import temporary_folder
from sfumato.data import Schema
from sfumato.data.blocks import Blocks, without_records
from sfumato.measures._contract import Files, Measure, fitting_measures
from sfumato.measures._scores import Estimate, Score
from sfumato.measures.from_disk.strata import mean_score, strata
from sfumato.measures.statistics.contract import Statistic, with_needs
from sfumato.measures.statistics.sampled_links import Sampled
from sfumato.measures.statistics.sources import FilePair, Sources, Timed

SAMPLE = 10_000
MEMORY = 2**30


class Refused(DataError):  # noqa: N818 -- a limit, not a mistake
    """A measure, or an option of it, is only for files that fit into memory."""


def default_measures(original: Schema) -> list[Measure]:
    """All measures that fit the key attributes and judge from disk as they are; a note names the others."""
    able, left_out = list[Measure](), list[str]()
    for measure in fitting_measures(without_records(original)):
        try:
            _files(measure, original, original, 0)
            able.append(measure)
        except Refused:
            left_out.append(measure.name)
    if left_out:
        progress.note(f"not judged, since they need all records in memory: {', '.join(left_out)}.")
    if not able:
        raise DataError("No measure fits the key attributes; give some attributes the role key.")
    return able


def score_blocks(
    original: Blocks,
    masked: Blocks,
    *,
    folder: Path,
    crew: Crew,
    measures: Sequence[Measure] = (),
    seed: Seed = 0,
    sample: int = SAMPLE,
    memory: int = MEMORY,
) -> dict[str, Score]:
    """Score a masked file by these measures, or by all that fit and can judge from disk.

    Values are those the measures have in memory, but for linkage, which is estimated from a random sample of
    so many records: such scores are `Estimate`s. The seed fixes the sample. The database uses so many bytes
    of memory at most, and what is written into the folder meanwhile is removed. The crew changes nothing but
    the time it takes.
    """
    _check_records(original, masked)
    if sample < 1:
        raise ParameterError(f"sample must be an integer of at least 1. Got {sample}.")
    chosen = list(measures) or default_measures(original.schema)
    files = [_files(measure, original.schema, masked.schema, original.n) for measure in chosen]
    if not original.n:
        return {m.plain(): Score(measure=m.name, value=0.0, parts={}, seconds=0.0) for m in chosen}
    columns = (name for m, f in zip(chosen, files, strict=True) for name in m.columns(f.original, f.names))
    pair = FilePair(original, masked, tuple(dict.fromkeys(columns)))
    with temporary_folder(private_folder(folder)) as work:
        sources = Sources(pair, work, crew, seed, sample, memory)
        scores = _scores(sources, dict(zip(chosen, files, strict=True)))
    return {measure.plain(): scores[measure] for measure in chosen}


def _scores(sources: Sources, judged: Mapping[Measure, Files]) -> dict[Measure, Score]:
    """The scores of whole files; those by stratum are means of the scores of strata."""
    whole = {measure: files for measure, files in judged.items() if not measure.by_stratum}
    sources.find(*(one for measure, files in whole.items() for one in measure.statistics(files)))
    found = {measure: _score(measure, files, sources.found) for measure, files in whole.items()}
    apart = {measure: replace(measure, by_stratum=False) for measure in judged if measure.by_stratum}
    parts = strata(sources.files, sources.folder) if apart else {}
    inner: dict[str, dict[Measure, Score]] = {}
    for label, part in parts.items():
        its = {plain: replace(judged[measure], n=part.files.original.n) for measure, plain in apart.items()}
        inner[label] = _scores(replace(sources, files=part.files, folder=part.folder, found={}), its)
    for measure, plain in apart.items():
        found[measure] = mean_score(measure, {label: one[plain] for label, one in inner.items()}, parts)
    return found


def _score(measure: Measure, files: Files, found: Mapping[Statistic, Timed]) -> Score:
    statistics = measure.statistics(files)
    seconds = sum(found[one].seconds for one in with_needs(statistics))
    values = [found[one].value for one in statistics]
    value, parts = measure.value(files, *_ends(values, "value"))
    drawn = [one.records for one in values if isinstance(one, Sampled)]
    if not drawn:
        return Score(measure=measure.name, value=value, parts=parts, seconds=seconds)
    low, high = (measure.value(files, *_ends(values, end))[0] for end in ("low", "high"))
    return Estimate(
        measure=measure.name, value=value, parts=parts, seconds=seconds, low=low, high=high, sample=max(drawn)
    )


def _ends(values: list[Any], end: str) -> list[Any]:
    """Statistics, of which those that were estimated are at one end of their intervals, or where they are."""
    return [getattr(one, end) if isinstance(one, Sampled) else one for one in values]


def _files(measure: Measure, original: Schema, masked: Schema, n: int) -> Files:
    """What a measure judges of two files, checked."""
    if not measure.joinable:
        every = (registry.load("measures", name) for name in registry.names("measures"))
        known = ", ".join(one.name for one in every if one.joinable and one.sense != "score")
        raise Refused(f"{measure.name} is not for files larger than memory; those that are: {known}.")
    files = Files(measure.judged(without_records(original)), original, masked, n)
    if reason := measure.only_in_memory(files):
        raise Refused(
            f"{measure.name}: {reason} is not for files larger than memory; leave it out, or judge a sample."
        )
    if measure.by_stratum:
        measure.check_strata(original)
    if measure.weighs(original) and not original.weight:
        raise DataError(f"{measure.name}: weighted needs an attribute with the role weight. Got none.")
    measure.statistics(files)  # which refuses columns it cannot take
    measure.check_masked(original, masked, measure.columns(original, files.names))
    return files


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
