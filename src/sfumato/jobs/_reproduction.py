"""Reproductions: a published study is run again, and our numbers are held against its own, line by line."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from sfumato import datasets
from sfumato.core import Cancelled, FileError, Method, Result, UnknownNameError, param, progress
from sfumato.jobs._bars import Bar
from sfumato.jobs._contents import Content, Picture, Record
from sfumato.jobs._job import Listing, Outcome
from sfumato.parallel import Workers, available_cores
from sfumato.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOLDS, FAILS = "holds", "fails"
BAR_FAILS = 1  # what a command leaves with

Drawing = Result | Callable[[], "Figure"]
"""Something to draw: a result with a plot, or a function that makes the figure."""


class Line(Result):
    """One number of the source beside ours. Without a bar it informs and has no verdict.

    >>> line = Line.of("Census, best score", ours=19.5, published=20.1, bar="<= published")
    >>> line.verdict
    'holds'
    >>> Line.of("records", ours=1080).verdict
    ''
    """

    what: str
    published: float | None
    ours: float
    bar: Bar | None

    def __post_init__(self) -> None:
        self.verdict  # noqa: B018 -- refuses a bar that asks for a published value where there is none

    @classmethod
    def of(cls, what: str, *, ours: float, published: float | None = None, bar: str | Bar = "") -> Self:
        """A line whose bar may be given as it is printed; an empty one is none."""
        known = None if published is None else float(published)
        read = Bar.parse(bar) if isinstance(bar, str) and bar else bar or None
        return cls(what=what, published=known, ours=float(ours), bar=read)

    @property
    def verdict(self) -> str:
        """ "holds", "fails", or nothing."""
        if self.bar is None:
            return ""
        return HOLDS if self.bar.holds(self.ours, self.published) else FAILS

    def to_dict(self) -> dict[str, Any]:
        bar = "" if self.bar is None else str(self.bar)
        return {**super().to_dict(), "bar": bar, "verdict": self.verdict}


class Reproduced(Outcome):
    """A published study as it came out here."""

    name: str
    source: str
    spec: dict[str, Any]
    seed: int
    lines: tuple[Line, ...]
    drawings: dict[str, Drawing] = field(repr=False)
    seconds: float

    @property
    def barred(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.verdict)

    @property
    def holds(self) -> bool:
        return all(line.verdict == HOLDS for line in self.barred)

    @property
    def summary(self) -> str:
        """All in one sentence, such as "7 of 8 bars hold; 3 lines for information; 41 s."."""
        held = sum(line.verdict == HOLDS for line in self.barred)
        bars, others = len(self.barred), len(self.lines) - len(self.barred)
        parts = [f"{held} of {bars} {'bar' if bars == 1 else 'bars'} {'holds' if bars == 1 else 'hold'}"]
        if others:
            parts.append(f"{others} {'line' if others == 1 else 'lines'} for information")
        return "; ".join([*parts, f"{self.seconds:.0f} s."])

    def figure(self, name: str) -> "Figure":
        if name not in self.drawings:
            raise UnknownNameError(f"drawing of {self.name}", name, self.drawings)
        figure: Figure = Picture(self.drawings[name]).figure()
        return figure

    @property
    def status(self) -> int:
        return 0 if self.holds else BAR_FAILS

    def contents(self) -> Mapping[Path, Content]:
        """The table as CSV and JSON, and every drawing as SVG and PNG, in the folder that was named."""
        folder = getattr(self.job, "output", None)
        if folder is None:
            return {}
        found: dict[Path, Content] = {
            folder / f"{self.name}.csv": self.to_frame(),
            folder / f"{self.name}.json": Record(self),
        }
        for name, drawing in self.drawings.items():
            for end in (".svg", ".png"):
                found[folder / f"{self.name}-{name}{end}"] = Picture(drawing)
        return found

    def told(self) -> Iterator[str | Listing]:
        headings = ("", ">Published", ">Ours", "Bar", "Verdict")
        rows = [
            (line.what, _number(line.published), _number(line.ours), str(line.bar or ""), line.verdict)
            for line in self.lines
        ]
        yield Listing(f"{self.name}: {self.source}", headings, rows)
        written = ", ".join(map(str, self.contents()))
        if written:
            yield f"\nWrote {written}"
        yield f"\n{self.summary}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "sfumato": __version__,
            **super().to_dict(),
            "drawings": list(self.drawings),
            "holds": self.holds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [line.to_dict() for line in self.lines]


class Findings(NamedTuple):
    """What a study found: the rows of its table, and what to draw, by name."""

    lines: tuple[Line, ...]
    drawings: dict[str, Drawing]


class Reproduction(Method, ABC):
    """A published study. A subclass cites it and writes `study`; the parameters say how much work is done.

    `source` is the citation and `data` names the data sets of `sfumato.datasets` that the study reads.
    `quick` holds the parameters of a run that takes a few seconds; its verdicts need not hold.
    """

    registered_in: ClassVar[str] = "reproductions"
    noun: ClassVar[str] = "a study that can be run again, such as evolution"
    source: ClassVar[str]
    data: ClassVar[tuple[str, ...]] = ()
    quick: ClassVar[Mapping[str, Any]] = {}

    seed: int = param(default=0, help="fixes every random choice")
    workers: int | None = param(
        default=None, low=1, help="processes to use, all cores by default; the result does not depend on it"
    )

    @abstractmethod
    def study(self, workers: int) -> Findings:
        """Do the work, on so many processes."""

    def run(self, job: Any = None) -> Reproduced:
        absent = self._absent()
        if absent:
            raise FileError(
                f"{self.name} reads classic files ({', '.join(absent)}) that are not part of the package: "
                "set the environment variable SFUMATO_DATA to the folder that holds them."
            )
        start = time.perf_counter()
        lines, drawings = self.study(self.workers or available_cores())
        return Reproduced(
            job=job,
            name=self.name,
            source=self.source,
            spec=self.spec(),
            seed=self.seed,
            lines=tuple(lines),
            drawings=dict(drawings),
            seconds=time.perf_counter() - start,
        )

    @classmethod
    def quickly(cls, **given: Any) -> "Reproduction":
        return cls.from_parameters({**cls.quick, **given})

    @classmethod
    def runnable(cls) -> bool:
        """Whether all files that the study reads are here."""
        return not cls._absent()

    @classmethod
    def _absent(cls) -> list[str]:
        return [name for name in cls.data if not datasets.available(name)]


Shared = TypeVar("Shared")
Task = TypeVar("Task")
Found = TypeVar("Found")


def all_found(
    crew: Workers[Shared], function: Callable[[Shared, Task], Found], tasks: Sequence[Task], *, label: str
) -> list[Found]:
    """What a crew finds for each of some tasks, in their order."""
    found: dict[int, Found] = {}
    with progress.task(label, len(tasks)) as work:
        for position, outcome in crew.run(function, tasks):
            found[position] = outcome
            work.advance()
    return [found[position] for position in range(len(tasks))]


def found_until_stopped(
    crew: Workers[Shared],
    function: Callable[[Shared, Task], Found],
    tasks: Sequence[Task],
    *,
    label: str,
    even_none: bool = False,
) -> dict[Task, Found]:
    """The same by task; those that were done, where the user stops it after the first.

    Before the first it ends the study, unless there is something to show without any (`even_none`).
    """
    found: dict[Task, Found] = {}
    try:
        with progress.task(label, len(tasks)) as work:
            for position, outcome in crew.run(function, tasks):
                found[tasks[position]] = outcome
                work.advance()
    except (KeyboardInterrupt, Cancelled):
        if not found and not even_none:
            raise
        progress.honour()
        progress.note(f"stopped after {len(found)} of {len(tasks)} parts; lines of the others are left out.")
    return {task: found[task] for task in tasks if task in found}


def _number(value: float | None) -> str:
    """Two decimals, more for small numbers, none for large counts.

    >>> _number(19.456), _number(1080.0), _number(0.0123), _number(None)
    ('19.46', '1080', '0.0123', '')
    """
    if value is None:
        return ""
    if abs(value) >= 1000 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.3g}" if 0 < abs(value) < 0.1 else f"{value:.2f}"
