import numpy as np
import pytest

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table, edit_rule
from sfumato.masking import Removal, Suppression, make_masking


def people():
    attributes = [
        Attribute(name="age", scale="numeric", role="key", decimals=0, missing=("-9",)),
        Attribute(
            name="town", scale="nominal", role="key", categories=("a", "b", "c and d"), labels={"b": "Bath"}
        ),
        Attribute(name="grade", scale="ordinal", role="key", categories=("1", "2", "3")),
    ]
    columns = {"age": [93, 95, 40, np.nan, 91], "town": [0, 1, 0, 0, 2], "grade": [0, 1, 2, -1, 2]}
    return Table(Schema(attributes), columns, reasons={"age": np.array([0, 0, 0, 1, 0])})


def emptied(where, *names):
    masked = Suppression(where=where, attributes=names or ("town",)).apply(people(), np.random.default_rng(0))
    return [masked.missing(name).tolist() for name in names or ("town",)]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("age > 90 and town = a", [1, 0, 0, 0, 0]),
        ("age > 90", [1, 1, 0, 0, 1]),
        ("age is missing", [0, 0, 0, 1, 0]),
        ("town = Bath", [0, 1, 0, 0, 0]),
        ("town in (a, b)", [1, 1, 1, 1, 0]),
        ("town = 'c and d' and grade >= 2", [0, 0, 0, 0, 1]),
        ("grade not in (1, 2)", [0, 0, 1, 0, 1]),
        ("age < 0", [0, 0, 0, 0, 0]),
    ],
)
def test_cells_go_where_all_conditions_are_true(where, expected):
    assert emptied(where) == [[bool(x) for x in expected]]


def test_codes_for_missing_values_go_too():
    masked = Suppression(where="town = a", attributes=("age",)).apply(people(), np.random.default_rng(0))
    assert masked.reasons("age") is None
    assert masked["town"] is not None and masked["town"].tolist() == people()["town"].tolist()


def test_all_keys_of_a_record_go_where_no_column_is_named():
    masked = Suppression(where="age = 40").apply(people(), np.random.default_rng(0))
    assert [masked.missing(name)[2] for name in masked.names] == [True] * 3


@pytest.mark.parametrize("where", ["", "age", "age > 90 or town = a ( ", "never age > 90"])
def test_texts_that_are_no_conditions_are_refused(where):
    with pytest.raises((ParameterError, DataError), match=r"^suppression: where"):
        Suppression(where=where).apply(people(), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("aeg > 90", "where: Unknown column 'aeg'. Did you mean age?"),
        ("town = x", "where: Unknown category of town 'x'"),
        ("town > a", "where: column town is nominal, and has no order"),
        ("age > old", "where: column age is numeric"),
    ],
)
def test_conditions_that_do_not_fit_the_columns_are_refused(where, sentence):
    with pytest.raises(DataError) as raised:
        Suppression(where=where).apply(people(), np.random.default_rng(0))
    assert sentence in str(raised.value)


def test_conditions_see_what_the_steps_before_left():
    chain = make_masking(
        'recoding(to={north = [a, b]}, attributes=[town]) + suppression(where="town = north")'
    )
    masked = chain.apply(people(), np.random.default_rng(0))
    assert masked.missing("town").tolist() == [True, True, True, True, False]


def test_a_removed_column_is_empty_and_not_to_be_released():
    chain = make_masking("removal(attributes=[age]) + recoding(to={north = [a, b]}, attributes=[town])")
    masked = chain.apply(people(), np.random.default_rng(0))
    assert masked.missing("age").all() and masked.reasons("age") is None
    assert chain.leaves_out(people()) == ("age",) == Removal(attributes=("age",)).leaves_out(people())
    assert Suppression(where="age > 3").leaves_out(people()) == ()


def test_what_a_household_shares_goes_for_all_of_its_members():
    homes = Attribute(name="home", scale="numeric", role="household", decimals=0)
    table = people()
    table = Table(
        Schema([*table.schema, homes], rules=[edit_rule("same town in household")]),
        {**{name: table[name] for name in table.names}, "home": [1, 2, 1, 3, 4]},
    )
    assert table["town"][0] == table["town"][2]
    masked = Suppression(where="age > 90", attributes=("town", "grade")).apply(
        table, np.random.default_rng(0)
    )
    assert masked.missing("town").tolist() == [
        True,
        True,
        True,
        False,
        True,
    ]  # the third lives with the first
    assert masked.missing("grade").tolist() == [True, True, False, True, True]  # which is her own
    assert not masked.missing("home").any()
