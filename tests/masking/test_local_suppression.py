import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import LocalSuppression
from sfumato.masking.local_suppression import attribute_sets, cells_to_suppress
from sfumato.measures import KAnonymity


def table_of(*columns):
    names = [f"c{j}" for j in range(len(columns))]
    schema = Schema(
        Attribute(name=n, scale="nominal", role="key", categories=tuple("abcdefgh")) for n in names
    )
    return Table(schema, dict(zip(names, map(np.array, columns), strict=True)))


def suppressed(table, **parameters):
    masked = LocalSuppression(**parameters).apply(table, np.random.default_rng(0))
    return np.column_stack([masked.missing(n) & ~table.missing(n) for n in table.schema.with_role("key")])


def smallest(masked, missing="any"):
    names = masked.schema.with_role("key")
    measure = KAnonymity(attributes=names, missing=missing)
    return measure.bind(masked).score(masked).parts["smallest"]


def test_of_two_uniques_that_differ_in_one_cell_only_one_loses_it():
    gone = suppressed(table_of([0, 0, 0, 0], [1, 1, 2, 3]), k=2, missing="any")
    assert gone.sum() == 1
    assert not gone[:2].any()


def test_if_missing_is_a_category_both_lose_it():
    gone = suppressed(table_of([0, 0, 0, 0], [1, 1, 2, 3]), k=2)
    assert gone.tolist() == [[False, False]] * 2 + [[False, True]] * 2


def test_those_that_are_too_few_borrow_from_a_class_that_can_spare_them():
    gone = suppressed(table_of([0] * 6, [1, 1, 1, 1, 1, 2]), k=3)
    assert gone.sum(axis=0).tolist() == [0, 3]
    assert gone[5].tolist() == [False, True]


def test_a_class_that_cannot_spare_them_goes_as_a_whole():
    gone = suppressed(table_of([0] * 4, [1, 1, 1, 2]), k=3)
    assert gone.tolist() == [[False, True]] * 4


def test_they_join_those_that_are_empty_anyway():
    gone = suppressed(table_of([0] * 7, [-1, -1, -1, 1, 1, 1, 2]), k=3)
    assert gone.tolist() == [[False, False]] * 6 + [[False, True]]


def test_a_code_for_missing_that_few_have_becomes_an_empty_cell():
    attribute = Attribute(name="c", scale="nominal", role="key", categories=("a",), missing=("?",))
    table = Table(Schema([attribute]), {"c": [0, 0, -1, -1, -1]}, reasons={"c": np.array([0, 0, 0, 1, 1])})

    def written(rows):
        masked = LocalSuppression(k=2).apply(table.take(np.array(rows)), np.random.default_rng(0))
        return masked.to_arrow(text=True)["c"].to_pylist()

    assert written([0, 1, 2, 3]) == ["a", "a", None, None]
    assert written([0, 1, 3, 4]) == ["a", "a", "?", "?"]


def test_importance_says_what_goes():
    # the last record would be safe without either value
    table = table_of([0, 0, 1, 1, 0], [0, 0, 1, 1, 1])
    for missing in ("any", "category"):
        ways = {"k": 2, "missing": missing}
        assert suppressed(table, importance=(1, 2), **ways).tolist()[4] == [True, False]
        assert suppressed(table, importance=(2, 1), **ways).tolist()[4] == [False, True]
    assert suppressed(table, k=2, missing="any").sum() == 1
    assert suppressed(table, k=2).sum() == 3  # a class of two cannot lend one


def test_a_dear_attribute_outweighs_two_cheap_ones():
    # the last record is safe without the first value, or without the other two
    table = table_of([0, 0, 1, 1, 1], [0, 0, 2, 3, 0], [0, 0, 2, 3, 0])
    base = suppressed(table, k=2, missing="any")
    assert base[4].tolist() == [True, False, False]
    dear = suppressed(table, k=2, importance=(5, 1, 1), missing="any")
    assert not dear[:, 0].any()


def test_what_is_anonymous_already_stays():
    table = table_of([0, 0, 1, -1], [0, 0, -1, 1])
    assert not suppressed(table, k=2, missing="any").any()
    assert suppressed(table, k=2).any()
    assert suppressed(table, k=4, missing="any").any()
    assert not suppressed(table, k=1).any()


def test_sets_come_by_importance_and_end_with_all():
    values = [np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, np.int64)]
    sets = list(attribute_sets(values, (1, 1, 1)))
    assert sets[:4] == [(0,), (1,), (2,), (0, 1)]
    assert sets[-1] == (0, 1, 2)
    assert next(iter(attribute_sets(values, (3, 2, 1)))) == (2,)
    many = list(attribute_sets([np.arange(3)] * 30, (1.0,) * 30))
    assert len(many) < 1100
    assert len(many[-1]) == 30
    wide = list(attribute_sets([np.arange(3)] * 2000, (1.0,) * 2000))
    assert wide[-1] == tuple(range(2000))


rows = st.lists(st.tuples(*[st.integers(-1, 3)] * 3), min_size=5, max_size=60)


@pytest.mark.parametrize("missing", ["category", "any"])
@given(found=rows, k=st.integers(1, 5), importance=st.permutations([1.0, 2.0, 0.0]))
def test_the_release_is_k_anonymous_and_nothing_but_suppressed(missing, found, k, importance):
    table = table_of(*zip(*found, strict=True))
    masking = LocalSuppression(k=k, importance=tuple(importance), missing=missing)
    masked = masking.apply(table, np.random.default_rng(0))
    assert smallest(masked, missing) >= k
    for name in table.names:
        kept = ~masked.missing(name)
        assert np.array_equal(masked[name][kept], table[name][kept])
    if smallest(table, missing) >= k:
        assert masked.fingerprint == table.fingerprint


@given(n=st.integers(5, 80), seed=st.integers(0, 2**32), missing=st.sampled_from([0, 0.1, 0.5]))
def test_mixed_tables_become_k_anonymous(mixed, n, seed, missing):
    table = mixed(n, seed=seed, missing=missing)
    for how in ("category", "any"):
        assert smallest(LocalSuppression(k=3, missing=how).apply(table, np.random.default_rng(0)), how) >= 3


def test_many_patterns_of_missing_values_are_still_made_safe():
    rng = np.random.default_rng(2)
    columns = [np.where(rng.random(400) < 0.4, -1, rng.integers(0, 3, 400)) for _ in range(8)]
    table = table_of(*columns)
    assert len({tuple(row) for row in (np.array(columns) < 0).T.tolist()}) > 64
    masked = LocalSuppression(k=3, missing="any").apply(table, rng)
    assert smallest(masked) >= 3


def test_fewer_cells_go_than_if_every_risky_record_lost_its_own():
    rng = np.random.default_rng(5)
    columns = [np.minimum(rng.geometric(0.3, 3000) - 1, 7) for _ in range(4)]
    table = table_of(*columns)
    gone = cells_to_suppress(columns, np.zeros((3000, 4), bool), 3, (1.0,) * 4)
    counts = KAnonymity(k=3).bind(table).score(table).value * 30
    assert 0 < gone.any(axis=1).sum() < 0.8 * counts
    assert gone.sum() < suppressed(table, k=3).sum() < 2 * counts  # each loses less than half of four cells


def test_refusals(mixed):
    with pytest.raises(DataError, match=r"local_suppression: k = 5 needs at least 5 records. Got 4"):
        suppressed(mixed(4), k=5)
    with pytest.raises(DataError, match=r"one number for each of the 4 masked columns. Got 2"):
        suppressed(mixed(40), importance=(1, 2))
