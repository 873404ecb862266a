"""The verdict on a protected file: what attackers see in it that the search for swaps never used."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core import progress, stream
from sfumato.data import Table
from sfumato.groups.boosted_likeness import boosted_likeness, own_likeness
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.jobs.groups._group import GroupJob
from sfumato.jobs.groups._scene import Lesson, Scene, common_names, outliers_in

OWN = "the file itself"
Learner = Callable[[Lesson, int], FuzzyModel]
"""Learns rules from a file, with a seed of its own."""


@dataclass(frozen=True, kw_only=True)
class HoldOut:
    """One attacker that the search never used: the outliers it sees before and after, and the places to hide."""

    name: str
    named: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def seen_before(self) -> tuple[str, ...]:
        return tuple(place for place in self.before if place in self.named)

    @property
    def still_found(self) -> tuple[str, ...]:
        return tuple(place for place in self.after if place in self.named)

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(place for place in self.after if place not in self.before)

    def to_dict(self) -> dict[str, Any]:
        return {
            "attacker": self.name,
            "before": list(self.before),
            "after": list(self.after),
            "still_found": list(self.still_found),
            "new": list(self.new),
        }


@dataclass(frozen=True)
class Verdict:
    """What all of them see."""

    hold_outs: tuple[HoldOut, ...]

    @property
    def cases(self) -> int:
        """Pairs of an attacker and a place to hide."""
        return sum(len(one.named) for one in self.hold_outs)

    @property
    def seen(self) -> int:
        return sum(len(one.still_found) for one in self.hold_outs)

    @property
    def sentence(self) -> str:
        if not self.hold_outs:
            return "No other attacker was tried."
        if not self.seen:
            return "Attackers that the search never used see none of the hidden places."
        places = sorted({place for one in self.hold_outs for place in one.still_found})
        return (
            f"Not hidden from everybody: attackers that the search never used still see {', '.join(places)} "
            f"({self.seen} of {self.cases} hidden places, counted once for each attacker)."
        )

    def told(self) -> Iterator[str]:
        if self.hold_outs:
            yield self.sentence
        for one in self.hold_outs:
            left = f": {', '.join(one.still_found)}" if one.still_found else ""
            yield f"  {one.name}: {len(one.seen_before)} of {len(one.named)} before, {len(one.still_found)} after{left}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentence": self.sentence,
            "cases": self.cases,
            "seen": self.seen,
            "attackers": [one.to_dict() for one in self.hold_outs],
        }


def verdict_of(
    job: GroupJob, scene: Scene, after: Table, named: Sequence[str], learner: Learner, seed: Any
) -> Verdict:
    """Attack the file of the scene as it is, and `after` the swaps: by boosted trees and by rules of another seed, taught on each file of
    a third party; where the file tells who belongs, also by trees taught on itself.
    """
    found = []
    listed = [*_attackers(job, scene, learner, seed)]
    for name, grades in listed:
        seen = {
            when: outliers_in(job, table, grades * job.group.weights(table)).names
            for when, table in (("before", scene.table), ("after", after))
        }
        found.append(HoldOut(name=name, named=tuple(named), **seen))
    return Verdict(tuple(found))


def _attackers(job: GroupJob, scene: Scene, learner: Learner, seed: Any) -> Iterator[tuple[str, np.ndarray]]:
    rng = stream(seed, "hold-outs")
    group = job.group
    lessons, n = (*scene.lessons, *scene.judges), scene.table.n
    with progress.task("Attacking", 2 * len(lessons) + 1) as bar:
        for lesson in lessons:
            names = common_names(group, lesson.microfile, lesson.auxiliary)
            member = group.members(lesson.auxiliary)
            likely = boosted_likeness(lesson.auxiliary, member, lesson.microfile, names, rng)
            yield f"boosted trees taught on {lesson.name}", lesson.spread(likely, n)
            bar.advance()
            model = learner(lesson, int(rng.integers(2**31)))
            grades = lesson.spread(model.grades(lesson.microfile), n)
            yield f"fuzzy rules of another seed, taught on {lesson.name}", grades
            bar.advance()
        if group.is_told_by(scene.table):
            yield f"boosted trees taught on {OWN}", _own(scene.table, job, rng)
        bar.advance()


def _own(table: Table, job: GroupJob, rng: np.random.Generator) -> np.ndarray:
    return own_likeness(table, job.group.members(table), common_names(job.group, table), rng)
