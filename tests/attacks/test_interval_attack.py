import numpy as np
import pytest

from sfumato.attacks import Interval
from sfumato.core import ParameterError
from sfumato.data import Attribute, Schema, Table


def people(x, v):
    number = Attribute(name="x", scale="numeric", role="key")
    category = Attribute(name="v", scale="nominal", role="key", categories=("a", "b", "c"))
    return Table(Schema([number, category]), {"x": np.array(x, float), "v": np.array(v)})


KNOWN = people(np.arange(20), np.repeat([0, 1, 2], [10, 6, 4]))


def test_the_file_itself_tells_everything():
    result = Interval().run(KNOWN, KNOWN, np.random.default_rng(0))
    assert result.attack.value == 100
    assert result.control.high < 100
    assert result.outcomes.tolist() == [1.0] * 20


def test_outcomes_by_hand():
    released = KNOWN.replace({"x": KNOWN["x"] + 2.0, "v": np.zeros(20, int)})
    result = Interval(percent=10).run(released, KNOWN, np.random.default_rng(0))
    assert result.outcomes.tolist() == [1.0] * 10 + [0.5] * 10  # two ranks of 20 are 10 %
    narrow = Interval(percent=5).run(released, KNOWN, np.random.default_rng(0))
    # ranks are the middles of positions: beyond the end there is one, 20, and the last are nearer to it
    assert narrow.outcomes.tolist() == [0.5] * 10 + [0.0] * 9 + [0.5]


def test_the_guess_is_the_middle_or_the_most_frequent():
    # the median 9 and two ranks on each side are 5 of 20; the most frequent category has 10 of 20
    assert Interval(percent=10).guess(KNOWN, ("x",)) == 5 / 20
    assert Interval(percent=10).guess(KNOWN, ("v",)) == 10 / 20
    assert Interval(percent=10).guess(KNOWN, ("x", "v")) == pytest.approx(15 / 40)


def test_missing_values():
    known = people([1.0, np.nan, 3.0, np.nan], [-1, -1, 0, 1])
    released = people([np.nan, np.nan, 3.0, 4.0], [-1, -1, 0, 1])
    result = Interval(percent=1).run(released, known, np.random.default_rng(0))
    np.testing.assert_array_equal(result.outcomes, [0, np.nan, 1, 0.5])
    nothing = people([np.nan] * 2, [-1] * 2)
    assert Interval().run(nothing, nothing, np.random.default_rng(0)).attack.value == 0


def test_other_intervals():
    released = KNOWN.replace({"x": KNOWN["x"] * 1.1})
    assert Interval(interval="relative", attributes=("x",)).run(
        released, KNOWN, np.random.default_rng(0)
    ).attack.value == pytest.approx(100)
    sd = Interval(interval="sd", percent=10, attributes=("x",))
    assert sd.run(released, KNOWN, np.random.default_rng(0)).attack.value == pytest.approx(100 * 6 / 20)
    with pytest.raises(ParameterError, match="standardised"):
        Interval(standardised=True)
