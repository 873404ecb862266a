"""What jobs share that release and are judged: whether, and how often they are done once more for that."""

from typing import Any

from sfumato.core import param, parameters
from sfumato.jobs._job import Job
from sfumato.jobs._rehearsal import FOLDS


def asked_for_verdict(default: bool) -> Any:
    """Declare whether a job judges what it releases."""
    return param(
        default=default,
        option="verdict",
        help="judge the release by people, models and attackers that no search used",
    )


class Judging(Job):
    """A job that releases and judges its release, for which it is done once more without some of the people."""

    with_verdict: bool = asked_for_verdict(True)
    rehearsals: int = param(
        default=1,
        low=0,
        high=FOLDS,
        help="do the job so many times more on four fifths of the records: the rest are people outside to compare with",
    )

    @property
    def unjudged_because(self) -> str:
        """Why a release of it was not judged, where it usually is."""
        if self.with_verdict or not parameters(type(self))["with_verdict"].default:
            return ""
        return "It was made with --no-verdict: nobody knows what it gives away. Leave that out for what is published."
