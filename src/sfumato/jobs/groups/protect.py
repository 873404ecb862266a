"""Hide where a group is, by swaps with similar records elsewhere."""

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param, progress, stream
from sfumato.data import Source, Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.harmonisation import SIDES, Harmonisation
from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.named_values import NamedNumbers, known_names
from sfumato.groups.place_columns import place_columns
from sfumato.groups.signals import Group
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList
from sfumato.groups.wanted_signal import Target, target
from sfumato.jobs._contents import Content, Record, Report
from sfumato.jobs._job import Listing
from sfumato.jobs._order import Order
from sfumato.jobs._public_facts import Applied, PublicFacts
from sfumato.jobs._reading import Reading
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._searching import Searched, Searching
from sfumato.jobs._work import Work
from sfumato.jobs.groups._hidden_group import AlsoHidden, HiddenGroup, hidden_groups, joint_views
from sfumato.jobs.groups._hold_outs import Verdict, verdict_of
from sfumato.jobs.groups._scene import Lesson, Scene, files_of
from sfumato.jobs.groups._swap_search import chosen_list, generations_for, tell_time
from sfumato.jobs.groups.report import AttackedJob, Attacker, GroupComparison, Named, compared
from sfumato.search.loop import run
from sfumato.search.optimizers.memetic import Memetic
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

SWAPS = "swaps"  # the folder of the search in that of the run
NOT_BASIC = ("identifier", "weight", "household")
FOR_USERS = Advice(
    done="Some records were exchanged between places with similar records elsewhere, so that a group of people cannot "
    "be located; all else about them is as collected.",
    effect="Each place has as many records as before, and all figures that do not look at places are exact; figures "
    "of a place by other variables are slightly off, those of small groups most.",
    remedy="Use figures of the whole file, or of several places together, as they are, and do not interpret how many "
    "people of a small group a single place has.",
)


