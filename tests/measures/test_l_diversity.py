import numpy as np
import pytest
from measure_tables import keys

from sfumato.core import DataError, UnknownNameError
from sfumato.measures import KAnonymity, LDiversity

DOMAINS = {"town": ("nominal", "ab"), "illness": ("nominal", "xyz")}


def patients():
    return keys(DOMAINS, {"town": [0, 0, 0, 0, 1, 1, 1, 1], "illness": [0, 0, 0, 1, 0, 1, 2, 2]})


def score(**parameters):
    return LDiversity(sensitive=("illness",), **parameters).bind(patients()).score(patients())


def test_distinct_by_hand():
    assert score(l=2).value == 0
    assert score(l=3).value == 50  # town a has x and y only
    assert score(l=4).value == 100
    assert score(l=3).parts == {"illness": 50.0, "smallest": 2.0}


def test_entropy_by_hand():
    of_a = 2 ** -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))  # 1.75 values
    assert score(variant="entropy", l=1.7).value == 0
    assert score(variant="entropy", l=2).value == 50
    assert score(variant="entropy").parts["smallest"] == pytest.approx(of_a)


def test_recursive_by_hand():
    # a: 3, 1 — b: 2, 1, 1. With c = 2: 3 < 2 · 4 and not 3 < 2 · 1; 2 < 2 · 4, 2 < 2 · 2, not 2 < 2 · 1
    assert score(variant="recursive", c=2.0).parts["smallest"] == 1
    assert score(variant="recursive", c=2.0, l=2).value == 50
    assert score(variant="recursive", c=4.0, l=2).value == 0  # 3 < 4 · 1
    assert score(variant="recursive", c=0.1, l=1).parts["smallest"] == 0


def test_missing_sensitive_values_protect_nobody():
    file = keys(DOMAINS, {"town": [0, 0, 1, 1], "illness": [0, -1, -1, -1]})
    found = LDiversity(sensitive=("illness",)).bind(file).score(file)
    assert found.value == 50  # town a: x and nothing else; town b gives nothing away
    assert found.parts["smallest"] == 1


def test_roles_and_each_key_in_turn():
    file = patients()
    schema = type(file.schema)(
        [a.evolve(role="confidential" if a.name == "illness" else "key") for a in file.schema]
    )
    confidential = LDiversity(l=3).bind(file.with_schema(schema)).score(file.with_schema(schema))
    assert confidential.value == 50
    in_turn = LDiversity(l=3).bind(file).score(file)
    assert set(in_turn.parts) == {"town", "illness", "smallest"}
    assert in_turn.value == 100  # no illness is found in three towns


def test_a_file_of_distinct_records_is_neither_anonymous_nor_diverse():
    file = keys({"x": "numeric", "v": ("nominal", "ab")}, {"x": np.arange(6.0), "v": [0, 1] * 3})
    assert KAnonymity(k=2).bind(file).score(file).value == 100
    assert LDiversity(sensitive=("v",)).bind(file).score(file).value == 100


def test_a_diverse_class_is_an_anonymous_one():
    rng = np.random.default_rng(0)
    file = keys(DOMAINS, {"town": rng.integers(0, 2, 9), "illness": rng.integers(0, 3, 9)})
    diverse = LDiversity(l=3, sensitive=("illness",)).bind(file).score(file)
    if diverse.value == 0:
        assert KAnonymity(k=3, attributes=("town",)).bind(file).score(file).value == 0


def test_columns_that_are_not_there():
    with pytest.raises(UnknownNameError):
        LDiversity(sensitive=("pay",)).bind(patients())
    bound = LDiversity(attributes=("town",), sensitive=("illness",)).bind(patients())
    with pytest.raises(DataError, match="no column illness"):
        bound.score(patients().select(["town"]))
