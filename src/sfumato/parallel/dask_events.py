"""What the workers of a Dask cluster say about their jobs, sent as events on the connections that are there.

Dask keeps the last events of a topic in the memory of its scheduler, so there is one topic for all.
"""

from collections.abc import Callable
from typing import Any

from sfumato.parallel.worker_reports import Report, Reporter

TOPIC = "sfumato"


def event_reporter(token: str) -> Reporter:
    """The listener for the batch that this worker does now; its work is unwanted once Dask cancelled it.

    Dask does so when the client cancels the batch, or closes, or is gone.
    """
    from distributed import get_worker

    worker = get_worker()
    batch = worker.get_current_task()

    def send(report: Report) -> None:
        tasks, notes = [list(task) for task in report.tasks], list(report.notes)
        worker.log_event(TOPIC, {"token": token, "batch": batch, "tasks": tasks, "notes": notes})

    def unwanted() -> bool:
        found = worker.state.tasks.get(batch)
        return found is None or found.state == "cancelled"

    return Reporter(send, unwanted)


def event_handler(
    token: str, heard: Callable[[tuple[str, Report]], None]
) -> Callable[[tuple[float, Any]], None]:
    """A handler of events that passes on the batch and the report of those that bear the token.

    >>> event = {"token": "t", "batch": "b", "tasks": [[0, "swapping", 3, 1, ""]], "notes": []}
    >>> handler = event_handler("t", print)
    >>> handler((0.0, event))
    ('b', Report(tasks=(TaskState(number=0, label='swapping', total=3, done=1, status=''),), notes=()))
    >>> handler((0.0, {**event, "token": "of another client"}))
    """

    def handler(event: tuple[float, Any]) -> None:
        _, said = event
        if said["token"] == token:
            heard((said["batch"], Report.from_wire(said["tasks"], said["notes"])))

    return handler
