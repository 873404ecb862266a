import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import TopBottomCoding


def code(attribute, values, **parameters):
    table = Table(Schema([attribute]), {"x": np.asarray(values)})
    return TopBottomCoding(**parameters).apply(table, np.random.default_rng(0))


NUMBER = Attribute(name="x", scale="numeric", role="key")
SIZE = Attribute(name="x", scale="ordinal", role="key", categories=("XS", "S", "M", "L", "XL"))


@pytest.mark.parametrize(
    ("side", "categories", "codes"),
    [
        ("top", ("XS", "S", "M", "L..XL"), [0, 1, 2, 3, 3, -1]),
        ("bottom", ("XS..S", "M", "L", "XL"), [0, 0, 1, 2, 3, -1]),
        ("both", ("XS..S", "M", "L..XL"), [0, 0, 1, 2, 2, -1]),
    ],
)
def test_ordinal_ends_are_merged(side, categories, codes):
    masked = code(SIZE, [0, 1, 2, 3, 4, -1], side=side)
    assert masked.schema["x"].categories == categories
    assert masked["x"].tolist() == codes
    for new, originals in masked.schema["x"].covers.items():
        assert new == f"{originals[0]}..{originals[-1]}"


def test_coding_again_extends_the_interval():
    once = code(SIZE, [0, 4], side="top")
    twice = TopBottomCoding(side="top").apply(once, np.random.default_rng(0))
    assert twice.schema["x"].covers == {"M..XL": ("M", "L", "XL")}


def test_a_domain_too_small_is_refused_by_name():
    with pytest.raises(DataError, match=r"column x must have at least 6 categories .* Got 5"):
        code(SIZE, [0], p=3)
    assert code(SIZE, [0], p=5, side="top").schema["x"].categories == ("XS..XL",)


def test_numeric_thresholds():
    values = np.arange(1.0, 11.0)
    assert code(NUMBER, values, percent=20)["x"].tolist() == [3, 3, 3, 4, 5, 6, 7, 8, 8, 8]
    assert code(NUMBER, values, percent=20, side="top")["x"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    assert code(NUMBER, values, percent=20, side="bottom")["x"].tolist() == [3, 3, 3, 4, 5, 6, 7, 8, 9, 10]
    assert code(NUMBER, values, percent=9)["x"].tolist() == values.tolist()


def test_tails_take_their_mean_and_keep_the_total():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, np.nan, 90.0])
    masked = code(NUMBER, values, percent=20, replace="mean")["x"]
    assert masked.tolist()[:3] == [1.5, 1.5, 3]
    assert masked[8] == masked[10] == 49.5
    assert np.isnan(masked[9])
    assert np.nansum(masked) == np.nansum(values)


def test_a_tail_of_one_record_is_not_released_as_its_own_mean():
    values = [1.0, 2.0, 3.0, 4.0, 500.0]
    assert code(NUMBER, values, percent=20, side="top", replace="mean")["x"].tolist() == [1, 2, 3, 4, 4]


def test_means_have_the_declared_decimals():
    whole = Attribute(name="x", scale="numeric", role="key", decimals=0, low=0, high=9)
    masked = code(whole, [0.0, 1.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], percent=25, replace="mean")["x"]
    assert np.array_equal(masked, whole.conform(masked))


def test_ordinal_and_numeric_in_one_call(mixed):
    table = mixed(300, strata=True)
    masked = TopBottomCoding(p=3, percent=10).apply(table, np.random.default_rng(0))
    assert masked.schema["degree"].categories == ("1..3", "4", "5", "6..8")
    assert np.nanmax(masked["income"]) < np.nanmax(table["income"])


@given(
    arrays(float, st.integers(1, 30), elements=st.integers(-20, 20).map(float)),
    st.floats(0, 50),
    st.sampled_from(["threshold", "mean"]),
)
def test_at_most_the_given_share_changes_on_each_side(values, percent, replace):
    masked = code(NUMBER, values, percent=percent, replace=replace)["x"]
    allowed = percent * len(values) / 100 + 1e-6
    order = np.sign(values - np.median(values))
    assert ((masked != values) & (order > 0)).sum() <= allowed
    assert ((masked != values) & (order < 0)).sum() <= allowed
    assert (np.diff(masked[np.argsort(values, kind="stable")]) >= -1e-9).all()


def test_given_thresholds_code_what_is_beyond_them():
    masked = code(NUMBER, [1.0, 5.0, 9.0, 20.0, np.nan], top=9, bottom=2)
    np.testing.assert_array_equal(masked["x"], [2, 5, 9, 9, np.nan])
    np.testing.assert_array_equal(code(NUMBER, [1.0, 20.0], top=9)["x"], [1, 9])
    whole = NUMBER.evolve(decimals=0, high=8)
    np.testing.assert_array_equal(code(whole, [1.0, 7.0, 8.0], top=6.4)["x"], [1, 6, 6])


def test_given_thresholds_are_for_numbers_and_stand_for_themselves():
    with pytest.raises(DataError, match="column x is ordinal; the method takes numeric"):
        code(SIZE, [0, 1], top=3, attributes=("x",))
    with pytest.raises(ParameterError, match="bottom must be below top"):
        TopBottomCoding(top=3, bottom=3)
    with pytest.raises(ParameterError, match="replace = mean needs a percentage"):
        TopBottomCoding(top=3, replace="mean")
