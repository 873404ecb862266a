import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.masking import Hanani, SingleAxis
from sfumato.masking._microaggregation import squares
from sfumato.masking.hanani import axis_of_means


def test_the_axis_is_that_of_the_greatest_variance_between_groups():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)), rng.integers(0, 6, 60)
    means = np.array([X[labels == group].mean(axis=0) for group in range(6)])[labels] - X.mean(axis=0)
    axis = axis_of_means(X, labels)
    others = rng.normal(size=(500, 3))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    assert ((means @ axis) ** 2).sum() >= ((means @ others.T) ** 2).sum(axis=0).max()


@given(
    arrays(float, st.tuples(st.integers(6, 40), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)),
    st.integers(2, 3),
)
def test_groups_lose_no_more_than_those_along_the_first_component(X, k):
    rng = np.random.default_rng(0)
    found, single = Hanani(k=k).group(X, rng), SingleAxis(k=k).group(X, rng)
    assert np.bincount(found).min() >= k
    assert squares(X, found) <= squares(X, single) * (1 + 1e-9) + 1e-9


@pytest.mark.classic("tarragona")
def test_more_starts_lose_no_more_on_tarragona():
    table = datasets.tarragona()
    table = table.select(table.schema.with_role("key"))
    losses = [
        Hanani(k=3, starts=starts).partition(table, np.random.default_rng(0)).il for starts in (1, 10, 40)
    ]
    assert losses == sorted(losses, reverse=True)
    single = SingleAxis(k=3).partition(table, np.random.default_rng(0)).il
    assert losses[0] <= single
