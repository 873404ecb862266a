"""Measures of information loss and disclosure risk: one file each, found by their name."""

from typing import Any

from sfumato.core import registry
from sfumato.measures._contract import Bound, Measure, fitting_measures
from sfumato.measures._explanations import (
    estimate_in_words,
    explanation,
    is_bounded,
    is_percentage,
    loss_in_words,
    risk_in_words,
    title,
)
from sfumato.measures._headlines import HEADLINE_LOSS, HEADLINE_RISKS, headline
from sfumato.measures._scores import Estimate, Score
from sfumato.measures._tracking import Change, Tracker

__all__ = [
    "HEADLINE_LOSS",
    "HEADLINE_RISKS",
    "Bound",
    "Change",
    "Estimate",
    "Measure",
    "Score",
    "Tracker",
    "estimate_in_words",
    "explanation",
    "fitting_measures",
    "headline",
    "is_bounded",
    "is_percentage",
    "loss_in_words",
    "risk_in_words",
    "title",
]


def __getattr__(name: str) -> Any:
    return registry.lazy_classes("measures", name)


def __dir__() -> list[str]:
    return registry.listed_classes("measures", globals())
