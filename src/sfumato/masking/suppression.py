"""Suppression: chosen cells become missing, those of the records that a condition is true of."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, UnknownNameError, param
from sfumato.data import Schema, Table, edit_rule
from sfumato.data.edit_rules import Never
from sfumato.masking._contract import Agreement
from sfumato.masking._households import Homes
from sfumato.masking._missing_values import blank
from sfumato.masking._parts import InParts, Whole

EXAMPLE = "age > 90 and town = Soria"


class Suppression(InParts):
    """The masked columns become empty in every record of which all conditions are true.

    `where` is written as the rules of a schema are: `age > 90 and town = Soria`, `job in (judge, mayor)`,
    `income is not missing`; categories by themselves or by their labels, names and categories that hold a word or sign of
    the grammar in quotation marks. It is true of the file as the steps before left it. Of a missing value nothing is true
    but that it is missing. Conditions of which one is enough are steps one after the other.

    Missing values stay missing; in the records that are chosen, codes for missing values become empty cells like the
    others. What the members of a household share becomes empty for all of them, since one would tell of the other; from
    disk it does for the record alone. Nothing is drawn at random, and strata play no part. Empty cells alone do not make a record safe: look at the
    risk afterwards.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.4.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"town": ["a", "b", "a"], "age": [93, 95, 40]}))
    >>> masking = Suppression(where="age > 90 and town = a", attributes=("town",))
    >>> masking.plain()
    'suppression(where="age > 90 and town = a", attributes=[town])'
    >>> masking.apply(people, np.random.default_rng(1)).to_arrow()["town"].to_pylist()
    [None, 'b', 'a']
    """

    stratified = False
    only_coarsens = True
    parted_by = "records"
    for_users: ClassVar[Advice] = Advice(
        done="Values of some records that stood out were made missing.",
        effect="The values that are there are as collected; those removed are missing because they are "
        "rare, and so not at random.",
        remedy="Do not analyse complete records alone without thought: impute, or let the model use "
        "these variables for missingness, and expect small groups to be under-counted.",
    )

    where: str = param(help=f"conditions that are all true of the records, such as '{EXAMPLE}'", word="RULE")

    def check(self) -> None:
        try:
            self.rule  # noqa: B018 -- which is read here, so that what exists can be applied
        except DataError:
            raise ParameterError(
                f"{self.name}: where must be conditions such as {EXAMPLE!r}, with the word and between them. "
                f"Got {self.where!r}."
            ) from None

    @property
    def rule(self) -> Never:
        """The conditions as a rule that the records break which are chosen."""
        found = edit_rule(f"never {self.where}")
        assert isinstance(found, Never)
        return found

    @property
    def households(self) -> Agreement:
        return "alike"

    def beside(self, schema: Schema) -> tuple[str, ...]:
        self._check(schema)
        return tuple(dict.fromkeys([*super().beside(schema), *self.rule.columns]))

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        masked = super().mask(table, names, rng)
        homes = Homes.of(table, names)
        if homes is None:
            return masked
        chosen = np.bincount(homes.labels, self._chosen(table)) > 0  # households with a member who is
        return blank(masked, homes.shared, chosen[homes.labels])

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        self._check(part.schema)
        return blank(part, names, self._chosen(part))

    def _chosen(self, part: Table) -> np.ndarray:
        return self.rule.broken({name: part[name] for name in self.rule.columns}, part.schema)

    def _check(self, schema: Schema) -> None:
        try:
            self.rule.check(schema)
        except (DataError, UnknownNameError) as error:
            raise DataError(f"{self.name}: where: {error}") from None
