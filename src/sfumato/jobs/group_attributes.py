"""Find which numeric attributes to microaggregate together."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import Result, param
from sfumato.core.results import plain
from sfumato.data import WRITABLE, Source
from sfumato.jobs._contents import Content, Picture, Record
from sfumato.jobs._grouping import GroupingSearchOptions, read_grouping
from sfumato.jobs._job import Listing
from sfumato.jobs._judging import Judging
from sfumato.jobs._order import Order
from sfumato.jobs._paths import check_folder, check_is_folder, output_file
from sfumato.jobs._public_facts import Applied, maskings_applied
from sfumato.jobs._reading import KeyedReading
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import Recorded, Releasing
from sfumato.jobs._searching import Searched
from sfumato.jobs._verdict import Verdict, verdict_of
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.masking import Chain, masked_with
from sfumato.search.contracts import Individual
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_search import search_groupings
from sfumato.search.grouping.groupings import Grouping, number_of_groupings
from sfumato.search.grouping.operator_analytics import OperatorAnalytics
from sfumato.search.grouping.operator_comparison import OperatorComparison, compare_operators
from sfumato.search.optimizers.grouping_enumeration import GroupingEnumeration
from sfumato.search.problems.attribute_grouping import AttributeGrouping

ANALYSIS = ("front", "operators", "comparison")


class GroupAttributes(KeyedReading, Recorded, Releasing, Judging, GroupingSearchOptions):
    """Divide the numeric key attributes of FILE into groups such that microaggregation (MDAV) of each group
    by itself gives the best balance of information loss and disclosure risk.

    Up to 8 attributes all groupings are tried; more are searched by a genetic algorithm, GOMM, which leaves out
    operators that idle (D-GOMM). --preset printed is GOMM as it was printed, and --scaling range the scale that its
    published numbers have. Ctrl-C stops the search and keeps the best so far; a second one stops at once.

    >>> GroupAttributes(file="a.csv", k=5, optimizer="gomm(tournament=1, clones=keep)").spec()
    {'job': 'group_attributes', 'k': 5, 'file': 'a.csv', 'optimizer': 'gomm(clones=keep, tournament=1)'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> found = sfumato.group_attributes(people, names=["age", "income"], k=3, with_verdict=False, seed=1)
    >>> found.to_frame()[["groups", "best"]]
             groups   best
    0  age | income  False
    1   age, income   True
    """

    k: int = param(default=25, low=2, help="smallest group of records")
    output: Path | None = output_file(
        "where to write the file that the best grouping makes; its suffix says the format",
        WRITABLE,
        needed=False,
    )
    names: tuple[str, ...] = param(
        default=(), option="attributes", word="NAME", help="the numeric columns to group", usual="the keys"
    )
    beside: tuple[str, ...] = param(
        default=(),
        word="GROUPING",
        help="judge these groupings too: 'correlated 3', 'uncorrelated 3', or groups such as 'age+income | rent'",
    )
    compare: int = param(
        default=0,
        low=0,
        word="RUNS",
        help="search so often again with all operators and with each alone, which makes as many children",
    )
    analysis: Path | None = param(
        default=None,
        word="FOLDER",
        help="write what the operators did, and the front of groupings, as CSV and SVG",
        writes=True,
    )

    def targets(self) -> dict[str, Path]:
        if self.analysis is None:
            return super().targets()
        named = {
            f"{part}.{end}": self.analysis / f"{part}.{end}" for part in ANALYSIS for end in ("csv", "svg")
        }
        return {**super().targets(), **named}

    def check_files(self) -> None:
        """The folder of the analysis need not be there, but must be one that can be made."""
        if self.analysis is None:
            super().check_files()
            return
        check_is_folder(self.analysis, "--analysis")
        check_folder(next(one for one in self.analysis.absolute().parents if one.exists()), self.analysis)
        self.with_(analysis=None).check_files()

    def run(self, source: Source, *, work: Work) -> "Grouped":
        began = time.perf_counter()
        table = source.in_memory("a search for groups of attributes")
        problem = self.grouping_problem(table, self.k, self.names)
        beside = {text.strip(): read_grouping(text, problem) for text in self.beside}
        treated = self.treated(table, problem.names, source)
        effort = self.effort(work)
        found = search_groupings(problem, self.chosen_optimizer(problem), effort)
        best, size = found.run.best, len(problem.names)
        masking = problem.chain(best.genome)
        masked = masked_with(masking, table, seed=self.randomness)
        aligned = masked.select(treated.released)
        _, interval, linkage = problem.parts(best.genome)
        tried_all = found.run.optimizer["method"] == GroupingEnumeration.name
        return Grouped(
            job=self,
            best=_place(problem, best),
            interval=interval,
            linkage=linkage,
            together=_judged(problem, (0,) * size),
            apart=_judged(problem, tuple(range(size))),
            beside={text: _judged(problem, grouping) for text, grouping in beside.items()},
            comparison=self._compared(problem, effort),
            front=tuple(_place(problem, individual) for individual in found.front),
            masking=masking,
            exact=tried_all and found.run.evaluations == number_of_groupings(size),
            seconds=time.perf_counter() - began,
            run=found.run,
            analytics=found.analytics,
            original=table,
            aligned=aligned,
            verdict=verdict_of(self, masking, table, aligned, seed=self.randomness),
            treated=treated,
            order=Order.drawn(table.n, self.randomness, masked.fingerprint),
        )

    def _compared(self, problem: AttributeGrouping, effort: Effort) -> OperatorComparison | None:
        return compare_operators(problem, self.genetic, effort, runs=self.compare) if self.compare else None


class Place(Result):
    """A grouping by the names of its attributes, its loss and risk in percent, and their mean."""

    groups: tuple[tuple[str, ...], ...]
    loss: float
    risk: float
    score: float


class Grouped(Searched, Released):
    """The best grouping that was found, the file it makes, and the search it came from.

    `interval` and `linkage` are the two halves of the risk. `together` and `apart` are the groupings in one
    group and in one group per attribute, and `beside` those that were named; `front` holds what no other grouping that was
    judged beats.
    `exact` says that all groupings were tried: none is better.
    """

    drawn_by: ClassVar[str] = "grouping_front"

    job: GroupAttributes = field(repr=False)
    best: Place
    interval: float
    linkage: float
    together: Place
    apart: Place
    front: tuple[Place, ...]
    masking: Chain
    exact: bool
    seconds: float
    analytics: OperatorAnalytics = field(repr=False)
    beside: dict[str, Place] = field(default_factory=dict)
    comparison: OperatorComparison | None = field(default=None, repr=False)
    verdict: Verdict | None = field(default=None, repr=False)

    def applied(self) -> tuple[Applied, ...]:
        return maskings_applied(self.masking, self.original.schema, self.release.schema)

    def contents(self) -> Mapping[str, Content]:
        """The file with its schema, the record, and the analysis; a search that tries all has no operators."""
        front, operators, comparison = ANALYSIS
        parts: dict[str, Result] = {front: self}
        if not self.exact:
            parts[operators] = self.analytics
        if self.comparison is not None:
            parts[comparison] = self.comparison
        return {
            **self.file_contents(),
            "record": Record(self),
            **{f"{part}.csv": of.to_frame() for part, of in parts.items()},
            **{f"{part}.svg": Picture(of) for part, of in parts.items()},
        }

    def told(self) -> Iterator[str | Listing]:
        count = len(self.best.groups)
        how = "all groupings were tried" if self.exact else f"{self.analytics.cached:.0f} % known before"
        yield (
            f"The best of {self.run.evaluations} groupings judged ({how}, {self.seconds:.1f} s) has "
            f"{count} {'group' if count == 1 else 'groups'}, for k = {self.job.k}:"
        )
        yield from (f"  {', '.join(group)}" for group in self.best.groups)
        yield ""
        places = {"this grouping": self.best, "all together": self.together, "one by one": self.apart}
        places |= self.beside
        yield Listing(
            "Score, the mean of loss and risk (lower is better)",
            ("", ">Score", ">Loss", ">Risk"),
            [(name, *map(percent, (one.score, one.loss, one.risk))) for name, one in places.items()],
        )
        if self.comparison is not None:
            best = self.comparison.best
            rows = [(name.replace("_", " "), percent(scores[-1])) for name, scores in best.items()]
            yield Listing("Operators, all and each alone", ("", ">Best score"), rows)
        if self.verdict is not None:
            yield from self.verdict.report()
        yield f"\nRepeat it in Python: sfumato.mask(table, {self.masking.spec()})"
        yield from self.files_told(f"Wrote {self.release.n} records and {len(self.release.names)} columns.")
        if self.job.analysis is not None:
            yield f"Wrote what the operators did, and the front, to {self.job.analysis}"

    def to_dict(self) -> dict[str, Any]:
        run = self.run
        return {
            **self.heading(),
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "k": self.job.k,
            **super().to_dict(),
            "masking": self.masking.spec(),
            "beside": plain(self.beside),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "evaluations": run.evaluations,
            "cached": self.analytics.cached,
            "generations": self.generations,
            "ended": run.reason,
            "history": self.steps(),
            "operators": plain(run.operators),
            "optimizer": run.optimizer,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "groups": " | ".join(", ".join(group) for group in place.groups),
                "number_of_groups": len(place.groups),
                "loss": place.loss,
                "risk": place.risk,
                "score": place.score,
                "best": place.groups == self.best.groups,
            }
            for place in self.front
        ]


def _judged(problem: AttributeGrouping, grouping: Grouping) -> Place:
    return _place(problem, Individual(grouping, problem.judge(grouping).costs, ""))


def _place(problem: AttributeGrouping, individual: Individual[Grouping]) -> Place:
    loss, risk = individual.costs
    return Place(
        groups=problem.named(individual.genome), loss=loss, risk=risk, score=problem.score(individual.costs)
    )
