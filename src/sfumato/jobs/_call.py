"""Calling a job from Python, on a table."""

from collections.abc import Mapping
from typing import Any

from sfumato.data import Table
from sfumato.jobs._job import Job

SPELLED = {"folder": "run", "seconds": "for"}  # arguments that are not called as the options are


def done(job: type[Job], table: Table, asked: Mapping[str, Any]) -> Any:
    """What a job comes to on a table, with arguments by the names of its options or of its fields."""
    given = {SPELLED.get(name, name): value for name, value in asked.items() if value is not None}
    made = job.from_settings(given)
    with made.work() as work:
        return made.run(*made.read(work, file=table), work=work)
