"""A piece of masking to be done on a table in blocks."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.core import Seed, stream
from sfumato.data import Table
from sfumato.data.blocks import Blocks
from sfumato.masking import InParts

SAMPLE = 200_000  # records that are looked at before all others


@dataclass(frozen=True)
class MaskingTask:
    """What is masked, by which method, into which folder; and what its random numbers depend on."""

    original: Blocks
    masking: InParts
    names: tuple[str, ...]
    folder: Path
    key: tuple[Seed, str, int]  # seed, method and step of a chain

    @property
    def looked_at(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.names, *self.masking.beside(self.original.schema)]))

    def sample(self) -> tuple[np.ndarray, Table]:
        """Rows drawn at random, in the order of the file, and what the method sees of them."""
        n = self.original.n
        rows = np.arange(n)
        if n > SAMPLE:
            rows = np.sort(self.stream("sample").choice(n, SAMPLE, replace=False, shuffle=False))
        return rows, self.original.take(rows, self.looked_at)

    def stream(self, *purpose: str | int) -> np.random.Generator:
        seed, masking, step = self.key
        return stream(seed, "masking", masking, step, *purpose)
