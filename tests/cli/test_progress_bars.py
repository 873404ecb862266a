import contextlib
import io
import signal
import time

import pytest

from sfumato.cli import interrupt, progress_bars
from sfumato.cli.progress_bars import Watcher
from sfumato.core.errors import Cancelled
from sfumato.core.progress import listening, note, task


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def wait_for(self, text):
        end = time.monotonic() + 300
        while text not in self.getvalue():
            assert time.monotonic() < end, self.getvalue()
            time.sleep(0.01)


def test_short_work_leaves_no_trace(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with progress_bars.watching(quiet=False), task("Counting", 3) as work:
        work.advance(3)
    assert screen.getvalue() == ""


def test_long_work_gets_a_bar(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bars, "PATIENCE", 0.01)
    with progress_bars.watching(quiet=False), task("Counting", 3) as work:
        screen.wait_for("Counting")
        work.advance(2)
        note("halfway")
        screen.wait_for("2/3")
    shown = screen.getvalue()
    assert "Counting" in shown and "2/3" in shown and "Note: halfway" in shown


def test_no_bar_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr(progress_bars, "PATIENCE", 0.0)
    with progress_bars.watching(quiet=False), task("Counting", 1):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_many_notes_are_counted(capsys):
    watcher = Watcher(bars=False)
    with listening(watcher):
        for number in range(progress_bars.NOTES_SHOWN + 4):
            note(f"number {number}")
    watcher.close()
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == progress_bars.NOTES_SHOWN + 1
    assert shown[-1] == "Note: 4 more notes of this kind are not shown."


def test_quiet(capsys):
    with progress_bars.watching(quiet=True), task("Counting", 1) as work:
        work.advance()
        note("nobody listens")
    assert capsys.readouterr().err == ""


def lose_an_interrupt():
    with contextlib.suppress(KeyboardInterrupt):  # as packages do while they are imported
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("quiet", [True, False])
def test_a_lost_interrupt_stops_the_work_at_the_next_step(quiet):
    with interrupt.stoppable():
        lose_an_interrupt()
        with pytest.raises(Cancelled), progress_bars.watching(quiet=quiet), task("Counting", 1):
            pass
    with interrupt.stoppable(), progress_bars.watching(quiet=quiet), task("Counting", 1) as work:
        lose_an_interrupt()
        with pytest.raises(Cancelled):
            work.advance()
    with interrupt.stoppable():
        assert not interrupt.was_asked_to_stop()


def test_what_was_made_is_written_after_an_interrupt_that_was_honoured():
    with interrupt.stoppable(), progress_bars.watching(quiet=False):
        lose_an_interrupt()
        Watcher(bars=False).honoured()
        with task("Writing", 1) as work:
            work.advance()
