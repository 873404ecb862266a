"""Find the best balanced protection of a file and write it."""

import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, GateError, ParameterError, marked, param, progress, registry
from sfumato.data import Source, Table
from sfumato.data.blocks import Blocks, without_records
from sfumato.jobs._order import Order
from sfumato.jobs._protection import Protection, WholeFile
from sfumato.jobs._reading import FromDisk, KeyedReading
from sfumato.jobs._released import published_blocks
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._searching import Budget, Searching
from sfumato.jobs._treatment import Treatments
from sfumato.jobs._work import Work
from sfumato.jobs.describe import sampled_rows
from sfumato.jobs.evaluate import Evaluation, scored, usual_measures
from sfumato.jobs.evolve import Search, evolved_from
from sfumato.jobs.mask import masked_blocks
from sfumato.masking import Masking, masked_with
from sfumato.masking.from_disk.mask_blocks import can_mask
from sfumato.measures import Estimate, Measure
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.search.file_evolution.presets import preset
from sfumato.search.fitness import Fitness
from sfumato.search.maskings.candidates import Candidate, best_spread, judged
from sfumato.search.maskings.gates import Gate, GateReading, check_gates
from sfumato.search.maskings.portfolio_search import search_portfolio
from sfumato.search.stop import Stop

MOST_EVOLVED = 30  # candidates that an evolution starts from
EVOLUTION = "evolution"  # its folder in that of the run
TRIES = 4  # candidates that are applied to a whole file on disk before giving up


