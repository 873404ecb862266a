import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import MovingAverage


def table_of(values):
    return Table(Schema([Attribute(name="x", scale="numeric", role="key")]), {"x": values})


def masked(values, seed=0, **given):
    return MovingAverage(**given).apply(table_of(values), np.random.default_rng(seed))["x"]


def naive(values, a, b, c):
    """One value at a time, by the text: a% of the one before, b% of its own, c% of the next; ends repeat."""
    ranked = sorted(values)
    mixed = [(a * ranked[i - 1] + b * ranked[i] + c * ranked[i + 1]) / 100 for i in range(1, len(ranked) - 1)]
    mixed = [mixed[0], *mixed, mixed[-1]]
    return [mixed[ranked.index(value)] for value in values]


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40, unique=True))
def test_fixed_percentages_are_those_of_the_text(values):
    found = masked(np.array(values), before=10, own=60, after=30, fixed=True)
    np.testing.assert_allclose(found, naive(values, 10, 60, 30), atol=1e-6)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40), st.integers(0, 99))
def test_drawn_percentages_stay_between_the_neighbours(values, seed):
    ranked = np.sort(values)
    found = masked(ranked, seed)
    slack = 1e-9 * np.abs(ranked).max()
    assert (found[1:-1] >= ranked[:-2] - slack).all() and (found[1:-1] <= ranked[2:] + slack).all()


def test_a_linear_system_undoes_fixed_percentages_and_not_drawn_ones():
    values = np.sort(np.random.default_rng(3).normal(size=60))
    system = np.zeros((58, 60))
    for i in range(58):
        system[i, i : i + 3] = 0.25, 0.5, 0.25
    known = values[[0, -1]]  # two values are known, and nothing else

    def apart(released):
        solved = np.linalg.lstsq(
            np.vstack([system, np.eye(60)[[0, -1]]]), np.concatenate([released[1:-1], known]), rcond=None
        )[0]
        return np.abs(solved - values).mean()

    assert apart(masked(values, fixed=True)) < 1e-9
    assert apart(masked(values)) > 5 * np.abs(masked(values) - values).mean()


@pytest.mark.parametrize(
    ("given_", "says"), [({"own": 60}, "sum to 100"), ({"before": 0, "own": 100, "after": 0}, "below 100")]
)
def test_percentages_must_make_sense(given_, says):
    with pytest.raises(ParameterError, match=says):
        MovingAverage(**given_)
