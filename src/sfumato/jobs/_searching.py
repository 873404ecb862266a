"""What jobs share that search: when to stop, where the search is kept, who judges."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import FileError, Parameter, param
from sfumato.core.parameters import parameters
from sfumato.core.quantities import Duration
from sfumato.jobs._job import Job
from sfumato.jobs._reading import Working
from sfumato.search.stop import Stop

GENERATIONS = r"\s*([1-9]\d*)\s*g\s*"  # as people write them beside seconds: 300g


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How long to search: a duration, or a number of generations.

    >>> Effort.convert("300g"), str(Effort.convert("5m"))
    (Effort(seconds=None, generations=300), '300s')
    """

    seconds: float | None = None
    generations: int | None = None

    noun: ClassVar[str] = "a duration such as 60s or 5m, or generations such as 300g"
    word: ClassVar[str] = "TIME"

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a number of seconds, or rules of a stop."""
        if isinstance(value, cls):
            return value
        if isinstance(value, Stop):
            (rule,) = ((name, limit) for name, limit in vars(value).items() if limit is not None)
            return cls(**dict([rule]))  # others are settings of their own
        counted = re.fullmatch(GENERATIONS, value.lower()) if isinstance(value, str) else None
        return cls(generations=int(counted[1])) if counted else cls(seconds=Duration.convert(value))

    def __str__(self) -> str:
        return f"{self.generations}g" if self.generations is not None else str(Duration(self.seconds or 0))

    @property
    def rule(self) -> dict[str, float]:
        """That as the rule of a stop."""
        return {name: value for name, value in vars(self).items() if value is not None}


class _Rules(Job):
    """The rules by which a search can end."""

    seconds: Effort | None = param(
        default=None, option="for", help="stop after 60s, 5m, 1h, or 300g (generations)"
    )
    generations: int | None = param(default=None, low=1, word="N", help="stop after so many generations")
    target: float | None = param(default=None, word="SCORE", help="stop at this score")
    stagnation: int | None = param(
        default=None, low=1, word="N", help="stop when the best score did not fall for so many generations"
    )

    def run(self, *data: Any, work: Any) -> Any:
        """Nothing: only its parameters are of use."""


@dataclass(frozen=True)
class StopRules:
    """The rules that were given; each is an option of every job that searches."""

    given: Mapping[str, Any] = field(default_factory=dict)

    noun: ClassVar[str] = "rules such as generations = 100"

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From rules, or from a dictionary of them."""
        return (
            value if isinstance(value, cls) else cls({k: v for k, v in dict(value).items() if v is not None})
        )

    @classmethod
    def further(cls, job: Any, parameter: Parameter, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """One option a rule; where a job has a usual end, its help says so."""
        return {rule.key: _with_usual(rule, job.usual.get(rule.name)) for rule in parameters(_Rules).values()}

    @classmethod
    def folded(cls, job: Any, parameter: Parameter, settings: Mapping[str, Any]) -> Self | None:
        """The rules among some settings; `for = "300g"` counts generations."""
        given: dict[str, Any] = {}
        for rule in parameters(_Rules).values():
            value = settings.get(rule.key)
            if value is None:
                continue
            found = (rule.read if isinstance(value, str) else rule.checked)(job.name, value)
            given |= found.rule if isinstance(found, Effort) else {rule.name: found}
        return cls(given) if given else None

    @classmethod
    def unfolded(cls, parameter: Parameter, value: Self) -> dict[str, Any]:
        """The settings that make the rules again."""
        known = parameters(_Rules)
        return {known[name].key: known[name].plain(rule) for name, rule in value.given.items()}

    def stop(self, usual: Mapping[str, Any]) -> Stop:
        """When to stop; as usual where no rule ends a search for certain."""
        ends = {"generations", "seconds", "stagnation"} & set(self.given)
        return Stop(**{**({} if ends else usual), **self.given})


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
    seed: int = param(default=0, help="fixes every random choice")

    @property
    def stop_rule(self) -> Stop:
        """When the search ends."""
        return self.stop.stop(self.usual)

    def check_files(self) -> None:
        """Refuse a run folder that is a file."""
        super().check_files()
        if self.run_folder is not None and self.run_folder.exists() and not self.run_folder.is_dir():
            raise FileError(f"--run {self.run_folder} is a file: give the name of a folder.")

    def ended_after(self, generations: int) -> Self:
        """The same search, ended after so many generations: it gives the same again on any machine."""
        if not generations:  # its start was good enough, and will be again
            return self
        return self.with_(stop=StopRules({"generations": generations}))


def _with_usual(rule: Parameter, value: Any) -> Parameter:
    from dataclasses import replace

    return (
        rule
        if value is None
        else replace(rule, usual=str(Duration(value)) if rule.name == "seconds" else str(value))
    )
