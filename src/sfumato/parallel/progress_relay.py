"""A relay of progress: what the jobs of workers say reaches the listener of whoever started them."""

from collections.abc import Hashable, Set

from sfumato.core import progress
from sfumato.core.progress import Listener, Task
from sfumato.parallel.worker_reports import Report

LINES = 6  # tasks of workers that are shown at a time
NOTES = 100  # that are passed on at most


class ProgressRelay:
    """Turns the reports of jobs into what a listener expects: tasks that start, advance and finish.

    The listener is called by whoever calls this: it may raise `Cancelled` as if the work was done here.
    Of many workers only the tasks of a few are shown, so that a screen can hold them. A note that several
    jobs send is passed on once.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[Hashable, int], tuple[Task, Listener]] = {}
        self._noted: set[str] = set()

    def heard(self, job: Hashable, report: Report) -> None:
        """A job that is under way sent a report."""
        self.ended(job, keep={state.number for state in report.tasks})
        self.noted(report.notes)
        listener = progress.listener()
        if listener is None:
            return
        for number, label, total, done, status in report.tasks:
            self._show((job, number), Task(label, total, done, status), listener)

    def ended(self, job: Hashable, keep: Set[int] = frozenset()) -> None:
        """A job is over, whatever came of it, or all of its tasks but those to keep are."""
        over = [key for key in self._shown if key[0] == job and key[1] not in keep]
        for key in over:
            task, listener = self._shown.pop(key)
            listener.finished(task)

    def noted(self, notes: tuple[str, ...]) -> None:
        for note in notes:
            if note not in self._noted and len(self._noted) < NOTES:
                self._noted.add(note)
                progress.note(note)

    def _show(self, key: tuple[Hashable, int], now: Task, listener: Listener) -> None:
        if key not in self._shown:
            if len(self._shown) >= LINES:
                return
            listener.started(now)
            self._shown[key] = now, listener
        task, listener = self._shown[key]
        task.done, task.status = now.done, now.status
        listener.advanced(task)
