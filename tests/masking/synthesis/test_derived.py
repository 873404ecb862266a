import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.synthesis.surveyed import survey
from sfumato.data import Attribute, Schema, Table
from sfumato.masking.synthesis.derived import Derived, derived_columns

RNG = np.random.default_rng(0)
N = 300


def numbers(**columns):
    return Table(Schema([Attribute(name=name, scale="numeric") for name in columns]), columns)


def found(table):
    return {one.name: one.sources for one in derived_columns(table, table.names)}


def test_functions_and_sums_of_a_survey_are_found():
    table = survey(200)
    expected = {"bracket": ("income",), "quarter": ("house",), "spent": ("rent", "food")}
    assert {one.name: one.sources for one in derived_columns(table, table.names[1:])} == expected


def test_only_named_columns_are_looked_at():
    assert derived_columns(survey(200), ("bracket", "house", "age", "rent", "spent")) == ()


x = RNG.lognormal(7, 1, N)
FUNCTIONS = {
    "one order": (x, 0.2 * x),
    "the other order": (x, -np.log(x)),
    "steps": (x, np.digitize(x, [500, 1000, 2000]).astype(float)),
    "steps in no order": (x, np.array([2.0, 0, 1, 0.5])[np.digitize(x, [500, 1000, 2000])]),
    "repeated values": (np.round(x, -2) % 1700, (np.round(x, -2) % 1700 - 900) ** 2),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_of_numbers_are_found(kind):
    given, told = FUNCTIONS[kind]
    assert set(found(numbers(given=given, told=told, other=RNG.normal(size=N)))) & {"given", "told"}


worked = RNG.random(N) < 0.4
CHANCE = {
    "numbers of one person each": (RNG.normal(size=N), RNG.normal(size=N)),
    "both 0 of the same people": (np.where(worked, x, 0.0), np.where(worked, RNG.normal(40, 5, N), 0.0)),
    "both missing of the same people": (
        np.where(worked, x, np.nan),
        np.where(worked, RNG.normal(size=N), np.nan),
    ),
    "both 0, and both missing": (
        np.where(worked, x, np.where(x > 1000, np.nan, 0.0)),
        np.where(worked, RNG.normal(size=N), np.where(x > 1000, np.nan, 0.0)),
    ),
    "a constant": (x, np.ones(N)),
    "nearly a function": (np.arange(N) // 10, np.where(np.arange(N) == 7, 9, np.arange(N) // 20)),
}


@pytest.mark.parametrize("kind", CHANCE)
def test_what_agrees_by_chance_is_no_function(kind):
    """A person's two numbers would else stay together."""
    one, other = CHANCE[kind]
    told = found(numbers(one=one.astype(float), other=other.astype(float)))
    assert "other" not in told
    assert kind == "nearly a function" or told == {}


@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), d=st.integers(2, 5), size=st.integers(1, 4))
@settings(max_examples=30)
def test_few_records_are_no_evidence(seed, n, d, size):
    values = np.random.default_rng(seed).integers(0, size + 1, (d, n)).astype(float)
    assert derived_columns(numbers(**dict(zip("abcde", values, strict=False))), tuple("abcde"[:d])) == ()


@pytest.mark.parametrize("addends", [2, 3])
def test_sums_are_found_and_made_again_with_what_is_missing(addends):
    parts = {name: RNG.gamma(2, 100, N).round() for name in "abc"[:addends]}
    parts["a"][::9] = np.nan
    table = numbers(total=np.sum(list(parts.values()), axis=0), **parts)
    (one,) = derived_columns(table, table.names)
    assert one == Derived("total", tuple("abc"[:addends]))
    released = numbers(total=np.zeros(N), **{name: RNG.permutation(values) for name, values in parts.items()})
    values, reasons = one.made(table, released)
    np.testing.assert_allclose(values, sum(released[name] for name in one.sources))
    assert reasons is None


def test_what_is_made_from_another_comes_after_it():
    area = RNG.integers(0, 12, N).astype(float)
    told = derived_columns(numbers(kind=area // 4, group=area // 2, area=area), ("kind", "group", "area"))
    made = {"area"}
    for one in told:
        assert set(one.sources) <= made
        made.add(one.name)
    assert made == {"kind", "group", "area"}


def test_a_category_is_looked_up_by_the_code_for_a_missing_one_too():
    attributes = [
        Attribute(name="size", scale="nominal", categories=("s", "m", "l"), missing=("8", "9")),
        Attribute(name="pay", scale="numeric", missing=("-8", "-9")),
    ]
    codes = np.array([0, 1, 2, -1, -1, -1])
    reasons = np.array([0, 0, 0, 1, 2, 0])
    pay = np.array([10.0, 20, 30, np.nan, np.nan, 5])
    original = Table(
        Schema(attributes),
        {"size": codes, "pay": pay},
        reasons={"size": reasons, "pay": np.where(np.isnan(pay), reasons, 0)},
    )
    rows = np.array([4, 3, 5, 2, 0])
    released = original.take(rows).replace({"pay": np.zeros(5)})
    values, told = Derived("pay", ("size",)).made(original, released)
    np.testing.assert_array_equal(values, pay[rows])
    np.testing.assert_array_equal(told, [2, 1, 0, 0, 0])


def test_a_new_number_gets_what_its_nearest_neighbour_has():
    original = numbers(x=[1.0, 2, 10, 11, np.nan], y=[0.0, 0, 5, 5, 9])
    released = original.take(np.array([0, 0, 0, 0])).replace({"x": [5.9, 6.1, 99, np.nan]})
    assert Derived("y", ("x",)).made(original, released)[0].tolist() == [0, 5, 5, 9]


def test_a_number_of_one_person_is_drawn_along_with_its_source():
    original = numbers(x=[1.0, 3, 5, 5], y=[10.0, 30, 50, 50])
    released = original.take(np.arange(4)).replace({"x": [1.5, 3, 4.5, 5]})
    assert Derived("y", ("x",)).made(original, released)[0].tolist() == [15, 30, 50, 50]


@pytest.mark.parametrize("order", [("area", "density", "age"), ("density", "age", "area")])
def test_of_an_area_and_its_density_the_area_is_dealt_out(order):
    rng = np.random.default_rng(0)
    area = rng.integers(0, 4, 500)
    attributes = {
        "area": Attribute(name="area", scale="nominal", categories=tuple("abcd")),
        "density": Attribute(name="density", scale="numeric", decimals=1),
        "age": Attribute(name="age", scale="numeric", decimals=0),
    }
    columns = {
        "area": area,
        "density": np.array([3.5, 1.5, 9.5, 4.5])[area],
        "age": rng.integers(0, 90, 500).astype(float),
    }
    table = Table(Schema([attributes[name] for name in order]), {name: columns[name] for name in order})
    assert derived_columns(table, order) == (Derived("density", ("area",)),)
