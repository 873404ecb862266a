"""Attack a file and its protected version, and report what is seen in both."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, Seed, param, progress
from sfumato.core.streams import number
from sfumato.data import Source, Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.named_values import known_names
from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import Group, Signal, places_of
from sfumato.jobs._contents import Content, Report
from sfumato.jobs._job import Outcome
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import ReadingPair, Working, second_schema
from sfumato.jobs._searching import StopRules
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import GroupJob, Knowledge, Learning
from sfumato.jobs.groups.attack import GroupsAttack


@dataclass(frozen=True)
class Attacker:
    """What the attacker has: a file to learn from, words for it, or the model itself."""

    auxiliary: Source | None
    known: Knowledge


class AttackedJob(GroupJob, Learning, Working):
    """A job that attacks a file as `groups attack` does, or by counting the group where there is no third party."""

    auxiliary: Path | None = param(
        default=None, help="a third-party file to learn the group from", usual="count the group itself"
    )
    attack_generations: int = param(
        default=200, low=1, word="N", help="generations of each of ten runs that learn the rules"
    )
    hide: tuple[str, ...] = param(
        default=(), word="NAME", help="the places to hide", usual="those the attack sees"
    )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        files = super().read(work, **given)
        attacker = Attacker(self.read_auxiliary(work, given), self.known_before(given))
        return (*files, attacker)

    def learnt(self, microfile: Table, attacker: Attacker, work: Work, *, seed: Seed) -> FuzzyModel | None:
        """The model of the attack; none where the group is counted.

        An attack that is stopped teaches nothing: what follows would not fit the one that is learnt to the end.
        """
        if isinstance(attacker.known, FuzzyModel):
            return attacker.known
        if attacker.auxiliary is None:
            return None
        attack = GroupsAttack(
            vital=self.vital,
            parameter=self.parameter,
            weight=self.weight,
            stop=StopRules({"generations": self.attack_generations}),
            seed=number(seed, "attack"),
        )
        auxiliary = attacker.auxiliary.in_memory("a group attack")
        found = attack.attacked((microfile, auxiliary), attacker.known, work, whole=True)
        progress.note(found.verdict)
        return found.model


class GroupsReport(AttackedJob, Seeded, ReadingPair):
    """Attack ORIGINAL and PROTECTED in the same way, and say which places stand out in each, in how many values they
    differ, and whether every place kept its number of records.

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
        before, after = original.in_memory("a group attack"), protected.in_memory("a group attack")
        model = self.learnt(before, attacker, work, seed=self.randomness)
        return compared(self, before, after, model=model, named=self.hide)


class GroupComparison(Outcome):
    """The attacked signal of two versions of a file, its outliers, and the values in which the files differ.

    `named` are the places that were to be hidden, and `model` is that of the attack, unless it counts the group.
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

    @property
    def attacked_by(self) -> str:
        return "the fuzzy model" if self.model is not None else "counting the group"

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
        if self.is_hidden:
            what = f"any of the {len(self.named)} named places" if len(self.named) > 1 else "the named place"
            return f"Hidden: {self.attacked_by} no longer shows {what}."
        seen = f"{len(self.still_found)} of {len(self.named)} ({', '.join(self.still_found)})"
        return f"Not hidden: {self.attacked_by} still shows {seen}."

    def contents(self) -> Mapping[str, Content]:
        return {"html": Report(self)}

    def told(self) -> Iterator[str]:
        yield self.verdict
        yield f"  to be hidden    {', '.join(self.named) or 'nothing'}"
        yield f"  seen before     {', '.join(self.found_before.names) or 'nothing'}"
        yield f"  seen after      {', '.join(self.found_after.names) or 'nothing'}"
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
        }

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
) -> GroupComparison:
    """Attack both files, by a model or by counting the group itself, and count what differs.

    Without names, the places to hide are the outliers of the original that have too many of the group. The
    protected file may lack columns, such as the vital ones; its records are those of the original in the
    same order.
    """
    if protected.n != original.n:
        raise DataError(
            f"The protected file has {protected.n} records where the original has {original.n}; "
            "they must be the same ones in the same order."
        )
    amounts = group_amounts(original, job.group, model)
    before = signal_of(job, original, amounts, label="before")
    after = signal_of(job, protected, amounts, label="after")
    if after.places != before.places:
        raise DataError(f"Column {job.parameter}: the protected file does not have the same places.")
    found = job.outliers(before)
    return GroupComparison(
        job=job if isinstance(job, GroupsReport) else None,
        named=known_names(named, before.places) or conspicuous(before, found),
        model=model,
        before=before,
        after=after,
        found_before=found,
        found_after=job.outliers(after),
        records=original.n,
        altered={name: _differing(original, protected, name) for name in protected.names},
        sizes_kept=bool((before.records == after.records).all()),
    )


def group_amounts(table: Table, group: Group, model: FuzzyModel | None) -> np.ndarray:
    """What each record adds to the signal: its grade, or 1 if it belongs to the group."""
    if group.weight:
        raise DataError("Protecting a group counts records: leave the weight out.")
    return group.members(table).astype(np.float64) if model is None else model.grades(table)


def signal_of(job: GroupJob, table: Table, amounts: np.ndarray, *, label: str) -> Signal:
    """The signal of amounts in the places of a table. Grades do not depend on the place, so they stay."""
    return places_of(table, job.parameter).signal(amounts, kind=job.signal, label=label)


def conspicuous(signal: Signal, found: Outliers) -> tuple[str, ...]:
    """The outliers that have too many of the group."""
    middle = float(np.median(signal.values))
    return tuple(signal.places[index] for index in found.indices if signal.values[index] > middle)


def _differing(original: Table, protected: Table, name: str) -> int:
    one, other = original[name], protected[name]
    alike = (one == other) | (original.missing(name) & protected.missing(name))
    return int(len(one) - alike.sum())