class Protect(KeyedReading, Releasing, Searching, FromDisk):
    """Try many maskings of FILE, choose the one with the best balance of disclosure risk and information loss, and
    write it to OUT with a report beside it.

    If no candidate meets every --require, nothing is written and the status is 3. With --evolve the best candidates
    are evolved after that, and the outcome is written if it is better; Ctrl-C ends the evolution and keeps what it
    found, a second one stops at once.

    FILE may be a folder of Parquet files. Parquet that is too large for memory is protected from disk: the candidates
    are tried on a random sample, and the best of them are applied to the whole file until one meets every --require
    there. OUT must then be Parquet too.

    >>> Protect(file="survey.csv", require=["k >= 5"]).spec()
    {'job': 'protect', 'require': ['k_anonymity.smallest >= 5'], 'file': 'survey.csv'}
    """

    usual: ClassVar[dict[str, Any]] = {}

    methods: tuple[str, ...] = param(default=(), word="NAME", help="methods to try", usual="all")
    require: tuple[Gate, ...] = param(
        default=(),
        help="what a release must meet, such as 'k >= 5' or 'distance_linkage <= 2'; may be repeated",
    )
    score: str = param(
        default="max",
        choices=("max", "mean"),
        help="balance by the larger of loss and risk, or by their mean",
    )
    grouped: tuple[int, ...] = param(
        default=(),
        low=2,
        option="group-attributes",
        word="K",
        help="also search which numeric keys to microaggregate together, for each K",
    )
    evolve: Budget | None = param(
        default=None, help="then evolve the best candidates for 60s, 5m, 1h, or 300g (generations)"
    )
    masking: Masking | None = param(
        default=None,
        help="protect with this masking in place of a search, such as 'mdav(k=5) + pram'",
        word="MASKING",
    )
    sample: int = param(
        default=50_000, low=100, help="records to try candidates on where a file is worked on from disk"
    )

    def check(self) -> None:
        super().check()
        if self.masking is not None and (self.methods or self.grouped or self.evolve):
            raise ParameterError(
                "A masking was given: leave out methods, grouping and evolving, which search for one."
            )

    @property
    def stop_rule(self) -> Stop:
        """When the candidates are done with: where they are evolved after that, rules end the evolution and not them."""
        return Stop.when_done() if self.evolve is not None else super().stop_rule

    def work(self) -> Work:
        """Files on disk are kept in the run folder where no other is named."""
        work = super().work()
        work.folder = work.folder or self.run_folder
        return work

    def run(self, source: Source, *, work: Work) -> Protection:
        start = time.perf_counter()
        self.check_disk(source)
        self._refuse_searches(source)
        table = source.table
        if table.n == 0:
            raise DataError("The table holds no record: there is nothing to protect.")
        treated = self.treated(table, self._masked(table), source)
        if isinstance(table, Blocks):
            found = _FromDisk(self, work, table, treated).protected()
        else:
            found = self._in_memory(table, treated, work)
        found = dataclasses.replace(found, seconds=time.perf_counter() - start)
        return found if self.evolve is None else self._evolved(found, work)

    def _masked(self, table: Table | Blocks) -> tuple[str, ...]:
        """The columns that are masked: the keys, unless a masking that was given takes others."""
        if self.masking is None:
            return table.schema.with_role("key")
        return self.masking.targets(table if isinstance(table, Table) else without_records(table.schema))

    def candidates(
        self, table: Table, work: Work, folder: Path | None, methods: Sequence[str]
    ) -> tuple[list[Candidate], int | None]:
        """What was tried; and after how many generations, where a rule or the user ended the search before its end."""
        if table.schema.with_role("key"):  # a table without is refused below
            check_gates(self.require, table)
        measures = self.gate_measures()
        if self.masking is not None:
            return [judged(table, self.masking, seed=self.randomness, measures=measures)], None
        cluster = work.cluster if folder is None or folder == work.run_folder else work.beyond_memory
        effort = dataclasses.replace(work.effort(self.stop_rule, self.randomness, folder), cluster=cluster)
        found = search_portfolio(
            table,
            effort,
            methods=methods,
            measures=measures,
            grouped=self.grouped,
            whole=not self.stop_rule.rules,
        )
        return list(found.candidates), None if found.is_whole else found.run.history[-1].generation

    def gate_measures(self) -> list[Measure]:
        return [gate.measure for gate in self.require]

    def _in_memory(self, table: Table, treated: Treatments, work: Work) -> Protection:
        candidates, cut_after = self.candidates(table, work, work.run_folder, self.methods)
        chosen = choose(candidates, self.require, self.score)
        masked = masked_with(chosen.masking, table, seed=self.randomness)
        return Protection(
            job=self,
            original=table,
            aligned=masked.select(treated.released),
            treated=treated,
            order=Order.drawn(masked.n, self.randomness, masked.fingerprint),
            candidates=tuple(candidates),
            chosen=chosen,
            evaluation=scored(table, masked, work),
            gates=tuple(
                GateReading(gate=gate, reading=gate.reading(chosen.scores), holds=True)
                for gate in self.require
            ),
            score=self.score,
            searched=self.masking is None,
            seconds=0.0,
            cut_after=cut_after,
        )

    def _evolved(self, found: Protection, work: Work) -> Protection:
        """The protection with its evolution, whose file is released if its score is better."""
        search = Search(
            fitness=Fitness(how="mean" if self.score == "mean" else "max"),
            optimizer=preset("fast").optimizer,
            stop=Stop(**{**self.stop.given, **(self.evolve.rule if self.evolve is not None else {})}),
            preset="fast",
            seed=self.randomness,
            require=self.require,
            treated=found.treated,
        )
        folder = None if work.run_folder is None else work.run_folder / EVOLUTION
        evolution = evolved_from(found.original, self._start(found), search, work, folder=folder)
        changed: dict[str, Any] = {"evolution": evolution, "seconds": found.seconds + evolution.seconds}
        if evolution.score < found.chosen.score(self.score):
            changed |= {
                name: getattr(evolution, name) for name in ("aligned", "order", "evaluation", "gates")
            }
        else:
            progress.note("evolving found nothing better than the best candidate, which is released.")
        return dataclasses.replace(found, **changed)

    def _start(self, found: Protection) -> list[tuple[Masking, Table]]:
        """The masked files of the chosen candidate and of the best others."""
        others = [c for c in best_spread(list(found.candidates), MOST_EVOLVED) if c is not found.chosen]
        masked = [
            (c.masking, masked_with(c.masking, found.original, seed=self.randomness))
            for c in [found.chosen, *others]
        ]
        return [(origin, table) for origin, table in masked if table.n == found.original.n]

    def _refuse_searches(self, source: Source) -> None:
        for asked, option in ((self.evolve, "--evolve"), (self.grouped, "--group-attributes")):
            if source.on_disk and asked:
                raise ParameterError(
                    f"{option} works in memory, which {source.path} is too large for: leave it out, use it on a "
                    "random sample of the records, or give more --memory."
                )


def choose(candidates: Sequence[Candidate], gates: Sequence[Gate], score: str) -> Candidate:
    """The candidate with the best score among those that meet every gate; ties go to the earlier one."""
    if not candidates:
        raise DataError("No method of the portfolio could be applied to this table; see the notes.")
    allowed = [c for c in candidates if all(gate.holds(c.scores) for gate in gates)]
    if not allowed:
        raise GateError(_shortfall(candidates, gates))
    return min(allowed, key=lambda c: (c.score(score), c.score("mean")))


def _shortfall(candidates: Sequence[Candidate], gates: Sequence[Gate]) -> str:
    if len(candidates) == 1:
        told = (f"{gate} (it reaches {gate.reading(candidates[0].scores):g})" for gate in gates)
        return f"The only candidate does not meet all of {', '.join(told)}; nothing was written."
    for gate in gates:
        readings = [gate.reading(c.scores) for c in candidates]
        best = max(readings) if gate.wants_more else min(readings)
        if not any(gate.holds(c.scores) for c in candidates):
            return f"None of {len(candidates)} candidates meets {gate}: the best reaches {best:g}; nothing was written."
    return f"None of {len(candidates)} candidates meets all of {', '.join(map(str, gates))}; nothing was written."


