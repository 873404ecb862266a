"""Find out where a group is, from a third-party file that tells who belongs."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, param
from sfumato.data import Source, Table
from sfumato.groups.adequacy import Adequacy, adequacy
from sfumato.groups.fuzzy_model import ALPHA, FuzzyModel, Rule
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.outliers import Outliers, outliers
from sfumato.groups.rule_quality import Quality
from sfumato.groups.signals import Group, Signal, concentration, quantity
from sfumato.groups.word_proposals import propose_vocabulary
from sfumato.jobs._contents import Content, Picture, Record
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import Reading
from sfumato.jobs._releasing import Recorded
from sfumato.jobs._searching import Searching
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import GroupJob, Knowledge, Learning, check_of_one, part
from sfumato.jobs.groups.harmonise import harmonised
from sfumato.search.optimizers.michigan import Michigan
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.rule_evolution import Found, Threshold, evolve_rules

PICTURES = (".svg", ".png", ".pdf")
SHOWN = 20  # rules that are told
TOLD_OF_RULES = {"Support": "support", "DF": "discriminative_factor", "Confidence": "relative_confidence"}
UNSPOKEN = ("identifier", "weight", "household")  # roles of attributes that no word is made of


class GroupsAttack(Recorded, GroupJob, Learning, Seeded, Reading, Searching):
    """Learn from a third-party file what members of a group look like, and find where they are in FILE.

    Fuzzy rules are evolved on the auxiliary file, which must have the vital columns, in several runs, each of which
    obeys the stop rules. If FILE has these columns too, they only serve to say how right the attack is. Ctrl-C keeps
    the rules found so far. Each group that is told by --also is looked for by rules of its own.

    >>> GroupsAttack(file="survey.csv", auxiliary="census.csv", vital=["military=1"], parameter="area").spec()
    {'job': 'groups attack', 'vital': ['military=1'], 'parameter': 'area', 'auxiliary': 'census.csv',
     'file': 'survey.csv'}

    >>> import sfumato
    >>> pair = sfumato.datasets.census_pair(2000, areas=20, planted=2, seed=1)
    >>> survey, census = (table.to_arrow(text=True).to_pandas() for table in (pair.survey, pair.auxiliary))
    >>> asked = {"vital": ["military=1"], "parameter": "workplace", "seed": 1}
    >>> found = sfumato.group_attack(survey, census, generations=10, runs=1, **asked)
    >>> len(found.signal.places)
    20
    """

    data: ClassVar[tuple[str, ...]] = ("file", "auxiliary")
    usual: ClassVar[Mapping[str, Any]] = {"generations": 200}

    harmonise: Path | None = param(default=None, word="FILE.toml", help="harmonise both files first")
    fitness: str = param(default="df_rcf", choices=("df_rcf", "wracc", "youden"), help="how rules are judged")
    alpha: float = param(
        default=ALPHA, help="the least grade with which a record looks like one of the group"
    )
    confidence: float = param(default=Threshold.confidence, low=0, help="a rule needs more confidence")
    support: float = param(default=Threshold.support, low=0, help="a rule needs more support")
    records: float = param(default=Threshold.records, low=0, help="records of the group that a rule rests on")
    optimizer: Michigan = param(
        default=Michigan(), help="how rules are evolved, such as 'michigan(population=50)'"
    )
    runs: int = param(default=10, low=1, word="N", help="searches, of which all good rules are taken")
    save_words: Path | None = param(
        default=None,
        word="FILE.toml",
        help="write the linguistic variables, to edit them and give them again with --words",
        writes=True,
        suffixes=(".toml",),
    )
    picture: Path | None = param(
        default=None,
        option="plot",
        help="draw the signals (.svg, .png, .pdf)",
        writes=True,
        suffixes=PICTURES,
    )

    def check(self) -> None:
        super().check()
        if self.also and self.save_words is not None:
            raise ParameterError(
                f"{self.name}: words are proposed for each group; save those of one at a time."
            )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        (microfile,) = super().read(work, **given)
        known = self.known_before(given)
        check_of_one(self, known)
        return microfile, self.read_auxiliary(work, given), known

    def run(self, microfile: Source, auxiliary: Source, known: Knowledge, *, work: Work) -> "GroupAttack":
        tables = microfile.in_memory("a group attack"), auxiliary.in_memory("a group attack")
        if self.harmonise is not None:
            first, second = harmonised(*tables, self.harmonise)
            tables = first.table, second.table
        if not self.also:
            return self.attacked(tables, known, work)
        found = []
        for at, one in enumerate(self.by_group()):
            pair = self.without_others(tables[0], one), self.without_others(tables[1], one)
            found.append(one.attacked(pair, known, part(work, at)))
        return replace(found[0], job=self, others=tuple(found[1:]))

    def attacked(
        self, tables: tuple[Table, Table], known: Knowledge, work: Work, *, whole: bool = False
    ) -> "GroupAttack":
        """What is found in the first table by what the second teaches.

        An interrupt keeps the rules found so far, or is passed on where only the `whole` is of use.
        """
        microfile, auxiliary = tables
        _check(microfile, auxiliary, self.group)
        self.outliers(self.group.places(microfile).signal(np.zeros(microfile.n)))  # refuses what is no place
        qualities: Found = {}
        if isinstance(known, FuzzyModel):
            model = known
        else:
            words = known or propose_vocabulary(
                auxiliary,
                _common(microfile, auxiliary, self.group),
                others=(microfile,),
                member=self.group.members(auxiliary),
            )
            words.check_fits(microfile, "microfile")
            problem = FuzzyRules(auxiliary, self.group, words, fitness=self.fitness, alpha=self.alpha)
            needed = Threshold(confidence=self.confidence, support=self.support, records=self.records)
            asked: dict[str, Any] = {"threshold": needed, "runs": self.runs, "whole": whole}
            qualities = evolve_rules(problem, self.optimizer, effort=self.effort(work), **asked)
            model = FuzzyModel(vocabulary=words, rules=tuple(qualities), alpha=self.alpha)
        return self._seen_by(model, microfile, auxiliary, qualities)

    def _seen_by(
        self, model: FuzzyModel, microfile: Table, auxiliary: Table, qualities: Mapping[Rule, Quality]
    ) -> "GroupAttack":
        seen = model.signal(microfile, self.group, kind=self.signal)
        found = self.outliers(seen)
        truth = self._true_signal(microfile) if self.group.is_told_by(microfile) else None
        true = self.outliers(truth) if truth is not None else None
        return GroupAttack(
            job=self,
            model=model,
            qualities=dict(qualities),
            signal=seen,
            found=found,
            true_signal=truth,
            true=true,
            adequacy=adequacy(true, found) if true is not None else None,
            rehearsal=self._rehearsal(model, auxiliary),
        )

    def _rehearsal(self, model: FuzzyModel, auxiliary: Table) -> Adequacy:
        """The attack on the auxiliary file, whose truth is known to whoever has it."""
        seen = model.signal(auxiliary, self.group, kind=self.signal)
        true = self._true_signal(auxiliary)
        return adequacy(outliers(true, alpha=self.significance), outliers(seen, alpha=self.significance))

    def _true_signal(self, table: Table) -> Signal:
        return (quantity if self.signal == "quantity" else concentration)(table, self.group)


class GroupAttack(Outcome):
    """What somebody with an auxiliary file finds out about where a group is.

    `signal` is the auxiliary signal of the attacked file and `found` its outliers. The attack itself never
    looks at the vital attributes of that file; where it has them, `true_signal` and `true` are the truth and
    `adequacy` compares. `rehearsal` is the same comparison on the auxiliary file, which anybody who has it
    can make. `others` are the same of the other groups that were asked for.
    """

    drawn_by: ClassVar[str] = "group_attack"

    model: FuzzyModel
    qualities: dict[Rule, Quality] = field(repr=False)
    signal: Signal
    found: Outliers
    true_signal: Signal | None
    true: Outliers | None
    adequacy: Adequacy | None
    rehearsal: Adequacy
    others: tuple["GroupAttack", ...] = field(default=(), repr=False)

    @property
    def has_model(self) -> bool:
        """Whether the rules tell more about the outliers than chance: ln B of at least 1, in the right sense."""
        return bool(self.model.rules) and (self.adequacy or self.rehearsal).is_adequate

    @property
    def verdict(self) -> str:
        if not self.model.rules:
            return "No model: no rule tells the group from others."
        if self.adequacy is not None:
            return _judged_in_words(self.adequacy, self.has_model)
        count = len(self.found.names)
        if not count:
            return "The attack sees nothing: no place of this file stands out."
        return f"The attack sees {count} place{'s' * (count > 1)} of this file that stand{'s' * (count == 1)} out."

    @property
    def rehearsed(self) -> str:
        """How well the same rules do on the auxiliary file, whose truth is known: whether to believe them."""
        return _judged_in_words(self.rehearsal, bool(self.model.rules) and self.rehearsal.is_adequate)

    def contents(self) -> Mapping[str, Content]:
        words = self.model.vocabulary.to_toml()
        return {"picture": Picture(self), "record": Record(self), "save_words": words}

    def told(self) -> Iterator[str | Listing]:
        if not self.others:
            yield from self._told()
            return
        for one, job in zip((self, *self.others), self._asked.by_group(), strict=True):
            yield f"{'' if one is self else chr(10)}The group {job.about}"
            yield from one._told()

    def _told(self) -> Iterator[str | Listing]:
        yield self.verdict
        yield f"Outliers that the attack sees in this file: {_listed(self.found.names)}"
        yield from self._asked.small_told(self.signal)
        if self.adequacy is not None:
            yield from _adequacy_lines("The truth of this file", self.adequacy)
        if self.model.rules:
            yield f"\nRehearsal on the auxiliary file. {self.rehearsed}"
        yield from _adequacy_lines("The rules on the auxiliary file", self.rehearsal)
        rows = [
            (row["sentence"], *(f"{row[name]:.3f}" for name in TOLD_OF_RULES.values()))
            for row in self._rows()
            if "support" in row
        ]
        if rows:
            left = f" ({len(rows) - SHOWN} more with --json)" if len(rows) > SHOWN else ""
            headings = ("Rule", *(f">{name}" for name in TOLD_OF_RULES))
            yield Listing(f"\n{len(rows)} rules{left}", headings, rows[:SHOWN])

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "verdict": self.verdict,
            "has_model": self.has_model,
            "rules": self._rows(),
            "outliers": list(self.found.names),
            "small_places": list(self._asked.small(self.signal)),
            "adequacy": self.adequacy and self.adequacy.to_dict(),
            "rehearsal": self.rehearsal.to_dict(),
            "signals": self.signals(),
            "vocabulary": self.model.vocabulary.to_dict(),
            "alpha": self.model.alpha,
        } | ({"others": [one.to_dict() for one in self.others]} if self.others else {})

    @property
    def _asked(self) -> GroupsAttack:
        assert isinstance(self.job, GroupsAttack)
        return self.job

    def signals(self) -> list[dict[str, Any]]:
        """One row per place: what the attack sees there, and what is true where that is known."""
        seen, truth = set(self.found.indices), set(self.true.indices if self.true else ())
        rows = []
        for index, place in enumerate(self.signal.places):
            row = {"place": place, "auxiliary": float(self.signal.values[index]), "outlier": index in seen}
            if self.true_signal is not None:
                row |= {"true": float(self.true_signal.values[index]), "true_outlier": index in truth}
            rows.append(row)
        return rows

    def _rows(self) -> list[dict[str, Any]]:
        return [
            _described(self.model.vocabulary, rule, self.qualities.get(rule)) for rule in self.model.rules
        ]


def _described(vocabulary: Vocabulary, rule: Rule, quality: Quality | None) -> dict[str, Any]:
    row: dict[str, Any] = {"sentence": vocabulary.sentence(rule), "rule": list(rule)}
    if quality is not None:
        row |= {
            "support": quality.support,
            "discriminative_factor": quality.discriminative_factor,
            "relative_confidence": quality.relative_confidence,
        }
    return row


def _judged_in_words(judged: Adequacy, holds: bool) -> str:
    strength = f"ln B = {judged.ln_b:.2f}, {judged.reading}"
    if not holds:
        return f"No model: its outliers have nothing to do with the true ones ({strength})."
    return (
        f"The group is exposed: {len(judged.disclosed)} of {len(judged.true)} outliers "
        f"disclosed, {len(judged.false)} false ({strength})."
    )


def _adequacy_lines(title: str, judged: Adequacy) -> Iterator[str]:
    j = "not defined" if isnan(judged.youden) else f"{judged.youden:.3f}"
    yield f"\n{title}: accuracy {judged.accuracy:.3f}, Youden's J {j}, ln B {judged.ln_b:.2f} ({judged.reading})"
    yield f"  disclosed:   {_listed(judged.disclosed)}"
    yield f"  undisclosed: {_listed(judged.undisclosed)}"
    yield f"  false:       {_listed(judged.false)}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def _common(microfile: Table, auxiliary: Table, group: Group) -> list[str]:
    left_out = {*group.vital, group.parameter, group.weight}
    both = [a for a in auxiliary.schema if a.name in microfile and a.name not in left_out]
    return [attribute.name for attribute in both if attribute.role not in UNSPOKEN]


def _check(microfile: Table, auxiliary: Table, group: Group) -> None:
    if not microfile.n:
        raise DataError("group attack: the microfile holds no record; check the ranges of the harmonisation.")
    for name in group.vital:
        if name not in auxiliary:
            raise DataError(
                f"group attack: the auxiliary file has no column {name}, which tells who belongs."
            )
