import numpy as np
import pytest

from sfumato.core import ParameterError
from sfumato.parallel import available_cores
from sfumato.parallel.threads import VARIABLE, in_blocks, thread_count, using_threads


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
