"""What a run came to, from the record it wrote beside its release."""

import json
from pathlib import Path
from typing import Any


def summary_of(out: Path) -> dict[str, Any]:
    """Loss, risk and masking of the release in a folder; empty where there is no record of one."""
    for path in sorted(out.glob("*.record.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(record, dict):
            return _summary(record)
    return {}


def _summary(record: dict[str, Any]) -> dict[str, Any]:
    scores = _within(record, "evaluation", "scores") or {}
    found = {
        "loss": _within(scores, "information_loss", "value"),
        "risk": _within(scores, "disclosure_risk", "value"),
        "spec": _within(record, "chosen", "masking"),
        "origin": _within(record, "chosen", "origin"),
        "records": _within(record, "release", "records"),
        "evolved": _within(record, "evolution", "released"),
        "generations": record.get("generations", _within(record, "evolution", "generations")),
        "gates": record.get("gates"),
        "seconds": record.get("seconds"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _within(record: Any, *names: str) -> Any:
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record
