import numpy as np
import pytest

from sfumato.data import Attribute, Schema, Table
from sfumato.masking.synthesis.areas import area_column


def table(n=1000, *, stratum=None, **sizes):
    attributes = [
        Attribute(
            name=name,
            scale="nominal",
            role="stratum" if name == stratum else "key",
            categories=tuple(map(str, range(size))),
        )
        for name, size in sizes.items()
    ]
    attributes.append(Attribute(name="zip", scale="numeric"))
    columns = {name: np.arange(n) % size for name, size in sizes.items()}
    return Table(Schema(attributes), {**columns, "zip": np.arange(n, dtype=float)})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (table(sex=2, region=4), "region"),
        (table(birth_state=4, county=9), "county"),
        (table(region=4, municipality=11), "region"),  # too few people in a municipality
        (table(region=1, sex=2), None),
        (table(sex=2, job=5), None),
        (table(n=150, region=2), None),
        (table(n=20, region=4, sector=3, stratum="sector"), "sector"),
    ],
)
def test_the_stratum_or_the_finest_place_with_enough_people(given, expected):
    assert area_column(given, given.names) == expected


def test_only_what_is_released_is_looked_at():
    given = table(region=4, sector=3, stratum="sector")
    assert area_column(given, ("region",)) == "region"
    assert area_column(given, ()) is None
