"""Published studies, run again: one file each, found by its name; our numbers stand beside the published ones."""

from typing import Any

from sfumato.core import registry
from sfumato.jobs._bars import Bar
from sfumato.jobs._reproduced import Drawing, Line, Reproduced
from sfumato.jobs._reproduction import Findings, Reproduction

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
