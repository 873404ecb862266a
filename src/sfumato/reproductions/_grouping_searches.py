"""The searches of the study of groupings: of which file, for which k, how, and by which operators."""

import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from sfumato.core import another
from sfumato.data import Table
from sfumato.reproductions._grouping_tables import groups_by_hand
from sfumato.reproductions._printed_mdav import PrintedGrouping
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import search_groupings
from sfumato.search.grouping.groupings import count, grouping_of
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep
from sfumato.search.grouping.operator_comparison import COMBINED, OperatorComparison, alone, mean_course
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.stop import Stop

OURS, PRINTED, DYNAMIC = "found", "as printed", "D-GOMM as printed"


class Search(NamedTuple):
    """One search; `operator` is the one that it has, or all of them; a `run` is a repetition by another seed."""

    file: str
    k: int
    how: str
    operator: str = COMBINED
    run: int = 0


class Setting(NamedTuple):
    """What all searches share: how long each is, and on which scale and whether dynamically ours are made."""

    generations: int
    population: int
    dynamic: bool
    scaling: str
    seed: int

    def optimizer(self, search: Search) -> Gomm:
        how = {
            OURS: Gomm(population=self.population, dynamic=self.dynamic),
            PRINTED: Gomm(population=self.population, tournament=1, clones="keep"),
            DYNAMIC: Gomm(population=self.population, tournament=1, clones="keep", dynamic=True),
        }[search.how]
        return how if search.operator == COMBINED else alone(how, search.operator)


class Solved(NamedTuple):
    """IL, ID, DLD, score and groups of the best, seconds of the processor, what operators did, the best by generation."""

    parts: tuple[float, float, float, float, int]
    seconds: float
    analytics: OperatorAnalytics
    course: tuple[float, ...]

    @property
    def score(self) -> float:
        return self.parts[3]

    @property
    def groups(self) -> int:
        return self.parts[4]


class ByHand(NamedTuple):
    """The groupings of Appendix A for a file and k."""

    file: str
    k: int


class HandScores(NamedTuple):
    """Their scores as the text has it, on the scale of the numbers, and so with Algorithm 1 to the letter."""

    text: dict[str, float]
    scaled: dict[str, float]
    to_the_letter: dict[str, float]


Job = Search | ByHand
Answer = Solved | HandScores


def answered(shared: tuple[Setting, Mapping[str, Table]], job: Job) -> Answer:
    """A function by name, so that worker processes can call it."""
    setting, tables = shared
    table = tables[job.file]
    if isinstance(job, ByHand):
        problems = (
            AttributeGrouping(table, k=job.k),
            AttributeGrouping(table, k=job.k, scaling="range"),
            PrintedGrouping(table, k=job.k, scaling="range"),
        )
        return HandScores(*(scores_by_hand(problem, job.file) for problem in problems))
    problem = AttributeGrouping(table, k=job.k, scaling=setting.scaling if job.how == OURS else "range")
    seed = setting.seed if job.run == 0 else another(setting.seed, "grouping", job.run)
    began = time.process_time()
    effort = Effort(stop=Stop(generations=setting.generations), seed=seed)
    found = search_groupings(problem, setting.optimizer(job), effort)
    return Solved(
        parts=(*problem.parts(found.best), found.run.score, count(found.best)),
        seconds=time.process_time() - began,
        analytics=found.analytics,
        course=tuple(step.best for step in found.run.history),
    )


def scores_by_hand(problem: AttributeGrouping, file: str) -> dict[str, float]:
    size = len(problem.names)
    return {
        name: problem.score(problem.judge(grouping_of(groups, size)).costs)
        for name, groups in groups_by_hand(file, size).items()
    }


def mean_analytics(runs: Sequence[OperatorAnalytics]) -> OperatorAnalytics:
    """The means of what operators did in several runs, as the source draws them; counts are summed."""
    steps = sorted(
        (step for run in runs for step in run.steps),
        key=lambda step: (step.generation, OPERATORS.index(step.operator)),
    )
    generations = sorted((step for run in runs for step in run.generations), key=lambda s: s.generation)
    return OperatorAnalytics(
        steps=tuple(
            _mean_step(list(same)) for _, same in groupby(steps, lambda s: (s.generation, s.operator))
        ),
        generations=tuple(
            _mean_generation(list(same)) for _, same in groupby(generations, lambda s: s.generation)
        ),
        children=sum(run.children for run in runs),
        judged=sum(run.judged for run in runs),
    )


def joined(alone: Mapping[str, OperatorAnalytics], combined: OperatorAnalytics) -> OperatorAnalytics:
    """What each operator did alone, in one picture; the population is that of all together."""
    steps = tuple(step for one in alone.values() for step in one.steps)
    return OperatorAnalytics(
        steps=steps,
        generations=combined.generations,
        children=sum(one.children for one in alone.values()),
        judged=sum(one.judged for one in alone.values()),
    )


def comparison(found: Mapping[Search, Solved]) -> OperatorComparison:
    """Figures 4.9 and 4.10, of the searches for one file and k: means of the runs."""
    names = dict.fromkeys(search.operator for search in found)
    courses = {name: [s.course for search, s in found.items() if search.operator == name] for name in names}
    return OperatorComparison(best={name: mean_course(runs) for name, runs in courses.items()})


def _mean_step(steps: Sequence[OperatorStep]) -> OperatorStep:
    if len(steps) == 1:
        return steps[0]
    means = ("unused", "lifetime", "mean_gain", "mean_loss")
    sums = ("children", "clones", "survived", "improved", "worsened")
    return OperatorStep(
        generation=steps[0].generation,
        operator=steps[0].operator,
        best_gain=max(step.best_gain for step in steps),
        worst_loss=max(step.worst_loss for step in steps),
        **{name: sum(getattr(step, name) for step in steps) / len(steps) for name in means},
        **{name: sum(getattr(step, name) for step in steps) for name in sums},
    )


def _mean_generation(steps: Sequence[GenerationStep]) -> GenerationStep:
    best = min(steps, key=lambda step: step.best)
    return GenerationStep(
        generation=steps[0].generation,
        best=sum(step.best for step in steps) / len(steps),
        mean_groups=sum(step.mean_groups for step in steps) / len(steps),
        best_groups=best.best_groups,
    )
