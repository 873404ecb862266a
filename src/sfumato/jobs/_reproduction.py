"""What every reproduction does: run a published study again, and hold our numbers against its own."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from sfumato import datasets
from sfumato.core import FileError, Method, param
from sfumato.jobs._reproduced import Drawing, Line, Reproduced
from sfumato.parallel import available_cores


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
        self._check_data()
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

    def _check_data(self) -> None:
        absent = self._absent()
        if absent:
            raise FileError(
                f"{self.name} reads classic files ({', '.join(absent)}) that are not part of the package: "
                "set the environment variable SFUMATO_DATA to the folder that holds them."
            )