class GroupsProtect(AttackedJob, Reading, Releasing, Searching):
    """Attack FILE, let members of the group trade places with similar people elsewhere until the attack sees the
    places to hide no more, attack again, and write the protected file to OUT.

    Each group that is told by --also is hidden by the same swaps. With --auxiliary attacks learn from third-party files who looks like the group, and the vital columns are not
    released; without it, the group is counted as FILE tells it. The search hides the group itself and what all of these
    see, and the verdict is by attackers that it never used. Every place keeps its number of records, and nothing but
    the place of swapped records changes. Long lists of swaps begin so near to the best that fewer generations follow. Beside OUT are written its schema and, for the owner alone, the list of
    swaps, a record and a report. If no list of swaps hides all places, nothing is written and the status is 3. Ctrl-C
    while swaps are searched for keeps the best so far; before, or a second time, it ends the job.

    >>> GroupsProtect(file="a.csv", output="b.csv", vital=["military=1"], parameter="area", limit=2).spec()
    {'job': 'groups protect', 'limit': 2.0, 'vital': ['military=1'], 'parameter': 'area', 'file': 'a.csv',
     'output': 'b.csv'}

    >>> import sfumato
    >>> pair = sfumato.datasets.census_pair(2000, areas=20, planted=2, seed=1)
    >>> survey = pair.survey.to_arrow(text=True).to_pandas()
    >>> asked = {"vital": ["military=1"], "parameter": "workplace"}
    >>> hidden = sfumato.group_protect(survey, generations=100, seed=1, **asked).frame
    >>> sorted(hidden["workplace"]) == sorted(survey["workplace"])  # every place keeps its number of records
    True
    """

    usual: ClassVar[Mapping[str, Any]] = {"generations": 1000}

    limit: float | None = param(
        default=None,
        low=0,
        word="N",
        help="at most so many of the group in a hidden place",
        usual="as many as in an ordinary one",
    )
    take: tuple[str, ...] = param(
        default=(),
        word="NAME",
        help="the places that take records of the group",
        usual="all that do not stand out",
    )
    wanted: tuple[NamedNumbers, ...] = param(
        default=(),
        help="a place and the four corners of how many of the group it may well have, in place of what is ordinary",
    )
    along: tuple[str, ...] = param(
        default=(),
        word="NAME",
        help="columns that tell the place as well, such as the state: they move along",
    )
    alike: tuple[str, ...] = param(
        default=(),
        word="NAME",
        help="columns in which records that trade places should be alike",
        usual="all but those of the group and the place",
    )
    ordinal: tuple[str, ...] = param(
        default=(),
        word="NAME",
        help="columns in which a small difference matters less than a large one",
        usual="the numeric ones",
    )
    categorical: tuple[str, ...] = param(
        default=(),
        word="NAME",
        help="columns in which any difference matters as much, though they are numeric",
    )
    weights: tuple[NamedNumbers, ...] = param(
        default=(), help="a column and how much it matters, where that is not 1"
    )
    judge: tuple[Path, ...] = param(
        default=(), help="a third-party file that only the verdict learns from; may be repeated"
    )
    hidden_from: str = param(
        default="all",
        choices=("all", "attack"),
        help="hide from all attackers, known or not, or as the source from the first attack alone",
    )
    optimizer: Memetic = param(
        default=Memetic(), help="how swaps are searched for, such as 'memetic(population=50)'"
    )
    without_vital: bool = param(default=False, help="leave the vital columns out, as with a third-party file")

    def check(self) -> None:
        super().check()
        for name, given, count in (("wanted", self.wanted, 4), ("weights", self.weights, 1)):
            for one in given:
                if len(one.numbers) != count:
                    raise ParameterError(
                        f"groups protect: {name} must hold {count} number{'s' * (count > 1)} for each name. "
                        f"Got {one.plain()!r}."
                    )

    def metric(self, table: Table, moved: Collection[str] = ()) -> InfluentialMetric:
        """What makes records similar: by default relative differences of numbers, and whether categories differ.

        Nothing is said of columns that are `moved` with the place.
        """
        left_out = {*self.vital_names, self.parameter, *self.along, *moved}
        basic = (a.name for a in table.schema if a.name not in left_out and a.role not in NOT_BASIC)
        alike = self.alike or tuple(basic)
        ordinal = self.ordinal or tuple(name for name in alike if table.schema[name].is_numeric)
        return InfluentialMetric(
            attributes=alike,
            ordinal=tuple(name for name in ordinal if name not in self.categorical),
            weights={one.name: one.numbers[0] for one in self.weights},
        )

    def taking(self, aim: Target, files: Submicrofiles) -> Target:
        """The same aim, where only the places that were named take records."""
        if not self.take:
            return aim
        chosen = np.array(sorted({files.number(name) for name in known_names(self.take, files.names)}))
        unfit = np.setdiff1d(chosen, aim.takers)
        if len(unfit):
            raise DataError(
                f"groups protect: {files.names[unfit[0]]} cannot take records: it is to be hidden, has too many of the "
                "group already, or nobody to give in return; name other places with take."
            )
        return replace(aim, takers=chosen)

    def run(self, source: Source, attacker: Attacker, *, work: Work) -> "GroupProtection":
        began = time.perf_counter()
        table = source.in_memory("hiding a group")
        scene = Scene.of(table, _read(attacker.auxiliaries), self.harmonise)
        scene = scene.judged(table, _read(attacker.judges), self.harmonise)
        columns = self._traded(table, scene)
        treated = self.treated(table, columns, source)
        treated = treated.without(self._households(table, scene), "members would tell who traded places")
        asked: dict[str, Any] = {"seed": self.randomness, "everybody": self.hidden_from == "all"}
        groups = hidden_groups(self, scene, attacker, work, **asked)
        problem = self._problem(scene, groups, columns)
        tell_time(problem, self.optimizer.population, scene.table.n)
        found = self._search(problem, work)
        chosen, valid = chosen_list(problem, found, stream(self.randomness, "quiet"))
        chosen.check(problem.files)
        if groups[0].models or self.without_vital:
            vital = [column for name in sorted(self.vital_names) for column in self._columns_of(name)]
            treated = treated.without(vital, "it tells who belongs to the group")
        swaps = chosen.carried(scene.rows)
        release = swaps.applied(table, columns).select(treated.released)
        traded = {self.parameter, *columns}.intersection(scene.table.names)
        after = chosen.applied(scene.table, sorted(traded))
        first, *others = (self._seen(one, after, (table, release), attacker, work) for one in groups)
        return GroupProtection(
            job=self,
            original=table,
            aligned=release,
            treated=treated,
            order=Order.drawn(table.n, self.randomness, release.fingerprint),
            group=self.group,
            comparison=first.comparison,
            truth=first.truth,
            verdict=first.verdict,
            others=tuple(others),
            swaps=swaps,
            columns=columns,
            metric=problem.metric,
            distortions=tuple(problem.distances(chosen).tolist()),
            target=problem.target,
            run=found,
            valid=valid,
            seconds=time.perf_counter() - began,
        )

    def _columns_of(self, name: str) -> tuple[str, ...]:
        """The columns of FILE that an attribute comes from: itself, unless it was made by harmonising."""
        if self.harmonise is None:
            return (name,)
        rule = Harmonisation.read(self.harmonise).rules.get(name)
        return (name,) if rule is None else rule.columns_of(name, SIDES[0])

    def _traded(self, table: Table, scene: Scene) -> tuple[str, ...]:
        """The columns that trade values: those of the place, and all that would contradict it if they stayed."""
        columns = (*self._columns_of(self.parameter), *self.along)
        for name in columns:
            table.schema[name]
        others = [
            one.name
            for one in table.schema
            if one.name not in columns and one.role not in ("identifier", "household")
        ]
        places = self.group.places(scene.table).codes
        found = place_columns(
            table.take(scene.rows), places, [n for n in others if n not in self.vital_names]
        )
        if found:
            progress.note(
                f"{', '.join(found)}: tells the place as well, and moves along with {self.parameter}."
            )
        return (*columns, *found)

    def _households(self, table: Table, scene: Scene) -> list[str]:
        """Numbers of households whose members share a place: one who left would be found at once."""
        asked = [
            one.name
            for one in table.schema
            if one.role == "household" and one.name not in (*self.along, *self.keep)
        ]
        return place_columns(table.take(scene.rows), self.group.places(scene.table).codes, asked)

    def _problem(self, scene: Scene, groups: list[HiddenGroup], moved: tuple[str, ...]) -> GroupSwaps:
        """Which swaps to look for."""
        views = joint_views(groups)
        rng = stream(self.randomness, "partners")
        files = files_of(scene, self.group, views, rng, everybody=self.hidden_from == "all")
        named = {place for one in groups for place in one.named}
        wanted: dict[str, Any] = {one.name: one.numbers for one in self.wanted}
        seen: dict[str, Any] = {"views": views, "kind": self.signal, "alpha": self.significance}
        aim = self.taking(target(files, named, limit=self.limit, wanted=wanted, **seen), files)
        metric = self.metric(scene.table, moved)
        return GroupSwaps(files, metric.points(scene.table), metric, aim, **seen)

    def _search(self, problem: GroupSwaps, work: Work) -> Run:
        # a list is judged faster than it is handed to another process: with two, a search takes four times as long
        most = generations_for(problem, self.optimizer.population)
        stop = Stop.given(self.stop.given, usual={"generations": min(most, self.usual["generations"])})
        effort = replace(
            self.effort(work).part(SWAPS, stop=stop), workers=work.processes if work.cluster else 1
        )
        return run(problem, self.optimizer, effort, label="Swapping")

    def _seen(
        self, one: HiddenGroup, after: Table, files: tuple[Table, Table], attacker: Attacker, work: Work
    ) -> AlsoHidden:
        """What is seen of one group: by the attack, by true counts where the attack does not tell, and by others."""
        table = one.scene.table
        pair = table, self.without_others(after, one.job)
        told: dict[str, Any] = {"named": one.named, "files": files}
        by_count = bool(one.models) and one.job.group.is_told_by(table)
        return AlsoHidden(
            about=one.job.about,
            comparison=compared(one.job, *pair, model=one.models[0] if one.models else None, **told),
            truth=compared(one.job, *pair, **told) if by_count else None,
            verdict=self._verdict(one, pair[1], attacker, work),
        )

    def _verdict(self, one: HiddenGroup, after: Table, attacker: Attacker, work: Work) -> Verdict:
        """What attackers see that the search never used; the one attack of the source has none."""
        if self.hidden_from != "all" or not (one.scene.lessons or one.scene.judges):
            return Verdict(())
        words = None if isinstance(attacker.known, FuzzyModel) else attacker.known

        def learner(lesson: Lesson, seed: int) -> FuzzyModel:
            pair = lesson.microfile, lesson.auxiliary
            return one.job.learnt(pair, words, Work(workers=work.processes), seed=seed)

        return verdict_of(one.job, one.scene, after, one.named, learner, self.randomness)


