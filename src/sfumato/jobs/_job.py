"""What every job is: a frozen value with all that was asked, which the command line, a study file, a page, a record
and Python can make, show and repeat."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import Method, Parameter, Result, UnknownNameError, parameters
from sfumato.jobs._paths import check_target
from sfumato.jobs._shown import ARROW, as_html, as_text, in_library
from sfumato.jobs._work import Work
from sfumato.version import __version__


@dataclasses.dataclass(frozen=True)
class Listing:
    """A table of texts for people: a heading that begins with > is that of a column of numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Outcome(Result):
    """What a job came to. It holds its job, if it was made by one, and so says by itself how to repeat it.

    `library` is that of the data frames it was made of, which `to_frame` gives.
    """

    job: "Job | None" = field(default=None, repr=False)
    library: str = field(default=ARROW, repr=False)

    def told(self) -> Iterator[str | Listing]:
        """What came out, in a few lines for people."""
        rows = [{key: str(value) for key, value in row.items()} for row in self._rows()]
        yield Listing("", list(rows[0]) if rows else [], [list(row.values()) for row in rows])

    def to_frame(self) -> Any:
        """One row per thing counted, as a frame of the library that the data came in; else a pyarrow table."""
        return in_library(super().to_frame(), self.library)

    def __str__(self) -> str:
        return as_text(self.told())

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return as_html(self.told())

    def contents(self) -> Mapping[Any, Any]:
        """What is written, by paths or by the names of the job's targets: tables, texts, pictures, reports."""
        return {}

    def repeated(self) -> "Job | None":
        """The job that gives the same again."""
        return self.job

    @property
    def status(self) -> int:
        """What a command leaves with that did the job."""
        return 0

    def to_dict(self) -> dict[str, Any]:
        """What came out, and what was asked."""
        return {**self.heading(), **super().to_dict()}

    def heading(self) -> dict[str, Any]:
        """How a record begins: the version, and what was asked."""
        return {} if self.job is None else {"sfumato": __version__, "job": self.job.asked()}


