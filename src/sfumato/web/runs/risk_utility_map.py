"""The risk-utility map of a run: its points sorted by what they are, and the front they make."""

from collections.abc import Sequence
from typing import Any

from sfumato.core import DataError
from sfumato.web.runs.run_state import RunState

Points = Sequence[dict[str, Any]]

RELEASE = "release"  # the point that a run ended with
SEARCHES = ("protect", "evolve")  # the jobs whose runs have points


def map_of(points: Points, run: RunState) -> dict[str, Any]:
    """What is drawn of a run: candidates on all keys, those on some keys only, the path of an evolution, the release.

    Each point has its number in the list of the run, by which it can be inspected.
    """
    numbered = [{**point, "point": number} for number, point in enumerate(points)]
    candidates = [one for one in numbered if one["generation"] is None and one.get("part") == "all"]
    evolved = [one for one in numbered if one["generation"] is not None and _has_place(one)]
    found: dict[str, Any] = {
        "run": run.id,
        "label": run.label,
        "state": run.state,
        "requirements": list(run.requirements),
        "candidates": candidates,
        "on_some_keys": [one for one in numbered if one["generation"] is None and one.get("part") != "all"],
        "failing": [one for one in candidates if fails(one)],
        "front": front_of([one for one in candidates if not fails(one)] or candidates),
        "evolved": evolved,
        "release": None,
    }
    if run.summary.get("loss") is not None and run.summary.get("risk") is not None:
        release = {"label": "the release", "loss": run.summary["loss"], "risk": run.summary["risk"]}
        found["release"] = {**release, "point": RELEASE, "spec": run.summary.get("spec")}
    return found


def fails(point: dict[str, Any]) -> bool:
    """Whether it is known not to meet what is required."""
    return any(not one["holds"] for one in point.get("gates", ()))


def _has_place(point: dict[str, Any]) -> bool:
    """Whether loss and risk are known: a search of synthetic files lowers other costs, which the point tells."""
    return point.get("loss") is not None and point.get("risk") is not None


def point_of(points: Points, number: str) -> dict[str, Any]:
    if not number.isdigit() or int(number) >= len(points):
        raise DataError("There is no such point: choose one on the map.")
    return points[int(number)]


def front_of(points: Points) -> list[dict[str, Any]]:
    """The points that no other one beats in loss and in risk, by growing loss.

    >>> places = [{"loss": 1, "risk": 9}, {"loss": 2, "risk": 9}, {"loss": 3, "risk": 4}]
    >>> [one["loss"] for one in front_of(places)]
    [1, 3]
    """
    found: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda one: (one["loss"], one["risk"])):
        if not found or point["risk"] < found[-1]["risk"]:
            found.append(point)
    return found
