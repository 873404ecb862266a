"""Totals by survey weights in the report, counted by hand."""

import numpy as np
import pytest

import sfumato
from sfumato.data import Attribute, Schema, Table
from sfumato.reports._weighted_totals import weighted_totals
from sfumato.reports.protection import protection as report


def people(role="weight"):
    schema = Schema(
        [
            Attribute(name="age", scale="numeric", role="key", decimals=0, storage="integer"),
            Attribute(name="wage", scale="numeric", role="confidential", decimals=0, storage="integer"),
            Attribute(name="rare", scale="numeric", role="other", decimals=0, storage="integer"),
            Attribute(name="born", scale="numeric", role="other", decimals=0, storage="date"),
            Attribute(name="stands_for", scale="numeric", role=role, decimals=0, storage="integer"),
        ]
    )
    place = np.arange(40)
    columns = {
        "age": 20 + place,
        "wage": np.where(place % 8, 1000 + place, np.nan),
        "rare": np.where(place < 4, 7.0, np.nan),
        "born": 100 + place,
        "stands_for": 10 + place % 3,
    }
    return Table(schema, columns)


def released(table):
    return sfumato.protect(
        table, masking="rounding(base=10, attributes=[age])", policy="none", with_verdict=False, seed=1
    )


def test_totals_are_those_of_a_plain_loop_and_few_values_make_none():
    table = people()
    found = weighted_totals(released(table))
    assert [row["name"] for row in found] == ["", "age", "wage"]
    records = list(zip(*(table[name].tolist() for name in ("age", "wage", "stands_for")), strict=True))
    weights = sum(weight for _, _, weight in records)
    ages = sum(age * weight for age, _, weight in records)
    rounded = sum(10 * round(age / 10) * weight for age, _, weight in records)
    wages = sum(wage * weight for _, wage, weight in records if wage == wage)
    assert [row["before"] for row in found] == [weights, ages, wages]
    assert [row["after"] for row in found][::2] == [weights, wages]
    assert found[1]["after"] == pytest.approx(rounded, rel=0.01)  # halves may go either way
    assert found[1]["change"] == pytest.approx(100 * (found[1]["after"] / ages - 1))
    page = report(made := released(table), made.job)
    assert "Weighted totals" in page and f"{wages:,.0f}" in page


def test_a_file_without_weights_has_none():
    made = released(people("other"))
    assert weighted_totals(made) == []
    assert "Weighted totals" not in report(made, made.job)