class Job(Method, ABC):
    """Something people ask for. Its fields are all that was asked; `run` does it.

    `data` names the fields that are files, which may also be given as tables and frames. `read` makes tables of
    them, `run` is told these and the `Work`, which holds what changes nothing but the time it takes. `targets` are
    the files that are written, by the names that the outcome has for their contents.
    """

    registered_in: ClassVar[str] = "jobs"
    noun: ClassVar[str] = "a job"
    data: ClassVar[tuple[str, ...]] = ()
    positional: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls.name = " ".join(cls.__module__.split(".")[2:]) or cls.__module__

    @abstractmethod
    def run(self, *data: Any, **work: Any) -> Any:
        """Do it: a job names the data it takes, and takes the `Work` by its name, `work`."""

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        """What the job is done on: its files, or what was given in their place."""
        return ()

    def settled(self, work: Work) -> Self:
        """The job with all that had still to be chosen, and that a repetition needs to know."""
        return self

    @classmethod
    def returned(cls, outcome: Any, **data: Any) -> Any:
        """What a caller from Python gets, who gave these `data`; the outcome, unless something else is of more use."""
        return outcome

    def targets(self) -> dict[str, Path]:
        """The files that are written, by what they are; an option that takes certain suffixes names one."""
        known = parameters(type(self)).values()
        paths = {p.name: getattr(self, p.name) for p in known if p.writes and p.suffixes}
        return {name: path for name, path in paths.items() if path is not None}

    def inputs(self) -> list[Path]:
        known = parameters(type(self)).values()
        paths = [getattr(self, p.name) for p in known if p.type is Path and not p.writes]
        listed = [path if isinstance(path, tuple) else (path,) for path in paths]
        return [path for several in listed for path in several if path is not None]

    def check_files(self) -> None:
        """Refuse, before any work, targets that cannot be written or would replace what is read."""
        for name, target in self.targets().items():
            self.check_target(name, target)

    def check_target(self, name: str, target: Path) -> None:
        known = parameters(type(self)).get(name)
        check_target(target, self.inputs(), () if known is None else known.suffixes)

    def work(self) -> Work:
        names = {f.name for f in dataclasses.fields(Work) if f.init}
        work = Work(**{name: getattr(self, name) for name in names & set(parameters(type(self)))})
        work.near = next(iter([*self.targets().values(), *self.inputs()]), None)
        work.sweep(self.targets().values())
        return work

    def spec(self) -> dict[str, Any]:
        """The job as a small dictionary: its name and everything that is not the default."""
        return {"job": self.name, **self.settings()}

    def settings(self) -> dict[str, Any]:
        """Everything that is not the default, under the names of options, as study files hold it."""
        found: dict[str, Any] = {}
        for name, parameter in parameters(type(self)).items():
            value = getattr(self, name)
            if value != parameter.default and _spreads(parameter):
                found |= parameter.type.unfolded(parameter, value)
            elif value != parameter.default:
                found[parameter.key] = parameter.plain(value)
        return found

    def asked(self) -> dict[str, Any]:
        """The job for a record: without where it was done, and of paths only the names."""
        named = {p.key: p for p in parameters(type(self)).values()}
        shown = {}
        for key, value in self.settings().items():
            parameter = named.get(key)
            if parameter is None or not parameter.where:
                is_path = parameter is not None and parameter.is_path
                shown[key] = named_only(value) if is_path else value
        return {"job": self.name, **shown}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """The job that settings describe, each under the name of its option or of its field."""
        return cls.from_parameters(folded(cls, settings))

    @classmethod
    def options(cls, settings: Mapping[str, Any] | None = None) -> dict[str, Parameter]:
        """What the job can be told, by the names of options; some settings bring others with them."""
        found: dict[str, Parameter] = {}
        for parameter in parameters(cls).values():
            if _spreads(parameter):
                found |= parameter.type.further(cls, parameter, settings or {})
            else:
                found[parameter.key] = parameter
        return found

    @classmethod
    def place(cls, name: str) -> int:
        """Where an argument of the command stands: data first, in their order."""
        return cls.data.index(name) if name in cls.data else len(cls.data)

    def with_(self, **changed: Any) -> Self:
        return dataclasses.replace(self, **changed)


def folded(job: type[Job], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the fields of a job; where several of them make one field, they are put together."""
    known = job.options(settings)
    fields = {p.name: p for p in parameters(job).values()}
    by_name = {p.name: p for p in (*known.values(), *fields.values())}
    aside: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for key, value in settings.items():
        spelled = key.replace("_", "-")
        parameter = known.get(key) or known.get(spelled) or by_name.get(key.replace("-", "_"))
        if parameter is None:
            raise UnknownNameError(f"option of {job.name}", key, known)
        if parameter.name in fields and not (_spreads(parameter) and parameter.key in known):
            given[parameter.name] = _settled(job.name, parameter, value)
        else:
            aside[parameter.key] = value
    for parameter in fields.values():
        if _spreads(parameter):
            value = parameter.type.folded(job, parameter, aside)
            if value is not None:
                given[parameter.name] = value
    return given


def named_only(value: Any) -> Any:
    """The name of a path without its folder, or the names of several.

    >>> named_only("a/b.csv"), named_only(["a/b.csv", "c.csv"])
    ('b.csv', ['b.csv', 'c.csv'])
    """
    return [Path(one).name for one in value] if isinstance(value, list) else Path(value).name


def _settled(owner: str, parameter: Parameter, value: Any) -> Any:
    """A value from a file or from Python: texts are read where the parameter is no text."""
    if isinstance(value, str) and (parameter.repeated or parameter.type not in (str, int, float, bool)):
        return parameter.read(owner, value)
    return value


def _spreads(parameter: Parameter) -> bool:
    return hasattr(parameter.type, "further") and parameter.spread
