"""Judging a masked file against its original, with every measure that fits."""

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.core import Result, progress
from sfumato.data import Table
from sfumato.measures import Measure, Score
from sfumato.measures._choice import fitting_measures


class Evaluation(Result):
    """The scores of a masked file, losses first."""

    drawn_by: ClassVar[str] = "scores"

    scores: dict[str, Score]
    senses: dict[str, str]

    @property
    def loss(self) -> float:
        """Information loss in percent."""
        return self.scores["information_loss"].value

    @property
    def risk(self) -> float:
        """Disclosure risk in percent."""
        return self.scores["disclosure_risk"].value

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"measure": name, "sense": self.senses[name], "part": row["part"], "value": row["value"]}
            for name, score in self.scores.items()
            for row in score._rows()
        ]


def evaluate(original: Table, masked: Table, *, measures: Sequence[Measure] = ()) -> Evaluation:
    """Score a masked table; without a list, by every measure that can judge one of the key attributes."""
    chosen = list(measures) or quick_measures(original)
    scores = {}
    with progress.task("Measuring", len(chosen)) as work:
        for measure in chosen:
            scores[measure.name] = measure.bind(original).score(masked)
            work.advance()
    return Evaluation(scores=scores, senses={measure.name: measure.sense for measure in chosen})


def quick_measures(table: Table) -> list[Measure]:
    """The fitting measures whose work is bearable for a table of this size; a note names the others."""
    fitting = fitting_measures(table)
    left_out = [measure.name for measure in fitting if table.n > measure.quick]
    if left_out:
        progress.note(
            f"{table.n} records: {', '.join(left_out)} would take long, and must be asked for by name."
        )
    return [measure for measure in fitting if measure.name not in left_out]
