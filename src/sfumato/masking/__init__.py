"""Masking methods: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.masking._bounds import lower_bound
from sfumato.masking._chain import Chain, make_masking
from sfumato.masking._contract import Masking
from sfumato.masking._partition import Partition
from sfumato.masking._partitioning import Partitioning
from sfumato.masking._parts import InParts, stratum_of
from sfumato.masking._updates import MaintainedPartition
from sfumato.masking._whole import Whole

__all__ = [
    "Chain",
    "InParts",
    "MaintainedPartition",
    "Masking",
    "Partition",
    "Partitioning",
    "Whole",
    "lower_bound",
    "make_masking",
    "stratum_of",
]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("masking", name)
