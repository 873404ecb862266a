"""Removal: whole columns are taken out of a file."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice
from sfumato.data import Table
from sfumato.masking._contract import Agreement
from sfumato.masking._missing_values import blank
from sfumato.masking._parts import InParts, Whole


class Removal(InParts):
    """Every value of a column becomes missing, and the column is left out of what is released.

    Until then the column stays in the table, empty, so that whatever comes after can be judged beside the original: an
    analyst has lost it, and an intruder learns nothing from it. Missing values, and the codes that stand for them, are
    empty cells like all others. Nothing is drawn at random, and strata play no part.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.4, removing variables.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"town": ["a", "b"], "age": [93, 40]}))
    >>> Removal(attributes=("town",)).apply(people, np.random.default_rng(1)).to_arrow()["town"].to_pylist()
    [None, None]
    """

    stratified = False
    only_coarsens = True
    parted_by = "records"
    for_users: ClassVar[Advice] = Advice(
        done="Some variables were taken out.",
        effect="What is in the file is as if they had never been collected; nothing can be said of them.",
        remedy="Ask the producer for tables, or for access to the full file in a safe place.",
    )

    @property
    def households(self) -> Agreement:
        return "alike"

    def leaves_out(self, table: Table) -> tuple[str, ...]:
        return self.targets(table)

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        return blank(part, names, np.ones(part.n, bool))
