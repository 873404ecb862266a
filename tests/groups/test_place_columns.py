import numpy as np
import pytest

from sfumato.data import Attribute, Schema, Table
from sfumato.groups.place_columns import place_columns

N, PLACES = 2000, 12
RNG = np.random.default_rng(4)
PLACE = RNG.integers(0, PLACES, N)
OTHER = RNG.integers(0, PLACES, N)


def with_errors(values, share):
    wrong = RNG.random(N) < share
    return np.where(wrong, RNG.permutation(values), values)


COLUMNS = {
    "the state": PLACE // 4,
    "a block within": PLACE * 3 + RNG.integers(0, 3, N),
    "the state, rarely wrong": with_errors(PLACE // 4, 0.02),
    "the state, often wrong": with_errors(PLACE // 4, 0.3),
    "households": np.argsort(np.argsort(PLACE, kind="stable")) // 2,
    "a number for everybody": RNG.permutation(N),
    "another place": OTHER,
    "nearly always the same": (RNG.random(N) < 0.001).astype(int),
    "one value": np.zeros(N, int),
    "weights by region": 1 + PLACE // 3 / 7,
    "unlike amounts": RNG.lognormal(size=N),
    "missing": np.full(N, np.nan),
}
TELLING = {"the state", "a block within", "the state, rarely wrong", "households", "weights by region"}


@pytest.fixture(scope="module")
def table():
    schema = Schema([Attribute(name=name, scale="numeric") for name in COLUMNS])
    return Table(schema, {name: np.asarray(values, float) for name, values in COLUMNS.items()})


def test_columns_that_tell_the_place_are_found_and_no_others(table):
    assert set(place_columns(table, PLACE, table.names)) == TELLING


def test_records_without_a_place_or_a_value_say_nothing(table):
    nowhere = np.where(RNG.random(N) < 0.4, -1, PLACE)
    assert set(place_columns(table, nowhere, table.names)) == TELLING
    assert place_columns(table, np.full(N, -1), table.names) == []
