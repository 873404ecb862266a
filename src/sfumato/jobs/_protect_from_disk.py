"""Protecting a file that stays on disk."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.core import DataError, GateError, marked, progress, registry
from sfumato.data import Source, Table
from sfumato.data.blocks import Blocks
from sfumato.jobs._choice import Choice, Finalist
from sfumato.jobs._finalists import prospects, unmet
from sfumato.jobs._order import Order
from sfumato.jobs._policy import Terms, terms_of
from sfumato.jobs._protection import Protection, WholeFile
from sfumato.jobs._released import published_blocks
from sfumato.jobs._treatment import Treatments
from sfumato.jobs._verdict import verdict_of
from sfumato.jobs._work import Work
from sfumato.jobs.describe import sampled_rows
from sfumato.jobs.evaluate import Evaluation, scored, usual_measures
from sfumato.jobs.mask import masked_blocks
from sfumato.masking import Masking
from sfumato.masking.from_disk.mask_blocks import can_mask
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import GateReading

if TYPE_CHECKING:
    from sfumato.jobs.protect import Protect  # which hands over to this

TRIES = 4  # candidates that are applied to a whole file before giving up


@dataclass(frozen=True)
class FromDiskProtection:
    """Protecting a file that stays on disk: search on a sample, decide on the whole file.

    The candidates that look best on the sample are applied to the whole file one after the other, until one meets
    every gate there; an estimated measure does with the cautious end of its interval, headlines excepted.
    """

    job: "Protect"
    work: Work
    source: Source
    original: Blocks
    treated: Treatments  # if keys are masked

    def protected(self) -> Protection:
        job, work, original = self.job, self.work, self.original
        rows = sampled_rows(original.n, job.sample, job.randomness)
        table = original.take(rows).select(self.treated.released)
        terms = terms_of(job, table.schema).possible(table.n, job.rehearsals)
        self._check_gates(terms)
        tried, cut_after = job.candidates(table, work, self._folder(rows, terms), self._able_methods(), terms)
        candidates = [candidate for candidate in tried if can_mask(candidate.masking)]
        if not candidates:
            raise DataError("No method that works from disk could be applied to this table; see the notes.")
        if table.n < original.n:
            progress.note(
                f"{len(candidates)} candidates were tried on a random sample of {table.n} of {original.n} records."
            )
        chosen, masked, evaluation, tries = self._first_that_holds(candidates, table, terms)
        order = Order.drawn(masked.n, job.randomness, masked.fingerprint(work.place.crew))
        treated = job.treated_by(chosen.candidate.masking, original, self.source)
        aligned = masked.take(rows).select(treated.released)
        return Protection(
            job=job,
            original=original.take(rows),
            aligned=aligned,
            treated=treated,
            order=order,
            candidates=tuple(candidates),
            chosen=chosen.candidate,
            evaluation=evaluation,
            verdict=verdict_of(job, chosen.candidate.masking, table, aligned, seed=job.randomness),
            gates=tuple(self._reading(one, evaluation) for one in chosen.gates),
            terms=terms,
            choice=Choice(chosen.candidate, chosen.gates, loss=chosen.loss),
            score=job.score,
            searched=job.asked_masking is None,
            seconds=0.0,
            cut_after=cut_after,
            whole=self._whole(masked, order, treated, tries),
        )

    def _whole(self, masked: Blocks, order: Order, treated: Treatments, tries: tuple[str, ...]) -> WholeFile:
        place, names = self.work.place, treated.released
        release, full = published_blocks(
            self.original, masked, order.rows, treated, self.job.randomness, place
        )
        keys = tuple(name for name in self.original.schema.with_role("key") if name in names)
        return WholeFile(
            blocks=masked,
            release=release,
            full=full,
            fingerprints=(self.original.fingerprint(place.crew), masked.fingerprint(place.crew)),
            uniques=(self._unique_share(self.original, keys), self._unique_share(masked, keys)),
            counts=_category_counts(self.original, masked, names),
            tries=tries,
            memory=place.memory,
        )

    def _folder(self, rows: np.ndarray, terms: Terms) -> Path:
        """Where what was tried is kept: what was required and drawn says which folder it is."""
        required = sorted(map(str, terms.gates))
        tried = [
            *self.job.methods,
            *map(str, self.job.grouped),
            *map(str, self.job.by_hand.settings().items()),
        ]
        made_from = json.dumps(
            [self.original.folder.name, len(rows), required, tried, marked(self.job.randomness)]
        )
        key = blake2b(made_from.encode(), digest_size=8).hexdigest()
        return self.work.place.folder / f"candidates-{key}"

    def _unique_share(self, blocks: Blocks, names: tuple[str, ...]) -> float:
        """Percent of all records that share their values in these columns with no other record."""
        if not names:
            return 0.0
        asked = KAnonymity(attributes=names)
        return scored(blocks, blocks, self.work, measures=[asked]).score_of(asked).parts["uniques"]

    def _check_gates(self, terms: Terms) -> None:
        for gate in terms.gates:
            if not gate.measure.joinable and not gate.measure.from_sample:
                raise DataError(
                    f"{gate.measure.name} needs all records in memory, and the file is larger: require another measure, "
                    "or give more --memory."
                )

    def _able_methods(self) -> tuple[str, ...]:
        """The methods to try: those asked for, or all, that can mask a file part by part."""
        asked = self.job.methods
        known: dict[str, type[Masking]] = {
            name: registry.load("masking", name) for name in (asked or registry.names("masking"))
        }
        able = tuple(name for name, method in known.items() if method.parted_by != "none")
        left_out = [name for name in known if name not in able]
        if not able:
            raise DataError(f"{', '.join(left_out)}: needs all records in memory; see --methods for others.")
        if asked and left_out:
            progress.note(f"not tried, since they need all records in memory: {', '.join(left_out)}.")
        return able

    def _first_that_holds(
        self, candidates: Sequence[Candidate], table: Table, terms: Terms
    ) -> tuple[Finalist, Blocks, Evaluation, tuple[str, ...]]:
        """The best candidate whose whole release meets every gate, that release, and all that were applied."""
        readings: list[GateReading] = []
        tries: list[str] = []
        usual = usual_measures(self.original)
        quick = [gate.measure for gate in terms.gates]
        measures = [*usual, *(m for m in quick if m not in usual and m.joinable)]
        for one in islice(self._in_turn(candidates, table, terms), TRIES):
            masking = one.candidate.masking
            tries.append(str(masking))
            masked = masked_blocks(self.original, masking, self.work, seed=self.job.randomness)
            evaluation = scored(self.original, masked, self.work, measures=measures, seed=self.job.randomness)
            found = [self._reading(reading, evaluation) for reading in one.gates]
            if all(reading.holds for reading in found):
                return one, masked, evaluation, tuple(tries)
            readings += found
            progress.note(f"{masking}: the whole release does not meet {unmet(found)}.")
        raise GateError(
            f"None of the {len(tries)} best of {len(candidates)} candidates meets, on the whole file, "
            f"{unmet(readings)}; nothing was written."
        )

    def _reading(self, on_sample: GateReading, evaluation: Evaluation) -> GateReading:
        """What a gate reads on the whole file, or on the sample if that is no better than the whole file would be."""
        gate = on_sample.gate
        if gate.measure.joinable:
            return gate.read({gate.label: evaluation.score_of(gate.measure)})
        return on_sample

    def _in_turn(self, candidates: Sequence[Candidate], table: Table, terms: Terms) -> Iterator[Finalist]:
        """The best first, those that meet the gates on the sample before all others.

        On the whole file classes are larger: what fails on the sample by a measure of all records may hold there.
        """
        contest = self.job.contest(candidates, table, terms)
        order = contest.in_turn() if self.job.by_loss(terms) else contest.by_balance(self.job.score)
        yield from (one for one in order if one.meets)
        able = [one for one in candidates if one not in contest.eligible]
        for candidate in sorted(able, key=lambda one: prospects(one, self.job.score)):
            finalist = contest.asked(float("nan"), candidate)
            if all(one.holds for one in finalist.gates if not one.gate.measure.joinable):
                yield finalist


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
