"""Texts kept beside the tests: what counts as a difference, and what does not."""

import pytest

from recorded import check, differences, number, write


def test_last_digits_do_not_count_and_others_do():
    assert differences("line (0.333333, 1e-10) z 2", "line (0.333334, 0) z 2") == ""
    assert differences("4539074", "4539075") == ""
    assert differences("4539074", "4539075", exact=True) == "- 4539074\n+ 4539075"
    assert differences("width 1.2", "width 1.21") == "- width 1.2\n+ width 1.21"


@pytest.mark.parametrize(
    ("was", "now"), [("#0072b2", "#0072b3"), ("to 5", "to -5"), ("H2 3", "H3 3"), ("'a'", "'b'")]
)
def test_words_and_colours_must_be_the_same(was, now):
    assert differences(was, now) == f"- {was}\n+ {now}"


def test_a_line_more_is_told_without_the_others():
    assert differences("a\nb", "a\nc\nb") == "+ c"


def test_numbers_have_six_digits_and_nothing_is_nothing():
    assert [number(value) for value in (1 / 3, 2.0, -1e-15, 1234567.0)] == [
        "0.333333",
        "2",
        "0",
        "1.23457e+06",
    ]


def test_what_is_written_is_what_is_checked(tmp_path):
    write(tmp_path, {"one": lambda: "a 1", "two": lambda: "b 2"})
    check(tmp_path, "one", "a 1")
    with pytest.raises(AssertionError, match=r"one is not as .*one\.txt has it:\n- a 1\n\+ a 2"):
        check(tmp_path, "one", "a 2")
    write(tmp_path, {"one": lambda: "a 2", "other": lambda: "c"}, "on")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.txt"]
    with pytest.raises(AssertionError, match="write it, and read it"):
        check(tmp_path, "other", "c")
