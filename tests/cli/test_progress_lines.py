"""Progress without a terminal, by a clock that the tests set."""

import pytest

from sfumato.cli import progress_lines
from sfumato.cli.progress_bars import Watcher
from sfumato.core.progress import listening, task


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def watched(monkeypatch):
    """A watcher without a terminal, and its clock."""
    monkeypatch.setattr(progress_lines, "EVERY", 5.0)
    watcher, clock = Watcher(bars=False), Clock()
    watcher._lines.clock = clock
    return watcher, clock


def test_a_line_comes_every_few_seconds_with_the_time_left(watched, capsys):
    watcher, clock = watched
    with listening(watcher), task("Trying maskings", 10) as work:
        for _ in range(4):
            clock.now += 4.0
            work.advance()
    assert capsys.readouterr().err.splitlines() == [
        "Trying maskings: 2 of 10, about 30 s left",
        "Trying maskings: 4 of 10, about 25 s left",
    ]


def test_a_long_job_says_so_first_and_only_once(watched, capsys):
    watcher, clock = watched
    with listening(watcher), task("Trying maskings", 100) as work:
        for _ in range(2):
            clock.now += 6.0
            work.advance()
    assert capsys.readouterr().err.splitlines() == [
        "This will take a while: trying maskings needs about 10 min more.",
        "Trying maskings: 1 of 100, about 10 min left",
        "Trying maskings: 2 of 100, about 10 min left",
    ]


def test_what_is_done_inside_a_task_is_not_told(watched, capsys):
    watcher, clock = watched
    with listening(watcher), task("Outer", 2) as outer, task("Inner", 2) as inner:
        clock.now += 6.0
        inner.advance()
        assert capsys.readouterr().err == ""
        outer.advance()
    assert capsys.readouterr().err == "Outer: 1 of 2, about 5 s left\n"
