"""Methods that can mask a part of a file, if they are told what the whole file is like."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.data import Schema, Table
from sfumato.masking._contract import Masking, naming
from sfumato.masking._record_positions import positions
from sfumato.masking._whole_file import Whole

Stratum = tuple[int, ...]  # the codes that the records of a stratum share; () where the file is not divided


class InParts(Masking):
    """A masking that is written against facts of the whole file, so that records can be masked part by part.

    `parted_by` says which records must be together: none in particular ("records"), those that are alike
    ("neighbours"), or those of neighbouring ranks in one attribute at a time ("ranks"). A subclass writes
    `mask_part`; a table in memory is one part, and the whole.
    """

    far_together: ClassVar[bool] = False  # whether records far from the average are a part of their own

    @abstractmethod
    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        """Mask some columns of a part that holds at least one record."""

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        return self.mask_part(table, names, rng, Whole.of(table))

    def apply_part(
        self, part: Table, names: tuple[str, ...], rng: np.random.Generator, wholes: Mapping[Stratum, Whole]
    ) -> Table:
        """Mask a part of a file, stratum by stratum where the method is stratified."""
        if part.n == 0:
            return part
        if not self.divides(part.schema):
            return self.mask_part(part, names, rng, wholes[()])
        columns = {name: part[name].copy() for name in names}
        for stratum, rows in part.strata():
            piece = part.take(rows)
            with naming(stratum):
                masked = self.mask_part(piece, names, rng, wholes[stratum_of(piece)])
            for name in names:
                columns[name][rows] = masked[name]
        return part.replace(columns)

    @property
    def needs_correlation(self) -> bool:
        """Whether it asks for the correlation of the columns it masks."""
        return False

    @property
    def needs_tails(self) -> float | None:
        """Of which percentage it asks for the tails of the columns it masks, if it does."""
        return None

    def reach(self, n: int) -> int:
        """How many ranks apart records of n can be that have to do with each other; for parts by ranks."""
        return 1

    def divides(self, schema: Schema) -> bool:
        """Whether each stratum is a file of its own to the method."""
        return self.stratified and bool(schema.with_role("stratum"))

    def beside(self, schema: Schema) -> tuple[str, ...]:
        """The columns it looks at beside those it masks."""
        return schema.with_role("stratum")

    def places(self, part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        """Where records stand, one column per attribute, when neighbours are to be brought together."""
        return positions(part, names, whole)


def stratum_of(part: Table) -> Stratum:
    """The stratum of the first record."""
    return tuple(int(part[name][0]) for name in part.schema.with_role("stratum"))
