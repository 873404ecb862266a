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
from sfumato.jobs._job import Listing
from sfumato.jobs._judging import Judging
from sfumato.jobs._order import Order
from sfumato.jobs._paths import check_folder, check_is_folder, output_file
from sfumato.jobs._public_facts import Applied, maskings_applied
from sfumato.jobs._reading import KeyedReading
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import Recorded, Releasing
from sfumato.jobs._searching import Optimized, Searched
from sfumato.jobs._verdict import Verdict, verdict_of
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.masking import Chain, masked_with
from sfumato.search.contracts import Individual, Optimizer, Problem
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import GENERATIONS, search_groupings
from sfumato.search.grouping.groupings import Grouping, number_of_groupings
from sfumato.search.grouping.operator_analytics import OperatorAnalytics
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.optimizers.grouping_enumeration import MOST, GroupingEnumeration
from sfumato.search.problems.attribute_grouping import AttributeGrouping

AUTO, EXACT, GENETIC = SEARCHES = ("auto", "exact", "genetic")
POPULATION = 200
ANALYSIS = ("front", "operators")


class GroupAttributes(KeyedReading, Recorded, Releasing, Judging, Optimized):
    """Divide the numeric key attributes of FILE into groups such that microaggregation (MDAV) of each group
    by itself gives the best balance of information loss and disclosure risk.

    Up to 8 attributes all groupings are tried; more are searched by a genetic algorithm, GOMM, which leaves out
    operators that idle (D-GOMM). --optimizer gives it other parameters: 'gomm(tournament=1, clones=keep)' is GOMM as
    it was printed. Ctrl-C stops the search and keeps the best so far; a second one stops at once.

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

    usual: ClassVar[Mapping[str, Any]] = {"generations": GENERATIONS}
    problem: ClassVar[type[Problem[Any, Any]]] = AttributeGrouping
    replaced: ClassVar[tuple[str, ...]] = ("search", "population", "operators", "dynamic", "front")

    k: int = param(default=25, low=2, help="smallest group of records")
    output: Path | None = output_file(
        "where to write the file that the best grouping makes; its suffix says the format",
        WRITABLE,
        needed=False,
    )
    names: tuple[str, ...] = param(
        default=(), option="attributes", word="NAME", help="the numeric columns to group", usual="the keys"
    )
    search: str | None = param(
        default=None,
        choices=SEARCHES,
        help=f"try all groupings, search genetically, or the first up to {MOST} attributes",
        usual=AUTO,
    )
    population: int | None = param(default=None, low=2, help="groupings that survive", usual=str(POPULATION))
    operators: tuple[str, ...] = param(
        default=(), choices=OPERATORS, word="NAME", help="operators to use", usual="all six"
    )
    dynamic: bool | None = param(
        default=None,
        opposite="full",
        help="use an operator no more when it idles (D-GOMM), or all to the end (GOMM)",
        usual="dynamic",
    )
    front: bool = param(default=False, help="search for all compromises of loss and risk at once")
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
        problem = AttributeGrouping(table, k=self.k, names=self.names)
        treated = self.treated(table, problem.names, source)
        optimizer = self._optimizer(problem)
        found = search_groupings(problem, optimizer, self.effort(work))
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

    def _optimizer(self, problem: AttributeGrouping) -> Optimizer[Grouping, Grouping]:
        if self.optimizer is not None:
            return self.optimizer
        if self.search == EXACT or (self.search in (AUTO, None) and len(problem.names) <= MOST):
            return GroupingEnumeration()
        return Gomm(
            population=self.population or POPULATION,
            operators=self.operators or OPERATORS,
            dynamic=self.dynamic is not False,
            selection="front" if self.front else "score",
        )


class Place(Result):
    """A grouping by the names of its attributes, its loss and risk in percent, and their mean."""

    groups: tuple[tuple[str, ...], ...]
    loss: float
    risk: float
    score: float


class Grouped(Searched, Released):
    """The best grouping that was found, the file it makes, and the search it came from.

    `interval` and `linkage` are the two halves of the risk. `together` and `apart` are the groupings in one
    group and in one group per attribute; `front` holds what no other grouping that was judged beats.
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
    verdict: Verdict | None = field(default=None, repr=False)

    def applied(self) -> tuple[Applied, ...]:
        return maskings_applied(self.masking, self.original.schema, self.release.schema)

    def contents(self) -> Mapping[str, Content]:
        """The file with its schema, the record, and the analysis; a search that tries all has no operators."""
        parts = dict(zip(ANALYSIS, (self, *(() if self.exact else (self.analytics,))), strict=False))
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
        yield Listing(
            "Score, the mean of loss and risk (lower is better)",
            ("", ">Score", ">Loss", ">Risk"),
            [(name, *map(percent, (one.score, one.loss, one.risk))) for name, one in places.items()],
        )
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
