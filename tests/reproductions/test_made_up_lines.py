"""What studies tell of their results: each number beside the published one that it belongs to, under its own bar."""

import pytest

from recorded import check
from reproductions.made_up_lines import CASES, FOLDER


@pytest.mark.parametrize("kind", CASES)
def test_results_made_up_are_told_as_they_always_were(kind):
    check(FOLDER, kind, CASES[kind]())


def test_no_file_of_lines_is_of_results_that_are_no_more():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
