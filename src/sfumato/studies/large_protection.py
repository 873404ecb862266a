"""What protecting a file larger than memory came to."""

from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.data.blocks import Blocks
from sfumato.studies.protection import Protection


class LargeProtection(Protection):
    """A release on disk, and the sample of the file that the candidates were tried on.

    `original` and `release` are that sample before and after; `blocks` is the whole release, and
    `evaluation` and `gates` are about it. `uniques` are the percents of records that are alone with their key
    values, before and after, and `counts` how often each category occurs in either.
    """

    drawn_by: ClassVar[str] = "large_risk_utility"

    blocks: Blocks = field(repr=False)
    names: tuple[str, ...]
    fingerprints: tuple[str, str]
    uniques: tuple[float, float]
    counts: dict[str, tuple[dict[str, int], dict[str, int]]] = field(repr=False)
    tries: tuple[str, ...]
    memory: int

    @property
    def loss(self) -> float:
        """Information loss of the whole release, in percent."""
        return self.evaluation.loss

    @property
    def risk(self) -> float:
        """Disclosure risk of the whole release, in percent."""
        return self.evaluation.risk

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable record; the candidates are those of the sample."""
        before, after = self.fingerprints
        whole = {
            "original": {"fingerprint": before, "records": self.blocks.n},
            "release": {"fingerprint": after, "records": self.blocks.n},
            "sample": {"records": self.original.n, "tried_on_the_whole_file": list(self.tries)},
            "block": max(self.blocks.counts, default=0),
        }
        return {**super().to_dict(), **whole}

    def write(self, target: Path) -> None:
        """Write the release as Parquet."""
        from sfumato.data.parquet_stream import stream_parquet

        stream_parquet(self.blocks, target, self.names)
