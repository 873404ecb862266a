"""What every attack does: an intruder with what is known tries to learn from what was released."""

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, Method, Result, param, stream
from sfumato.data import SCALES, Scale, Schema, Table
from sfumato.data.declarations import known_columns

Z_95 = 1.959963984540054  # the normal quantile of 97.5 %


class Rate(Result):
    """A share of successes in percent, with its 95 % confidence interval (Wilson)."""

    value: float
    low: float
    high: float


class AttackResult(Result):
    """How often an attack succeeds, beside what needs no release and what needs no link.

    `attack` is the success rate on the release. `baseline` is that of a guess that never looks at it, and
    `control` that of the same attack on a release in which each attribute was shuffled by itself: its
    distributions are the same, but no record is linked to anybody. An attack teaches something where its
    interval lies above both. `outcomes` holds the success of each record, from 0 to 1 (shared by ties).
    """

    drawn_by: ClassVar[str] = "attack_rates"

    name: str
    attack: Rate
    baseline: Rate
    control: Rate
    outcomes: np.ndarray = field(repr=False)

    def _rows(self) -> list[dict[str, Any]]:
        rates = {"attack": self.attack, "baseline": self.baseline, "control": self.control}
        return [{"rate": name, **rate.to_dict()} for name, rate in rates.items()]


class Attack(Method, ABC):
    """An attack on a release. A subclass writes `outcomes` and `guess`.

    The intruder knows the records of `known`, which are those of the release in the same order (the order
    serves only to tell who was right), and uses the attributes that both files have. An attack that is not
    `aligned` asks nothing of the order, nor of the number of records. `outside` are people of the same population
    whom the release never saw: what is learned about them as well was not disclosed by it.
    """

    registered_in: ClassVar[str] = "attacks"
    noun: ClassVar[str] = "an attack such as interval(percent=5)"
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    aligned: ClassVar[bool] = True
    needs_outside: ClassVar[bool] = False

    attributes: tuple[str, ...] = param(
        default=(), help="columns the intruder knows (default: the key attributes)"
    )
    scenario: str = param(default="", help="the intruder is that of this scenario of the schema")

    @abstractmethod
    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        """The success on each record, from 0 to 1; NaN for records the attack was not tried on."""

    def guess(self, known: Table, names: tuple[str, ...]) -> float:
        """The share of successes, from 0 to 1, of a guess without the release; one record of n if linking."""
        return 1 / known.n if known.n else 0.0

    def run(
        self, released: Table, known: Table, rng: np.random.Generator, *, outside: Table | None = None
    ) -> AttackResult:
        """Attack the release, and measure what the success is worth."""
        names = self.targets(released, known)
        seed = int(rng.integers(2**62))
        outcomes = self.outcomes(released, known, names, stream(seed, "attack"))
        parted = shuffled(released, names, stream(seed, "shuffle"))
        control = self.outcomes(parted, known, names, stream(seed, "control"))
        tried = int(np.count_nonzero(~np.isnan(outcomes)))
        return AttackResult(
            name=self.name,
            attack=rate_of(outcomes),
            baseline=wilson(self.guess(known, names) * tried, tried),
            control=rate_of(control),
            outcomes=outcomes,
        )

    def usual_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns used where none are named and the release has them: what the intruder knows."""
        return known_columns(schema, self.scenario)

    def targets(self, released: Table, known: Table) -> tuple[str, ...]:
        if self.aligned and released.n != known.n:
            raise DataError(
                f"{self.name}: the release must hold the known records in the same order. "
                f"Got {released.n} records where {known.n} are known."
            )
        names = self.attributes or tuple(
            name
            for name in self.usual_columns(known.schema)
            if name in released and known.schema[name].scale in self.scales
        )
        for position, name in enumerate(names):
            if name in names[:position]:
                raise DataError(f"{self.name}: column {name} is named twice.")
            if name not in released:
                raise DataError(f"{self.name}: the release has no column {name}.")
            if released.schema[name].is_numeric != known.schema[name].is_numeric:
                raise DataError(
                    f"{self.name}: column {name} is {known.schema[name].scale} in the known file and "
                    f"{released.schema[name].scale} in the release."
                )
            if known.schema[name].scale not in self.scales:
                scale = known.schema[name].scale
                raise DataError(
                    f"{self.name}: column {name} is {scale}; the attack takes {' and '.join(self.scales)}."
                )
        if not names:
            raise DataError(f"{self.name}: no key attribute is {' or '.join(self.scales)}; name the columns.")
        return names


def rate_of(outcomes: np.ndarray) -> Rate:
    tried = outcomes[~np.isnan(outcomes)]
    return wilson(float(tried.sum()), len(tried))


def wilson(successes: float, n: float) -> Rate:
    """The Wilson score interval of a share, in percent.

    >>> rate = wilson(5, 100)
    >>> rate.value, round(rate.low, 2), round(rate.high, 2)
    (5.0, 2.15, 11.18)
    """
    if n == 0:
        return Rate(value=0.0, low=0.0, high=100.0)
    share, z2 = successes / n, Z_95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)  # up to rounding
    return Rate(value=100 * share, low=float(100 * low), high=float(100 * high))


def shuffled(released: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
    """A release in which each attribute was shuffled by itself: no record is linked to anybody."""
    return released.replace({name: released[name][rng.permutation(released.n)] for name in names})
