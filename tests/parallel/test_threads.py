import threading

import numpy as np
import pytest

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.parallel import available_cores
from sfumato.parallel.threads import VARIABLE, in_blocks, stop_if_dropped, thread_count, using_threads


def test_context_goes_before_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert thread_count() == available_cores()
    monkeypatch.setenv(VARIABLE, "3")
    assert thread_count() == 3
    with using_threads(1):
        assert thread_count() == 1
    assert thread_count() == 3


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1.5"])
def test_wrong_numbers_are_refused(monkeypatch, wrong):
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(ParameterError, match="SFUMATO_THREADS must be an integer of at least 1"):
        thread_count()
    with pytest.raises(ParameterError, match="threads must be"), using_threads(0):
        pass


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_come_back_in_order(n, threads):
    with using_threads(threads):
        found = in_blocks(lambda start, end: np.arange(start, end), n, 4)
    assert found.tolist() == list(range(n))


def test_a_block_that_nobody_waits_for_ends():
    at_work, ended = threading.Event(), []

    def work(start, end):
        if start == 0:
            assert at_work.wait(300)
            raise ValueError("the first failed")
        at_work.set()
        try:
            while True:
                stop_if_dropped()
        except Cancelled:
            ended.append(start)
            raise

    with using_threads(2), pytest.raises(ValueError, match="the first failed"):
        in_blocks(work, 2, 1)
    assert ended == [1]
    stop_if_dropped()  # no block: nobody can have dropped it


class Notes:
    """A listener that keeps what it is told."""

    def __init__(self):
        self.told = []

    def noted(self, message):
        self.told.append(message)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_blocks_count_is_told_once_as_a_sum(threads):
    def counting(start, end):
        progress.counted("{} rows.", end - start)
        progress.counted("{} wrong rows.", 0)
        return np.arange(start, end)

    def nested(start, end):
        return in_blocks(lambda a, b: counting(start + a, start + b), end - start, 2)

    for function in (counting, nested):
        notes = Notes()
        with progress.listening(notes), using_threads(threads):
            in_blocks(function, 2_345, 400)
        assert notes.told == ["2,345 rows."]
