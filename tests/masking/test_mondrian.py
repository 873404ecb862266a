import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_regions
from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.coverage import coverage_of
from sfumato.kernels.mondrian import compiled_regions, plain_regions
from sfumato.masking import Mondrian
from sfumato.measures import KAnonymity


def released(table, **parameters):
    return Mondrian(**parameters).apply(table, np.random.default_rng(0))


def smallest(masked, names, missing="category"):
    measure = KAnonymity(attributes=names, missing=missing)
    return measure.bind(masked).score(masked).parts["smallest"]


def test_the_published_figure():
    # Fig. 2.4, k = 2: a cut across Y, then the only other allowed one across X; {2, D} becomes {[1, 2], [C, D]}
    schema = Schema(
        [
            Attribute(name="Y", scale="ordinal", role="key", categories=tuple("ABCD")),
            Attribute(name="X", scale="ordinal", role="key", categories=tuple("123")),
        ]
    )
    points = {"Y": [0, 1, 0, 1, 2, 3], "X": [0, 0, 2, 2, 0, 1]}
    masked = released(Table(schema, points), k=2)
    rows = list(zip(*masked.to_arrow().to_pydict().values(), strict=True))
    assert rows == [("A..B", "1")] * 2 + [("A..B", "3")] * 2 + [("C..D", "1..2")] * 2
    assert masked.schema["X"].covers == {"1..2": ("1", "2")}
    assert masked.schema["X"].categories == ("1", "1..2", "3")


def table_of(codes, scale="ordinal", **details):
    categories = details.pop("categories", tuple(map(str, range(1, max(codes) + 2))))
    attribute = Attribute(name="x", scale=scale, role="key", categories=categories, **details)
    return Table(Schema([attribute]), {"x": np.array(codes)})


def test_strict_keeps_equal_values_together_and_relaxed_does_not():
    table = table_of([0, 1, 1, 1, 1, 2])
    assert released(table, k=2).to_arrow()["x"].to_pylist() == ["1..3"] * 6
    relaxed = released(table, k=2, relaxed=True).to_arrow()["x"].to_pylist()
    assert relaxed == ["1..2", "1..2", "1..2", "2..3", "2..3", "2..3"]


def test_records_that_differ_in_nothing_are_never_cut():
    table = table_of([1, 1, 1, 1])
    for relaxed in (False, True):
        masked = released(table, k=1, relaxed=relaxed)
        assert masked.schema == table.schema
        assert masked["x"].tolist() == [1] * 4


def test_nominal_sets_follow_the_hierarchy():
    tree = Hierarchy((("a", "X"), ("c", "X"), ("b", "Y"), ("d", "Y")))
    masked = released(table_of([0, 1, 2, 3], scale="nominal", categories=tuple("abcd"), hierarchy=tree), k=2)
    assert masked.to_arrow()["x"].to_pylist() == ["a|c", "b|d", "a|c", "b|d"]
    assert masked.schema["x"].hierarchy is None
    wide = table_of(list(range(6)), scale="nominal", categories=tuple("abcdef"))
    assert set(released(wide, k=6).to_arrow()["x"].to_pylist()) == {"a|…|f"}


def test_numbers_become_legal_means():
    attribute = Attribute(name="x", scale="numeric", role="key", decimals=0, low=0, high=90)
    table = Table(Schema([attribute]), {"x": [1.0, 2.0, 80.0, 90.0, 3.0]})
    assert released(table, k=2)["x"].tolist() == [2.0, 2.0, 85.0, 85.0, 2.0]


def test_what_missing_values_become():
    def by(missing, values):
        return released(table_of(values), k=3, missing=missing).to_arrow()["x"].to_pylist()

    assert by("category", [-1, 0, 0, 3, 3, 3]) == ["1"] * 3 + ["4"] * 3
    assert by("category", [-1, -1, 0, 3, 3, 3]) == [None] * 3 + ["4"] * 3
    assert by("any", [-1, -1, 0, 3, 3, 3]) == [None, None, "1"] + ["4"] * 3
    assert by("impute", [-1, -1, 0, 3, 3, 3]) == ["1"] * 3 + ["4"] * 3
    apart = table_of([-1, -1, 0, 3])
    assert released(apart, k=2).to_arrow()["x"].to_pylist() == [None, None, "1..4", "1..4"]


def test_taken_names_get_a_number_and_chains_remember_the_originals():
    odd = table_of([0, 1, 2], categories=("1", "3", "1..2"), missing=("1..1..2",))
    masked = released(odd, k=3)
    assert masked.schema["x"].covers == {"1..1..2 2": ("1", "3", "1..2")}
    once = released(table_of([0, 1, 2, 3]), k=2)
    twice = released(once, k=4)
    assert twice.schema["x"].covers == {"1..4": ("1", "2", "3", "4")}


def test_no_region_holds_records_of_two_strata(mixed):
    table = mixed(200, strata=True)
    keys = table.schema.with_role("key")
    masked = released(table, k=5)
    for _, rows in table.strata():
        part = masked.take(rows)
        assert smallest(part, keys) >= 5
    with pytest.raises(
        DataError, match=r"Stratum sector = a: mondrian: k = 5 needs at least 5 records. Got 4"
    ):
        released(mixed(16, strata=True), k=5)


columns = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(0, 5)] * d), min_size=1, max_size=40)
)


@given(columns, st.integers(1, 6), st.booleans())
def test_regions_equal_the_twin(rows, k, relaxed):
    ranks = np.array(rows, np.int32)
    d = ranks.shape[1]
    places = np.tile([0, 0, 0.1, 0.5, 0.7, 1], d)
    offsets = np.arange(d) * 6
    expected = naive_regions.mondrian_regions(ranks, places, offsets, k, relaxed)
    for regions in (plain_regions, compiled_regions):
        np.testing.assert_array_equal(regions(ranks, places, offsets, k, relaxed), expected)


def test_regions_of_many_values_equal_the_twin():
    rng = np.random.default_rng(1)
    ranks = np.column_stack([1 + rng.permutation(600), rng.integers(0, 600, 600)]).astype(np.int32)
    places = np.tile(np.linspace(0, 1, 602) ** 3, 2)
    for relaxed in (False, True):
        expected = naive_regions.mondrian_regions(ranks, places, np.array([0, 602]), 3, relaxed)
        for regions in (plain_regions, compiled_regions):
            found = regions(ranks, places, np.array([0, 602]), 3, relaxed)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("relaxed", [False, True])
@given(
    n=st.integers(5, 120),
    seed=st.integers(0, 2**32),
    missing=st.sampled_from([0, 0.1, 0.5]),
    k=st.integers(1, 5),
)
def test_the_release_is_k_anonymous_and_true(mixed, relaxed, n, seed, missing, k):
    table = mixed(n, seed=seed, missing=missing)
    keys = table.schema.with_role("key")
    for how, semantics in (("category", "category"), ("impute", "category"), ("any", "any")):
        masked = released(table, k=k, relaxed=relaxed, missing=how)
        assert smallest(masked, keys, semantics) >= k
        for name in ("degree", "town"):
            present = (masked[name] >= 0) & (table[name] >= 0)
            reading = coverage_of(table.schema[name], masked.schema[name])
            weights = reading.weights()[reading.of(masked[name][present])]
            assert (weights[np.arange(len(weights)), table[name][present]] > 0).all()
