"""The report on an evolved file."""

from sfumato.jobs import Evolved, Job
from sfumato.reports.protection import protection


def evolved(release: Evolved, job: Job | None) -> str:
    """The page of a release, whose template tells of its evolution."""
    return protection(release, job)
