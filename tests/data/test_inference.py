import datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_strategies import tables

from sfumato.core import DataError
from sfumato.data import Declared, Table, propose


def proposed(values, name="x", declared=None):
    return propose(pa.table({name: values}), {name: declared} if declared else None).schema[name]


@settings(max_examples=30, deadline=None)
@given(tables())
def test_every_table_fits_its_own_proposal(table):
    for text in (False, True):
        arrow = table.to_arrow(text=text)
        back = Table.from_arrow(arrow, propose(arrow).schema)
        assert back.n == table.n
        assert Table.from_arrow(back.to_arrow(text=True), back.schema).fingerprint == back.fingerprint


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=4)), min_size=1, max_size=8))
def test_any_texts_can_be_proposed_for_and_read(texts):
    arrow = pa.table({"x": pa.array(texts, pa.string())})
    assert Table.from_arrow(arrow, propose(arrow).schema).n == len(texts)


@pytest.mark.parametrize(
    ("values", "scale", "storage"),
    [
        (["31", "45", "31"], "numeric", "integer"),
        (["1.5", "2", "3e2"], "numeric", "real"),
        (["007", "010"], "nominal", "text"),
        (["-0.5", "0.25"], "numeric", "real"),
        (["1", "2"] * 20, "nominal", "integer"),
        (["1", "2", "3"] * 20, "ordinal", "integer"),
        ([str(10**17), "1"], "nominal", "integer"),
        ([1.0, None, 2.0], "numeric", "integer"),
        ([1.0, 2.0, 3.5], "numeric", "real"),
        ([True, False], "nominal", "boolean"),
        ([datetime.date(2020, 1, 1)], "ordinal", "date"),
        ([datetime.datetime(2020, 1, 1)], "ordinal", "timestamp"),
        ([None, None], "nominal", "text"),
        (["a", "b"], "nominal", "text"),
    ],
)
def test_scale_and_storage(values, scale, storage):
    attribute = proposed(values)
    assert (attribute.scale, attribute.storage) == (scale, storage)


def test_minus_999_is_proposed_as_a_value():
    attribute = proposed([-999, 31, 45])
    assert (attribute.scale, attribute.missing) == ("numeric", ())
    assert proposed(["-999", "31", "NA"]).missing == ("NA",)


@pytest.mark.parametrize(
    ("values", "missing", "scale"),
    [
        (["1", "2", "N"] * 20, ("N",), "nominal"),
        (["1", "2", "3", "N", "NA"] * 20, ("NA", "N"), "ordinal"),
        ([*(f"{i}.5" for i in range(30)), "N", "-"], ("N", "-"), "numeric"),
        (["0170", "0290", "N"] * 20, ("N",), "nominal"),
        (["Y", "N"] * 20, (), "nominal"),
        (["1", "N"] * 20, (), "nominal"),  # one number beside it says nothing
        (["1", "2", "A", "N"] * 20, (), "nominal"),
        (["1", "2", "-"] * 20, ("-",), "nominal"),
    ],
)
def test_a_letter_among_numbers_says_that_something_was_not_asked(values, missing, scale):
    attribute = proposed(values)
    assert (attribute.missing, attribute.scale) == (missing, scale)


@pytest.mark.parametrize(
    ("name", "count", "scale"),
    [
        ("EDU", 12, "ordinal"),
        ("income_decile", 11, "ordinal"),
        ("INDP_CAT", 19, "nominal"),
        ("INDP", 232, "nominal"),
        ("PUMA", 20, "nominal"),
        ("AGEP", 93, "numeric"),
        ("education_years", 40, "numeric"),  # more than there are levels
        ("zip", 700, "numeric"),  # too many for so few records
    ],
)
def test_many_whole_numbers_are_codes_or_levels_where_the_name_says_so(name, count, scale):
    assert proposed([str(i % count + 1) for i in range(3000)], name=name).scale == scale


def test_a_file_has_one_weight():
    schema = propose(pa.table({"sex": ["f"] * 3, "PWGTP": [2.5, 1, 2], "WGTP": [1.5, 3, 2]})).schema
    assert [schema[name].role for name in ("PWGTP", "WGTP")] == ["weight", "weight"]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("personID", ["a", "b"], "identifier"),
        ("AGE", [31, 45], "key"),
        ("net_income", [1.5, 2.5], "confidential"),
        ("weight", [1.5, 2.5], "weight"),
        ("hh", [1, 2], "household"),
        ("x", [f"v{i}" for i in range(30)], "identifier"),
        ("x", list(range(100, 130)), "identifier"),
    ],
)
def test_roles(name, values, role):
    columns = {"sex": ["f"] * len(values), name: values}  # without a key, every column would be one
    assert propose(pa.table(columns)).schema[name].role == role


def test_missing_cells_do_not_count_as_records_with_a_value():
    attribute = propose(pa.table({"x": [f"v{i}" for i in range(20)] + ["NA"] * 20, "age": [1] * 40})).schema[
        "x"
    ]
    assert (attribute.role, attribute.missing) == ("identifier", ("NA",))


def test_where_no_name_suggests_a_key_all_could_be():
    proposal = propose(pa.table({"x": [1.5], "wage": [2.5], "id": [1]}))
    assert [a.role for a in proposal.schema] == ["key", "key", "identifier"]
    assert "every column could be one" in proposal.reasons["x"]
    assert proposal.to_dict()["x"]["because"] == proposal.reasons["x"]


def test_categorical_columns_keep_their_order_and_unused_categories():
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), ["low", "high", "never"], ordered=True)
    attribute = proposed(column)
    assert (attribute.scale, attribute.categories) == ("ordinal", ("low", "high", "never"))


def test_what_a_file_declares_goes_first():
    declared = Declared(scale="nominal", missing=("9",), label="L", labels={"1": "a", "5": "e", "9": "no"})
    attribute = proposed([1, 2, 9, 10], declared=declared)
    assert (attribute.scale, attribute.categories) == ("nominal", ("1", "2", "5", "10"))
    assert (attribute.missing, attribute.label, attribute.labels) == (("9",), "L", declared.labels)
    assert proposed(["a", "b"], declared=Declared(scale="numeric")).scale == "nominal"
    assert proposed(["1", "2"], declared=Declared(storage="text")).storage == "text"


def test_a_codebook_may_label_a_code_that_is_no_number_in_a_column_of_numbers():
    proposal = propose(
        pa.table({"sex": ["2", "10"]}), {"sex": Declared(labels=dict.fromkeys(("X", "10", "2"), "?"))}
    )
    assert proposal.schema["sex"].categories == ("2", "10", "X")


def test_nested_columns_are_refused():
    with pytest.raises(DataError, match=r"^the table, column x: its values are lists or structures"):
        proposed([[1], [2]])


def test_decimals_are_counted_up_to_six():
    assert proposed([1.25, 2.5]).decimals == 2
    assert proposed([2.2e306, 1 / 3]).decimals is None
