import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_regions
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.mdav_generic import compiled_labels, plain_labels
from sfumato.masking import Mdav, MdavGeneric, Whole
from sfumato.measures import KAnonymity
from sfumato.parallel.threads import using_threads


def smallest(masked, names, missing):
    measure = KAnonymity(attributes=names, missing=missing)
    return measure.bind(masked).score(masked).parts["smallest"]


def released(table, **parameters):
    return MdavGeneric(**parameters).apply(table, np.random.default_rng(0))


def test_averages_of_each_scale_by_hand():
    schema = Schema(
        [
            Attribute(name="x", scale="numeric", role="key", decimals=1),
            Attribute(name="o", scale="ordinal", role="key", categories=tuple("abcde")),
            Attribute(name="c", scale="nominal", role="key", categories=tuple("pqr")),
        ]
    )
    columns = {"x": [1, 2, 2, 9, 8, 9], "o": [0, 1, 2, 4, 4, -1], "c": [2, 1, 2, 0, 1, 0]}
    table = Table(schema, columns)
    masked = released(table, k=3)
    assert masked["x"].tolist() == [1.7] * 3 + [8.7] * 3
    assert masked["o"].tolist() == [1, 1, 1, 4, 4, 4]
    assert masked["c"].tolist() == [2, 2, 2, 0, 0, 0]
    assert released(table, k=3, missing="any")["o"].tolist() == [1, 1, 1, 4, 4, -1]
    fewer = table.replace({"x": [1, 2, 2, 9, 9, 9], "o": [0, 1, 2, 4, -1, -1], "c": [2, 1, 2, 0, 0, 0]})
    assert released(fewer, k=3)["o"].tolist() == [1, 1, 1, -1, -1, -1]
    assert released(fewer, k=3, missing="impute")["o"].tolist() == [1, 1, 1, 4, 4, 4]


def test_on_numbers_it_is_mdav():
    rng = np.random.default_rng(3)
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in "xyz")
    table = Table(schema, dict(zip("xyz", rng.normal(size=(3, 400)), strict=True)))
    masked = released(table, k=4, standardise="zscore")
    expected = Mdav(k=4).apply(table, rng)
    for name in "xyz":
        np.testing.assert_allclose(masked[name], expected[name])


number = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.just(np.nan))
code = st.integers(-1, 3)


@given(st.lists(st.tuples(number, number, code, code), min_size=2, max_size=40), st.integers(2, 5))
def test_groups_equal_the_twin(rows, k):
    Z = np.array([row[:2] for row in rows])
    C = np.array([row[2:] for row in rows], np.int32)
    steps, sizes = np.array([0.25, 0.0]), np.array([4, 4])
    expected = naive_regions.mdav_generic_groups(Z, C, steps, sizes, k)
    sizes_found = np.bincount(expected)
    assert sizes_found.min() >= min(k, len(rows)) and sizes_found.max() < 2 * k
    for groups in (plain_labels, compiled_labels):
        np.testing.assert_array_equal(groups(Z, C, steps, sizes, k), expected)


def test_groups_of_one_kind_of_attribute():
    rng = np.random.default_rng(0)
    Z, C = rng.random((30, 2)), rng.integers(0, 3, (30, 2)).astype(np.int32)
    for z, c in ((Z, C[:, :0]), (Z[:, :0], C)):
        steps, sizes = np.full(c.shape[1], 1 / 3), np.full(c.shape[1], 3)
        expected = naive_regions.mdav_generic_groups(z, c, steps, sizes, 3)
        for groups in (plain_labels, compiled_labels):
            np.testing.assert_array_equal(groups(z, c, steps, sizes, 3), expected)


@given(
    n=st.integers(5, 100),
    seed=st.integers(0, 2**32),
    missing=st.sampled_from([0, 0.1, 0.5]),
    k=st.integers(1, 5),
    block=st.sampled_from([1, 10, 10_000]),
)
def test_the_release_is_k_anonymous(mixed, n, seed, missing, k, block):
    table = mixed(n, seed=seed, missing=missing)
    keys = table.schema.with_role("key")
    for how, semantics in (("any", "any"), ("impute", "category"), ("category", "category")):
        assert smallest(released(table, k=k, missing=how, block=block), keys, semantics) >= k


def test_blocks_are_grouped_by_themselves_and_threads_change_nothing(mixed):
    table = mixed(900)
    keys = table.schema.with_role("key")
    runs = []
    for threads in (1, 3):
        with using_threads(threads):
            runs.append(MdavGeneric(k=4, block=100).group(table, keys, Whole.of(table)))
    np.testing.assert_array_equal(*runs)
    sizes = np.bincount(runs[0])
    assert sizes.min() >= 4
    assert sizes.max() < 8
    assert not np.array_equal(runs[0], MdavGeneric(k=4).group(table, keys, Whole.of(table)))


def test_too_few_records_are_refused(mixed):
    with pytest.raises(DataError, match=r"mdav_generic: k = 5 needs at least 5 records. Got 4"):
        released(mixed(4), k=5)
