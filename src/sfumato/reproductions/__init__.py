"""Published studies, run again: one file each, found by its name; our numbers stand beside the published ones."""

from typing import Any

from sfumato.core import registry
from sfumato.jobs import Bar, Drawing, Findings, Line, Reproduced, Reproduction

__all__ = [
    "Bar",
    "Drawing",
    "Findings",
    "Line",
    "Reproduced",
    "Reproduction",
]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("reproductions", name)


def __dir__() -> list[str]:
    return registry.listed_classes("reproductions", globals())
