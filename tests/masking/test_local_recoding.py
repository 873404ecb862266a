"""Generalisation with `local`: no record coarser than without it, all rules kept, values that are true of each record."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_generalisation import promised, tables

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.masking import Generalisation
from sfumato.measures import Granularity, IndividualRisk

TREE = Hierarchy((("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*")))

wishes = st.one_of(
    st.fixed_dictionaries({"k": st.integers(1, 5)}),
    st.fixed_dictionaries(
        {
            "k": st.integers(1, 3),
            "l": st.sampled_from([1.0, 2.0]),
            "variant": st.sampled_from(["distinct", "entropy"]),
            "t": st.sampled_from([0.25, 0.6, 1.0]),
        }
    ),
    st.fixed_dictionaries(
        {"k": st.integers(1, 2), "risk": st.sampled_from([20.0, 40.0]), "people": st.just(3.0)}
    ),
)


def towns(codes):
    town = Attribute(name="town", scale="nominal", role="key", categories=TREE.leaves, hierarchy=TREE)
    return Table(Schema([town]), {"town": np.array(codes)})


def test_large_classes_keep_their_names_and_rare_ones_stay_at_the_region():
    """Worked by hand: by the whole file all towns would become regions; here only c and d do."""
    table = towns([0] * 6 + [1] * 5 + [2] * 4 + [3] * 2)
    masked = Generalisation(k=3, local=True).apply(table, np.random.default_rng(0))
    assert masked.to_arrow()["town"].to_pylist() == ["a"] * 6 + ["b"] * 5 + ["B"] * 6
    assert masked.schema["town"].covers == {"B": ("c", "d")}
    whole = Generalisation(k=3).apply(table, np.random.default_rng(0))
    assert set(whole.to_arrow()["town"].to_pylist()) == {"A", "B"}


def test_those_behind_are_joined_by_as_many_as_they_need():
    """One record of d is alone in B: the smaller of its neighbours stays with it."""
    table = towns([0] * 6 + [1] * 5 + [2] * 9 + [3])
    masked = Generalisation(k=3, local=True).apply(table, np.random.default_rng(0))
    assert masked.to_arrow()["town"].to_pylist() == ["a"] * 6 + ["b"] * 5 + ["B"] * 10


def test_those_without_values_are_not_left_alone_by_those_suppressed():
    """One record has no town: two others are suppressed so that it is not alone, and stay so."""
    table = towns([0, 0, 2, 2, -1])
    masked = Generalisation(k=2, suppress=60, local=True).apply(table, np.random.default_rng(0))
    assert masked["town"].tolist().count(-1) == 3


@settings(max_examples=20, deadline=None)
@given(table=tables(), wish=wishes, suppress=st.sampled_from([0.0, 10.0, 60.0]))
def test_rules_hold_and_nothing_is_coarser_than_by_whole_columns(table, wish, suppress):
    masking = Generalisation(suppress=suppress, local=True, **wish)
    assume(table["weight"].any())
    try:
        masked = masking.apply(table, np.random.default_rng(0))
    except DataError:
        return
    names = masking.targets(table)
    strata = {"by_stratum": bool(table.schema.with_role("stratum"))}
    for measure in promised(masking, names, strata):
        assert measure.bind(table).score(masked).value == pytest.approx(0, abs=1e-9)
    if masking.risk > 0:
        for _, rows in table.strata():
            risks = IndividualRisk(attributes=names).bind(table.take(rows)).records(masked.take(rows))
            assert risks.max() <= masking.risk / 100 + 1e-9
    categories = tuple(name for name in names if not table.schema[name].is_numeric)
    for name in categories:
        assert_true_of_each(table, masked, name)
    if categories:
        whole = Generalisation(suppress=suppress, **wish).apply(table, np.random.default_rng(0))
        loss = Granularity(attributes=categories).bind(table)
        for name in names:
            assert not (masked.missing(name) & ~whole.missing(name)).any()
        if categories == names:
            assert loss.score(masked).value <= loss.score(whole).value + 1e-9


def assert_true_of_each(table, masked, name):
    """A released category covers the one that was, and a missing value stays missing."""
    before, after = table.schema[name], masked.schema[name]
    for old, new in zip(table[name].tolist(), masked[name].tolist(), strict=True):
        if old < 0:
            assert new < 0
        elif new >= 0:
            category = after.categories[new]
            assert before.categories[old] in after.covers.get(category, (category,))


@settings(max_examples=20, deadline=None)
@given(table=tables(), chance=st.integers(0, 99))
def test_the_order_of_records_does_not_matter(table, chance):
    order = np.random.default_rng(chance).permutation(table.n)
    masking = Generalisation(k=2, local=True)
    try:
        one, other = (masking.apply(t, np.random.default_rng(0)) for t in (table, table.take(order)))
    except DataError:
        return
    for name in masking.targets(table):
        np.testing.assert_array_equal(one[name][order], other[name])


def test_numbers_are_means_of_their_class():
    age = Attribute(name="age", scale="numeric", role="key", decimals=0)
    table = Table(Schema([age]), {"age": [20.0, 21, 22, 22, 22, 60, 61, 63, 90, 90, 90]})
    masked = Generalisation(k=3, local=True).apply(table, np.random.default_rng(0))
    np.testing.assert_array_equal(masked["age"], [21.0] * 5 + [61.0] * 3 + [90.0] * 3)


def test_refusals():
    with pytest.raises(
        ParameterError, match="local recoding is about classes of records that are written alike"
    ):
        Generalisation(local=True, missing="any")
