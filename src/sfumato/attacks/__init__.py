"""Attacks: what an intruder can learn from a release. One file each, found by their name."""

from typing import Any

from sfumato.attacks._contract import Attack, AttackResult, Rate, rate_of, wilson
from sfumato.core import registry

__all__ = ["Attack", "AttackResult", "Rate", "rate_of", "wilson"]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("attacks", name)


def __dir__() -> list[str]:
    return registry.listed_classes("attacks", globals())
