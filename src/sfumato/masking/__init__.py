"""Masking methods: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.masking._bounds import lower_bound
from sfumato.masking._chain import Chain, make_masking
from sfumato.masking._contract import Masking
from sfumato.masking._partition import Partition
from sfumato.masking._partitioning import Partitioning
from sfumato.masking._updates import MaintainedPartition

__all__ = [
    "Chain",
    "MaintainedPartition",
    "Masking",
    "Partition",
    "Partitioning",
    "lower_bound",
    "make_masking",
]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("masking", name)
