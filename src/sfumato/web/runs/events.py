"""The events of a run: one JSON object a line, written by the run's process and read by anybody.

Lines are appended whole, each with one write. A process that is killed may leave a torn last line: readers
wait for the end of a line, and step over one that holds no event.
"""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from sfumato.core.results import plain

EVENTS = "events.jsonl"

Event = dict[str, Any]


class EventWriter:
    """Appends events to a file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        if _is_torn(path):
            os.write(self._file, b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        os.close(self._file)

    def write(self, kind: str, values: Mapping[str, Any]) -> None:
        event = {"kind": kind, "at": round(time.time(), 3), **plain(values)}
        os.write(self._file, json.dumps(event, ensure_ascii=False).encode() + b"\n")


def read_events(path: Path, since: int = 0) -> tuple[list[Event], int]:
    """The events from an offset on, and the offset to go on from.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / EVENTS
    >>> with EventWriter(path) as writer:
    ...     writer.write("note", {"message": "begun"})
    >>> [event["message"] for event in read_events(path)[0]]
    ['begun']
    """
    try:
        with path.open("rb") as file:
            file.seek(since)
            found = file.read()
    except FileNotFoundError:
        return [], since
    whole = found[: found.rfind(b"\n") + 1]
    return [event for line in whole.splitlines() if (event := _event(line))], since + len(whole)


def _event(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "kind" in event and "at" in event else None


def _is_torn(path: Path) -> bool:
    """Whether the last line has no end."""
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
