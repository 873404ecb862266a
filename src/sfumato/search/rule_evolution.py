"""Evolving a set of rules: several runs, and every good rule that any of them met."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.groups.fuzzy_model import Rule, without_special_cases
from sfumato.groups.rule_quality import Quality
from sfumato.parallel.workers import Workers
from sfumato.search.contracts import Generation
from sfumato.search.loop import run
from sfumato.search.optimizers.michigan import Michigan
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.stop import Stop

Found = dict[Rule, Quality]


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
        """Whether a rule of this quality is good enough."""
        return (
            quality.discriminative_factor > 0
            and quality.relative_confidence > self.confidence
            and quality.support > self.support
            and quality.of_vital >= self.records * quality.unit
        )


def evolve_rules(
    problem: FuzzyRules,
    optimizer: Michigan | None = None,
    *,
    threshold: Threshold | None = None,
    runs: int = 10,
    generations: int = 200,
    seed: int = 0,
    workers: int = 1,
    folder: Path | None = None,
    whole: bool = False,
) -> Found:
    """All rules that pass the threshold in any generation of any run, without special cases of one another.

    The runs are independent and go to so many worker processes; the rules do not depend on their number. An
    interrupt keeps the rules found so far, or is passed on where only the `whole` is of use. With a `folder`
    each run is kept in a folder of its own there, and goes on if it is already there.
    """
    if runs < 1:
        raise ParameterError(f"rules: runs must be an integer of at least 1. Got {runs!r}.")
    one_run = partial(
        _rules_of_run,
        optimizer=optimizer or Michigan(),
        threshold=threshold or Threshold(),
        stop=Stop(generations=generations),
        seed=seed,
        folder=folder,
    )
    found: Found = {}
    with Workers(problem, min(workers, runs)) as crew, progress.task("Evolving rules", runs) as bar:
        try:
            for _, (rules, stopped) in crew.run(one_run, range(runs)):
                found |= rules
                if stopped and whole:
                    raise Cancelled("Stopped while rules were evolved; nothing was written.")
                if stopped:
                    break
                bar.advance(status=f"{len(found)} good rules")
        except (KeyboardInterrupt, Cancelled):
            if whole or not found:
                raise
            progress.honour()
    return {rule: found[rule] for rule in without_special_cases(list(found))}


SPACING = 1_000_003  # between the seeds of the runs, so that those of neighbouring seeds do not meet


def _rules_of_run(
    problem: FuzzyRules,
    number: int,
    *,
    optimizer: Michigan,
    threshold: Threshold,
    stop: Stop,
    seed: int,
    folder: Path | None,
) -> tuple[Found, bool]:
    """The good rules of one run, and whether the user stopped it; by name, so that worker processes can call it."""
    met: list[Rule] = []  # also those whose outcomes come from a journal, which `problem.seen` does not hold

    def watch(asked: Generation[Rule, Rule], *_: object) -> None:
        met.extend(trial.candidate for trial in asked.trials)

    with Workers(problem, 1) as crew:
        result = run(
            problem,
            optimizer,
            seed=seed + number * SPACING,
            stop=stop,
            crew=crew,
            folder=None if folder is None else folder / f"rules-{number}",
            label="Evolving rules",
            watch=watch,
        )
    good = {rule: quality for rule in met if threshold.passes(quality := problem.quality(rule))}
    return good, result.ended.startswith("the user")
