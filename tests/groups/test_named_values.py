import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.named_values import NamedNumbers, Vital, known_names

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


NAMES = st.text("ab ,", min_size=1, max_size=6).filter(lambda text: text.strip(", ") != "")


@given(st.sets(NAMES, min_size=1, max_size=5), st.data())
def test_a_name_that_is_known_stands_for_itself(known, data):
    name = data.draw(st.sampled_from(sorted(known)))
    assert known_names([name], known) == (name,)


@given(st.lists(st.text("xyz", min_size=1, max_size=3), min_size=1, max_size=4))
def test_what_was_cut_at_commas_is_put_together_again(pieces):
    assert known_names(pieces, [", ".join(pieces), *pieces]) == (", ".join(pieces),)
    assert known_names(pieces, pieces) == tuple(pieces)


def test_names_that_nobody_knows_are_left_to_be_refused():
    assert known_names(["Drum", "Ulster"], ["Ulster, north", "Essex"]) == ("Drum", "Ulster")


@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=3))
def test_combinations_read_back_as_they_were_written(ranks, sexes):
    vital = Vital("rank", tuple(ranks), (("sex", tuple(sexes)),))
    assert Vital.convert(vital.plain()) == vital


def test_an_ampersand_of_a_value_or_a_name_makes_no_combination():
    assert Vital.convert("firm=R & D").table == {"firm": ("R & D",)}
    assert Vital.convert('firm="R & D=1" & sex=1').table == {"firm": ("R & D=1",), "sex": ("1",)}
