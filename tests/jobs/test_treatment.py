import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute, Schema, Table, open, table_from_frame
from sfumato.data.blocks import BlockWriter
from sfumato.jobs._treatment import single_records, treatments


def kinds(found):
    return {one.name: one.kind for one in found.columns}


def of_source(source, **given):
    return treatments(source.table, reasons=source.reasons, doubts=source.doubts, **given)


def survey(n=100):
    """A file as it comes, with something of everything that should not leave by itself."""
    rng = np.random.default_rng(1)
    day = np.datetime64("1950-01-01") + rng.integers(0, 20_000, n)
    return pa.table(
        {
            "person_id": np.arange(n),
            "hh": np.arange(n) // 3,
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "born": pa.array(day.astype("datetime64[D]")),
            "interviewed": rng.choice(["2024-05-01", "2024-05-02"], n),
            "remark": [f"it was the {i % 60} th time this happened to me" for i in range(n)],
            "phone_model": rng.choice(["A", "B", "C"], n),
            "case": rng.choice(10**6, n, replace=False),
            "plate": [f"B{i * 7919 % 10007}" for i in range(n)],
            "salary": np.round(rng.lognormal(7, 1, n), 2),
            "weight": rng.random(n),
            "satisfied": rng.integers(1, 6, n),
        }
    )


class TestProposed:
    source = open(survey())

    def test_what_nobody_declared_and_looks_like_more_than_an_answer_stays(self):
        found = of_source(self.source, masked=["age", "sex"])
        assert set(found.left_out) == {
            "person_id",
            "born",
            "remark",
            "phone_model",
            "case",
            "plate",
            "salary",
        }
        assert found.released == ("hh", "age", "sex", "interviewed", "weight", "satisfied")
        assert found.renumbered == ("hh",)
        because = {one.name: one.because for one in found.columns}
        assert because["born"] == "dates of birth"
        assert because["remark"] == "free text"
        assert because["case"] == "100 different values among 100 tell people apart"
        assert because["person_id"] == "whole numbers; the name says 'id'"

    def test_keep_lets_a_column_go(self):
        found = of_source(self.source, masked=["age"], keep=["salary", "remark", "person_id", "hh"])
        assert {kinds(found)[name] for name in ("salary", "remark", "person_id", "hh")} == {"as it is"}
        assert found.singling["salary"] == 100

    def test_a_masked_column_of_numbers_is_no_doubt(self):
        assert kinds(of_source(self.source, masked=["salary"]))["salary"] == "masked"

    def test_an_identifier_stays_even_if_a_method_takes_it(self):
        assert "plate" in of_source(self.source, masked=["plate"]).left_out

    def test_a_name_that_is_not_there_is_refused(self):
        with pytest.raises(UnknownNameError):
            of_source(self.source, masked=[], keep=["pone"])

    def test_describe_shows_the_doubts(self):
        assert self.source.reasons["salary"].endswith(
            "doubtful: 100 different values among 100 tell people apart"
        )


class TestDeclared:
    def test_what_somebody_declared_goes_and_is_counted(self):
        source = open(survey())
        schema = source.schema.with_roles({"salary": "confidential", "born": "other", "remark": "other"})
        found = of_source(open(survey(), schema=schema), masked=["age", "sex"])
        assert {"salary", "born", "remark"} <= set(found.released)
        assert set(found.left_out) == set(schema.with_role("identifier"))
        assert found.singling["salary"] == 100 and "satisfied" not in found.singling

    def test_sentences(self):
        house = Attribute(name="hh", scale="numeric", role="household")
        wage = Attribute(name="wage", scale="numeric")
        name = Attribute(name="name", scale="nominal", role="identifier", categories=("Ann", "Bob"))
        table = Table(Schema([house, wage, name]), {"hh": [1, 1], "wage": [2, 3], "name": [0, 1]})
        found = treatments(table, masked=[])
        assert list(found.sentences()) == [
            "left out: name (an identifier); keep a column with --keep NAME, or declare it in a schema.",
            "new random numbers take the place of those in hh.",
            "released as they are, with a value that no other record has: wage for 2 of 2 records; "
            "whoever knows such a value finds the record.",
        ]
        assert found.to_dict() == {
            "columns": [
                {"name": "hh", "treatment": "renumbered", "because": "its numbers link records"},
                {"name": "wage", "treatment": "as it is", "because": "declared"},
                {"name": "name", "treatment": "left out", "because": "an identifier"},
            ],
            "singling": {"wage": 2},
        }


def test_from_disk_as_in_memory(tmp_path):
    pq.write_table(survey(3000), tmp_path / "people.parquet", row_group_size=500)
    here, there = open(tmp_path / "people.parquet"), open(tmp_path / "people.parquet", memory=1)
    assert there.on_disk and not here.on_disk
    assert of_source(there, masked=["age"]) == of_source(here, masked=["age"])


def test_a_column_too_long_to_list_is_left_out_and_cannot_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.data.source.propose_from_disk", few_listed)
    pq.write_table(survey(200), tmp_path / "people.parquet")
    source = open(tmp_path / "people.parquet", memory=1)
    found = of_source(source, masked=["age"])
    assert "plate" in found.left_out and "plate" not in source.schema
    with pytest.raises(DataError, match=r"^Column plate cannot be kept: so many different values"):
        of_source(source, masked=["age"], keep=["plate"])


def few_listed(*given, **options):
    from sfumato.data.parquet_proposal import propose_from_disk

    return propose_from_disk(*given, **options, most=50)


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(
        st.sampled_from([0.0, -0.0, 1.0, 2.5, float("nan"), 1e300, -7.0]), min_size=1, max_size=40
    ),
    cut=st.integers(1, 9),
)
def test_records_that_are_alone_are_counted_alike_in_blocks(tmp_path_factory, values, cut):
    x = Attribute(name="x", scale="numeric")
    c = Attribute(name="c", scale="nominal", categories=tuple("abcdefg"))
    codes = [int(abs(v)) % 7 if abs(v) < 9 else -1 for v in np.nan_to_num(values, nan=99)]
    table = Table(Schema([x, c]), {"x": values, "c": codes})
    pieces = [table.take(np.arange(s, min(s + cut, table.n))) for s in range(0, table.n, cut)]
    blocks = BlockWriter(tmp_path_factory.mktemp("blocks") / "t", table.schema).write_all(pieces)
    for name, present in (("x", [v for v in values if v == v]), ("c", [v for v in codes if v >= 0])):
        alone = sum(present.count(value) == 1 for value in present)
        assert single_records(table, name) == single_records(blocks, name) == alone


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("adult", set()),
        ("household_survey", {"person_id", "income"}),
        ("german", {"TELEPHONE", "CREDAMOUNT"}),
        ("diabetes", {"PEDIGREE"}),
        ("housing", set()),
        ("flare", set()),
    ],
)
def test_what_stays_of_known_files_that_nobody_declared(name, left_out):
    source = open(getattr(datasets, name)().to_arrow(text=True))
    assert set(of_source(source, masked=source.schema.with_role("key")).left_out) == left_out


def test_nodes_of_a_graph_are_treated_as_any_table():
    nodes = table_from_frame(pa.table({"user": ["a", "b"], "town": ["x", "y"]}))
    schema = nodes.schema.with_roles({"user": "identifier", "town": "key"})
    assert treatments(nodes.with_schema(schema), masked=["town"]).released == ("town",)
