"""Masked files as a problem: change cells and records until loss and risk are as small as they get."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.masking import Masking
from sfumato.measures import Bound, Change
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.file_evolution.domains import in_joint_domain, without_unused
from sfumato.search.file_evolution.follower import Follower
from sfumato.search.file_evolution.genomes import Columns, Genome, Light
from sfumato.search.file_evolution.gray import IntegerGrid
from sfumato.search.file_evolution.operator_choice import Way
from sfumato.search.file_evolution.walks import Descent, Log, Place, Walk
from sfumato.search.fitness import Fitness, Objectives, Yardstick
from sfumato.search.recent import Recent

__all__ = ["Descent", "Fitness", "MaskedFiles", "Objectives", "Walk"]

Origin = Masking | str

TRACKED_CELLS = 1_000_000  # of the files whose trackers a process keeps ready
KNOWN_CELLS = 4_000_000  # of the bases it knows
STEP = 50  # what judging a change costs beside the records that changed
SWEEP = 40  # of all records cost as much as one that changed, where there are categories


class MaskedFiles(Problem[Genome, Walk | Descent]):
    """Versions of one table, made better a few cells at a time.

    `start` holds masked versions of the source, each with what made it, or its name; `names` are the
    attributes that may change. `original` is the source with the domain of them all (see `domains`).
    """

    def __init__(
        self, source: Table, names: Sequence[str], fitness: Yardstick, start: Sequence[tuple[Origin, Table]]
    ) -> None:
        if not source.n:
            raise DataError("The table holds no record: there is nothing to evolve.")
        if not names:
            raise DataError("No attribute is named that may change: there is nothing to evolve.")
        if not start:
            raise DataError("There is no masked version to start from.")
        for origin, table in start:
            _check_fits(origin, table, source, names)
        self.source, self.names, self.fitness = source, tuple(names), fitness
        self.objectives, self.reference = fitness.objectives, fitness.reference
        self.original, masked = in_joint_domain(source, [table for _, table in start], self.names)
        self.start = [
            (origin, Genome({name: table[name] for name in self.names}))
            for (origin, _), table in zip(start, masked, strict=True)
        ]
        self._remember_nothing()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_followers", "_bases", "bounds", "cells", "grids", "start")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._remember_nothing()

    def _remember_nothing(self) -> None:
        cells = self.original.n * len(self.names)
        self._followers = Recent[Follower](TRACKED_CELLS // cells)
        self._bases = Recent[Columns](KNOWN_CELLS // cells)

    @cached_property
    def bounds(self) -> list[Bound]:
        return [measure.bind(self.source) for measure in self.fitness.measures]

    @cached_property
    def cells(self) -> np.ndarray:
        """Which cells of the original hold a value: rows by attributes that may change."""
        return np.column_stack([~self.original.missing(name) for name in self.names])

    @cached_property
    def grids(self) -> dict[str, IntegerGrid]:
        """The numeric attributes as whole numbers."""
        numeric = [name for name in self.names if self.source.schema[name].is_numeric]
        return {name: IntegerGrid(self.source.schema[name], self.source[name]) for name in numeric}

    @cached_property
    def step(self) -> int:
        """What judging a change costs beside the records that changed, in such records."""
        return STEP if len(self.grids) == len(self.names) else STEP + self.original.n // SWEEP

    def score(self, costs: Costs) -> float:
        return self.fitness.score(costs)

    def identity(self) -> dict[str, Any]:
        return {
            "file": self.source.fingerprint,
            "start": _fingerprint(self.start),
            "attributes": list(self.names),
            "fitness": self.fitness.spec(),
        }

    def decode(self, genome: Genome) -> Table:
        return without_unused(genome.table(self.original), self.source, self.names)

    def work(self, change: Change) -> int:
        """About what it takes to judge a change, in records changed."""
        return self.step + len(change.rows)

    def light(self, candidate: Walk | Descent) -> Walk | Descent:
        """Without the base of the genome, unless nobody can know it, since this is its first time."""
        first = isinstance(candidate, Walk) and not candidate.changes
        if first or isinstance(candidate.genome, Light):
            return candidate
        return replace(candidate, genome=Light(candidate.genome))

    def knows(self, candidate: Walk | Descent) -> bool:
        genome = candidate.genome
        return isinstance(genome, Genome) or genome.whole(self._bases.get(genome.base_key)) is not None

    def judge(self, candidate: Walk | Descent) -> Outcome:
        """Take the steps: keep each change that is forced, or lowers the score."""
        follower = self._followed(self._whole(candidate))
        costs = self.fitness.costs(follower.values)
        place, log = Place(follower.genome, candidate.score), Log()
        for step in candidate.steps(self, place):
            if isinstance(step, Way):
                log.ended(step, costs)
                place.score = self.score(costs)
                continue
            tried = self.fitness.costs(follower.try_(step))
            kept = log.tried < candidate.forced or self._aimed(tried, candidate) < self._aimed(
                costs, candidate
            )
            log.took(step, self.work(step), kept=kept)
            if kept:
                child = follower.accept()
                if child is not follower:
                    self._keep(follower)
                follower, costs = child, self.fitness.costs(child.values)
                place.genome = follower.genome
        self._keep(follower)
        return candidate.outcome(costs, log)

    def walked(self, candidate: Walk | Descent, outcome: Outcome) -> Genome:
        """The genome that the steps ended with; where only their numbers are known, they are made again."""
        genome = self._whole(candidate)
        if outcome.found is None:
            return self._walked_again(candidate, outcome)
        for change in outcome.found:
            genome = genome.after(change)
        return genome

    def _walked_again(self, candidate: Walk | Descent, outcome: Outcome) -> Genome:
        place, tried = Place(self._whole(candidate), candidate.score), 0
        legs, kept = iter(outcome.legs), set(outcome.kept)
        for step in candidate.steps(self, place):
            if isinstance(step, Way):
                place.score = self.score(next(legs).costs)
                continue
            if tried in kept:
                place.genome = place.genome.after(step)
            tried += 1
        return place.genome

    def _aimed(self, costs: Costs, walk: Walk | Descent) -> float:
        if not walk.aim:
            return self.score(costs)
        return sum(weight * cost for weight, cost in zip(walk.aim, costs, strict=True))

    def _whole(self, candidate: Walk | Descent) -> Genome:
        if isinstance(candidate.genome, Genome):
            return candidate.genome
        genome = candidate.genome.whole(self._bases.get(candidate.genome.base_key))
        assert genome is not None, "the base of the genome is not known"
        return genome

    def _followed(self, genome: Genome) -> Follower:
        """The follower kept ready, or a new one. It is taken out: work that is cut off leaves none half-way."""
        return self._followers.pop(genome.key) or Follower(self.bounds, self.original, genome)

    def _keep(self, follower: Follower) -> None:
        self._followers.keep(follower.genome.key, follower)
        self._bases.keep(follower.genome.base_key, follower.genome.base)


def _check_fits(origin: Origin, table: Table, source: Table, names: Sequence[str]) -> None:
    if table.n != source.n:
        raise DataError(
            f"{origin}: gives {table.n} records where the original has {source.n}; "
            "only versions with the same records can evolve."
        )
    for name in names:
        if table.schema[name].is_numeric != source.schema[name].is_numeric:
            raise DataError(
                f"{origin}: column {name} is {source.schema[name].scale} in the original and "
                f"{table.schema[name].scale} in its masked version; leave out the column or the method."
            )


def _fingerprint(start: Sequence[tuple[Origin, Genome]]) -> str:
    digest = blake2b(digest_size=16)
    for origin, genome in start:
        digest.update(str(origin).encode() + genome.key)
    return digest.hexdigest()
