"""Evolving a set of rules: several runs, and every good rule that any of them met."""

import dataclasses
from dataclasses import dataclass
from functools import partial

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.core.streams import number as as_number
from sfumato.groups.fuzzy_model import Rule, without_special_cases
from sfumato.groups.rule_quality import Quality
from sfumato.search.contracts import Generation
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.michigan import Michigan
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.stop import Ending, Stop

Found = dict[Rule, Quality]

USUAL = Effort(stop=Stop(generations=200))


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """What a rule needs to become part of the model.

    Its relative confidence and support must exceed those of the source (Δ_RCF = 0.75, support 0.002). Beyond the
    source it must rest on `records` compatible records of the group: in a small file a support of 0.002 is
    less than one record, and rules that rest on one are found for any group.
    """

    confidence: float = 0.75
    support: float = 0.002
    records: float = 5.0

    def __post_init__(self) -> None:
        for name in ("confidence", "support", "records"):
            if getattr(self, name) < 0:
                raise ParameterError(f"rules: {name} must be at least 0. Got {getattr(self, name)!r}.")

    def passes(self, quality: Quality) -> bool:
        return (
            quality.discriminative_factor > 0
            and quality.relative_confidence > self.confidence
            and quality.support > self.support
            and quality.of_vital >= self.records * quality.unit
        )


def evolve_rules(
    problem: FuzzyRules,
    optimizer: Michigan | None = None,
    effort: Effort = USUAL,
    *,
    threshold: Threshold | None = None,
    runs: int,
    whole: bool = False,
) -> Found:
    """All rules that pass the threshold in any generation of any run, without special cases of one another.

    The runs are independent and shared out to the workers; the rules do not depend on their number. Each run
    obeys the stop rules by itself, with its share of the seconds. An interrupt keeps the rules found so far, or
    is passed on where only the `whole` is of use. Each run is kept in a folder of its own.
    """
    if runs < 1:
        raise ParameterError(f"rules: runs must be an integer of at least 1. Got {runs!r}.")
    rounds = -(-runs // effort.workers)
    one_run = partial(
        _rules_of_run,
        optimizer=optimizer or Michigan(),
        threshold=threshold or Threshold(),
        effort=dataclasses.replace(effort, stop=effort.stop.divided(rounds)),
    )
    found: Found = {}
    with effort.crew(problem, most=runs) as crew, progress.task("Evolving rules", runs) as bar:
        try:
            for _, (rules, ended) in crew.run(one_run, range(runs)):
                found |= rules
                if ended is Ending.BY_USER:
                    if whole:
                        raise Cancelled("Stopped while rules were evolved; nothing was written.")
                    break
                bar.advance(status=f"{len(found)} good rules")
        except (KeyboardInterrupt, Cancelled):
            if whole or not found:
                raise
            progress.honour()
    return {rule: found[rule] for rule in without_special_cases(list(found))}


SPACING = 1_000_003  # between the seeds of the runs, so that those of neighbouring seeds do not meet


def _rules_of_run(
    problem: FuzzyRules, number: int, *, optimizer: Michigan, threshold: Threshold, effort: Effort
) -> tuple[Found, Ending]:
    """The good rules of one run, and how it ended; by name, so that worker processes can call it."""
    met: list[Rule] = []  # also those whose outcomes come from a journal, which `problem.seen` does not hold

    def watch(asked: Generation[Rule, Rule], *_: object) -> None:
        met.extend(trial.candidate for trial in asked.trials)

    first = as_number(effort.seed, "rules")
    own = dataclasses.replace(effort.part(f"rules-{number}").alone(), seed=first + number * SPACING)
    result = run(problem, optimizer, own, label="Evolving rules", watch=watch)
    good = {rule: quality for rule in met if threshold.passes(quality := problem.quality(rule))}
    return good, result.ended
