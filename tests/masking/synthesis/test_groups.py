import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.synthesis.surveyed import survey
from sfumato.data import Attribute, Schema, Table
from sfumato.masking.synthesis.groups import (
    grouped,
    profiles,
    ranks_of_missing,
    similar_order,
    value_ranks,
)


def keys(table, name):
    """What orders contents: missing ones first by their code, then values."""
    codes = table.reasons(name)
    codes = np.zeros(table.n, int) if codes is None else codes
    return [
        (0, int(code), 0.0) if missing else (1, 0, float(value))
        for missing, code, value in zip(table.missing(name), codes, table[name], strict=True)
    ]


@pytest.mark.parametrize("name", ["age", "income", "degree", "house", "weight"])
def test_ranks_number_contents_in_order(name):
    table = survey(120)
    ranks, counts = value_ranks(table, name)
    told = keys(table, name)
    order = sorted(set(told))
    assert ranks.tolist() == [order.index(key) for key in told]
    assert counts.tolist() == [told.count(key) for key in order]
    assert ranks_of_missing(table, name) == sum(kind == 0 for kind, _, _ in order)


@given(counts=st.lists(st.integers(1, 30), min_size=1, max_size=80), most=st.integers(1, 20))
@settings(max_examples=60)
def test_groups_are_neighbours_and_frequent_values_stand_alone(counts, most):
    counts = np.array(counts)
    groups = grouped(counts, most)
    assert groups[0] == 0
    assert set(np.diff(groups).tolist()) <= {0, 1}
    sizes, n = np.bincount(groups, counts), counts.sum()
    members = np.bincount(groups)
    if len(counts) <= most:
        assert (members == 1).all()
    for value, count in enumerate(counts):
        if count * most >= n:
            assert members[groups[value]] == 1
    # no group of several reaches over more than a quantile and its last value
    assert (sizes[members > 1] <= n / most + counts.max()).all()


def test_categories_of_like_people_are_neighbours():
    rng = np.random.default_rng(0)
    level = np.array([3.0, 0, 2, 1, 4])  # what the people of each category are like
    ranks = rng.integers(0, 5, 500)
    beside = np.column_stack([level[ranks] + rng.normal(0, 0.3, 500) - 2, rng.normal(size=500)])
    places = similar_order(ranks, 5, beside)
    assert places.tolist() in (level.tolist(), (4 - level).tolist())
    assert sorted(similar_order(ranks, 5, np.empty((500, 0))).tolist()) == list(range(5))


def test_profiles_are_standardised():
    table = survey(200)
    told = profiles(table, ("age", "house", "income"))
    assert told["age"].shape[1] == told["income"].shape[1] == 1
    assert told["house"].shape[1] == len(np.unique(table["house"]))
    for columns in told.values():
        np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(columns.std(axis=0), 1)
    constant = table.replace({"age": np.full(200, 30.0)})
    assert (profiles(constant, ("age",))["age"] == 0).all()


def test_profiles_are_ranks_of_numbers_and_frequent_categories():
    schema = Schema(
        [
            Attribute(name="x", scale="nominal", categories=("a", "b", "c")),
            Attribute(name="y", scale="numeric"),
        ]
    )
    table = Table(schema, {"x": [1, 1, 1, 0, 0, 2], "y": [5.0, 7, 7, 1, 0, 9]})
    found = profiles(table, ("x", "y"))
    wanted = {
        "x": [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 1]],
        "y": [[2.5, 4, 4, 1.5, 0.5, 5.5]],
    }
    for name, columns in wanted.items():
        standardised = [(np.array(one) - np.mean(one)) / np.std(one) for one in columns]
        np.testing.assert_allclose(found[name], np.column_stack(standardised))
