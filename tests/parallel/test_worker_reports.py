"""What one worker sends, and what becomes of the reports of many."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parallel.diary import Diary
from sfumato.core import Cancelled, progress
from sfumato.parallel import progress_relay, worker_reports
from sfumato.parallel.progress_relay import LINES, ProgressRelay
from sfumato.parallel.worker_reports import LONGEST_TEXT, NOTES, PAUSE, Report, Reporter, TaskState


def wanted():
    return False


def test_many_steps_make_few_reports():
    sent = []
    began = time.monotonic()
    with progress.listening(Reporter(sent.append, wanted)), progress.task("Walk", 0) as walk:
        while time.monotonic() - began < 3.5 * PAUSE:
            walk.advance()
            time.sleep(0.001)
    assert 2 <= len(sent) <= 5
    assert [bool(report.tasks) for report in sent] == [True] * (len(sent) - 1) + [False]  # it finished
    assert walk.done > 50


def test_short_work_sends_nothing():
    sent = []
    with progress.listening(Reporter(sent.append, wanted)):
        for _ in range(50):
            with progress.task("Step", 1) as step:
                step.advance()
    assert sent == []


def test_tasks_within_tasks_are_told_to_a_depth(monkeypatch):
    monkeypatch.setattr(worker_reports, "PAUSE", 0)
    sent = []
    with progress.listening(Reporter(sent.append, wanted)):
        nested(["a", "b", "c", "d"])
    deepest = max(sent, key=lambda report: len(report.tasks))
    assert [state.label for state in deepest.tasks] == ["a", "b", "c"]
    assert sent[-1] == Report()


def nested(labels):
    with progress.task(labels[0], 2) as work:
        work.advance()
        if labels[1:]:
            nested(labels[1:])
        work.advance()


def test_texts_and_notes_are_bounded(monkeypatch):
    monkeypatch.setattr(worker_reports, "PAUSE", 0)
    sent = []
    reporter = Reporter(sent.append, wanted)
    with progress.listening(reporter), progress.task("x" * 10_000, 1) as work:
        for number in range(100):
            progress.note(f"note {number}")
            progress.note("the same")
        work.advance(status="y" * 10_000)
    [state] = sent[0].tasks
    assert len(state.label) == len(state.status) == LONGEST_TEXT
    assert len(sent[-1].notes) == len(set(sent[-1].notes)) == NOTES


def test_work_goes_on_where_reports_cannot_be_sent(monkeypatch):
    monkeypatch.setattr(worker_reports, "PAUSE", 0)

    def broken(_):
        raise BrokenPipeError

    with progress.listening(Reporter(broken, wanted)), progress.task("Walk", 5) as walk:
        for _ in range(5):
            walk.advance()
    assert walk.done == 5


def test_unwanted_work_stops_at_its_next_step_and_does_not_start_again():
    stop = threading.Event()
    reporter = Reporter(lambda _: None, stop.is_set)
    with progress.listening(reporter), progress.task("Walk", 5) as walk:
        walk.advance()
        stop.set()
        with pytest.raises(Cancelled):
            walk.advance()
        progress.honour()
        stop.clear()
        with pytest.raises(Cancelled), progress.task("Another", 1):
            pass
    assert reporter.stopped


states = st.builds(TaskState, st.integers(0, 3), st.just("Walk"), st.just(9), st.integers(0, 9), st.just(""))
reports = st.builds(
    Report,
    st.lists(states, max_size=3, unique_by=lambda state: state.number).map(tuple),
    st.lists(st.sampled_from(["one", "two"]), max_size=2).map(tuple),
)


@given(st.lists(st.tuples(st.integers(0, 12), st.none() | reports), max_size=60))
def test_a_listener_hears_of_few_tasks_and_of_their_end(said):
    diary, relay = Diary(), ProgressRelay()
    with progress.listening(diary):
        for job, report in said:
            relay.ended(job) if report is None else relay.heard(job, report)
            shown = {key[0] for key in relay._shown}
            assert report is not None or job not in shown
    for job in range(13):
        relay.ended(job)  # also after whoever listens has left
    assert diary.open == []
    assert diary.most <= LINES
    assert len(diary.notes) == len(set(diary.notes)) <= 2


def test_a_place_that_gets_free_goes_to_another_worker():
    diary, relay = Diary(), ProgressRelay()
    with progress.listening(diary):
        for job in range(LINES + 1):
            relay.heard(job, Report((TaskState(0, f"Walk {job}", 9, 1, ""),)))
        assert len(diary.open) == LINES
        relay.ended(0)
        relay.heard(LINES, Report((TaskState(0, f"Walk {LINES}", 9, 2, ""),)))
    assert [task.label for task in diary.open] == [f"Walk {job}" for job in range(1, LINES + 1)]


def test_a_task_that_its_job_no_longer_has_is_over():
    diary, relay = Diary(), ProgressRelay()
    both = TaskState(0, "Walk", 9, 1, ""), TaskState(1, "Step", 5, 2, "")
    with progress.listening(diary):
        relay.heard("job", Report(both))
        assert [task.label for task in diary.open] == ["Walk", "Step"]
        relay.heard("job", Report(both[:1]))
        assert [task.label for task in diary.open] == ["Walk"]


def test_notes_are_bounded():
    diary, relay = Diary(), ProgressRelay()
    with progress.listening(diary):
        for number in range(2 * progress_relay.NOTES):
            relay.noted((f"note {number}", "the same"))
    assert len(diary.notes) == progress_relay.NOTES


def test_without_a_listener_nothing_is_kept():
    relay = ProgressRelay()
    relay.heard(1, Report((TaskState(0, "Walk", 9, 1, ""),), ("a note",)))
    assert relay._shown == {}
