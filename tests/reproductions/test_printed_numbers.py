"""Published values and bars are facts: they stand in one list beside the tests, and do not change by themselves."""

import pytest

from recorded import check
from reproductions.printed_numbers import CASES, FOLDER


@pytest.mark.parametrize("module", CASES)
def test_the_numbers_of_a_study_are_those_that_were_looked_up(module):
    check(FOLDER, module, CASES[module]())


def test_no_list_is_of_a_module_that_is_no_more():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
