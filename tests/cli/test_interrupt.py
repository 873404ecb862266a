import signal
import subprocess
import sys

import pytest

from sfumato.cli import interrupt
from sfumato.cli.interrupt import Terminated, deferred, forget, was_asked_to_stop

MODULE = """
import sys
from sfumato.cli.interrupt import stoppable
with stoppable():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
sys.exit(130)
"""


def test_the_status_is_ours_even_if_the_interrupt_came_while_code_was_made(tmp_path):
    (tmp_path / "interrupted.py").write_text(MODULE)
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 130


def test_an_interrupt_that_is_deferred_comes_after_the_block():
    reached = False
    with pytest.raises(KeyboardInterrupt), deferred():
        signal.raise_signal(signal.SIGINT)
        reached = True
    assert reached and was_asked_to_stop()
    forget()


def test_the_first_signal_to_end_is_remembered_and_a_second_disturbs_nobody(monkeypatch):
    monkeypatch.setattr(interrupt, "_ended", [])
    assert interrupt.termination() is None
    with pytest.raises(Terminated):
        interrupt._terminate(signal.SIGTERM, None)
    first = interrupt.termination()
    assert first is not None
    interrupt._terminate(signal.SIGINT, None)
    assert interrupt.termination() is first
    with pytest.raises(Terminated):
        interrupt.stop_if_asked()
