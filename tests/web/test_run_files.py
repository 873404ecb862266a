"""What the server knows of a run without any process: events, wishes, locks, crashes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, progress
from sfumato.core.errors import Cancelled
from sfumato.web.runs.events import EVENTS, EventWriter, read_events
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.run_folder import CONTROL, FACTS, ask, wish_of
from sfumato.web.runs.run_listener import TELL_EVERY, Pace, RunListener
from sfumato.web.runs.run_lock import is_held, kill, take, write_number
from sfumato.web.runs.run_process import summary_of, write_crash
from sfumato.web.runs.run_state import History, state_of


def test_events_are_read_once_each(tmp_path):
    path = tmp_path / EVENTS
    assert read_events(path) == ([], 0)
    with EventWriter(path) as writer:
        writer.write("note", {"message": "één"})
        first, offset = read_events(path)
        assert [event["message"] for event in first] == ["één"]
        assert read_events(path, offset) == ([], offset)
        writer.write("note", {"message": "two"})
    assert [event["message"] for event in read_events(path, offset)[0]] == ["two"]


@given(cut=st.integers(0, 200), garbage=st.binary(max_size=20))
def test_a_torn_line_costs_no_more_than_itself(tmp_path_factory, cut, garbage):
    path = tmp_path_factory.mktemp("torn") / EVENTS
    with EventWriter(path) as writer:
        for number in range(4):
            writer.write("note", {"message": str(number)})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - cut] + garbage)
    kept = whole[: len(whole) - cut].count(b"\n")
    with EventWriter(path) as writer:  # the process that goes on
        writer.write("note", {"message": "next"})
    told = [event["message"] for event in read_events(path)[0]]
    assert told[:kept] == [str(number) for number in range(kept)] and told[-1] == "next"
    assert len(told) <= kept + 2


def test_what_a_run_found_is_told_once_and_of_each_requirement_the_last_remedy(tmp_path):
    history, spec = History(tmp_path), {"method": "mdav", "k": 3}
    point = {"what": "candidate", "part": "all", "label": "mdav", "spec": spec, "loss": 4.0, "risk": 5.0}
    with EventWriter(tmp_path / EVENTS) as writer:
        for found in (
            point,
            point,  # told again by a run that goes on
            {**point, "loss": None},  # not judged yet
            {"what": "finalist", "spec": spec, "gates": [{"gate": "k >= 3", "holds": True}]},
            {"what": "finalist", "spec": spec, "gates": [{"gate": "risk <= 9", "holds": False}]},
            {"what": "requirements", "gates": [{"gate": "k >= 3"}]},
            {"what": "remedy", "gate": "risk <= 9", "text": "first"},
            {"what": "remedy", "gate": "risk <= 9", "text": "last"},
        ):
            writer.write("found", found)
    history.read()
    (kept,) = history.points.values()
    assert (kept["loss"], [gate["gate"] for gate in kept["gates"]]) == (4.0, ["k >= 3", "risk <= 9"])
    assert history.requirements == [{"gate": "k >= 3"}]
    assert {gate: values["text"] for gate, values in history.remedies.items()} == {"risk <= 9": "last"}


def test_wishes(tmp_path):
    assert wish_of(tmp_path) == "run"
    ask(tmp_path, "stop")
    assert wish_of(tmp_path) == "stop"
    (tmp_path / CONTROL).write_text("dance")
    assert wish_of(tmp_path) == "run"


def test_a_lock_is_held_by_one_and_gone_with_its_process(tmp_path):
    assert not is_held(tmp_path)
    lock = take(tmp_path)
    assert is_held(tmp_path) and take(tmp_path) is None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock]) as other:
        os.close(lock)
        assert is_held(tmp_path)
        other.kill()
    assert not is_held(tmp_path)


def test_a_signal_reaches_nobody_but_the_holder_of_the_lock(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        write_number(tmp_path, stranger.pid)  # as if the number had been given to another process
        assert not kill(tmp_path)
        time.sleep(0.1)
        assert stranger.poll() is None
        stranger.kill()
    assert not kill(tmp_path)


def told(folder):
    return [event for event in read_events(folder / EVENTS)[0] if event["kind"] == "progress"]


def test_progress_is_told_now_and_then_and_of_the_outer_task_only(tmp_path):
    with (
        EventWriter(tmp_path / EVENTS) as writer,
        progress.listening(RunListener(tmp_path, writer)),
        progress.task("outer", 1000) as outer,
    ):
        began = time.monotonic()
        for _ in range(1000):
            with progress.task("inner", 2) as inner:
                inner.advance(2)
            outer.advance()
            time.sleep(0.0005)
        seconds = time.monotonic() - began
    assert {event["task"] for event in told(tmp_path)} == {"outer"}
    assert 2 <= len(told(tmp_path)) <= seconds / TELL_EVERY + 2
    assert told(tmp_path)[-1]["left"] is not None


def test_a_stop_is_met_once_and_an_end_always(tmp_path):
    with EventWriter(tmp_path / EVENTS) as writer:
        watch = RunListener(tmp_path, writer)
        task = progress.Task("searching", 10)
        watch.started(task)
        ask(tmp_path, "stop")
        time.sleep(0.06)
        with pytest.raises(Cancelled):
            watch.advanced(task)
        watch.honoured()
        time.sleep(0.06)
        watch.advanced(task)
        ask(tmp_path, "end")
        time.sleep(0.06)
        with pytest.raises(Cancelled):
            watch.advanced(task)
    assert watch.was_stopped


def test_time_left_does_not_count_a_pause_nor_what_was_kept():
    pace = Pace(0.0, 0)
    assert pace.left(1.0, 0, 100) is None
    pace.skip(50.0)
    assert pace.left(60.0, 20, 100) == 40.0
    for step in range(60):
        pace.left(60.0 + step, 20 + step, 1000)
    assert pace.left(120.0, 80, 1000) == pytest.approx(920.0, rel=0.05)


@pytest.mark.parametrize(
    ("wish", "kinds", "alive", "state"),
    [
        ("run", ["queued"], True, "queued"),
        ("run", ["queued", "began", "progress"], True, "running"),
        ("pause", ["queued", "began"], True, "running"),
        ("pause", ["queued", "began", "paused"], True, "paused"),
        ("run", ["queued", "began", "paused", "resumed"], True, "running"),
        ("stop", ["queued", "began"], True, "stopping"),
        ("run", ["queued", "began"], False, "interrupted"),
        ("run", [], False, "interrupted"),
        ("pause", ["queued", "began"], False, "paused"),
        ("stop", ["queued", "began"], False, "stopped"),
        ("end", ["queued", "began", "stopping"], False, "stopped"),
        ("run", ["queued", "began", "ended"], False, "finished"),
        ("run", ["queued", "began", "ended"], True, "finished"),
        ("run", ["queued", "began", "ended", "queued"], True, "queued"),
    ],
)
def test_states(tmp_path, wish, kinds, alive, state):
    ask(tmp_path, wish)
    with EventWriter(tmp_path / EVENTS) as writer:
        for kind in kinds:
            writer.write(kind, {"state": "finished"} if kind == "ended" else {})
    lock = take(tmp_path) if alive else None
    assert state_of(History(tmp_path)) == state
    if lock is not None:
        os.close(lock)


def test_a_crash_tells_where_and_never_what(tmp_path):
    def secretive(value):
        try:
            return {}[value]
        except KeyError as error:
            raise ValueError(f"cannot read {value}") from error

    try:
        secretive("Zaunkoenig")
    except ValueError as error:
        write_crash(error, tmp_path / "crash.txt")
    text = (tmp_path / "crash.txt").read_text()
    assert "Zaunkoenig" not in text
    assert (
        "KeyError" in text and "ValueError" in text and "in secretive" in text and Path(__file__).name in text
    )


def test_a_summary_of_whatever_is_there(tmp_path):
    assert summary_of(tmp_path) == {}
    (tmp_path / "a.record.json").write_text("{")
    (tmp_path / "b.record.json").write_text(
        json.dumps({"chosen": {"masking": {"method": "mdav"}}, "seconds": 2})
    )
    assert summary_of(tmp_path) == {"spec": {"method": "mdav"}, "seconds": 2}


@pytest.mark.parametrize("id", ["", "..", "../../etc", "0" * 12, "ABCDEFABCDEF", "a" * 11 + "/"])
def test_ids_lead_nowhere_else(tmp_path, id):
    with pytest.raises(OSError, match="no such run"):
        ProjectRuns(tmp_path).path(id)


def test_damaged_runs_are_left_out_of_the_list(tmp_path):
    (tmp_path / ("a" * 12)).mkdir()
    (tmp_path / ("a" * 12) / FACTS).write_text("{")
    assert ProjectRuns(tmp_path).list() == [] == ProjectRuns(tmp_path / "nowhere").list()
    with pytest.raises(DataError, match="damaged"):
        ProjectRuns(tmp_path).state("a" * 12)


def test_an_interrupted_run_can_be_put_aside(tmp_path):
    folder = tmp_path / ("b" * 12)
    (folder / "out").mkdir(parents=True)
    facts = {"label": "mine", "command": "protect", "workers": None, "created": 1.0}
    (folder / FACTS).write_text(json.dumps(facts))
    runs = ProjectRuns(tmp_path)
    assert runs.state(folder.name).state == "interrupted"
    assert runs.stop(folder.name).state == "stopped"
    assert runs.recover() == []