class GroupProtection(Searched, Released):
    """The protected file, the swaps that made it, and what the same attack sees in it.

    `truth` compares what the attack cannot see, the vital records themselves, where a model attacks and the
    file tells who they are. `columns` are those in which swapped records traded values: the parameter, and what
    goes along with it. `others` tells of the other groups that the same swaps hide. `valid` is the share of the last
    population that hides all named places, in percent.
    """

    drawn_by: ClassVar[str] = "group_protection"
    reported_by: ClassVar[str] = "group_protection"

    group: Group
    comparison: GroupComparison
    truth: GroupComparison | None = field(repr=False)
    verdict: Verdict = field(repr=False)
    others: tuple[AlsoHidden, ...] = field(repr=False)
    swaps: SwapList = field(repr=False)
    columns: tuple[str, ...]
    metric: InfluentialMetric
    distortions: tuple[float, ...] = field(repr=False)
    target: Target = field(repr=False)
    valid: float
    seconds: float

    @property
    def model(self) -> FuzzyModel | None:
        """The model of the attack, unless it counts the group."""
        return self.comparison.model

    @property
    def distortion(self) -> float:
        """The influential metric, added up over all swaps."""
        return sum(self.distortions)

    def applied(self) -> tuple[Applied, ...]:
        return (Applied(FOR_USERS, tuple(name for name in self.columns if name in self.release)),)

    def public_facts(self) -> PublicFacts:
        """Nothing of relations: those that changed most are the ones of the group that is hidden."""
        return replace(super().public_facts(), relations=False)

    def contents(self) -> Mapping[str, Content]:
        """The protected file and its schema, and for the owner alone the swaps, the record and the report."""
        file = self.job.file if isinstance(self.job, GroupsProtect) else None
        return {
            **self.file_contents(),
            "swaps": _SwapFile(self.swaps, self.comparison.before.places),
            "record": Record(self, source=file.name if file is not None else ""),
            "report": Report(self),
        }

    def told(self) -> Iterator[str | Listing]:
        if self.others and isinstance(self.job, GroupsProtect):
            yield f"The group {self.job.about}"
        yield from self.comparison.told()
        if self.truth is not None:
            seen = ", ".join(self.truth.still_found) or "none of the named places"
            yield f"  by true counts  {seen}"
        yield (
            f"  swaps           {len(self.swaps)} (distortion {self.distortion:g}; "
            f"{self.valid:.0f} % of the last lists hide all)"
        )
        yield from self.verdict.told()
        for one in self.others:
            yield from one.told()
        yield from self.files_told(f"Wrote {self.release.n} records and {len(self.release.names)} columns.")

    def to_dict(self) -> dict[str, Any]:
        """The record for the owner: all that is needed to repeat and to audit it. Not to be published."""
        run = self.run.to_dict()
        return {
            **self.heading(),
            "publication": self.readiness(),
            "treatments": self.treated.to_dict(),
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "group": {"vital": self.group.vital, "parameter": self.group.parameter},
            "model": self.model and self.model.to_dict(),
            "comparison": self.comparison.to_dict(),
            "truth": self.truth and self.truth.to_dict(),
            "verdict": self.verdict.to_dict(),
            **({"others": [one.to_dict() for one in self.others]} if self.others else {}),
            "swaps": {
                "count": len(self.swaps),
                "columns": list(self.columns),
                "distortion": self.distortion,
                "metric": self.metric.spec(),
            },
            "valid_percent": self.valid,
            "generations": self.generations,
            "run": {key: value for key, value in run.items() if key not in ("start", "population", "best")}
            | {"history": self.steps()},
            "seconds": self.seconds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        listed = self.swaps.listed(self.comparison.before.places)
        return [{**swap, "distance": apart} for swap, apart in zip(listed, self.distortions, strict=True)]


@dataclass(frozen=True)
class _SwapFile:
    """The swaps by the names of places, as the owner keeps them."""

    swaps: SwapList
    places: tuple[str, ...]

    def write(self, path: Path) -> None:
        self.swaps.write_csv(path, self.places)


def _read(files: tuple[Named, ...]) -> list[tuple[str, Table]]:
    return [(name, source.in_memory("a group attack")) for name, source in files]
