"""What a schema declares beside its columns."""

import pickle

import pytest

from sfumato.core import DataError, SfumatoError
from sfumato.data import Schema
from sfumato.measures.k_anonymity import KAnonymity

COLUMNS = """
[attributes.age]
scale = "numeric"
role = "key"

[attributes.sex]
scale = "nominal"
categories = ["f", "m"]

[attributes.pay]
scale = "numeric"
role = "confidential"
"""
DECLARED = (
    COLUMNS
    + """
[analyses.pay_gap]
mean = "pay"
by = ["sex"]

[analyses.wage]
regression = "pay"
on = ["age", "sex"]

[scenarios.neighbour]
knows = ["age", "sex"]
"""
)


def test_declarations_come_back_as_they_were():
    schema = Schema.from_toml(DECLARED)
    assert list(schema.analyses) == ["pay_gap", "wage"]
    assert schema.scenarios["neighbour"].knows == ("age", "sex")
    assert Schema.from_toml(schema.to_toml()) == schema
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert schema != Schema.from_toml(COLUMNS)


def test_what_cannot_be_kept_is_left_out_with_its_column():
    schema = Schema.from_toml(DECLARED)
    assert list(schema.select(["pay", "sex"]).analyses) == ["pay_gap"]
    assert schema.select(["pay", "sex"]).scenarios == {}
    assert schema.with_roles({"sex": "key"}).analyses == schema.analyses


@pytest.mark.parametrize(
    ("declaration", "rule"),
    [
        ('[analyses.a]\ntable = ["town"]', "no column"),
        ("[analyses.a]\n", "an analysis is one of"),
        ('[analyses.a]\nmean = "pay"\ntable = ["sex"]', "an analysis is one of"),
        ('[analyses.a]\nregression = "pay"', "on ="),
        ('[analyses.a]\ntable = ["sex"]\nby = ["age"]', "by belongs to a mean"),
        ('[analyses.a]\nmedian = "pay"', "median"),
        ("[scenarios.s]\nknows = []", "knows"),
        ('[scenarios.s]\nknows = ["town"]', "town"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused_by_its_name(declaration, rule):
    with pytest.raises(DataError) as error:
        Schema.from_toml(COLUMNS + declaration)
    assert "s.toml" not in str(error.value)
    assert rule in str(error.value) or "Unknown column" in str(error.value)


def test_a_scenario_says_what_is_judged():
    from sfumato.data import Table

    table = Table(Schema.from_toml(DECLARED), {"age": [1.0, 1.0], "sex": [0, 1], "pay": [5.0, 5.0]})
    assert KAnonymity().bind(table).score(table).parts["smallest"] == 2
    assert KAnonymity(scenario="neighbour").bind(table).score(table).parts["smallest"] == 1
    with pytest.raises(SfumatoError, match="neighbor"):
        KAnonymity(scenario="neighbor").bind(table)
