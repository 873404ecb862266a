"""The main job for a file larger than memory: search on a sample, decide on the whole file."""

import json
import time
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.core import DataError, GateError, progress, registry, stream
from sfumato.data import Table
from sfumato.data.blocks import Blocks
from sfumato.large.claims import fingerprint
from sfumato.large.masking.mask_blocks import can_mask
from sfumato.large.places import Workplace
from sfumato.masking import Masking, make_masking
from sfumato.measures import Estimate, Score
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.search import Candidate, portfolio
from sfumato.search.maskings.candidates import judged
from sfumato.search.maskings.gates import Gate, GateReading, check_gates
from sfumato.studies.evaluate import Evaluation
from sfumato.studies.large_evaluate import able_measures, evaluate_from_disk
from sfumato.studies.large_mask import mask_from_disk
from sfumato.studies.large_protection import LargeProtection
from sfumato.studies.released import released_names

SAMPLE = 50_000
TRIES = 4  # candidates that are applied to the whole file before giving up


def protect_from_disk(
    original: Blocks,
    *,
    place: Workplace,
    seed: int = 0,
    methods: Sequence[str] = (),
    require: Sequence[str] = (),
    score: str = "max",
    keep: Sequence[str] = (),
    workers: int = 1,
    sample: int = SAMPLE,
    masking: Any = None,
    cluster: str = "",
) -> LargeProtection:
    """Try a portfolio of maskings on a random sample, and release the best one that may go out.

    The candidates that look best on the sample are applied to the whole file one after the other, until one
    meets every gate there; an estimated measure does with the cautious end of its interval. Only methods that
    can mask a file part by part are tried. Where a `masking` is given, or its spec, it is the only candidate. With a
    `cluster` the candidates are judged there.
    """
    start = time.perf_counter()
    if original.n == 0:
        raise DataError("The table holds no record: there is nothing to protect.")
    gates = [Gate.parse(text) for text in require]
    names = released_names(original, keep)
    rows = sampled_rows(original.n, sample, seed)
    table = original.take(rows)
    _check(gates, table)
    measures = [gate.make_measure() for gate in gates]
    if masking is None:
        tried = portfolio(
            table,
            methods=_able(methods),
            seed=seed,
            workers=workers,
            cluster=cluster,
            measures=measures,
            folder=place.folder / f"candidates-{_key(original, rows, require, seed)}",
        )
    else:
        tried = [judged(table, make_masking(masking), seed=seed, measures=measures)]
    candidates = [candidate for candidate in tried if can_mask(candidate.masking)]
    if not candidates:
        raise DataError("No method that works from disk could be applied to this table; see the notes.")
    if table.n < original.n:
        progress.note(
            f"{len(candidates)} candidates were tried on a random sample of {table.n} of {original.n} records."
        )
    chosen, masked, evaluation, tries = _first_that_holds(original, candidates, gates, score, place, seed)
    keys = tuple(name for name in original.schema.with_role("key") if name in names)
    return LargeProtection(
        original=table,
        release=masked.take(rows).select(names),
        candidates=tuple(candidates),
        chosen=chosen,
        evaluation=evaluation,
        gates=tuple(_reading(gate, evaluation.scores) for gate in gates),
        methods=tuple(methods),
        searched=masking is None,
        score=score,
        seed=seed,
        blocks=masked,
        names=names,
        fingerprints=(fingerprint(original, place.crew), fingerprint(masked, place.crew)),
        uniques=(unique_share(original, keys, place), unique_share(masked, keys, place)),
        counts=_category_counts(original, masked, names),
        tries=tries,
        memory=place.memory,
        seconds=time.perf_counter() - start,
    )


def _key(original: Blocks, rows: np.ndarray, require: Sequence[str], seed: int) -> str:
    made_from = json.dumps([original.folder.name, len(rows), sorted(require), seed])
    return blake2b(made_from.encode(), digest_size=8).hexdigest()


def sampled_rows(n: int, sample: int, seed: int) -> np.ndarray:
    """So many rows of n, drawn without repetition and in order; all of them if there are no more.

    >>> sampled_rows(5, 9, 0).tolist(), len(set(sampled_rows(100, 9, 0).tolist()))
    ([0, 1, 2, 3, 4], 9)
    """
    if n <= sample:
        return np.arange(n)
    return np.sort(stream(seed, "sample").choice(n, sample, replace=False, shuffle=False))


