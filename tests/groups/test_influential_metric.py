import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swapping import BASIC, METRIC, small_files, small_table

from sfumato.core import DataError, ParameterError
from sfumato.groups.influential_metric import InfluentialMetric, distances
from sfumato.kernels.influential_metric import nearest_free
from sfumato.kernels.influential_trees import plant


def naive(x, y, metric, names):
    """The formula, attribute by attribute."""
    total = 0.0
    for name, a, b in zip(names, x, y, strict=True):
        weight = metric.weights.get(name, 1.0)
        if name not in metric.ordinal:
            total += weight * (metric.same if a == b else metric.different)
        elif a != b:
            lost = np.isinf(a) or np.isinf(b)
            total += weight * (1.0 if lost else ((a - b) / (abs(a) + abs(b))) ** 2)
    return total


values = st.one_of(st.just(-np.inf), st.integers(-3, 6).map(float))
grids = st.integers(1, 60).flatmap(
    lambda n: st.lists(st.tuples(values, values, values), min_size=n, max_size=n).map(np.array)
)
metrics = st.sampled_from(
    [
        InfluentialMetric(attributes=BASIC),
        InfluentialMetric(attributes=BASIC, ordinal=BASIC),
        InfluentialMetric(attributes=BASIC, ordinal=("sex",), weights={"age": 3.0, "sex": 0.5}),
        InfluentialMetric(attributes=BASIC, same=0.25, different=2.0),
    ]
)


@settings(max_examples=40)
@given(grids, metrics, st.integers(1, 5), st.data())
def test_the_trees_find_what_a_scan_finds(X, metric, few, data):
    n = len(X)
    place = np.sort(np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))))
    taken = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    first = np.searchsorted(place, np.arange(4))
    forest = plant(X, first, np.arange(n))
    found = np.empty(few, np.int64)
    for p in range(3):
        nearest_free(X, 0, p, forest, metric.rows, taken, np.inf, found)
        rows = [r for r in np.flatnonzero(place == p) if not taken[r]]
        expected = sorted(naive(X[0], X[r], metric, BASIC) for r in rows)[:few]
        there = found[found >= 0]
        assert len(there) == len(expected) == len(set(there))
        assert set(there) <= set(rows)
        assert np.allclose([naive(X[0], X[r], metric, BASIC) for r in there], expected)


def test_the_trees_find_what_a_scan_finds_in_larger_places():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (900, 6)).astype(float)
    X[:, 5] = rng.normal(0, 100, 900).round()
    names = tuple("abcdef")
    metric = InfluentialMetric(attributes=names, ordinal=("e", "f"))
    forest = plant(X, np.array([0, 300, 900]), rng.permutation(900))
    found = np.empty(1, np.int64)
    for row in range(0, 900, 45):
        for place, (start, end) in enumerate(((0, 300), (300, 900))):
            rows = forest.rows[start:end].tolist()
            taken = np.isin(np.arange(900), rows[:100])
            nearest_free(X, row, place, forest, metric.rows, taken, np.inf, found)
            least = min(naive(X[row], X[r], metric, names) for r in rows[100:])
            assert found[0] in rows[100:]
            assert naive(X[row], X[found[0]], metric, names) == pytest.approx(least)


def test_only_what_is_within_reach_counts():
    X = np.array([[0.0], [1.0], [0.0]])
    metric = InfluentialMetric(attributes=("sex",))
    forest = plant(X, np.array([0, 3]), np.arange(3))
    found = np.empty(3, np.int64)
    nearest_free(X, 0, 0, forest, metric.rows, np.zeros(3, bool), 1.0, found)
    assert found.tolist() == [0, 2, -1]


def test_which_others_are_taken_does_not_change_the_order_of_the_rest():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 4)).astype(float)
    metric = InfluentialMetric(attributes=tuple("abcd")).rows
    forest = plant(X, np.array([0, 200]), np.arange(200))
    whole, few = np.empty(200, np.int64), np.empty(1, np.int64)
    nearest_free(X, 0, 0, forest, metric, np.zeros(200, bool), np.inf, whole)
    for seed in range(20):
        taken = np.random.default_rng(seed).random(200) < 0.7
        nearest_free(X, 0, 0, forest, metric, taken, np.inf, few)
        assert few[0] == next(row for row in whole if not taken[row])


def test_hand_worked_distances():
    table = small_table()
    metric = InfluentialMetric(attributes=BASIC, ordinal=("age",), weights={"travel": 2.0})
    X = np.array([[20.0, 0, 1], [30.0, 1, 1], [30.0, 1, -1], [-np.inf, 1, -1]])
    pairs = np.array([[0, 0, 0, 1], [0, 1, 0, 2], [0, 2, 0, 3], [0, 3, 0, 3]])
    # ((20 − 30) / 50)² + 1;  then travel differs, weight 2;  then the age is lost;  then all is alike
    assert distances(pairs, X, metric).tolist() == pytest.approx([1.04, 2.0, 1.0, 0.0])
    assert metric.greatest == 4.0
    points = METRIC.points(table)
    assert np.isneginf(points[np.isnan(table["age"]), 0]).all()
    assert small_files(table).n == len(points)


def test_ordered_categories_differ_by_their_ranks():
    from sfumato.data import Attribute, Schema, Table

    grade = Attribute(name="grade", scale="ordinal", categories=("low", "middle", "high"))
    table = Table(Schema([grade]), {"grade": [0, 1, 2, -1]})
    points = InfluentialMetric(attributes=("grade",), ordinal=("grade",)).points(table)
    assert points[:, 0].tolist() == [1.0, 2.0, 3.0, -np.inf]
    nominal = table.schema["grade"].evolve(scale="nominal")
    with pytest.raises(DataError, match="column grade is nominal"):
        InfluentialMetric(attributes=("grade",), ordinal=("grade",)).points(
            table.with_schema(Schema([nominal]))
        )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"attributes": ()}, "at least one attribute"),
        ({"attributes": ("age",), "ordinal": ("sex",)}, "sex is not one of its attributes"),
        ({"attributes": ("age",), "weights": {"age": -1.0}}, "not negative"),
        ({"attributes": ("age",), "same": 2.0}, "not exceed different"),
    ],
)
def test_metrics_that_make_no_sense_are_refused(wrong, sentence):
    with pytest.raises(ParameterError, match=sentence):
        InfluentialMetric(**wrong)
