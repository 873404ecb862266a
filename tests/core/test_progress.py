import pytest

from sfumato.core import Cancelled, progress


class Diary:
    def __init__(self, stop_at=None):
        self.lines, self.stop_at = [], stop_at

    def started(self, task):
        self.lines.append(f"start {task.label} {task.total}")

    def advanced(self, task):
        self.lines.append(f"at {task.done}")
        if task.done == self.stop_at:
            raise Cancelled("stopped")

    def finished(self, task):
        self.lines.append("end")

    def noted(self, message):
        self.lines.append(message)


def work():
    with progress.task("swapping", 2) as task:
        task.advance()
        progress.note("halfway")
        task.advance()


def test_a_listener_sees_everything():
    diary = Diary()
    with progress.listening(diary):
        work()
    assert diary.lines == ["start swapping 2", "at 1", "halfway", "at 2", "end"]


def test_a_listener_can_stop_the_work():
    diary = Diary(stop_at=1)
    with progress.listening(diary), pytest.raises(Cancelled):
        work()
    assert diary.lines == ["start swapping 2", "at 1", "end"]


def test_nobody_needs_to_listen():
    diary = Diary()
    with progress.listening(diary):
        pass
    work()
    assert diary.lines == []


def test_who_watches_can_be_asked():
    diary = Diary()
    assert progress.listener() is None
    with progress.listening(diary):
        assert progress.listener() is diary
    assert progress.listener() is None
