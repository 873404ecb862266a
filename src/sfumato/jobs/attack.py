"""Attack a release as an intruder would, and say how often that works."""

from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.attacks import Attack as AttackMethod
from sfumato.attacks import AttackResult, Rate
from sfumato.core import DataError, ParameterError, param, progress, registry, stream
from sfumato.data import Source, Table
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._outsiders import BesideOthers
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import check_keys, second_schema
from sfumato.jobs._words import percent, told_apart
from sfumato.jobs._work import Work


class Attack(BesideOthers, Seeded):
    """Attack RELEASED, which must hold the records of ORIGINAL in the same order.

    The intruder knows the key attributes of ORIGINAL. Each attack is compared with a guess that does not look at
    RELEASED, and with the same attack after its columns were shuffled, or on people outside: what lies above both was
    disclosed. Attacks that need people outside are made where --outside names some.

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> found = sfumato.attack(people[["age"]], people[["age"]], ["distance_linkage"], seed=1)
    >>> found.to_frame()["rate"].tolist()
    ['attack', 'baseline', 'control']
    """

    data: ClassVar[tuple[str, ...]] = ("original", "released")
    positional: ClassVar[tuple[str, ...]] = ("attacks",)

    released: Path | None = param(default=None, help="the released file", argument=True, needed=True)
    released_schema: Path | None = second_schema("RELEASED")
    attacks: tuple[AttackMethod, ...] = param(
        default=(),
        option="attack",
        help="attacks to make, such as 'interval(percent=5)'",
        usual="all that fit",
    )

    def run(
        self, original: Source, released: Source, outside: Table | None = None, *, work: Work
    ) -> "Attacks":
        known, release = original.in_memory("an attack"), released.in_memory("an attack")
        check_keys(known.schema)
        return attacked(known, release, self.attacks, seed=self.seed, job=self, outside=outside)


class Attacks(Outcome):
    """What each attack found, in alphabetical order unless a list was given."""

    drawn_by: ClassVar[str] = "attack_rates"

    results: dict[str, AttackResult]
    records: int = field(default=0, repr=False)

    @property
    def worst(self) -> AttackResult:
        return max(self.results.values(), key=lambda result: result.attack.value)

    def told(self) -> Iterator[str | Listing]:
        if isinstance(self.job, Attack):
            who = f"somebody who knows {self.job.original or 'the original'}: {self.records} records"
            yield f"Attacks on {self.job.released or 'the release'} by {who}\n"
        rows = [
            (name, _shown(one.attack), _shown(one.control), _shown(one.baseline))
            for name, one in self.results.items()
        ]
        headings = ("Attack", ">Success", ">Control", ">Guess")
        yield Listing("Percent of records, with 95 % intervals (lower is better)", headings, rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"attack": name, **row} for name, found in self.results.items() for row in found._rows()]


def attacked(
    original: Table,
    released: Table,
    attacks: Sequence[AttackMethod] = (),
    *,
    seed: int = 0,
    job: Attack | None = None,
    outside: Table | None = None,
) -> Attacks:
    """Attack a release with each attack of a list, or with every one that can use one of the key attributes."""
    chosen = attacks or fitting_attacks(original, released, outside)
    if not chosen:
        raise DataError(
            "attack: no attack can use a key attribute of the release; say which columns are keys."
        )
    results = {}
    with progress.task("Attacking", len(chosen)) as work:
        for label, one in told_apart(chosen).items():
            # keyed by the spec, so that an attack finds the same alone and among others
            results[label] = one.run(
                released, original, stream(seed, "attack", str(one.spec())), outside=outside
            )
            work.advance()
    return Attacks(job=job, results=results, records=original.n)


def fitting_attacks(original: Table, released: Table, outside: Table | None = None) -> list[AttackMethod]:
    """Every registered attack that can use a key attribute and needs nothing that is not given."""
    scales = {original.schema[name].scale for name in original.schema.with_role("key") if name in released}
    fitting = []
    for name in registry.names("attacks"):
        try:
            one: AttackMethod = registry.make("attacks", name)
        except ParameterError:  # has a parameter without a default
            continue
        if scales & set(one.scales) and not (one.needs_outside and outside is None):
            fitting.append(one)
    return fitting


def _shown(rate: Rate) -> str:
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
