"""An attack that is worth what it finds out about people in the file more than about people outside it."""

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.attacks._contract import Attack, AttackResult, rate_of, wilson
from sfumato.attacks.insiders.columns import check_outside, telling_columns
from sfumato.attacks.insiders.people import in_order
from sfumato.core import stream
from sfumato.data import Schema, Table
from sfumato.data.shared_terms import in_terms_of


class Comparison(NamedTuple):
    """The success on each known person, on the people it is compared with, and of a guess without the release."""

    inside: np.ndarray
    control: np.ndarray
    guess: float


class OutsideAttack(Attack):
    """A subclass writes `compared`. `control` is the success where nothing was disclosed: on people outside."""

    aligned: ClassVar[bool] = False
    needs_outside: ClassVar[bool] = True

    @abstractmethod
    def compared(self, released: Table, known: Table, outside: Table, names: tuple[str, ...]) -> Comparison:
        """Attack people in the file (NaN for those not tried) and people outside, both in the known file's terms."""

    def needed(self, known: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        """The columns that all files must have: those it uses, unless a subclass needs others as well."""
        return names

    def usual_columns(self, schema: Schema) -> tuple[str, ...]:
        return telling_columns(schema, self.scenario)

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        """Without people outside there is nothing to compare."""
        raise NotImplementedError

    def run(
        self, released: Table, known: Table, rng: np.random.Generator, *, outside: Table | None = None
    ) -> AttackResult:
        names = self.targets(released, known)
        needed = self.needed(known.schema, names)
        others = check_outside(self.name, known.schema, outside, needed)
        others = in_terms_of(known.schema, in_order(others, needed), needed, stream(0, self.name, "outside"))
        found = self.compared(released, known, others, names)
        tried = int(np.count_nonzero(~np.isnan(found.inside)))
        return AttackResult(
            name=self.name,
            attack=rate_of(found.inside),
            baseline=wilson(found.guess * tried, tried),
            control=rate_of(found.control),
            outcomes=found.inside,
        )
