"""Attacking a release: what an intruder who knows the original values would find out."""

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.attacks import Attack, AttackResult
from sfumato.core import DataError, ParameterError, Result, progress, registry, stream
from sfumato.data import Table


class Attacks(Result):
    """What each attack found, in alphabetical order unless a list was given."""

    drawn_by: ClassVar[str] = "attack_rates"

    results: dict[str, AttackResult]

    @property
    def worst(self) -> AttackResult:
        """The attack that succeeds most often."""
        return max(self.results.values(), key=lambda result: result.attack.value)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"attack": name, **row} for name, found in self.results.items() for row in found._rows()]


def attack(
    original: Table, released: Table, attacks: Sequence[Attack | str] | None = None, *, seed: int = 0
) -> Attacks:
    """Attack a release with each attack of a list, or with every one that can use one of the key attributes.

    An attack is a method or its name. Two of the same kind are told apart by their parameters.
    """
    chosen = fitting_attacks(original, released) if attacks is None else _made(attacks)
    if not chosen:
        raise DataError(
            "attack: no attack can use a key attribute of the release; say which columns are keys."
        )
    results = {}
    with progress.task("Attacking", len(chosen)) as work:
        for one in chosen:
            # keyed by the spec, so that an attack finds the same alone and among others
            results[_label(one, chosen)] = one.run(
                released, original, stream(seed, "attack", str(one.spec()))
            )
            work.advance()
    return Attacks(results=results)


def fitting_attacks(original: Table, released: Table) -> list[Attack]:
    """Every registered attack that can use a key attribute and needs nothing that must be given."""
    scales = {original.schema[name].scale for name in original.schema.with_role("key") if name in released}
    fitting = []
    for name in registry.names("attacks"):
        try:
            one: Attack = registry.make("attacks", name)
        except ParameterError:  # has a parameter without a default
            continue
        if scales & set(one.scales):
            fitting.append(one)
    return fitting


def _made(attacks: Sequence[Attack | str]) -> list[Attack]:
    return [registry.make("attacks", one) for one in attacks]


def _label(one: Attack, chosen: Sequence[Attack]) -> str:
    return one.name if sum(other.name == one.name for other in chosen) == 1 else str(one)
