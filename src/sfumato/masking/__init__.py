"""Masking methods: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.masking._chain import Chain, make_masking
from sfumato.masking._contract import Masking
from sfumato.masking._partitioning import Partition, Partitioning

__all__ = ["Chain", "Masking", "Partition", "Partitioning", "make_masking"]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("masking", name)
