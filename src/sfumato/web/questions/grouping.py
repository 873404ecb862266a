"""A search for the groups of attributes that are best microaggregated together: what it found."""

from typing import Any

from sfumato.web.questions._runs import course, study_and_record
from sfumato.web.questions.process.project_data import ProjectData

TOLD = ("k", "exact", "evaluations", "cached", "generations", "ended", "seconds", "interval", "linkage")


def grouping(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    study, record = study_and_record(held, arguments, "group-attributes")
    best = record["best"]
    return {
        **{name: record[name] for name in TOLD},
        "attributes": [name for group in best["groups"] for name in group],
        "best": best,
        "yardsticks": {"all together": record["together"], "one by one": record["apart"]},
        "front": record["front"],
        "history": course(record["history"]),
        "operators": record["operators"],
        "masking": record["masking"],
        "seed": study.settings.get("seed"),
    }
