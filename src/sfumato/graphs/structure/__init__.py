"""Methods that protect the structure of a graph: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.graphs.structure._contract import StructureMethod

__all__ = ["StructureMethod"]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("structure", name)


def __dir__() -> list[str]:
    return registry.listed_classes("structure", globals())
