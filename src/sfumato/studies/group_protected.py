"""A file whose group is hidden: the release, the swaps that made it, and what the attack sees in it."""

from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.data import Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.signals import Group
from sfumato.groups.swaps import SwapList
from sfumato.groups.wanted_signal import Target
from sfumato.search.histories import thinned
from sfumato.search.run_record import Run
from sfumato.studies.group_comparison import GroupComparison
from sfumato.version import __version__


class GroupProtection(Result):
    """The protected file, the swaps that made it, and what the same attack sees in it.

    `truth` compares what the attack cannot see, the vital records themselves, where a model attacks and the
    file tells who they are. `columns` are those in which swapped records traded values: the parameter, and what goes along with it.
    `valid` is the share of the last population that hides all named places, in percent.
    """

    drawn_by: ClassVar[str] = "group_protection"

    original: Table = field(repr=False)
    release: Table = field(repr=False)
    group: Group
    model: FuzzyModel | None = field(repr=False)
    comparison: GroupComparison
    truth: GroupComparison | None = field(repr=False)
    swaps: SwapList = field(repr=False)
    columns: tuple[str, ...]
    metric: InfluentialMetric
    distortions: tuple[float, ...] = field(repr=False)
    target: Target = field(repr=False)
    run: Run = field(repr=False)
    valid: float
    seed: int
    seconds: float

    @property
    def distortion(self) -> float:
        """The influential metric, added up over all swaps."""
        return sum(self.distortions)

    @property
    def generations(self) -> int:
        """How many generations were made: as many give the same file again."""
        return self.run.history[-1].generation

    def to_dict(self) -> dict[str, Any]:
        """The record for the owner: all that is needed to repeat and to audit it. Not to be published."""
        run = self.run.to_dict()
        history = [step.to_dict() for step in thinned(self.run.history)]
        return {
            "sfumato": __version__,
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "group": {"vital": self.group.vital, "parameter": self.group.parameter},
            "model": self.model and self.model.to_dict(),
            "comparison": self.comparison.to_dict(),
            "truth": self.truth and self.truth.to_dict(),
            "swaps": {
                "count": len(self.swaps),
                "columns": list(self.columns),
                "distortion": self.distortion,
                "metric": self.metric.spec(),
            },
            "valid_percent": self.valid,
            "optimizer": self.run.optimizer,
            "seed": self.seed,
            "generations": self.generations,
            "run": {key: value for key, value in run.items() if key not in ("start", "population", "best")}
            | {"history": history},
            "seconds": self.seconds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        listed = self.swaps.listed(self.comparison.before.places)
        return [{**swap, "distance": apart} for swap, apart in zip(listed, self.distortions, strict=True)]
