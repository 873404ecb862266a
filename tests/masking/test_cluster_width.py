import numpy as np
import pytest
from grouping import partitions, table_of
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.widest_gaps import widest_cuts
from sfumato.masking import ClusterWidth
from sfumato.masking.cluster_width import recursive_cuts


def width(values, labels):
    return sum(np.ptp(values[labels == group]) for group in np.unique(labels))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 3])
def test_no_groups_are_narrower_by_trying_all(seed, k):
    """Also none that do not follow each other, and none of 2k or more."""
    values = np.round(np.random.default_rng(seed).exponential(10, 9), 1)
    labels = ClusterWidth(k=k).group(values[:, None], np.random.default_rng(0))
    least = min(sum(np.ptp(values[group]) for group in groups) for groups in partitions(list(range(9)), k))
    assert width(values, labels) == pytest.approx(least)


@given(
    st.lists(st.integers(0, 30), min_size=4, max_size=60),
    st.integers(2, 6),
    st.sampled_from(["optimal", "recursive"]),
)
def test_groups_hold_k_to_2k_minus_1_records_in_a_row(values, k, cuts):
    if len(values) < 2 * k:
        return
    X = np.array(values, float)[:, None]
    labels = ClusterWidth(k=k, cuts=cuts).group(X, np.random.default_rng(0))
    sizes = np.bincount(labels)
    assert k <= sizes.min() and sizes.max() < 2 * k
    order = np.argsort(X[:, 0], kind="stable")
    assert (np.diff(labels[order]) >= 0).all()
    best = ClusterWidth(k=k).group(X, np.random.default_rng(0))
    assert width(X[:, 0], best) <= width(X[:, 0], labels) + 1e-9


def test_recursive_cuts_by_hand():
    """0 1 | 5 6 || 20 22 23: first the gap of 14, then on the left the gap of 4; 20 22 23 cannot be parted."""
    assert recursive_cuts(np.array([1.0, 4.0, 1.0, 14.0, 2.0, 1.0]), 2).tolist() == [2, 4]
    assert recursive_cuts(np.array([9.0, 1.0, 1.0]), 2).tolist() == [2]
    assert recursive_cuts(np.zeros(7), 2).tolist() == [2, 4, 6]


def test_the_widest_gap_may_have_to_stay():
    """Cutting 10 first leaves 3 records that cannot be cut again; cutting 7 and 8 is wider."""
    gaps = np.array([1.0, 7.0, 10.0, 8.0, 1.0])
    assert widest_cuts(gaps, 2).tolist() == [2, 4]
    assert recursive_cuts(gaps, 2).tolist() == [3]


def test_several_attributes_are_seen_along_an_axis():
    X = np.random.default_rng(0).normal(size=(40, 3))
    partition = ClusterWidth(k=4).partition(table_of(X), np.random.default_rng(0))
    assert 4 <= partition.smallest <= partition.largest < 8
