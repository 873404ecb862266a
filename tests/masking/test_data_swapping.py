from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import DataSwapping
from sfumato.masking.data_swapping import random_pairs


def table_of(size=9, **columns):
    categories = tuple(map(str, range(size)))
    attributes = [Attribute(name=n, scale="nominal", role="key", categories=categories) for n in columns]
    return Table(Schema(attributes), columns)


def swapped(table, seed=0, **parameters):
    return DataSwapping(**parameters).apply(table, np.random.default_rng(seed))


def rows_of(table, names):
    return list(zip(*(table[name].tolist() for name in names), strict=True))


class Draws:
    def permutation(self, n):
        return np.arange(n)


def test_hand_worked_example():
    # in file order: 1 and 3 agree in m, so do 2 and 5; 4 has no value; 6 is left over
    table = table_of(x=[1, 2, 3, -1, 5, 6], m=[0, 1, 0, 0, 1, 1])
    masked = DataSwapping(p=100, matching=("m",), attributes=("x",)).apply(table, Draws())
    assert masked["x"].tolist() == [3, 5, 1, -1, 2, 6]
    # 40 percent of five values is one pair
    masked = DataSwapping(p=40, matching=("m",), attributes=("x",)).apply(table, Draws())
    assert masked["x"].tolist() == [3, 2, 1, -1, 5, 6]


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 999))
def test_pairs_are_alike_disjoint_and_as_many_as_can_be(labels, seed):
    labels = np.array(labels, np.int64)
    a, b = random_pairs(labels, np.random.default_rng(seed))
    assert (labels[a] == labels[b]).all()
    assert len({*a.tolist(), *b.tolist()}) == 2 * len(a)
    assert len(a) == sum(count // 2 for count in Counter(labels.tolist()).values())


def test_every_partner_is_equally_likely():
    seen = Counter()
    for seed in range(3000):
        a, b = random_pairs(np.zeros(4, np.int64), np.random.default_rng(seed))
        seen.update(y if x == 0 else x for x, y in zip(a.tolist(), b.tolist(), strict=True) if 0 in (x, y))
    assert set(seen) == {1, 2, 3}
    assert min(seen.values()) > 900


@given(st.integers(1, 40), st.floats(0, 100), st.booleans(), st.integers(0, 999))
def test_tables_with_the_matching_attributes_are_kept(n, p, together, seed):
    rng = np.random.default_rng(seed)
    table = table_of(x=rng.integers(-1, 4, n), y=rng.integers(-1, 4, n), m=rng.integers(-1, 2, n))
    masked = swapped(table, seed, p=p, together=together, matching=("m",), attributes=("x", "y"))
    kept = [("x", "y", "m")] if together else [("x", "m"), ("y", "m")]
    for names in kept:
        assert Counter(rows_of(table, names)) == Counter(rows_of(masked, names))
    for name in ("x", "y"):
        assert np.array_equal(masked.missing(name), table.missing(name))


@pytest.mark.parametrize("p", [0, 10, 50, 100])
def test_the_share_is_exact(p):
    table = table_of(size=1000, x=np.arange(1000))
    masked = swapped(table, p=p)
    assert np.count_nonzero(masked["x"] != table["x"]) == 10 * p


def test_numbers_may_match(mixed):
    table = mixed(300)
    masked = swapped(table, p=100, matching=("age",), attributes=("town",))
    names = ("age", "town")
    before, after = ([(str(a), b) for a, b in rows_of(t, names)] for t in (table, masked))
    assert Counter(before) == Counter(after)
    assert before != after


def test_refusals(mixed):
    with pytest.raises(DataError, match="data_swapping: column town must not be both masked and matching"):
        swapped(mixed(10), matching=("town",))
