import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.groups.signals import MOST_NUMBERS, Group, RecordPlaces, concentration, places_of, quantity

PLACE = Attribute(name="place", scale="nominal", categories=("north", "nobody", "south"))
WORK = Attribute(name="work", scale="nominal", categories=("soldier", "officer", "baker"))
RANK = Attribute(name="rank", scale="numeric")
WEIGHT = Attribute(name="weight", scale="numeric", role="weight")
PEOPLE = Table(
    Schema([PLACE, WORK, RANK, WEIGHT]),
    {
        "place": [0, 0, 2, 2, 2, -1, 0],
        "work": [0, 2, 1, 0, 2, 0, -1],
        "rank": [1, 2, 1, np.nan, 1, 1, 3],
        "weight": [10, 20, 30, 40, 50, 60, np.nan],
    },
)
SOLDIERS = Group(vital={"work": ("soldier", "officer")}, parameter="place")


def test_records_of_the_group_are_counted_by_place():
    signal = quantity(PEOPLE, SOLDIERS)
    assert signal.places == ("north", "south")  # a place without records is no place
    assert signal.values.tolist() == [1, 2]
    assert signal.records.tolist() == [3, 3]
    assert concentration(PEOPLE, SOLDIERS).values.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_missing_values_belong_to_no_group_and_no_place():
    assert SOLDIERS.members(PEOPLE).tolist() == [True, False, True, True, False, True, False]
    assert SOLDIERS.places(PEOPLE).codes.tolist() == [0, 0, 1, 1, 1, -1, 0]


def test_all_vital_attributes_must_agree():
    group = Group(vital={"work": ("soldier", "officer"), "rank": ("1",)}, parameter="place")
    assert quantity(PEOPLE, group).values.tolist() == [1, 1]


def test_weights_count_records_several_times():
    group = Group(vital={"work": ("soldier", "officer")}, parameter="place", weight="weight")
    signal = quantity(PEOPLE, group)
    assert signal.values.tolist() == [10, 70]
    assert signal.records.tolist() == [30, 120]
    assert concentration(PEOPLE, group).values.tolist() == pytest.approx([1 / 3, 70 / 120])


def test_numbers_can_be_places():
    found = places_of(PEOPLE, "rank")
    assert found.names == ("1", "2", "3")
    assert found.codes.tolist() == [0, 1, 0, -1, 0, 0, 2]


@given(st.lists(st.tuples(st.integers(-1, 4), st.booleans()), min_size=1, max_size=60))
def test_the_signal_adds_up_to_the_members_with_a_place(records):
    codes, belongs = (np.array(column) for column in zip(*records, strict=True))
    signal = RecordPlaces(tuple("abcde"), codes).signal(belongs)
    assert signal.values.sum() == np.count_nonzero(belongs & (codes >= 0))
    assert np.all(signal.values <= signal.records)


def test_a_signal_becomes_rows_and_a_picture():
    signal = quantity(PEOPLE, SOLDIERS)
    assert signal.to_frame().to_pylist()[1] == {"place": "south", "quantity": 2.0, "records": 3.0}
    assert isinstance(signal.plot(), Figure)


def test_wrong_groups_are_explained():
    with pytest.raises(UnknownNameError, match=r"value of the vital attribute work 'soldiers'.*soldier\?"):
        quantity(PEOPLE, Group(vital={"work": ("soldiers",)}, parameter="place"))
    with pytest.raises(UnknownNameError, match="column 'job'"):
        quantity(PEOPLE, Group(vital={"job": ("soldier",)}, parameter="place"))
    with pytest.raises(DataError, match="rank is numeric"):
        quantity(PEOPLE, Group(vital={"rank": ("first",)}, parameter="place"))
    with pytest.raises(ParameterError, match="at least one vital"):
        Group(vital={}, parameter="place")
    with pytest.raises(ParameterError, match="both vital and the parameter"):
        Group(vital={"place": ("north",)}, parameter="place")
    with pytest.raises(DataError, match="holds no record"):
        quantity(PEOPLE.take(np.array([], int)), SOLDIERS)
    with pytest.raises(ParameterError, match="kind must be one of"):
        RecordPlaces(("a",), np.array([0])).signal(np.array([1]), kind="spectrum")


def test_any_list_of_combinations_makes_a_group():
    listed = [{"work": ("soldier",), "rank": ("1",)}, {"work": ("officer", "baker"), "rank": ("1", "2")}]
    group = Group.of(listed, parameter="place")
    product = Group(vital=group.vital, parameter="place")
    wanted = {("soldier", 1), ("officer", 1), ("officer", 2), ("baker", 1), ("baker", 2)}
    names = [WORK.categories[code] if code >= 0 else None for code in PEOPLE["work"]]
    assert group.members(PEOPLE).tolist() == [
        pair in wanted for pair in zip(names, PEOPLE["rank"].tolist(), strict=True)
    ]
    assert (group.members(PEOPLE) <= product.members(PEOPLE)).all()
    with pytest.raises(ParameterError, match="must all name the same columns"):
        Group.of([*listed, {"work": ("baker",), "weight": ("1",)}], parameter="place")


def test_values_of_a_column_given_twice_are_put_together():
    twice = Group.of([{"work": ("soldier",)}, {"work": ("officer",)}], parameter="place")
    assert (twice.members(PEOPLE) == SOLDIERS.members(PEOPLE)).all()


def test_amounts_are_no_places():
    income = Attribute(name="income", scale="numeric")
    table = Table(Schema([income]), {"income": np.arange(MOST_NUMBERS + 1.0)})
    with pytest.raises(DataError, match="2,001 different numbers, which are no places"):
        places_of(table, "income")
    assert len(places_of(table.take(np.arange(MOST_NUMBERS)), "income").names) == MOST_NUMBERS
