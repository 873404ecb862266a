"""Attack a file and its protected version, and report what is seen in both."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, param, progress
from sfumato.core.streams import number
from sfumato.data import Source, Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.harmonisation import Harmonisation
from sfumato.groups.named_values import known_names
from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import Group, Signal, places_of
from sfumato.jobs._contents import Content, Report
from sfumato.jobs._job import Outcome
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import ReadingPair, Working, second_schema
from sfumato.jobs._searching import StopRules
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import GroupJob, Knowledge, Learning, check_of_one
from sfumato.jobs.groups.attack import GroupsAttack
from sfumato.jobs.groups.harmonise import harmonised

Named = tuple[str, Source]
"""A file and what it is called."""


@dataclass(frozen=True)
class Attacker:
    """What the attackers have: files to learn from, words for them, or the model itself; and who judges at the end."""

    auxiliaries: tuple[Named, ...]
    known: Knowledge
    judges: tuple[Named, ...] = ()


class AttackedJob(GroupJob, Learning, Working):
    """A job that attacks a file as `groups attack` does, or by counting the group where there is no third party."""

    auxiliary: tuple[Path, ...] = param(  # type: ignore[assignment]  # where others take one file
        default=(),
        help="a third-party file to learn the group from; may be repeated",
        usual="count the group itself",
    )
    harmonise: Path | None = param(
        default=None,
        word="FILE.toml",
        help="harmonise with each third-party file first; OUT keeps its columns",
    )
    attack_generations: int = param(
        default=200, low=1, word="N", help="generations of each of ten runs that learn the rules"
    )
    hide: tuple[str, ...] = param(
        default=(), word="NAME", help="the places to hide", usual="those the attack sees"
    )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        files = super().read(work, **given)
        attacker = Attacker(
            self.opened("auxiliary", work, given), self.known_before(given), self.opened("judge", work, given)
        )
        if self.harmonise is not None and not attacker.auxiliaries:
            raise ParameterError(f"{self.name}: harmonise needs a third-party file: give --auxiliary.")
        check_of_one(self, attacker.known)
        return (*files, attacker)

    def opened(self, name: str, work: Work, given: Mapping[str, Any]) -> tuple[Named, ...]:
        """The files of third parties under one option, by name."""
        data = given.get(name, getattr(self, name, ()))
        listed = data if isinstance(data, list | tuple) else [data] if data is not None else []
        schema = given.get("auxiliary_schema", self.auxiliary_schema)
        return tuple(
            (_called(one, name, at), work.open(one, schema=schema, options=self.text))
            for at, one in enumerate(listed, 1)
        )

    def learnt(self, tables: tuple[Table, Table], known: Knowledge, work: Work, *, seed: int) -> FuzzyModel:
        """The rules that the second table teaches about the first.

        An attack that is stopped teaches nothing: what follows would not fit the one that is learnt to the end.
        """
        if isinstance(known, FuzzyModel):
            return known
        attack = GroupsAttack(
            vital=self.vital,
            parameter=self.parameter,
            weight=self.weight,
            stop=StopRules({"generations": self.attack_generations}),
            seed=seed,
        )
        found = attack.attacked(tables, known, work, whole=True)
        progress.note(found.verdict)
        return found.model


class GroupsReport(AttackedJob, Seeded, ReadingPair):
    """Attack ORIGINAL and PROTECTED in the same way, and say which places stand out in each, in how many values they
    differ, and whether every place kept its number of records. Each --auxiliary teaches an attack of its own, on each group.

    It needs no list of swaps and believes nothing that was said when the file was protected.

    >>> GroupsReport(original="a.csv", protected="b.csv", vital=["military=1"], parameter="area").spec()
    {'job': 'groups report', 'protected': 'b.csv', 'vital': ['military=1'], 'parameter': 'area',
     'original': 'a.csv'}

    >>> import sfumato
    >>> pair = sfumato.datasets.census_pair(2000, areas=20, planted=2, seed=1)
    >>> survey = pair.survey.to_arrow(text=True).to_pandas()
    >>> found = sfumato.group_report(survey, survey, vital=["military=1"], parameter="workplace")
    >>> found.to_frame().query("outlier_after")["place"].tolist()
    ['A0001', 'A0008']
    """

    data: ClassVar[tuple[str, ...]] = ("original", "protected")

    protected: Path | None = param(default=None, help="the protected file", argument=True, needed=True)
    protected_schema: Path | None = second_schema("PROTECTED")
    html: Path | None = param(
        default=None,
        help="write the report with both signals; keep it to yourself",
        word="FILE.html",
        writes=True,
        suffixes=(".html", ".htm"),
    )

    def run(
        self, original: Source, protected: Source, attacker: Attacker, *, work: Work
    ) -> "GroupComparison":
        files = original.in_memory("a group attack"), protected.in_memory("a group attack")
        found = [
            replace(comparison, about=one.about if self.also else "")
            for one in self.by_group()
            for comparison in self._seen(one, files, attacker, work)
        ]
        return replace(found[0], job=self, others=tuple(found[1:]))

    def _seen(
        self, one: "GroupsReport", files: tuple[Table, Table], attacker: Attacker, work: Work
    ) -> Iterator["GroupComparison"]:
        """What is seen of one group, by counting it or by whoever learns from each of the files."""
        if not attacker.auxiliaries:
            model = attacker.known if isinstance(attacker.known, FuzzyModel) else None
            yield compared(one, *files, model=model, named=self.hide, files=files)
            return
        several, seed = len(attacker.auxiliaries) > 1, number(self.randomness, "attack")
        for at, (name, auxiliary) in enumerate(attacker.auxiliaries):
            table = self.without_others(auxiliary.in_memory("a group attack"), one)
            known = tuple(self.without_others(file, one) for file in files)
            found = one._attacked(known, files, table, attacker.known, work, seed + at)
            yield replace(found, taught_on=name if several else "")

    def _attacked(
        self,
        files: tuple[Table, ...],
        whole: tuple[Table, Table],
        auxiliary: Table,
        known: Knowledge,
        work: Work,
        seed: int,
    ) -> "GroupComparison":
        """Both versions of the file, attacked by what one file of a third party teaches."""
        pair, taught = (files[0], files[1]), (files[0], auxiliary)
        if self.harmonise is not None:
            spec = Harmonisation.read(self.harmonise)
            first, second = harmonised(files[0], auxiliary, spec)
            taught = first.table, second.table
            pair = first.table, harmonised(files[1], auxiliary, spec)[0].table
        model = self.learnt(taught, known, work, seed=seed)
        return compared(self, *pair, model=model, named=self.hide, files=whole)


class GroupComparison(Outcome):
    """The attacked signal of two versions of a file, its outliers, and the values in which the files differ.

    `named` are the places that were to be hidden, and `model` is that of the attack, unless it counts the group.
    `others` are the same by models that were taught on other files, and of other groups, of whom `about` tells.
    """

    drawn_by: ClassVar[str] = "group_comparison"
    reported_by: ClassVar[str] = "group_protection"

    named: tuple[str, ...]
    model: FuzzyModel | None = field(repr=False)
    before: Signal
    after: Signal
    found_before: Outliers
    found_after: Outliers
    records: int
    altered: dict[str, int]
    sizes_kept: bool
    taught_on: str = ""
    about: str = ""
    others: tuple["GroupComparison", ...] = field(default=(), repr=False)

    @property
    def attacked_by(self) -> str:
        if self.model is None:
            return "counting the group"
        return f"the fuzzy model taught on {self.taught_on}" if self.taught_on else "the fuzzy model"

    @property
    def still_found(self) -> tuple[str, ...]:
        """The named places that the attack still sees."""
        return tuple(name for name in self.found_after.names if name in self.named)

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(name for name in self.found_after.names if name not in self.found_before.names)

    @property
    def is_hidden(self) -> bool:
        """Whether the attack sees none of the named places any more."""
        return not self.still_found

    @property
    def altered_values(self) -> int:
        return sum(self.altered.values())

    @property
    def altered_percent(self) -> float:
        """The share of all values in which the two files differ."""
        return 100 * self.altered_values / max(self.records * len(self.altered), 1)

    @property
    def verdict(self) -> str:
        return f"{self.about}: {self._verdict}" if self.about else self._verdict

    @property
    def _verdict(self) -> str:
        if not self.named:
            return f"Nothing to hide: {self.attacked_by} shows no place with too many of the group."
        if self.is_hidden:
            what = f"any of the {len(self.named)} named places" if len(self.named) > 1 else "the named place"
            return f"Hidden: {self.attacked_by} no longer shows {what}."
        seen = f"{len(self.still_found)} of {len(self.named)} ({', '.join(self.still_found)})"
        return f"Not hidden: {self.attacked_by} still shows {seen}."

    def contents(self) -> Mapping[str, Content]:
        return {"html": Report(self)}

    def told(self) -> Iterator[str]:
        yield self.verdict
        yield from (one.verdict for one in self.others)
        for one in (self, *(other for other in self.others if other.about != self.about)):
            if one.about:
                yield f"  {one.about}"
            yield f"  to be hidden    {', '.join(one.named) or 'nothing'}"
            yield f"  seen before     {', '.join(one.found_before.names) or 'nothing'}"
            yield f"  seen after      {', '.join(one.found_after.names) or 'nothing'}"
        yield f"  values altered  {self.altered_values:,} ({self.altered_percent:.4f} %)"
        yield f"  records of every place  {'kept' if self.sizes_kept else 'changed'}"
        if isinstance(self.job, GroupJob):
            yield from self.job.small_told(self.before)
        for path in self.job.targets().values() if self.job is not None else ():
            yield f"Wrote {path}"

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "verdict": self.verdict,
            "named": list(self.named),
            "still_found": list(self.still_found),
            "new_outliers": list(self.new),
            "outliers_before": self.found_before.to_dict(),
            "outliers_after": self.found_after.to_dict(),
            "attacked_by": self.attacked_by,
            "signal": self.before.kind,
            "records": self.records,
            "records_of_every_place_kept": self.sizes_kept,
            "altered_values": self.altered,
            "altered_percent": self.altered_percent,
            "signals": self._rows(),
        } | ({"others": [one.to_dict() for one in self.others]} if self.others else {})

    def _rows(self) -> list[dict[str, Any]]:
        seen = set(self.found_before.indices), set(self.found_after.indices)
        return [
            {
                "place": place,
                "named": place in self.named,
                "records": int(self.before.records[index]),
                "before": float(self.before.values[index]),
                "outlier_before": index in seen[0],
                "after": float(self.after.values[index]),
                "outlier_after": index in seen[1],
            }
            for index, place in enumerate(self.before.places)
        ]


def compared(
    job: GroupJob,
    original: Table,
    protected: Table,
    *,
    model: FuzzyModel | None = None,
    named: Collection[str] = (),
    files: tuple[Table, Table] | None = None,
) -> GroupComparison:
    """Attack both files, by a model or by counting the group itself, and count what differs.

    Without names, the places to hide are the outliers of the original that have too many of the group. The
    protected file may lack columns, such as the vital ones; its records are those of the original in the
    same order. Where both were harmonised, `files` are what they were, in which differences are counted.
    """
    if protected.n != original.n:
        raise DataError(
            f"The protected file has {protected.n} records where the original has {original.n}; "
            "they must be the same ones in the same order."
        )
    grades = grades_of(original, job.group, model)
    before = signal_of(job, original, grades, label="before")
    after = signal_of(job, protected, grades, label="after")
    if after.places != before.places:
        raise DataError(f"Column {job.parameter}: the protected file does not have the same places.")
    found, whole = job.outliers(before), files or (original, protected)
    return GroupComparison(
        job=job if isinstance(job, GroupsReport) else None,
        named=known_names(named, before.places) or conspicuous(before, found),
        model=model,
        before=before,
        after=after,
        found_before=found,
        found_after=job.outliers(after),
        records=whole[0].n,
        altered={name: _differing(*whole, name) for name in whole[1].names},
        sizes_kept=_same_sizes(original, protected, job.parameter),
    )


def grades_of(table: Table, group: Group, model: FuzzyModel | None) -> np.ndarray:
    """How much each record belongs to the group: its grade by a model, or 1 if the table says so."""
    grades: np.ndarray = group.members(table).astype(np.float64) if model is None else model.grades(table)
    return grades


def signal_of(job: GroupJob, table: Table, grades: np.ndarray, *, label: str) -> Signal:
    """The signal of records in the places of a table, each as often as it counts. Grades do not depend on the place."""
    weights = job.group.weights(table)
    return places_of(table, job.parameter).signal(
        grades * weights, kind=job.signal, label=label, weights=weights
    )


def conspicuous(signal: Signal, found: Outliers) -> tuple[str, ...]:
    """The outliers that have too many of the group."""
    middle = float(np.median(signal.values))
    return tuple(signal.places[index] for index in found.indices if signal.values[index] > middle)


def _called(data: object, name: str, at: int) -> str:
    """A file by its name; what is none by its place among the others."""
    return Path(data).name if isinstance(data, str | Path) else f"{name} {at}"


def _same_sizes(original: Table, protected: Table, parameter: str) -> bool:
    """Whether each place has as many records in both."""
    before, after = (places_of(table, parameter) for table in (original, protected))
    counts = [places.sums(np.ones(len(places.codes))) for places in (before, after)]
    return bool((counts[0] == counts[1]).all())


def _differing(original: Table, protected: Table, name: str) -> int:
    one, other = original[name], protected[name]
    alike = (one == other) | (original.missing(name) & protected.missing(name))
    return int(len(one) - alike.sum())
