"""Fayyoumi's microaggregation: k-Ward, OMMA, IAMAT and EMAD as printed, beside what they have become here."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from sfumato.core import Cancelled, ParameterError, param, progress
from sfumato.jobs import Findings, Line, Reproduction
from sfumato.parallel import Workers
from sfumato.reproductions import _microaggregation_choices as choices
from sfumato.reproductions import _microaggregation_rows as rows
from sfumato.reproductions._microaggregation_files import file_lines
from sfumato.reproductions._microaggregation_rows import Row
from sfumato.reproductions._microaggregation_trials import Found, Trial, tried

PARTS = ("files", "kward", "omma", "omma-simulated", "iamat", "iamat-simulated", "scores", "emad", "survey")


class Microaggregation(Reproduction):
    """The tables of chapters 3 to 6 on Tarragona, Census and simulated files, in parts that can be named.

    - `files`: Tables 3.1 and 3.2, what the files hold; `kward`: 3.3–3.10; `omma`: 4.2, 4.3; `omma-simulated`: 4.3, 4.5–4.7; `iamat`: 5.1; `iamat-simulated`: 5.1,
      5.3–5.5, up to so many `records`; `scores`: 4.4, 5.2; `emad`: 6.4–6.8, all choices of up to so many `variables`;
      `survey`: methods of which no losses are printed.

    Every line says whether the printed number is reproduced (within a percent, or its last digit), better, worse and
    why, or cannot be reproduced and why; a bar that is missed for a known cause is told there. The algorithms as printed are "OMMA-printed" and "IAMAT-printed"; `omma` and
    `iamat` are those of this program, which have to lose no more than was published. Times are not compared: what k-Ward
    spares is told in distances.

    Errors of the source that the study shows: rows of four and five variables in Tables 6.4 and 6.6 repeat losses
    of three, so that the advice to take three variables falls; SI of Census is (G_IL + 39)/2; what is printed for normal
    files are values of uniform ones; Table 3.9 contradicts Theorem 2; some RLD are higher than their definition
    allows. ID is met to the last digit where equal masked values are ranked in the order of the file.

    Ctrl-C keeps the lines of what was done.

    >>> Microaggregation.quickly().part
    ('kward', 'scores')
    """

    source: ClassVar[str] = "Fayyoumi, thesis, Tables 3.1–3.10, 4.2–4.7, 5.1–5.5 and 6.4–6.8"
    data: ClassVar[tuple[str, ...]] = ("tarragona", "census")
    quick: ClassVar[Mapping[str, Any]] = {"part": ("kward", "scores")}

    part: tuple[str, ...] = param(default=PARTS, choices=PARTS, help="the chapters")
    records: int = param(default=100_000, low=1000, help="largest simulated file of iamat-simulated")
    variables: int = param(default=5, low=1, high=5, help="largest choice of variables of Table 6.4")

    def check(self) -> None:
        if not self.part:
            raise ParameterError(f"{self.name}: part must not be empty.")

    def rows(self) -> list[Row]:
        """All rows of the parts asked for, with the seed of the study."""
        made: dict[str, Callable[[], Iterator[Row]]] = {
            "files": lambda: iter(()),
            "kward": rows.kward_rows,
            "omma": rows.omma_rows,
            "omma-simulated": rows.omma_simulated_rows,
            "iamat": rows.iamat_rows,
            "iamat-simulated": lambda: rows.iamat_simulated_rows(self.records),
            "scores": rows.score_rows,
            "emad": lambda: choices.emad_rows(self.variables),
            "survey": choices.survey_rows,
        }
        return [row for part in self.part for row in made[part]()]

    def study(self, workers: int) -> Findings:
        asked = self.rows()
        trials = list(dict.fromkeys(row.trial for row in asked))
        found = _all_tried(trials, self.seed, workers)
        lines = [row.line(found[row.trial]) for row in asked if row.trial in found]
        return Findings((*lines, *self._lines(found)), {})

    def _lines(self, found: dict[Trial, Found]) -> Iterator[Line]:
        if "files" in self.part:
            yield from file_lines()
        if "kward" in self.part:
            yield from rows.kward_lines(found)
        if "scores" in self.part:
            yield from rows.score_lines()
        if "emad" in self.part:
            yield from choices.emad_lines()
        if "survey" in self.part:
            yield from choices.survey_lines()


def _all_tried(trials: list[Trial], seed: int, workers: int) -> dict[Trial, Found]:
    """What was found of each trial; of those that were done, where the user stopped it."""
    found: dict[Trial, Found] = {}
    seeded = [trial._replace(seed=seed) for trial in trials]
    try:
        with Workers(None, workers) as crew, progress.task("Microaggregation", len(trials)) as bar:
            for at, one in crew.run(tried, seeded):
                found[trials[at]] = one
                bar.advance(status=f"{trials[at].file}, {trials[at].masking}")
    except (KeyboardInterrupt, Cancelled):
        if not found:
            raise
        progress.honour()
        progress.note(
            f"stopped after {len(found)} of {len(trials)} trials; lines of the others are left out."
        )
    return found
