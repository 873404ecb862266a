"""The attributes of data sets, declared in few words."""

from collections.abc import Iterable
from typing import Any

from sfumato.data import Attribute, Role, Scale

UNUSED = "."
"""The category for "missing" that the source counts in every domain and that no record takes."""


def number(name: str, label: str = "", *, decimals: int = 0, role: Role = "key", **fields: Any) -> Attribute:
    """A number; one without decimals is stored as an integer."""
    return Attribute(
        name=name,
        scale="numeric",
        role=role,
        storage="real" if decimals else "integer",
        decimals=decimals,
        label=label,
        **fields,
    )


def integers(names: Iterable[str], role: Role = "key") -> list[Attribute]:
    """Attributes that are whole numbers without declared bounds."""
    return [number(name, role=role) for name in names]


def coded(
    name: str, label: str, labels: dict[str, str], *, scale: Scale = "nominal", role: Role = "key"
) -> Attribute:
    """An attribute whose categories are whole numbers."""
    return Attribute(
        name=name,
        scale=scale,
        role=role,
        storage="integer",
        categories=tuple(labels),
        label=label,
        labels=labels,
    )


def category(
    name: str, label: str, values: str, *, scale: Scale = "nominal", role: Role = "other"
) -> Attribute:
    """An attribute from "category label | category label | …", with the unused category at the end.

    >>> category("TELEPHONE", "telephone", "A191 none | A192 registered").labels
    {'A191': 'none', 'A192': 'registered', '.': 'missing'}
    """
    pairs = [part.strip().partition(" ") for part in values.split("|")]
    labels = {**{value: text for value, _, text in pairs}, UNUSED: "missing"}
    shown = {value: text for value, text in labels.items() if text}
    return Attribute(name=name, scale=scale, role=role, categories=tuple(labels), label=label, labels=shown)
