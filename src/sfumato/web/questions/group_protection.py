"""A group that was hidden: its signal before and after, and what that changed in the file."""

from typing import Any

from sfumato.web.questions._runs import course, study_and_record
from sfumato.web.questions.process.project_data import ProjectData

TOLD = ("verdict", "named", "still_found", "new_outliers", "attacked_by", "signal", "signals", "records")


def group_protection(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    _, record = study_and_record(held, arguments, "groups protect")
    seen, swaps = record["comparison"], record["swaps"]
    return {
        **_told(seen),
        "truth": record["truth"] and _told(record["truth"]),
        "judged": record["verdict"],
        "others": [_other(one) for one in record.get("others", ())],
        "group": record["group"],
        "swaps": swaps["count"],
        "changed_records": seen["altered_values"][record["group"]["parameter"]],
        "columns": swaps["columns"],
        "distortion": swaps["distortion"],
        "altered_percent": seen["altered_percent"],
        "sizes_kept": seen["records_of_every_place_kept"],
        "history": course(record["run"]["history"]),
        "generations": record["generations"],
        "seconds": record["seconds"],
    }


def _other(one: dict[str, Any]) -> dict[str, Any]:
    """Another group that the same swaps hide."""
    truth = one["truth"] and _told(one["truth"])
    return {**_told(one["comparison"]), "group": one["group"], "truth": truth, "judged": one["verdict"]}


def _told(seen: dict[str, Any]) -> dict[str, Any]:
    return {name: seen[name] for name in TOLD}
