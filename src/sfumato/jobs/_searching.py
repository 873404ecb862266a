"""What jobs share that search: when to stop, where the search is kept, by which optimiser, what came of it."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import Parameter, ParameterError, Seed, param, parameters, registry
from sfumato.core.quantities import Duration
from sfumato.jobs._job import Job, Outcome
from sfumato.jobs._paths import check_is_folder
from sfumato.jobs._reading import Working
from sfumato.jobs._work import Work
from sfumato.search.contracts import Optimizer, Problem
from sfumato.search.effort import Effort
from sfumato.search.histories import thinned
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop
from sfumato.search.stop_rules import StopRule

GENERATIONS = r"\s*([1-9]\d*)\s*g\s*"  # as people write them beside seconds: 300g


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long to search: a duration, or a number of generations.

    >>> Budget.convert("300g"), str(Budget.convert("5m"))
    (Budget(seconds=None, generations=300), '300s')
    """

    seconds: float | None = None
    generations: int | None = None

    noun: ClassVar[str] = "a duration such as 60s or 5m, or generations such as 300g"
    word: ClassVar[str] = "TIME"

    @classmethod
    def convert(cls, value: Any) -> Self:
        if isinstance(value, cls):
            return value
        if isinstance(value, Stop) and len(value.rules) == 1:
            return cls(**{rule.name: rule.limit for rule in value.rules})
        counted = re.fullmatch(GENERATIONS, value.lower()) if isinstance(value, str) else None
        return cls(generations=int(counted[1])) if counted else cls(seconds=Duration.convert(value))

    def __str__(self) -> str:
        return f"{self.generations}g" if self.generations is not None else str(Duration(self.seconds or 0))

    @property
    def rule(self) -> dict[str, float]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class StopRules:
    """The rules that were given, by name; each is an option of every job that searches.

    >>> StopRules.convert({"generations": 5, "target": None})
    StopRules(given={'generations': 5})
    """

    given: Mapping[str, Any] = field(default_factory=dict)

    noun: ClassVar[str] = "rules such as generations = 100"

    @classmethod
    def convert(cls, value: Any) -> Self:
        if isinstance(value, cls):
            return value
        return cls({name: limit for name, limit in dict(value).items() if limit is not None})

    @classmethod
    def further(cls, job: Any, parameter: Parameter, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """One option a rule; where a job has a usual end, its help says so."""
        return {rule.key: _with_usual(rule, job.usual.get(rule.name)) for rule in rule_options()}

    @classmethod
    def folded(cls, job: Any, parameter: Parameter, settings: Mapping[str, Any]) -> Self | None:
        """The rules among some settings; `for = "300g"` counts generations."""
        given: dict[str, Any] = {}
        for rule in rule_options():
            value = settings.get(rule.key)
            if value is not None:
                found = (rule.read if isinstance(value, str) else rule.checked)(job.name, value)
                given |= found.rule if isinstance(found, Budget) else {rule.name: found}
        return cls(given) if given else None

    @classmethod
    def unfolded(cls, parameter: Parameter, value: Self) -> dict[str, Any]:
        return {
            rule.key: rule.plain(value.given[rule.name])
            for rule in rule_options()
            if rule.name in value.given
        }

    def stop(self, usual: Mapping[str, Any]) -> Stop:
        """When to stop: as usual where no rule is sure to end a search; where nothing is usual, when all is done."""
        return Stop.given(self.given, usual=usual) if usual else Stop.when_done(**self.given)


def rule_options() -> list[Parameter]:
    """The stop rules that there are, each as an option; a time may also be told in generations."""
    found = []
    for name in registry.names("stop_rules"):
        rule: type[StopRule] = registry.load("stop_rules", name)
        limit = parameters(rule)["limit"]
        kind = Budget if limit.type is Duration else limit.type
        key, word = rule.option.removeprefix("--"), rule.metavar
        found.append(replace(limit, name=name, type=kind, option=key, word=word, default=None, optional=True))
    return found


class Searching(Working):
    """A job that searches: every one takes all stop rules, a run folder, processes or a cluster.

    `usual` is when it stops where nothing is said. A search that was stopped goes on in the same run folder.
    """

    usual: ClassVar[Mapping[str, Any]] = {"seconds": 60.0}

    stop: StopRules = param(default=StopRules(), help="when to stop", spread=True)
    run_folder: Path | None = param(
        default=None,
        option="run",
        word="FOLDER",
        help="keep the run here, generation by generation; go on if it is there",
        where=True,
        writes=True,
    )

    @property
    def randomness(self) -> Seed:
        """What all that it draws hangs on; whoever searches says what that is."""
        raise NotImplementedError

    @property
    def stop_rule(self) -> Stop:
        return self.stop.stop(self.usual)

    def check_files(self) -> None:
        super().check_files()
        check_is_folder(self.run_folder, "--run")

    def ended_after(self, generations: int) -> Self:
        """The same search, ended after so many generations: it gives the same again on any machine."""
        if not generations:  # its start was good enough, and will be again
            return self
        return self.with_(stop=StopRules({"generations": generations}))

    def effort(self, work: Work) -> Effort:
        return work.effort(self.stop_rule, self.randomness, work.run_folder)


class Searched(Outcome):
    """What a search came to. As many generations with the same seed give the same again."""

    run: Run = field(repr=False)

    @property
    def generations(self) -> int:
        return self.run.history[-1].generation

    def repeated(self) -> Job | None:
        return self.job.ended_after(self.generations) if isinstance(self.job, Searching) else self.job

    def steps(self) -> list[dict[str, Any]]:
        """The generations in numbers, no more of them than a record should hold."""
        return [step.to_dict() for step in thinned(self.run.history)]


class Optimized(Searching):
    """A search with an optimiser of its own, or with one that is given together with its parameters.

    `problem` is what is searched for; an optimiser takes the place of the settings `replaced`.
    """

    problem: ClassVar[type[Problem[Any, Any]]]
    replaced: ClassVar[tuple[str, ...]] = ()

    optimizer: Optimizer[Any, Any] | None = param(
        default=None,
        word="NAME(…)",
        help="search with this optimiser and its parameters, in place of what is usual",
    )

    @property
    def sought(self) -> type[Problem[Any, Any]]:
        """The problem, where it hangs on what was asked."""
        return self.problem

    def check(self) -> None:
        super().check()
        if self.optimizer is None:
            return
        if not _fits(type(self.optimizer), self.sought):
            known = [
                n for n in registry.names("optimizers") if _fits(registry.load("optimizers", n), self.sought)
            ]
            raise ParameterError(
                f"{self.name}: optimizer must be one of {', '.join(known)}. Got {self.optimizer.name!r}."
            )
        given = [name for name in self.replaced if name in self.non_defaults()]
        if given:
            raise ParameterError(
                f"{self.name}: optimizer takes the place of {', '.join(given)}: give one or the other."
            )


def _fits(optimizer: type[Optimizer[Any, Any]], problem: type[Problem[Any, Any]]) -> bool:
    """Whether an optimiser searches for solutions of a problem, as its `search` declares."""
    taken = inspect.get_annotations(optimizer.search).get("problem")
    return not isinstance(taken, type) or issubclass(problem, taken)


def _with_usual(rule: Parameter, value: Any) -> Parameter:
    if value is None:
        return rule
    return replace(rule, usual=str(Duration(value)) if rule.type is Budget else str(value))