def unique_share(blocks: Blocks, names: tuple[str, ...], place: Workplace) -> float:
    """Percent of all records that share their values in these columns with no other record."""
    if not names:
        return 0.0
    found = evaluate_from_disk(blocks, blocks, place=place, measures=[KAnonymity(attributes=names)])
    return found.scores["k_anonymity"].parts["uniques"]


def _check(gates: Sequence[Gate], sample: Table) -> None:
    for gate in gates:
        if not gate.make_measure().joinable:
            raise DataError(
                f"{gate.measure} needs all records in memory, and the file is larger: require another measure, "
                "or give more --memory."
            )
    if sample.schema.with_role("key"):  # the portfolio refuses a table without
        check_gates(gates, sample)


def _able(methods: Sequence[str]) -> tuple[str, ...]:
    """The methods to try: those asked for, or all, that can mask a file part by part."""
    known: dict[str, type[Masking]] = {
        name: registry.load("masking", name) for name in (methods or registry.names("masking"))
    }
    able = tuple(name for name, method in known.items() if method.parted_by != "none")
    left_out = [name for name in known if name not in able]
    if not able:
        raise DataError(f"{', '.join(left_out)}: needs all records in memory; see --methods for others.")
    if methods and left_out:
        progress.note(f"not tried, since they need all records in memory: {', '.join(left_out)}.")
    return able


def _first_that_holds(
    original: Blocks,
    candidates: Sequence[Candidate],
    gates: Sequence[Gate],
    score: str,
    place: Workplace,
    seed: int,
) -> tuple[Candidate, Blocks, Evaluation, tuple[str, ...]]:
    """The best candidate whose whole release meets every gate, that release, and all that were applied."""
    readings: list[GateReading] = []
    tries: list[str] = []
    measures = able_measures(original)
    for candidate in _ranked(candidates, gates, score)[:TRIES]:
        tries.append(str(candidate.masking))
        masked = mask_from_disk(original, candidate.masking, place=place, seed=seed)
        evaluation = evaluate_from_disk(original, masked, place=place, seed=seed, measures=measures)
        found = [_reading(gate, evaluation.scores) for gate in gates]
        if all(reading.holds for reading in found):
            return candidate, masked, evaluation, tuple(tries)
        readings += found
        progress.note(f"{candidate.masking}: the whole release does not meet {_unmet(found)}.")
    raise GateError(
        f"None of the {len(tries)} best of {len(candidates)} candidates meets, on the whole file, "
        f"{_unmet(readings)}; nothing was written."
    )


def _ranked(candidates: Sequence[Candidate], gates: Sequence[Gate], score: str) -> list[Candidate]:
    """The best first; those that meet the gates on the sample before all others."""

    def rank(candidate: Candidate) -> tuple[bool, float, float]:
        meets = all(gate.holds(candidate.scores) for gate in gates)
        return not meets, candidate.score(score), candidate.score("mean")

    return sorted(candidates, key=rank)


def _reading(gate: Gate, scores: dict[str, Score]) -> GateReading:
    """What a gate reads on the whole file; of an estimate, the end of the interval that is less safe."""
    score = scores[gate.measure]
    reading = gate.reading(scores)
    if isinstance(score, Estimate) and not gate.part:
        reading = score.low if gate.wants_more else score.high
    return GateReading(gate=str(gate), reading=reading, holds=gate.allows(reading))


def _unmet(readings: Sequence[GateReading]) -> str:
    """The gates that do not hold, each with the best that was reached."""
    best: dict[str, float] = {}
    for found in readings:
        if not found.holds:
            better = max if Gate.parse(found.gate).wants_more else min
            best[found.gate] = better(best.get(found.gate, found.reading), found.reading)
    return ", ".join(f"{gate} (it reaches {reading:g})" for gate, reading in best.items())


def _category_counts(
    original: Blocks, masked: Blocks, names: Sequence[str]
) -> dict[str, tuple[dict[str, int], dict[str, int]]]:
    """How often each category of a released column occurs before and after; never those of identifiers."""
    wanted = [
        a.name for a in original.schema if a.name in names and not a.is_numeric and a.role != "identifier"
    ]
    return {name: (_occurrences(original, name), _occurrences(masked, name)) for name in wanted}


def _occurrences(blocks: Blocks, name: str) -> dict[str, int]:
    categories = blocks.schema[name].categories
    counts = np.zeros(len(categories), np.int64)
    for table in blocks.tables([name]):
        counts += np.bincount(table[name][table[name] >= 0], minlength=len(categories))
    return dict(zip(categories, counts.tolist(), strict=True))
