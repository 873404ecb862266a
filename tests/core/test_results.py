import json
import math
from typing import ClassVar

import numpy as np
import pytest

from sfumato.core import Result
from sfumato.masking import Mdav


class Outcome(Result):
    """A result with values of every kind."""

    value: float
    labels: np.ndarray
    method: Mdav
    parts: dict[str, float]


class Pictured(Outcome):
    """A result that names a plot that does not exist."""

    drawn_by: ClassVar[str] = "no_such_plot"


OUTCOME = {
    "value": math.nan,
    "labels": np.array([1, 2]),
    "method": Mdav(k=2),
    "parts": {"a": np.float64(1.5)},
}


def test_results_become_plain_values():
    plain = Outcome(**OUTCOME).to_dict()
    assert plain == {
        "value": None,
        "labels": [1, 2],
        "method": {"method": "mdav", "k": 2},
        "parts": {"a": 1.5},
    }
    assert json.loads(json.dumps(plain)) == plain


def test_results_are_frozen():
    with pytest.raises(AttributeError):
        Outcome(**OUTCOME).value = 1.0


def test_results_become_frames():
    assert Outcome(**OUTCOME).to_frame().num_rows == 1


def test_a_result_without_a_plot_says_so():
    with pytest.raises(NotImplementedError, match="Outcome has no plot"):
        Outcome(**OUTCOME).plot()
    with pytest.raises(LookupError, match="Unknown plot 'no_such_plot'"):
        Pictured(**OUTCOME).plot()
