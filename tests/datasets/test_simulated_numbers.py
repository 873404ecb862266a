"""The two generators of files on which Fayyoumi's methods are compared."""

import numpy as np
import pytest

from sfumato import datasets
from sfumato.core import ParameterError
from sfumato.datasets.dependent_numbers import tree_of
from sfumato.masking import Emad


def test_numbers_follow_the_law_and_not_each_other():
    uniform = datasets.random_numbers(5000, attributes=4, centre=20_000, spread=20_000)
    X = uniform.numbers(uniform.names)
    assert X.min() >= 0 and X.max() <= 40_000
    assert np.abs(X.mean(axis=0) / 20_000 - 1).max() < 0.05
    assert np.abs(X.std(axis=0) / (40_000 / np.sqrt(12)) - 1).max() < 0.03
    normal = datasets.random_numbers(5000, attributes=4, law="normal", centre=500, spread=150)
    Y = normal.numbers(normal.names)
    assert np.abs(Y.std(axis=0) / 150 - 1).max() < 0.05
    for values in (X, Y):
        assert np.abs(np.corrcoef(values.T) - np.eye(4)).max() < 0.06


def test_dependent_numbers_are_drawn_from_ten_intervals_of_a_hundred():
    table = datasets.dependent_numbers(
        5000, attributes=2, clear=100
    )  # all intervals have nearly the same chance
    for name in table.names:
        assert (table.schema[name].low, table.schema[name].high) == (1, 1000)
        values = table[name]
        assert (values == np.round(values)).all() and values.min() >= 1 and values.max() <= 1000
        assert np.abs(np.bincount((values.astype(int) - 1) // 100, minlength=10) / 500 - 1).max() < 0.5


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("attributes", "records"), [(8, 5000), (16, 10_000), (22, 20_000)])
def test_emad_infers_the_tree(attributes, records, seed):
    """Fayyoumi, §6.3.2, set 1: with EMIM and a width of 100 the true tree is found in Sim_1 to Sim_3."""
    table = datasets.dependent_numbers(records, seed=seed, attributes=attributes)
    found = {frozenset(edge[:2]) for edge in Emad(width=100).tree(table).edges}
    assert found == {frozenset(edge) for edge in tree_of(attributes, seed)}


@pytest.mark.parametrize(
    ("make", "given", "says"),
    [
        (datasets.random_numbers, {"law": "cauchy"}, "law must be one of uniform, normal"),
        (datasets.random_numbers, {"attributes": 0}, "there must be an attribute"),
        (datasets.dependent_numbers, {"attributes": 1}, "two attributes at least"),
        (datasets.dependent_numbers, {"clear": 0}, "clear must be above 0"),
    ],
)
def test_wrong_wishes_are_refused(make, given, says):
    with pytest.raises(ParameterError, match=says):
        make(10, **given)
