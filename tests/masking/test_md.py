import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive_lines as naive
from sfumato import datasets
from sfumato.kernels.md import md_groups
from sfumato.masking import Md

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 30), st.integers(1, 3)), elements=small)


@given(records, st.integers(2, 6))
def test_kernel_equals_its_twin(X, k):
    if len(X) >= 2 * k:
        expected = {frozenset(group) for group in naive.md_groups(X, k)}
        assert naive.as_sets(md_groups(X, k)) == expected


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [60, 61, 65])
def test_kernel_equals_its_twin_on_real_numbers(n, k):
    X = np.random.default_rng(k).lognormal(size=(n, 4))
    labels = md_groups(X, k)
    assert naive.as_sets(labels) == {frozenset(group) for group in naive.md_groups(X, k)}
    assert k <= np.bincount(labels).min() <= np.bincount(labels).max() < 2 * k


# measured here
@pytest.mark.classic
@pytest.mark.parametrize(
    ("classic", "measured"), [("tarragona", 16.9835), ("census", 5.7210), ("eia", 0.4723)]
)
def test_classic_files(classic, measured):
    partition = Md(k=3).partition(datasets.load(classic), np.random.default_rng(0))
    assert round(partition.il, 4) == measured
