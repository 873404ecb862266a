"""A point of the map by its parts: every measure that fits, and how much of each column changed."""

from typing import Any

from sfumato.jobs import Work
from sfumato.jobs.evaluate import scored
from sfumato.masking import make_masking
from sfumato.measures import Estimate, explanation, is_bounded, is_percentage, loss_in_words, risk_in_words
from sfumato.plots import changed_share
from sfumato.web.questions._points import MaskedPoint, masked_point
from sfumato.web.questions.process.project_data import ProjectData


def inspection(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    point = masked_point(held, arguments)
    found = scored(point.original, point.aligned, Work())
    changed = _changed(point)
    return {
        "label": point.label,
        "spec": point.spec,
        "made_by": point.made_by,
        "records": point.original.n,
        "loss": found.loss,
        "risk": found.risk,
        "loss_in_words": loss_in_words(found.loss),
        "risk_in_words": _risk_in_words(point, found.risk),
        "measures": [_measure(name, found.senses[name], score) for name, score in found.scores.items()],
        "changed": changed,
        "cells": sum(column["changed"] for column in changed) / max(len(changed), 1),
    }


def _risk_in_words(point: MaskedPoint, risk: float) -> str:
    """What the risk means; comparing records one by one says little where they are nobody's."""
    if point.spec is not None and not make_masking(point.spec).of_people:
        return "No record is that of a person: what counts is what the verdict says is learned."
    return risk_in_words(risk)


def _measure(name: str, sense: str, score: Any) -> dict[str, Any]:
    words = explanation(name)
    return {
        "name": name,
        "title": words.title,
        "sense": sense,
        "value": score.value + 0.0,  # no negative zero
        "bounded": is_bounded(name),
        "low": score.low if isinstance(score, Estimate) else None,
        "high": score.high if isinstance(score, Estimate) else None,
        "sentence": words.sentence,
        "definition": words.definition,
        "parts": [
            {"name": part, "value": value, "percent": is_percentage(name, part)}
            for part, value in score.parts.items()
        ],
    }


def _changed(point: MaskedPoint) -> list[dict[str, Any]]:
    """Percent of the records that have another value, column by column; identifiers are not released."""
    return [
        {
            "name": a.name,
            "role": a.role,
            "scale": a.scale,
            "changed": changed_share(point.original, point.aligned, a.name),
        }
        for a in point.original.schema
        if a.name in point.aligned and a.role != "identifier"
    ]
