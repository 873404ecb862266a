import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "", "scale": "numeric"}, "Attribute: name must be given."),
        (
            {"scale": "numeric", "categories": ("a",)},
            "Column x: a numeric attribute has bounds, not categories.",
        ),
        ({"scale": "numeric", "low": 2, "high": 1}, "Column x: low must not exceed high. Got 2 > 1."),
        (
            {"scale": "numeric", "high": float("inf")},
            "Column x: low and high must be numbers up to 1e+100; leave out a bound that is not.",
        ),
        (
            {"scale": "numeric", "low": 0.5, "decimals": 0},
            "Column x: low and high must have the declared decimals. Got 0.5.",
        ),
        ({"scale": "numeric", "decimals": 16}, "Column x: decimals must be from 0 to 15. Got 16."),
        ({"scale": "nominal", "decimals": 0}, "Column x: bounds and decimals belong to a numeric attribute."),
        ({"scale": "nominal", "categories": ("a", "a")}, "Column x: category 'a' is declared twice."),
        (
            {"scale": "nominal", "categories": ("a",), "missing": ("a",)},
            "Column x: 'a' is declared both a category and a missing code.",
        ),
        (
            {"scale": "nominal", "categories": ("a",), "covers": {"b": ("a",)}},
            "Column x: covers names 'b', which is not a category.",
        ),
        ({"scale": "numeric", "missing": ("9", "9")}, "Column x: missing code '9' is declared twice."),
        (
            {"scale": "nominal", "categories": ("",)},
            "Column x: an empty cell is always missing; do not declare ''.",
        ),
        (
            {"scale": "numeric", "missing": ("",)},
            "Column x: an empty cell is always missing; do not declare ''.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(fields, sentence):
    with pytest.raises(DataError) as refused:
        Attribute(**{"name": "x", **fields})
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("bounds", "values", "legal"),
    [
        ({}, [97.2, 98.6, 96.4, 50.0], [96.0, 100.0, 96.0, 50.0]),
        ({"high": 99}, [97.2, 98.6, 96.4, 50.0], [96.0, 96.0, 96.0, 50.0]),
        ({"low": 97}, [97.2, 98.6, 98.0], [100.0, 100.0, 100.0]),
    ],
)
def test_a_masked_number_never_becomes_a_missing_code(bounds, values, legal):
    attribute = Attribute(name="x", scale="numeric", decimals=0, missing=("97", "98", "99", "no"), **bounds)
    assert attribute.conform(np.array(values)).tolist() == legal


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.integers(0, 3))
def test_conform_makes_numbers_legal_and_changes_legal_ones_no_more(values, decimals):
    attribute = Attribute(name="x", scale="numeric", low=-100, high=100, decimals=decimals)
    legal = attribute.conform(np.array(values))
    assert np.all((legal >= -100) & (legal <= 100))
    np.testing.assert_array_equal(attribute.conform(legal), legal)
    np.testing.assert_array_equal(np.round(legal, decimals), legal)
    assert not np.signbit(legal[legal == 0]).any()


def test_evolve_checks_again_and_leaves_the_original():
    attribute = Attribute(name="x", scale="nominal", categories=("a", "b"))
    assert attribute.evolve(role="key").role == "key"
    assert attribute.role == "other"
    with pytest.raises(DataError):
        attribute.evolve(missing=("a",))


def test_unknown_fields_are_refused():
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        msgspec.convert({"name": "x", "scale": "nominal", "colour": "red"}, Attribute)
