import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato import datasets, evaluate, mask
from sfumato.core import registry
from sfumato.data import Table, edit_rule
from sfumato.masking import Mdav
from sfumato.measures import Sse

FIRMS = {"staff": [1, 2, 8, 9], "sales": [10.5, 12.5, 90.0, 80.0], "town": ["a", "b", "a", "b"]}


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, lambda d: pd.DataFrame(d, index=[7, 5, 3, 1])])
def test_a_frame_comes_back_as_it_went_in(make):
    frame = make(FIRMS)
    masked = mask(frame, Mdav(k=2, attributes=("staff", "sales")))
    assert type(masked) is type(frame)
    assert list(masked["sales"].to_pylist() if isinstance(frame, pa.Table) else masked["sales"]) == [
        11.5,
        11.5,
        85.0,
        85.0,
    ]
    if isinstance(frame, pd.DataFrame):
        assert list(masked.index) == [7, 5, 3, 1]
        assert masked.dtypes.equals(frame.dtypes)
        assert list(frame["sales"]) == FIRMS["sales"]


def test_a_table_comes_back_as_a_table():
    firms = datasets.business_survey(40)
    assert isinstance(mask(firms, "mdav"), Table)
    assert mask(firms, "mdav").fingerprint == mask(firms, {"method": "mdav", "k": 5}).fingerprint


def test_every_fitting_measure_is_used_losses_first():
    survey = datasets.household_survey(120, seed=1)
    survey = survey.with_schema(survey.schema.with_rules([edit_rule("same region in household")]))
    found = evaluate(survey, mask(survey, "pram"))
    every = {
        name for name in registry.names("measures") if registry.load("measures", name).outside != "needed"
    }
    assert set(found.scores) == every - {"balance"}  # a score of two others
    senses = [found.senses[name] for name in found.scores]
    assert senses == sorted(senses)
    assert list(found.scores)[:2] == ["analyst_loss", "information_loss"]


def test_numeric_tables_are_not_judged_by_categorical_measures():
    firms = datasets.business_survey(60, seed=1)
    assert not {"dbil", "ctbil", "ebil"} & set(evaluate(firms, mask(firms, "mdav")).scores)


def test_measures_can_be_named():
    firms = datasets.business_survey(60, seed=1)
    found = evaluate(firms, firms, measures=[Sse()])
    assert found.scores["sse"].value == 0
    assert found.to_frame().column_names == ["measure", "sense", "part", "value"]
