"""Masked files as a problem: change cells and records until loss and risk are as small as they get."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.measures import Bound, Change
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.domains import in_joint_domain, without_unused
from sfumato.search.fitness import Fitness, Objectives, Yardstick
from sfumato.search.following import Follower
from sfumato.search.genomes import Genome
from sfumato.search.gray import IntegerGrid

__all__ = ["Fitness", "MaskedFiles", "Objectives", "Walk"]

TRACKED_CELLS = 1_000_000  # of the files whose trackers a process keeps ready


@dataclass(frozen=True)
class Walk:
    """Changes to try on a genome one after the other, each kept only if the score falls.

    With `aim` the score is the sum of the costs in these weights. The first `forced` changes are kept
    whatever they cost: so a child is judged that need not be better than its parent.
    """

    genome: Genome
    changes: tuple[Change, ...] = ()
    forced: int = 0
    aim: Costs = ()


class MaskedFiles(Problem[Genome, Walk]):
    """Versions of one table, made better a few cells at a time.

    `start` holds masked versions of the source, each with the name of what made it; `names` are the
    attributes that may change. `original` is the source with the domain of them all (see `domains`).
    """

    def __init__(
        self, source: Table, names: Sequence[str], fitness: Yardstick, start: Sequence[tuple[str, Table]]
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
        self._followers: OrderedDict[bytes, Follower] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_followers", "bounds", "cells", "grids", "start")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._followers = OrderedDict()

    @cached_property
    def bounds(self) -> list[Bound]:
        """The measures with what they learnt of the original."""
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

    def score(self, costs: Costs) -> float:
        """By the fitness."""
        return self.fitness.score(costs)

    def identity(self) -> dict[str, Any]:
        """The file, the attributes and the fitness."""
        return {
            "file": self.source.fingerprint,
            "start": _fingerprint(self.start),
            "attributes": list(self.names),
            "fitness": self.fitness.spec(),
        }

    def decode(self, genome: Genome) -> Table:
        """The masked file."""
        return without_unused(genome.table(self.original), self.source, self.names)

    def judge(self, candidate: Walk) -> Outcome:
        """Walk: keep each change that is forced, or lowers the score."""
        follower = self._followed(candidate.genome)
        costs = self.fitness.costs(follower.values)
        kept = []
        for position, change in enumerate(candidate.changes):
            tried = self.fitness.costs(follower.try_(change))
            if position >= candidate.forced and self._aimed(tried, candidate) >= self._aimed(
                costs, candidate
            ):
                continue
            child = follower.accept()
            if child is not follower:
                self._keep(follower)
            follower, costs = child, self.fitness.costs(child.values)
            kept.append(position)
        self._keep(follower)
        return Outcome(costs, tuple(kept))

    def walked(self, walk: Walk, outcome: Outcome) -> Genome:
        """The genome that a walk ended with."""
        genome = walk.genome
        for position in outcome.kept:
            genome = genome.after(walk.changes[position])
        return genome

    def _aimed(self, costs: Costs, walk: Walk) -> float:
        if not walk.aim:
            return self.score(costs)
        return sum(weight * cost for weight, cost in zip(walk.aim, costs, strict=True))

    def _followed(self, genome: Genome) -> Follower:
        """The follower kept ready, or a new one. It is taken out: work that is cut off leaves none half-way."""
        return self._followers.pop(genome.key, None) or Follower(self.bounds, self.original, genome)

    def _keep(self, follower: Follower) -> None:
        self._followers[follower.genome.key] = follower
        cells = self.original.n * len(self.names)
        while len(self._followers) > 2 and len(self._followers) * cells > TRACKED_CELLS:
            self._followers.popitem(last=False)


def _check_fits(origin: str, table: Table, source: Table, names: Sequence[str]) -> None:
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


def _fingerprint(start: Sequence[tuple[str, Genome]]) -> str:
    digest = blake2b(digest_size=16)
    for origin, genome in start:
        digest.update(origin.encode() + genome.key)
    return digest.hexdigest()
