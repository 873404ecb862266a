import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import sfumato.data
from sfumato.core import FileError
from sfumato.core.crew import Alone
from sfumato.data import Attribute, CsvOptions, Schema, Table, write_table
from sfumato.data.blocks import Blocks
from sfumato.data.workplace import Workplace
from sfumato.datasets import household_survey

PEOPLE = {"age": [31, 45, 38], "sex": ["f", "m", "m"]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_is_a_source(frame):
    source = sfumato.data.open(frame(PEOPLE))
    assert source.proposed and not source.on_disk and source.names == ("age", "sex")
    assert source.table.to_arrow().to_pydict() == PEOPLE


def test_a_table_keeps_its_schema_unless_told():
    survey = household_survey(50)
    source = sfumato.data.open(survey)
    assert source.schema == survey.schema and not source.proposed
    keyed = source.keyed_by(["age"])
    assert keyed.table.schema.with_role("key") == ("age",)
    assert sfumato.data.open(source) is source
    assert sfumato.data.open(source, schema=keyed.schema).schema == keyed.schema


def test_text_is_read_as_it_is_laid_out(tmp_path):
    (tmp_path / "people.csv").write_text("31;f\n45;m\n")
    source = sfumato.data.open(
        tmp_path / "people.csv", options=CsvOptions(delimiter=";", header=False), memory=10**6
    )
    assert source.table.to_arrow().to_pydict() == {"c1": [31, 45], "c2": ["f", "m"]}


def test_the_same_table_from_memory_and_from_disk(tmp_path):
    survey = household_survey(300, seed=1)
    write_table(survey, tmp_path / "survey.parquet")
    small = sfumato.data.open(tmp_path / "survey.parquet")
    large = sfumato.data.open(str(tmp_path / "survey.parquet"), memory=1)
    blocks = large.table
    assert not small.on_disk and large.on_disk and isinstance(blocks, Blocks)
    assert small.schema == large.schema == survey.schema
    assert blocks.take(np.arange(300)).fingerprint == small.table.fingerprint
    with pytest.raises(FileError, match="too large for memory, in which mending works"):
        large.in_memory("mending")


def test_a_workplace_is_asked_for_only_where_it_is_needed(tmp_path):
    pa.parquet.write_table(pa.table(PEOPLE), tmp_path / "people.parquet")
    asked = []

    def workplace():
        asked.append(True)
        return Workplace(tmp_path / "work", Alone(), memory=1, records=2)

    assert not sfumato.data.open(tmp_path / "people.parquet", workplace=workplace).on_disk and not asked
    source = sfumato.data.open(tmp_path / "people.parquet", memory=1, workplace=workplace)
    assert asked and source.table.folder.parent == tmp_path / "work" and len(source.table) == 2


def test_text_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "31\n" * 100)
    with pytest.raises(FileError, match=r"more than 0 KB: convert it to Parquet"):
        sfumato.data.open(tmp_path / "people.csv", memory=1)


@pytest.mark.parametrize("memory", [None, 1])
def test_a_masked_file_is_read_as_the_original_with_room_for_more(tmp_path, memory):
    sex = Attribute(name="sex", scale="nominal", role="other", categories=("f", "m"))
    age = Attribute(name="age", scale="numeric", role="key", low=0, high=50)
    masked = pa.table({"sex": ["f", "x"], "age": [90, 31], "more": [1, 2]})
    pa.parquet.write_table(masked, tmp_path / "masked.parquet")
    source = sfumato.data.open(tmp_path / "masked.parquet", like=Schema([age, sex]), memory=memory)
    assert source.borrowed and source.names == ("sex", "age")
    assert source.schema["sex"].categories == ("f", "m", "x") and source.schema["age"].high is None
    table = source.table
    assert (table if isinstance(table, Table) else table.take(np.arange(2)))["sex"].tolist() == [0, 2]
