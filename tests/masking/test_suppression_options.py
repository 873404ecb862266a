"""What local suppression takes beside k: columns that stay, sets, risks, ghosts, strata; each against a plain check."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_suppression import like

from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.declarations import Scenario
from sfumato.kernels.compatible_records import EMPTY
from sfumato.masking import LocalSuppression
from sfumato.masking._enough_records import EnoughRecords
from sfumato.masking._suppressed_classes import Classes, _rest_emptied
from sfumato.masking._suppression_demand import SuppressionDemand
from sfumato.measures import IndividualRisk

READINGS = ("category", "best", "any")
NAMES = ("c0", "c1", "c2", "c3")


def people(rows, *, scenarios=None, weights=None, strata=None):
    rows = np.asarray(rows)
    attributes = [
        Attribute(name=f"c{j}", scale="nominal", role="key", categories=tuple("abcdefgh"))
        for j in range(rows.shape[1])
    ]
    columns = {f"c{j}": column for j, column in enumerate(rows.T)}
    attributes.append(Attribute(name="more", scale="numeric", missing=("-9",)))
    columns["more"] = np.arange(len(rows)) + 0.5
    if weights is not None:
        attributes.append(Attribute(name="weight", scale="numeric", role="weight"))
        columns["weight"] = np.asarray(weights, float)
    if strata is not None:
        attributes.append(Attribute(name="region", scale="nominal", role="stratum", categories=("n", "s")))
        columns["region"] = strata
    return Table(Schema(attributes, scenarios=scenarios), columns)


def released(table, **wish):
    masked = LocalSuppression(**wish).apply(table, np.random.default_rng(0))
    return masked, np.column_stack([masked[name] for name in table.schema.with_role("key")])


tables = st.builds(
    lambda seed, n, values, holes: np.where(
        np.random.default_rng(seed).random((n, 4)) < holes,
        -1,
        np.random.default_rng(seed + 1).integers(0, values, (n, 4)),
    ),
    st.integers(0, 10**6),
    st.integers(4, 60),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.1, 0.4]),
)
SOME = settings(max_examples=15, deadline=None)


@pytest.mark.parametrize("reading", READINGS)
@SOME
@given(rows=tables, k=st.integers(2, 4), stay=st.sampled_from([(0,), (2,), (0, 3), (0, 1, 2, 3)]))
def test_what_must_stay_stays_or_is_refused_for_cause(reading, rows, k, stay):
    names = tuple(f"c{j}" for j in stay)
    blank = rows.copy()
    blank[:, [j for j in range(4) if j not in stay]] = -1
    possible = min(like(blank, blank, "any" if reading == "any" else "category")) >= k
    if not possible:
        with pytest.raises(DataError, match=r"cannot be reached while .* must stay: \d+ records"):
            released(people(rows), k=k, missing=reading, never=names)
        return
    _, after = released(people(rows), k=k, missing=reading, never=names)
    assert np.array_equal(after[:, stay], rows[:, stay])
    assert min(like(rows, after, reading)) >= k


@pytest.mark.parametrize("reading", READINGS)
@SOME
@given(rows=tables, k=st.integers(2, 4), m=st.integers(1, 4))
def test_every_combination_of_m_columns_is_k_anonymous(reading, rows, k, m):
    _, after = released(people(rows), k=k, missing=reading, combinations=m)
    for size in range(1, m + 1):
        for columns in combinations(range(4), size):
            assert min(like(rows, after, reading, columns)) >= k
    assert ((after == rows) | (after == -1)).all()


@pytest.mark.parametrize("reading", READINGS)
@SOME
@given(rows=tables, k=st.integers(2, 4))
def test_named_sets_and_scenarios_are_k_anonymous_each(reading, rows, k):
    table = people(rows, scenarios={"neighbour": Scenario(knows=("c1", "c2"))})
    _, after = released(table, k=k, missing=reading, sets=("neighbour", "c2+c0"))
    for columns in ((1, 2), (0, 2)):
        assert min(like(rows, after, reading, columns)) >= k
    assert np.array_equal(after[:, 3], rows[:, 3])  # in no set


def test_fewer_cells_go_for_sets_than_for_all_columns_together():
    rows = np.random.default_rng(4).integers(0, 4, (300, 4))
    together = (released(people(rows), k=3)[1] < 0).sum()
    assert 0 < (released(people(rows), k=3, combinations=3)[1] < 0).sum() < together


@pytest.mark.parametrize("reading", READINGS)
@SOME
@given(rows=tables, risk=st.sampled_from([5.0, 20.0, 40.0]), seed=st.integers(0, 99))
def test_no_record_is_riskier_than_was_asked_for(reading, rows, risk, seed):
    weights = np.random.default_rng(seed).choice([1.0, 3.5, 20.0, 300.0], len(rows))
    table = people(rows, weights=weights)
    try:
        masked, after = released(table, k=1, risk=risk, missing=reading)
    except DataError as error:
        assert "cannot be reached, not even where all records are alike" in str(error)
        everything = IndividualRisk(attributes=NAMES).bind(table).records(without_values(table))
        assert everything.max() > risk / 100
        return
    assert ((after == rows) | (after == -1)).all()
    if reading == "category":
        risks = IndividualRisk(attributes=NAMES).bind(table).records(masked)
        assert risks.max() <= risk / 100 + 1e-9
    for i, people_alike in enumerate(stands_for(rows, after, reading, weights)):
        assert people_alike >= 100 / risk * 0.999 or (rows[i] == after[i]).all() or risk >= 100


def stands_for(before, after, reading, weights):
    """The people that each record may be confused with: at least one over the risk, whatever the sample."""
    from naive_suppression import is_like

    return [
        sum(w for row, w in zip(after.tolist(), weights, strict=True) if is_like(a, b, row, reading))
        for a, b in zip(before.tolist(), after.tolist(), strict=True)
    ]


def without_values(table):
    return table.replace({name: np.full(table.n, -1) for name in NAMES})


def test_weights_let_more_cells_stay_where_records_stand_for_many():
    rows = np.random.default_rng(6).integers(0, 3, (200, 4))
    few = (released(people(rows, weights=np.full(200, 2.0)), k=1, risk=10)[1] < 0).sum()
    many = (released(people(rows, weights=np.full(200, 20.0)), k=1, risk=10)[1] < 0).sum()
    unweighted = (
        released(people(rows, weights=np.full(200, 20.0)), k=1, risk=10, weighted=False)[1] < 0
    ).sum()
    assert many < few < unweighted


def test_ghosts_are_empty_where_their_key_is():
    rows = np.array([[0, 0], [0, 0], [0, 1], [0, 2], [-1, 0], [-1, 0]])
    table = people(rows)
    table = table.replace(
        {"more": np.where(np.arange(6) == 0, np.nan, table["more"])},
        reasons={"more": np.array([1, 0, 0, 0, 0, 0])},
    )
    masked, after = released(table, k=2, ghosts=("c1=more",))
    assert np.array_equal(np.isnan(masked["more"]), (after[:, 1] < 0) | (np.arange(6) == 0))
    assert masked.reasons("more")[0] == 1  # a code stays where the key does
    masked, after = released(table, k=2, ghosts=("c1=more", "c0=more"))
    assert np.array_equal(np.isnan(masked["more"]), (after < 0).any(axis=1) | (np.arange(6) == 0))
    assert LocalSuppression(ghosts=("c1=more",)).targets(table) == ("c0", "c1", "more")


def test_within_strata_everything_holds_by_itself():
    rng = np.random.default_rng(7)
    rows, strata = rng.integers(0, 3, (80, 4)), rng.integers(0, 2, 80)
    masked, after = released(
        people(rows, strata=strata), k=3, combinations=2, never=("c0",), ghosts=("c1=more",)
    )
    for stratum in (0, 1):
        here = strata == stratum
        for columns in combinations(range(4), 2):
            assert min(like(rows[here], after[here], "category", columns)) >= 3
    assert np.array_equal(np.isnan(masked["more"]), after[:, 1] < 0)


def test_specs_and_texts_say_the_same():
    from sfumato.masking import make_masking

    text = "local_suppression(k=3, missing=best, never=[c0], sets=[c0+c1, c2+c3], ghosts=['c1=more'])"
    wish = LocalSuppression(k=3, missing="best", never=("c0",), sets=("c0+c1", "c2+c3"), ghosts=("c1=more",))
    assert make_masking(text) == wish
    assert make_masking(wish.spec()) == wish


def test_refusals():
    table = people(np.zeros((6, 2), int))
    for wish, words in (
        ({"never": ("c9",)}, "never names c9, which is none of the masked columns: c0, c1"),
        ({"sets": ("c0+more",)}, "sets names more, which is none of the masked columns"),
        ({"combinations": 3}, "combinations = 3 needs as many masked columns. Got 2"),
        ({"ghosts": ("more",)}, "a ghost is written key=column"),
        ({"ghosts": ("c0=c1",)}, "column c1 is masked itself, and cannot be a ghost too"),
    ):
        with pytest.raises(DataError, match=words):
            LocalSuppression(k=2, **wish).apply(table, np.random.default_rng(0))
    with pytest.raises(UnknownNameError):
        LocalSuppression(k=2, ghosts=("c0=nothing",)).apply(table, np.random.default_rng(0))
    bad = people(np.zeros((3, 2), int), weights=[1, -1, 2])
    with pytest.raises(DataError, match="column weight: survey weights must be numbers of at least 0"):
        LocalSuppression(k=1, risk=5).apply(bad, np.random.default_rng(0))


def test_what_stays_rare_to_the_end_loses_everything_and_others_only_where_it_must():
    """Two alone in a column that may go, among classes of three: they go; two that are empty take the smallest along."""
    enough = EnoughRecords(k=3)
    demand = SuppressionDemand(enough, (1.0, 1.0), ((0, 1),))

    def left(states, counts):
        states = np.array(states, np.int32)
        classes = Classes(states, np.array(counts), np.ones(len(states)), np.arange(len(states)))
        return (_rest_emptied(classes, demand).states != EMPTY).any(axis=1).tolist()

    assert left([[0, 0], [0, 1], [1, 0], [1, 1]], [3, 1, 4, 2]) == [True, False, True, False]
    assert left([[0, 0], [0, 1], [EMPTY, EMPTY]], [5, 4, 2]) == [True, False, False]
