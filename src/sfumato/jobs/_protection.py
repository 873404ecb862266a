"""What a protection came to: the release, the candidates it was chosen from, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sfumato.core import Promise
from sfumato.data import Schema, Table
from sfumato.data.blocks import Blocks
from sfumato.jobs._choice import Choice, Finalist
from sfumato.jobs._contents import Columns, Content
from sfumato.jobs._evolved import Evolved, evolved_columns, release_contents
from sfumato.jobs._explanation import explained
from sfumato.jobs._finalists import balance_of
from sfumato.jobs._job import Job, Listing
from sfumato.jobs._policy import Terms
from sfumato.jobs._public_facts import Applied, PublicFacts, maskings_applied
from sfumato.jobs._released import Published, Released, published
from sfumato.jobs._releasing import without_identifier_values
from sfumato.jobs._searching import Budget, Searching, StopRules
from sfumato.jobs._verdict import Verdict
from sfumato.jobs._words import percent
from sfumato.jobs.evaluate import Evaluation
from sfumato.masking import Masking
from sfumato.measures import estimate_in_words
from sfumato.search.maskings.candidates import Candidate, beaten
from sfumato.search.maskings.gates import GateReading
from sfumato.search.maskings.short_names import without_columns


class WholeFile(NamedTuple):
    """A release that stays on disk, of which `original` and `aligned` of a protection are only a sample.

    `blocks` are in the order of the original, `release` is as it goes out, and `full` its schema for the owner.
    `uniques` are the percents of records that are alone with their key values, before and after, `counts` how often
    each category occurs in either, `tries` the maskings that were applied, and `memory` what may be used of it.
    """

    blocks: Blocks
    release: Columns
    full: Schema
    fingerprints: tuple[str, str]
    uniques: tuple[float, float]
    counts: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]]
    tries: tuple[str, ...]
    memory: int


class Protection(Released):
    """The release, the candidates it was chosen from, and why.

    `terms` is what it had to meet, `gates` what it shows of that, and `choice` says how it was chosen.
    `evolution` is what evolving the best candidates came to, if that was asked for; its file is the release where it
    has a better score than the best candidate. `whole` is there where the file stayed on disk: then `original` and
    `aligned` are a sample of it, while `evaluation` and `gates` are about all of it.
    `cut_after` are the generations of the search among candidates where it was ended before its end.
    """

    drawn_by: ClassVar[str] = "risk_utility"
    reported_by: ClassVar[str] = "protection"

    candidates: tuple[Candidate, ...] = field(repr=False)
    chosen: Candidate
    evaluation: Evaluation = field(repr=False)
    verdict: Verdict | None = field(default=None, repr=False)
    gates: tuple[GateReading, ...]
    terms: Terms = field(repr=False)
    choice: Choice = field(repr=False)
    score: str
    searched: bool
    seconds: float
    evolution: Evolved | None = field(default=None, repr=False)
    whole: WholeFile | None = field(default=None, repr=False)
    cut_after: int | None = field(default=None, repr=False)

    @property
    def loss(self) -> float:
        """Information loss of the release, in percent."""
        return self.evaluation.loss if self.is_evolved or self.whole else self.chosen.loss

    @property
    def risk(self) -> float:
        """Disclosure risk of the release, in percent."""
        return self.evaluation.risk if self.is_evolved or self.whole else self.chosen.risk

    @property
    def promise(self) -> Promise | None:
        return None if self.is_evolved else self.chosen.masking.promise

    @property
    def balance(self) -> str:
        """How loss and risk of a candidate become one number, where candidates are compared by these."""
        return balance_of(self.score)

    @property
    def records(self) -> int:
        return self.aligned.n if self.whole is None else self.whole.blocks.n

    @property
    def fingerprints(self) -> tuple[str, str]:
        """What changes whenever a value of the original, or of the release, does."""
        if self.whole is not None:
            return self.whole.fingerprints
        return self.original.fingerprint, self.release.fingerprint

    @property
    def is_evolved(self) -> bool:
        """Whether the evolved file is the one that is released."""
        return self.evolution is not None and self.aligned is self.evolution.aligned

    @cached_property
    def published(self) -> Published:
        """What goes out; of what stays on disk, no more than is in memory of the original."""
        if self.whole is None:
            return published(self.comparable, self.aligned, self.rows, self.treated, self.randomness)
        return Published(self.whole.release.blocks.take(np.arange(self.original.n)), self.whole.full)

    @property
    def front(self) -> tuple[Candidate, ...]:
        """The candidates that no other one beats, by growing loss."""
        unbeaten = [c for c in self.candidates if not beaten(c, self.candidates)]
        return tuple(sorted(unbeaten, key=lambda c: (c.loss, c.risk)))

    def repeated(self) -> Job | None:
        """The same search; generations in place of time, and from disk again if it was."""
        job = self.job
        if job is not None and self.evolution is not None and self.evolution.generations:
            job = job.with_(evolve=Budget(generations=self.evolution.generations), stop=StopRules())
        elif isinstance(job, Searching) and self.cut_after is not None:
            job = job.ended_after(self.cut_after)
        if job is not None and self.whole is not None:
            job = job.with_(memory=self.whole.memory)
        return job

    def applied(self) -> tuple[Applied, ...]:
        if self.is_evolved:
            return evolved_columns(self)
        return maskings_applied(self.chosen.masking, self.original.schema, self.release.schema)

    @property
    def maskings(self) -> tuple[Masking, ...]:
        return () if self.is_evolved else tuple(self.chosen.masking.sequence)

    def public_facts(self) -> PublicFacts:
        """Of what stays on disk, the records that are in memory are compared."""
        facts = super().public_facts()
        return replace(facts, records=self.records, sampled=self.original.n < self.records)

    def contents(self) -> Mapping[str, Content]:
        found = release_contents(self)
        return found if self.whole is None else {**found, "output": self.whole.release}

    @property
    def alternatives(self) -> tuple[Finalist, ...]:
        """Others that meet what is required too, as far as they were asked."""
        return self.choice.alternatives

    @cached_property
    def unchanged_keys(self) -> tuple[str, ...]:
        """The keys that are released as they are, whether a method took them or not."""
        if self.promise is not None or self.original.n != self.aligned.n:
            return ()
        keys = [name for name in self.original.schema.with_role("key") if name in self.aligned]
        return tuple(name for name in keys if _is_same(self.original, self.aligned, name))

    def told(self) -> Iterator[str | Listing]:
        yield f"{self._among()}: {without_columns(self.chosen.masking)}"
        for name, value in (("information_loss", self.loss), ("disclosure_risk", self.risk)):
            shown = value if self.whole is not None else self.chosen.scores[name].value
            sure = estimate_in_words(self.evaluation.scores[name]) if self.whole is not None else ""
            yield f"  {name.replace('_', ' '):<17} {percent(shown):>6} %" + (f" ({sure})" if sure else "")
        if self.evolution is not None:
            yield from self.evolution.search_told()
            yield (
                "The evolved file is released."
                if self.is_evolved
                else "Evolving found nothing better; the chosen candidate is released."
            )
        yield from self._gates_told()
        yield from self.explained()
        yield from self._verdict_told()
        yield from self.evaluation.rules_told()
        yield from self.prices_told()
        yield from self.promise_told()
        yield from self.files_told(f"Wrote {self.records} records and {len(self.release.names)} columns.")

    def explained(self) -> Iterator[str]:
        """What had to be met, what was done, why, and what else would do, in words for a board."""
        return explained(self)

    def _gates_told(self) -> Iterator[str]:
        where = "on the whole file it is" if self.whole is not None else "it is"
        for one in self.gates:
            nobody = one.gate.asks_whom and not self.chosen.masking.of_people and not self.is_evolved
            found = "there is nobody to be found" if nobody else f"{where} {one.reading:g}"
            yield f"  {self.terms.origins.get(one.gate, 'required')} {one.gate}: {found}"

    def _verdict_told(self) -> Iterator[str | Listing]:
        if self.evolution is not None and self.is_evolved:
            yield from self.evolution.verdict_told()
        elif self.verdict is not None:
            yield from self.verdict.report()

    def _among(self) -> str:
        if not self.searched:
            return "As it was asked for"
        tried = f"Chosen among {len(self.candidates)} candidates"
        return (
            tried if self.whole is None else f"{tried}, tried on {self.original.n} of {self.records} records"
        )

    def to_dict(self) -> dict[str, Any]:
        before, after = self.fingerprints
        original = self.original.n if self.whole is None else self.whole.blocks.n
        return {
            **self.heading(),
            "publication": self.readiness(),
            **self.promise_record(),
            **self.prices_record(),
            "treatments": self.treated.to_dict(),
            "searched": self.searched,
            "original": {"fingerprint": before, "records": original},
            "release": {"fingerprint": after, "records": self.records},
            "schema": without_identifier_values(self.original.schema).to_toml(),
            "policy": self.terms.to_dict(),
            "gates": [gate.to_dict() for gate in self.gates],
            "alternatives": [one.to_dict() for one in self.alternatives],
            "chosen": self.chosen.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "evaluation": self.evaluation.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "seconds": self.seconds,
            **self._evolution_record(),
            **self._sample_record(),
        }

    def _evolution_record(self) -> dict[str, Any]:
        if self.evolution is None:
            return {}
        return {"evolution": {"released": self.is_evolved, **self.evolution.search_record()}}

    def _sample_record(self) -> dict[str, Any]:
        if self.whole is None:
            return {}
        return {
            "sample": {"records": self.original.n, "tried_on_the_whole_file": list(self.whole.tries)},
            "block": max(self.whole.blocks.counts, default=0),
        }

    def _rows(self) -> list[dict[str, Any]]:
        front = set(map(id, self.front))
        return [
            {
                "masking": str(c.masking),
                "loss": c.loss,
                "risk": c.risk,
                "score": c.score(self.balance),
                "front": id(c) in front,
                "chosen": c is self.chosen,
            }
            for c in self.candidates
        ]


def _is_same(original: Table, released: Table, name: str) -> bool:
    domains = original.schema[name].categories == released.schema[name].categories
    return domains and np.array_equal(
        original[name], released[name], equal_nan=original.schema[name].is_numeric
    )


ReleasedFile = Protection | Evolved


def evolution_of(release: ReleasedFile) -> Evolved | None:
    """The evolution that a release came from; none if it is a candidate of the portfolio."""
    if isinstance(release, Evolved):
        return release
    return release.evolution if release.is_evolved else None
