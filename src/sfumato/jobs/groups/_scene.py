"""What the search for swaps looks at: the file as attackers read it, and what each of them counts there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sfumato.data import Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.likeness import likeness
from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import Group, Signal
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.views import View, Views, few_of_each, partners
from sfumato.jobs.groups._group import GroupJob
from sfumato.jobs.groups.attack import UNSPOKEN
from sfumato.jobs.groups.harmonise import harmonised
from sfumato.jobs.groups.report import conspicuous

PARTNERS, SPARE = 4000, 4  # of a place at least, and so many for each that would have to take a place there
COUNTING, LIKENESS = "counting the group", "likeness in the file itself"


@dataclass(frozen=True, eq=False)
class Lesson:
    """A file of a third party, and the file to protect beside it: harmonised, where that was asked for.

    `at` are the records of the scene that the microfile has, where it lacks some.
    """

    name: str
    microfile: Table
    auxiliary: Table
    at: np.ndarray | None = None

    def spread(self, grades: np.ndarray, n: int) -> np.ndarray:
        """Grades of the microfile as those of all records of the scene: 0 for those of which it can say nothing."""
        if self.at is None:
            return grades
        found = np.zeros(n)
        found[self.at] = grades
        return found


@dataclass(frozen=True, eq=False)
class Scene:
    """The file as attackers read it; `rows` are its records in the original, of which harmonising drops some.

    The search learns from the `lessons`, and the verdict from the `judges` as well, which drop no record.
    """

    table: Table
    rows: np.ndarray
    lessons: tuple[Lesson, ...] = ()
    judges: tuple[Lesson, ...] = ()

    @classmethod
    def of(cls, table: Table, auxiliaries: Sequence[tuple[str, Table]], harmonise: Path | None) -> "Scene":
        rows = np.arange(table.n)
        if harmonise is None:
            return cls(table, rows, tuple(Lesson(name, table, auxiliary) for name, auxiliary in auxiliaries))
        pairs = [harmonised(table, auxiliary, harmonise) for _, auxiliary in auxiliaries]
        for first, _ in pairs:
            rows = np.intersect1d(
                rows, first.rows
            )  # beside one file others may be dropped than beside another
        lessons = tuple(
            Lesson(name, first.table.take(np.searchsorted(first.rows, rows)), second.table)
            for (name, _), (first, second) in zip(auxiliaries, pairs, strict=True)
        )
        return cls(lessons[0].microfile if lessons else table, rows, lessons)

    def changed(self, change: Callable[[Table], Table]) -> "Scene":
        """The same, each file changed in the same way."""

        def of(one: Lesson) -> Lesson:
            return replace(one, microfile=change(one.microfile), auxiliary=change(one.auxiliary))

        lessons, judges = (tuple(map(of, listed)) for listed in (self.lessons, self.judges))
        return replace(self, table=change(self.table), lessons=lessons, judges=judges)

    def judged(self, table: Table, judges: Sequence[tuple[str, Table]], harmonise: Path | None) -> "Scene":
        """The same with files for the verdict; `table` is the original."""
        if harmonise is None:
            return replace(self, judges=tuple(Lesson(name, self.table, judge) for name, judge in judges))
        found = []
        for name, judge in judges:
            first, second = harmonised(table, judge, harmonise)
            _, here, there = np.intersect1d(self.rows, first.rows, return_indices=True)
            found.append(Lesson(name, first.table.take(there), second.table, here))
        return replace(self, judges=tuple(found))


def common_names(group: Group, *tables: Table) -> list[str]:
    """The columns that all files have and that say something about people."""
    left_out = {*group.vital, group.parameter, group.weight}
    names = [a.name for a in tables[0].schema if a.name not in left_out and a.role not in UNSPOKEN]
    return [name for name in names if all(_alike(table, tables[0], name) for table in tables)]


def views_of(
    scene: Scene, group: Group, models: Sequence[tuple[FuzzyModel, Table]], *, everybody: bool
) -> Views:
    """What the attackers count: the group itself, and what rules see; then what any other could learn.

    Where not `everybody` is meant, only the first model does, or without one whoever counts the group.
    """
    told, weights = group.is_told_by(scene.table), group.weights(scene.table)
    found = [_ruled(model, table, group, number) for number, (model, table) in enumerate(models, 1)]
    if not everybody:
        found = found[:1]
    if told and (everybody or not found):
        member = group.members(scene.table)
        found.insert(0, View(name=COUNTING, amounts=member * weights, whole=not group.weight))
        likely = (
            likeness(scene.table, member, common_names(group, scene.table), weights) if everybody else None
        )
        if likely is not None:
            look = likely > likely[member].mean()
            found.append(View(name=LIKENESS, amounts=likely * weights, look=look, attacker=False))
    return Views(tuple(found), weights if group.weight else None)


def files_of(
    scene: Scene, group: Group, views: Views, rng: np.random.Generator, *, everybody: bool
) -> Submicrofiles:
    """The file by place: who may have to move, and who may take the place of these.

    Of large places some thousand partners will do: so near ones are found about as fast in a file of any size.
    """
    movable = np.logical_or.reduce([view.telling for view in views.listed if view.attacker])
    guides = [view for view in views.listed if not view.attacker]
    places, movable = group.places(scene.table), movable | views.telling if everybody else movable
    most = max(PARTNERS, SPARE * int(np.count_nonzero(movable)) // max(len(places.names), 1))
    others = few_of_each(partners(views, guides), places, most, rng) if everybody else None
    return Submicrofiles(places, movable, others)


def places_to_hide(job: GroupJob, scene: Scene, views: Views) -> tuple[str, ...]:
    """The places with too many of the group, as any of the attackers sees it."""
    named: dict[str, None] = {}
    for view in views.listed:
        if view.attacker:
            signal = seen_by(job, scene.table, view.amounts, view.name)
            named |= dict.fromkeys(conspicuous(signal, job.outliers(signal)))
    return tuple(sorted(named))


def seen_by(job: GroupJob, table: Table, amounts: np.ndarray, label: str) -> Signal:
    group = job.group
    weights = group.weights(table)
    return group.places(table).signal(amounts, kind=job.signal, label=label, weights=weights)


def outliers_in(job: GroupJob, table: Table, amounts: np.ndarray) -> Outliers:
    """The places that stand out of what each record adds."""
    return job.outliers(seen_by(job, table, amounts, "seen"))


def _ruled(model: FuzzyModel, table: Table, group: Group, number: int) -> View:
    grades = model.grades(table)
    name = f"fuzzy rules {number}"
    return View(name=name, amounts=grades * group.weights(table), look=model.belongs(grades))


def _alike(table: Table, other: Table, name: str) -> bool:
    return name in table and table.schema[name].is_numeric == other.schema[name].is_numeric