@dataclass(frozen=True)
class _FromDisk:
    """Protecting a file that stays on disk: search on a sample, decide on the whole file.

    The candidates that look best on the sample are applied to the whole file one after the other, until one meets
    every gate there; an estimated measure does with the cautious end of its interval.
    """

    job: Protect
    work: Work
    original: Blocks
    treated: Treatments

    def protected(self) -> Protection:
        job, work, original = self.job, self.work, self.original
        rows = sampled_rows(original.n, job.sample, job.randomness)
        table = original.take(rows)
        self._check_gates()
        tried, cut_after = job.candidates(table, work, self._folder(rows), self._able_methods())
        candidates = [candidate for candidate in tried if can_mask(candidate.masking)]
        if not candidates:
            raise DataError("No method that works from disk could be applied to this table; see the notes.")
        if table.n < original.n:
            progress.note(
                f"{len(candidates)} candidates were tried on a random sample of {table.n} of {original.n} records."
            )
        chosen, masked, evaluation, tries = self._first_that_holds(candidates)
        order = Order.drawn(masked.n, job.randomness, masked.fingerprint(work.place.crew))
        return Protection(
            job=job,
            original=table,
            aligned=masked.take(rows).select(self.treated.released),
            treated=self.treated,
            order=order,
            candidates=tuple(candidates),
            chosen=chosen,
            evaluation=evaluation,
            gates=tuple(_reading(gate, evaluation) for gate in job.require),
            score=job.score,
            searched=job.masking is None,
            seconds=0.0,
            cut_after=cut_after,
            whole=self._whole(masked, order, tries),
        )

    def _whole(self, masked: Blocks, order: Order, tries: tuple[str, ...]) -> WholeFile:
        place, names = self.work.place, self.treated.released
        release, full = published_blocks(
            self.original, masked, order.rows, self.treated, self.job.randomness, place
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

    def _folder(self, rows: np.ndarray) -> Path:
        """Where what was tried is kept: what was required and drawn says which folder it is."""
        required = sorted(map(str, self.job.require))
        tried = [*self.job.methods, *map(str, self.job.grouped)]
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

    def _check_gates(self) -> None:
        for gate in self.job.require:
            if not gate.measure.joinable:
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
        self, candidates: Sequence[Candidate]
    ) -> tuple[Candidate, Blocks, Evaluation, tuple[str, ...]]:
        """The best candidate whose whole release meets every gate, that release, and all that were applied."""
        readings: list[GateReading] = []
        tries: list[str] = []
        usual = usual_measures(self.original)
        measures = [*usual, *(m for m in self.job.gate_measures() if m not in usual)]
        for candidate in self._ranked(candidates)[:TRIES]:
            tries.append(str(candidate.masking))
            masked = masked_blocks(self.original, candidate.masking, self.work, seed=self.job.randomness)
            evaluation = scored(self.original, masked, self.work, measures=measures, seed=self.job.randomness)
            found = [_reading(gate, evaluation) for gate in self.job.require]
            if all(reading.holds for reading in found):
                return candidate, masked, evaluation, tuple(tries)
            readings += found
            progress.note(f"{candidate.masking}: the whole release does not meet {_unmet(found)}.")
        raise GateError(
            f"None of the {len(tries)} best of {len(candidates)} candidates meets, on the whole file, "
            f"{_unmet(readings)}; nothing was written."
        )

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The best first; those that meet the gates on the sample before all others."""

        def rank(candidate: Candidate) -> tuple[bool, float, float]:
            meets = all(gate.holds(candidate.scores) for gate in self.job.require)
            return not meets, candidate.score(self.job.score), candidate.score("mean")

        return sorted(candidates, key=rank)


def _reading(gate: Gate, evaluation: Evaluation) -> GateReading:
    """What a gate reads on the whole file; of an estimate, the end of the interval that is less safe."""
    score = evaluation.score_of(gate.measure)
    reading = gate.reading({gate.label: score})
    if isinstance(score, Estimate) and not gate.part:
        reading = score.low if gate.wants_more else score.high
    return GateReading(gate=gate, reading=reading, holds=gate.allows(reading))


def _unmet(readings: Sequence[GateReading]) -> str:
    """The gates that do not hold, each with the best that was reached."""
    best: dict[Gate, float] = {}
    for found in readings:
        if not found.holds:
            better = max if found.gate.wants_more else min
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
