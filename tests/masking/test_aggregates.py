import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Mdav
from sfumato.masking._aggregates import group_values, principal_plane


def twin(values, labels, how, weights):
    """What stands for each group, one group and column at a time."""
    found = np.full((labels.max() + 1, values.shape[1]), np.nan)
    for group in range(labels.max() + 1):
        for j in range(values.shape[1]):
            at = (labels == group) & ~np.isnan(values[:, j])
            x, w = values[at, j], weights[at]
            if len(x) == 0:
                continue
            order = np.argsort(x, kind="stable")
            x, w = x[order], w[order] if w.sum() > 0 else np.ones(len(x))
            if how == "trimmed":
                cut = -(-len(x) // 10) if len(x) >= 3 else 0
                x, w = x[cut : len(x) - cut], w[cut : len(x) - cut]
                w = w if w.sum() > 0 else np.ones(len(x))
            if how == "median":
                repeated = np.repeat(x, w.astype(int))
                found[group, j] = np.median(repeated)
            else:
                found[group, j] = np.average(x, weights=w)
    return found


@given(st.data(), st.sampled_from(["mean", "median", "trimmed"]), st.booleans())
def test_aggregates_equal_their_twin(data, how, weighted):
    n = data.draw(st.integers(1, 40))
    cell = st.one_of(st.integers(-9, 9).map(float), st.just(np.nan))
    values = np.array(data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=n, max_size=n)))
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), float)
    weights = weights if weighted else np.ones(n)
    found = group_values(values, labels, how, weights if weighted else None)
    np.testing.assert_allclose(found, twin(values, labels, how, weights), atol=1e-9)


def firms(weights):
    attributes = [
        Attribute(name="x", scale="numeric", role="key"),
        Attribute(name="w", scale="numeric", role="weight"),
    ]
    return Table(Schema(attributes), {"x": np.array([1.0, 2.0, 9.0]), "w": np.array(weights)})


def released(table, **parameters):
    return Mdav(k=3, **parameters).apply(table, np.random.default_rng(0))["x"][0]


def test_what_a_group_releases():
    table = firms([2.0, 1.0, 1.0])
    assert released(table) == 4.0
    assert released(table, weighted=True) == 13 / 4
    assert released(table, aggregate="median") == 2.0
    assert released(table, aggregate="median", weighted=True) == 1.5
    assert released(table, aggregate="trimmed") == 2.0
    assert released(firms([0.0, 0.0, 0.0]), weighted=True) == 4.0


def test_weights_must_be_there_and_make_sense():
    with pytest.raises(DataError, match="mdav: column w: weights must be present and not negative"):
        released(firms([1.0, -1.0, 1.0]), weighted=True)
    with pytest.raises(DataError, match=r"an attribute with the role weight. Got none"):
        released(firms([1.0, 1.0, 1.0]).select(["x"]), weighted=True)


def test_the_principal_plane_keeps_what_varies_most():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1, 9, 3]
    plane = principal_plane(X - X.mean(axis=0))
    assert plane.var(axis=0) == pytest.approx(np.sort(X.var(axis=0))[::-1][:2], rel=0.05)
    assert (principal_plane(np.ones((5, 1)))[:, 1] == 0).all()
