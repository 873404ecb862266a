"""Masking methods: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.masking._aggregates import column_scales, group_means
from sfumato.masking._by_hand import NOTHING, ByHand
from sfumato.masking._chain import Chain, make_masking
from sfumato.masking._contract import Masking, generator_for, masked_with, traced_with
from sfumato.masking._frames import of_proposal
from sfumato.masking._grouping_account import GroupingAccount
from sfumato.masking._lower_bounds import lower_bound
from sfumato.masking._maintained_partition import MaintainedPartition
from sfumato.masking._microaggregation import Microaggregation, Partition
from sfumato.masking._missing_values import groups_without_value
from sfumato.masking._parts import InParts, Whole, stratum_of

__all__ = [
    "NOTHING",
    "ByHand",
    "Chain",
    "GroupingAccount",
    "InParts",
    "MaintainedPartition",
    "Masking",
    "Microaggregation",
    "Partition",
    "Whole",
    "column_scales",
    "generator_for",
    "group_means",
    "groups_without_value",
    "lower_bound",
    "make_masking",
    "masked_with",
    "of_proposal",
    "stratum_of",
    "traced_with",
]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("masking", name)


def __dir__() -> list[str]:
    return registry.listed_classes("masking", globals())
