"""An attack on where a group is, by somebody with a third-party file: what it saw, and how right it was."""

from typing import Any

from sfumato.web.questions._runs import study_and_record
from sfumato.web.questions.process.project_data import ProjectData

MOST_RULES = 20


def group_attack(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    study, record = study_and_record(held, arguments, "groups attack")
    signal = str(study.settings.get("signal", "quantity"))
    return {**_seen(record, signal), "others": [_seen(one, signal) for one in record.get("others", ())]}


def _seen(record: dict[str, Any], signal: str) -> dict[str, Any]:
    return {
        "group": ", ".join(record["job"]["vital"]),
        "verdict": record["verdict"],
        "exposed": record["has_model"] and bool(record["outliers"]),
        "outliers": record["outliers"],
        "signal": signal,
        "signals": record["signals"],
        "adequacy": record["adequacy"],
        "rehearsal": record["rehearsal"],
        "rules": record["rules"][:MOST_RULES],
        "more_rules": max(len(record["rules"]) - MOST_RULES, 0),
    }
