"""Masked files as a problem: change cells and records until loss and risk are as small as they get."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.data import Table
from sfumato.measures import Bound, Change, Measure, Tracker
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.domains import in_joint_domain, without_unused
from sfumato.search.genomes import Genome, is_large
from sfumato.search.gray import IntegerGrid

How = Literal["max", "mean", "weighted"]

TRACKED_CELLS = 4_000_000  # of the files whose trackers a process keeps ready


@dataclass(frozen=True)
class Fitness:
    """What an evolved file is judged by: measures of loss and of risk, and how they become one score.

    Several measures of one sense count with their mean; `weight` is the share of the loss, if weighted.
    """

    losses: tuple[Measure, ...] = (InformationLoss(),)
    risks: tuple[Measure, ...] = (DisclosureRisk(),)
    how: How = "max"
    weight: float = 0.5

    def __post_init__(self) -> None:
        if self.how not in ("max", "mean", "weighted"):
            raise ParameterError(f"fitness: how must be one of max, mean, weighted. Got {self.how!r}.")
        if not 0 <= self.weight <= 1:
            raise ParameterError(f"fitness: weight must be from 0 to 1. Got {self.weight:g}.")
        for sense, measures in (("loss", self.losses), ("risk", self.risks)):
            for measure in measures:
                if measure.sense != sense:
                    raise ParameterError(f"fitness: {measure.name} is no measure of {sense}.")
            if not measures:
                raise ParameterError(f"fitness: at least one measure of {sense} must be given.")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All of them, losses first."""
        return self.losses + self.risks

    def costs(self, values: Sequence[float]) -> Costs:
        """Loss and risk, from the values of the measures in their order."""
        split = len(self.losses)
        return sum(values[:split]) / split, sum(values[split:]) / len(self.risks)

    def score(self, costs: Costs) -> float:
        """One number."""
        loss, risk = costs
        if self.how == "max":
            return max(loss, risk)
        share = self.weight if self.how == "weighted" else 0.5
        return share * loss + (1 - share) * risk

    def spec(self) -> dict[str, Any]:
        """As a small dictionary."""
        both = {
            "losses": [measure.spec() for measure in self.losses],
            "risks": [measure.spec() for measure in self.risks],
        }
        return {**both, "how": self.how, **({"weight": self.weight} if self.how == "weighted" else {})}


@dataclass(frozen=True)
class Walk:
    """Changes to try on a genome one after the other, each kept only if the score falls."""

    genome: Genome
    changes: tuple[Change, ...] = ()


class MaskedFiles(Problem[Genome, Walk]):
    """Versions of one table, made better a few cells at a time.

    `start` holds masked versions of the source, each with the name of what made it; `names` are the
    attributes that may change. `original` is the source with the domain of them all (see `domains`).
    """

    objectives = ("information_loss", "disclosure_risk")

    def __init__(
        self, source: Table, names: Sequence[str], fitness: Fitness, start: Sequence[tuple[str, Table]]
    ) -> None:
        if not source.n:
            raise DataError("The table holds no record: there is nothing to evolve.")
        if not start:
            raise DataError("There is no masked version to start from.")
        self.source, self.names, self.fitness = source, tuple(names), fitness
        self.original, masked = in_joint_domain(source, [table for _, table in start], self.names)
        self.start = [
            (origin, Genome({name: table[name] for name in self.names}))
            for (origin, _), table in zip(start, masked, strict=True)
        ]
        self._trackers: OrderedDict[bytes, list[Tracker]] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_trackers", "bounds", "cells", "grids", "start")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._trackers = OrderedDict()

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
        """Walk: keep each change that lowers the score."""
        genome = candidate.genome
        trackers = self._followed(genome)
        costs = self.fitness.costs([tracker.value for tracker in trackers])
        kept = []
        for position, change in enumerate(candidate.changes):
            child, tried = self._tried(genome, trackers, change)
            if self.score(tried) < self.score(costs):
                genome, trackers = self._moved(genome, child, trackers, change)
                costs = tried
                kept.append(position)
        self._keep(genome, trackers)
        return Outcome(costs, tuple(kept))

    def walked(self, walk: Walk, outcome: Outcome) -> Genome:
        """The genome that a walk ended with."""
        genome = walk.genome
        for position in outcome.kept:
            genome = genome.after(walk.changes[position])
        return genome

    def _tried(self, genome: Genome, trackers: list[Tracker], change: Change) -> tuple[Genome | None, Costs]:
        if is_large(change, genome.base):
            child = genome.after(change)
            fresh = self._started(child)
            self._keep(child, fresh)
            return child, self.fitness.costs([tracker.value for tracker in fresh])
        return None, self.fitness.costs([tracker.try_(change) for tracker in trackers])

    def _moved(
        self, genome: Genome, child: Genome | None, trackers: list[Tracker], change: Change
    ) -> tuple[Genome, list[Tracker]]:
        self._trackers.pop(genome.key, None)
        if child is not None:
            return child, self._trackers[child.key]
        for tracker in trackers:
            tracker.accept()
        child = genome.after(change)
        return child, trackers if child.changes else self._started(child)

    def _followed(self, genome: Genome) -> list[Tracker]:
        """Trackers of a genome: those kept ready, or new ones told of its changes."""
        ready = self._trackers.get(genome.key)
        if ready is not None:
            return ready
        trackers = self._started(genome)
        for change in genome.changes:
            for tracker in trackers:
                tracker.try_(change)
                tracker.accept()
        self._keep(genome, trackers)
        return trackers

    def _started(self, genome: Genome) -> list[Tracker]:
        base = genome.base_table(self.original)
        return [bound.track(base) for bound in self.bounds]

    def _keep(self, genome: Genome, trackers: list[Tracker]) -> None:
        self._trackers[genome.key] = trackers
        self._trackers.move_to_end(genome.key)
        cells = self.original.n * len(self.names)
        while len(self._trackers) > 2 and len(self._trackers) * cells > TRACKED_CELLS:
            self._trackers.popitem(last=False)


def _fingerprint(start: Sequence[tuple[str, Genome]]) -> str:
    digest = blake2b(digest_size=16)
    for origin, genome in start:
        digest.update(origin.encode() + genome.key)
    return digest.hexdigest()
