import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import MaintainedPartition, Mdav
from sfumato.masking._maintained_groups import halves, sse_of
from sfumato.masking._maintained_partition import scaling
from sfumato.masking._microaggregation import squares, standardised

number = st.one_of(st.integers(-9, 9).map(float), st.floats(-9, 9, width=16), st.just(float("nan")))
row = st.tuples(number, number)


def table_of(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


def record(values):
    return {f"x{j}": value for j, value in enumerate(values)}


def assert_sound(kept, known):
    """Groups of k to 2k − 1 records that are the known ones, and the centroids of what most of them have."""
    groups = kept.groups()
    assert sorted(i for group in groups for i in group) == sorted(known)
    assert kept.n == len(known)
    assert all(kept.k <= len(group) <= max(2 * kept.k - 1, 1) for group in groups)
    for group in groups:
        values = np.array([known[i] for i in group])
        expected = [
            np.nanmean(column) if np.isnan(column).sum() < len(column) / 2 else np.nan for column in values.T
        ]
        np.testing.assert_allclose(list(kept.released(group[0]).values()), expected, atol=1e-9)


@given(
    st.lists(row, min_size=1, max_size=20),
    st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from(["insert", "delete", "change"]), st.integers(0, 99), row), max_size=40
    ),
)
@settings(max_examples=40)
def test_every_state_is_k_anonymous_and_only_touched_groups_move(start, k, operations):
    if len(start) < k:
        return
    kept = MaintainedPartition(table_of(np.array(start)), Mdav(k=k), np.random.default_rng(0))
    known = dict(enumerate(start))
    assert_sound(kept, known)
    for what, which, values in operations:
        before = kept.groups()
        chosen = sorted(known)[which % len(known)]
        if what == "insert":
            inserted, touched = kept.insert(record(values))
            assert inserted not in known
            known[inserted] = values
        elif what == "change":
            touched = kept.change(chosen, record(values))
            known[chosen] = values
        elif len(known) == k:
            with pytest.raises(DataError, match="none can be deleted"):
                kept.delete(chosen)
            continue
        else:
            touched = kept.delete(chosen)
            del known[chosen]
        assert_sound(kept, known)
        for group in set(kept.groups()) ^ set(before):
            assert set(group) <= set(touched) | {chosen}


def test_the_same_operations_give_the_same_groups():
    def run():
        rng = np.random.default_rng(0)
        kept = MaintainedPartition(table_of(rng.normal(size=(40, 2))), Mdav(k=3), rng)
        for _ in range(60):
            kept.insert(record(rng.normal(size=2)))
            kept.delete(int(rng.choice([i for group in kept.groups() for i in group])))
        return kept.groups()

    assert run() == run()


@pytest.mark.parametrize("how", ["zscore", "range", "none"])
def test_the_scale_is_that_of_the_partition(how):
    X = np.random.default_rng(0).normal(size=(30, 3)) * [1, 10, 100]
    X[3, 1] = np.nan
    X[:, 2] = 7.0
    shift, scale = scaling(X, how)
    np.testing.assert_allclose((X - shift) / scale, standardised(X, how), atol=1e-12)
    method = Mdav(k=3, standardise=how)
    kept = MaintainedPartition(table_of(X), method, np.random.default_rng(0))
    full = np.nan_to_num(standardised(X, how))
    labels = method.partition(table_of(X), np.random.default_rng(0)).labels
    assert kept.sse == pytest.approx(squares(full, labels))


def test_halves_are_the_best_cut_of_some_orders():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(9, 2))
        one, two = halves(X, 3)
        assert sorted(one + two) == list(range(9))
        assert min(len(one), len(two)) >= 3
        assert sse_of(X[one]) + sse_of(X[two]) < sse_of(X)


def test_wrong_records_and_numbers_are_refused(mixed):
    kept = MaintainedPartition(table_of(np.zeros((4, 2))), Mdav(k=2), np.random.default_rng(0))
    for wrong in ({"x0": 1.0}, {"x0": 1.0, "x1": float("inf")}, {"x0": 1.0, "x1": "many"}):
        with pytest.raises(DataError, match="Updates: the"):
            kept.insert(wrong)
    for operation in (kept.delete, kept.released, lambda i: kept.change(i, record((0.0, 0.0)))):
        with pytest.raises(DataError, match="no record with the number 4"):
            operation(4)
    assert kept.groups() == [(0, 1), (2, 3)]
    with pytest.raises(DataError, match="strata"):
        MaintainedPartition(mixed(40, strata=True), Mdav(k=2), np.random.default_rng(0))


@pytest.mark.classic
@pytest.mark.parametrize(
    ("classic", "k"),
    [
        pytest.param("census", 3, marks=pytest.mark.slow),
        ("census", 10),
        ("tarragona", 3),
        pytest.param("tarragona", 10, marks=pytest.mark.slow),
    ],
)
def test_sse_stays_near_that_of_groups_made_anew(classic, k):
    """After growing to twice its records, replacing each one, and losing three quarters."""
    table, rng = datasets.load(classic), np.random.default_rng(0)
    names = table.schema.with_role("key")
    rows = [dict(zip(names, values, strict=True)) for values in table.numbers(names)]
    order = rng.permutation(table.n)
    kept = MaintainedPartition(table.take(order[: table.n // 2]), Mdav(k=k), rng)

    def ratio():
        X = kept._groups.X[sorted(kept._values)]
        return kept.sse / squares(X, Mdav(k=k).group(X, rng))

    known = dict(enumerate(order[: table.n // 2].tolist()))
    for i in order[table.n // 2 :].tolist():
        known[kept.insert(rows[i])[0]] = i
    grown = ratio()
    for old in rng.permutation(list(known)).tolist():
        kept.delete(old)
        i = known.pop(old)
        known[kept.insert(rows[i])[0]] = i
    replaced = ratio()
    for old in rng.permutation(list(known))[: 3 * table.n // 4].tolist():
        kept.delete(old)
    assert max(grown, replaced, ratio()) < 1.2
