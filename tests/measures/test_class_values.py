"""Classes from disk: every scale, missing values, and classes that cross the batches of an answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_blocks import assert_as_in_memory, judged

from sfumato.data import Attribute, Schema, Table
from sfumato.measures import IndividualRisk, KAnonymity, LDiversity, TCloseness
from sfumato.measures.statistics import class_values, key_classes
from sfumato.measures.statistics import database as databases

SCHEMA = Schema(
    [
        Attribute(name="age", scale="numeric", role="key", missing=("-8", "-9")),
        Attribute(name="town", scale="nominal", role="key", categories=("a", "b"), missing=("?",)),
        Attribute(name="pay", scale="numeric", role="confidential"),
        Attribute(name="degree", scale="ordinal", role="confidential", categories=tuple("12345")),
        Attribute(name="illness", scale="nominal", role="confidential", categories=tuple("abcd")),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from([np.nan, -0.0, 0.0, 30.0]),
        st.integers(-1, 1),
        st.sampled_from([np.nan, -0.0, 0.0, 0.5, 2.0, 1e9]),
        st.integers(-1, 4),
        st.integers(-1, 3),
        st.sampled_from([0.5, 1.0, 7.0]),
    ),
    min_size=1,
    max_size=30,
)


def table_of(records):
    """The table of some records, whose missing keys have one code after the other, or none."""
    columns = zip(SCHEMA.names, np.array(records, float).T, strict=True)
    return Table(
        SCHEMA,
        {n: values if SCHEMA[n].is_numeric else values.astype(np.int8) for n, values in columns},
        reasons={n: np.arange(len(records)) % (len(SCHEMA[n].missing) + 1) for n in ("age", "town")},
    )


@settings(max_examples=12)
@given(
    records=RECORDS,
    size=st.integers(1, 30),
    t=st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    weighted=st.booleans(),
    together=st.integers(1, 5),
)
def test_closeness_is_as_in_memory(records, size, t, weighted, together, tmp_path_factory):
    table, measure = table_of(records), TCloseness(t=t, weighted=weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_values, "TOGETHER", together)
        scores = judged(table, table, tmp_path_factory.mktemp("blocks"), size=size, measures=[measure])
    assert_as_in_memory(measure, scores[measure.plain()], table, table)


@settings(max_examples=12)
@given(
    records=RECORDS,
    size=st.integers(1, 30),
    weighted=st.booleans(),
    variant=st.sampled_from(["distinct", "entropy", "recursive"]),
    together=st.integers(1, 5),
)
def test_classes_are_as_in_memory(records, size, weighted, variant, together, tmp_path_factory):
    """A missing key that is what its code says or matches any value, and all that a class may attain, whatever is missing."""
    table = table_of(records)
    measures = [
        KAnonymity(k=3, weighted=weighted),
        KAnonymity(k=3, missing="any", weighted=weighted),
        IndividualRisk(weighted=weighted),
        IndividualRisk(missing="any", weighted=weighted),
        LDiversity(l=2, variant=variant, c=0.8, weighted=weighted),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_values, "TOGETHER", together)
        patch.setattr(key_classes, "TOGETHER", together)
        scores = judged(table, table, tmp_path_factory.mktemp("blocks"), size=size, measures=measures)
    for measure in measures:
        assert_as_in_memory(measure, scores[measure.plain()], table, table)


@pytest.mark.parametrize("sensitive", [("pay",), ("degree", "pay"), ("illness",)])
def test_classes_may_cross_the_batches_of_an_answer(tmp_path, monkeypatch, sensitive):
    monkeypatch.setattr(databases, "ROWS", 2048)
    rng, n = np.random.default_rng(4), 9000
    towns = (rng.random(n) < 0.8).astype(int)
    pay = np.round(rng.lognormal(7, 1 + 0.1 * towns), 2)
    records = [np.where(rng.random(n) < 0.9, 30.0, np.nan), towns, pay, rng.integers(-1, 5, n)]
    table = table_of(np.column_stack([*records, rng.integers(0, 4, n), rng.uniform(1, 9, n)]))
    measure = TCloseness(t=0.01, sensitive=sensitive, weighted=True)
    diverse = [LDiversity(variant=one, c=0.3, sensitive=sensitive) for one in ("entropy", "recursive")]
    scores = judged(table, table, tmp_path / "far", size=4000, measures=[measure])
    assert 0 < scores[measure.plain()].value < 100
    assert_as_in_memory(measure, scores[measure.plain()], table, table)
    for one in diverse:
        found = judged(table, table, tmp_path / one.variant, size=4000, measures=[one])
        assert_as_in_memory(one, found[one.plain()], table, table)
