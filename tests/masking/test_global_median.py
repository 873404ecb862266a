import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import GlobalMedian, Mondrian
from sfumato.measures import KAnonymity


def table_of(*columns, size=8):
    names = [f"c{j}" for j in range(len(columns))]
    categories = tuple(map(str, range(1, size + 1)))
    schema = Schema(Attribute(name=n, scale="ordinal", role="key", categories=categories) for n in names)
    return Table(schema, dict(zip(names, map(np.array, columns), strict=True)))


def released(table, **parameters):
    return GlobalMedian(**parameters).apply(table, np.random.default_rng(0))


def test_the_middle_of_the_domain_and_not_of_the_records():
    masked = released(table_of([0, 0, 0, 6, 7, 7, 7]), k=7)
    assert masked.to_arrow()["c0"].to_pylist() == ["4"] * 7  # of 1..8, though nobody has it
    assert masked.schema == table_of([0]).schema


def test_two_attributes_by_hand():
    # the second is wider within each half of the first, but the first is the widest of all by its order
    masked = released(table_of([0, 1, 6, 7], [0, 7, 0, 7]), k=2)
    assert masked["c0"].tolist() == [0, 0, 6, 6]
    assert masked["c1"].tolist() == [3] * 4


def test_missing_values():
    table = table_of([-1, 0, 4, 7, 7, 7])
    assert released(table, k=3)["c0"].tolist() == [2, 2, 2, 7, 7, 7]
    assert released(table_of([-1, 0, -1, 7, 7, 7]), k=3)["c0"].tolist() == [-1, -1, -1, 7, 7, 7]
    assert released(table, k=3, missing="any")["c0"].tolist() == [-1, 2, 2, 7, 7, 7]
    assert released(table, k=3, missing="impute")["c0"].tolist() == [2, 2, 2, 7, 7, 7]
    assert released(table_of([-1, -1]), k=2, missing="impute")["c0"].tolist() == [-1, -1]


rows = st.lists(st.tuples(*[st.integers(-1, 7)] * 3), min_size=5, max_size=60)


@given(rows, st.integers(1, 5), st.booleans())
def test_k_anonymous_and_inside_the_interval_that_mondrian_releases(found, k, relaxed):
    table = table_of(*zip(*found, strict=True))
    masked = released(table, k=k, relaxed=relaxed)
    assert KAnonymity().bind(table).score(masked).parts["smallest"] >= k
    wide = Mondrian(k=k, relaxed=relaxed).apply(table, np.random.default_rng(0))
    for name in table.names:
        assert masked.schema[name] == table.schema[name]
        attribute = wide.schema[name]
        for one, interval in zip(masked[name], wide[name], strict=True):
            assert (one < 0) == (interval < 0)
            if one >= 0:
                label = attribute.categories[interval]
                assert table.schema[name].categories[one] in attribute.covers.get(label, (label,))


def test_too_few_records_are_refused(mixed):
    with pytest.raises(DataError, match=r"global_median: k = 5 needs at least 5 records. Got 4"):
        released(mixed(4), k=5)
