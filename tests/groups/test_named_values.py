import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.named_values import NamedNumbers, Vital

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(
    lambda text: text == text.strip()
)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_values_read_back_as_they_were_written(values):
    vital = Vital("rank", tuple(values))
    assert Vital.convert(vital.plain()) == vital


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4))
def test_numbers_read_back_as_they_were_written(numbers):
    named = NamedNumbers("Drum", tuple(numbers))
    assert NamedNumbers.convert(named.plain()).numbers == pytest.approx(named.numbers, rel=1e-14)


@pytest.mark.parametrize("wrong", ["rank", "=1", "rank=", "rank= ,", ("rank", []), ("rank",), 3, None])
def test_a_name_and_something_are_needed(wrong):
    for kind in (Vital, NamedNumbers):
        with pytest.raises((TypeError, ValueError)):
            kind.convert(wrong)


def test_a_single_value_need_not_be_a_list():
    assert Vital.convert(("rank", "private")).values == ("private",)
    assert NamedNumbers.convert(("sex", 2)).numbers == (2.0,)
