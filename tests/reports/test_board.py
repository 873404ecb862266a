"""The page for the board says what had to be met, what the file is, and leaves room to sign."""

import dataclasses
import re

import pytest

import sfumato
from sfumato.datasets import household_survey
from sfumato.reports.about import about
from sfumato.reports.board import MOST, SIGNED, board
from sfumato.reports.protection import protection as report


@pytest.fixture(scope="module")
def protection():
    survey = household_survey(150, seed=1).select(["region", "age", "sex", "marital", "education"])
    return sfumato.protect(
        survey, methods=["mondrian"], require=["k >= 3"], policy="none", with_verdict=False, seed=1
    )


def test_what_was_required_and_read_stands_on_one_page_with_lines_to_sign(protection):
    page = board(protection)
    [gate] = protection.gates
    assert gate.gate.in_words[1:] in page and f'<td class="n">{gate.reading:.0f}</td>' in page
    assert all(f"<td>{role}</td>" in page for role in SIGNED)
    for line in protection.explained():
        assert line.replace("'", "&#39;").replace(">", "&gt;").replace("<", "&lt;") in page
    assert "Not ready for publication." in page  # it was made with a seed
    assert "<script" not in page and "http" not in page


@pytest.mark.parametrize(
    ("kept", "told"), [(5, None), (4, "1 column is left out"), (3, "2 columns are left out")]
)
def test_columns_that_are_left_out_are_counted(protection, kept, told):
    fewer = protection.aligned.select(protection.aligned.names[:kept])
    page = board(dataclasses.replace(protection, aligned=fewer))
    assert f"150 records and {kept} columns are to be released{f'; {told}' if told else ''}." in page


def test_few_warnings_are_told_and_the_others_counted(protection):
    page = board(protection)
    [told] = re.findall(r"To be weighed.*?</ul>", page, flags=re.DOTALL)
    assert told.count("<li>") <= MOST + 1


def test_a_proposal_that_nobody_confirmed_is_marked_wherever_the_release_is_told_of(protection, tmp_path):
    frame = protection.original.to_arrow(text=True)
    asked = {"methods": ["mondrian"], "policy": "none", "with_verdict": False, "seed": 1}
    guessed = sfumato.protect(frame, **asked)
    assert guessed.to_dict()["treatments"]["proposed"] is True
    told = "proposed from names and values, and nobody confirmed it"
    for page in (board(guessed), report(guessed, guessed.job)):
        assert page.count(told) == 1
    assert "Not confirmed:" in about(guessed)
    declared = sfumato.protect(frame, schema=protection.original.schema, **asked)
    assert "proposed" not in declared.to_dict()["treatments"]
    for page in (board(declared), report(declared, declared.job), about(declared)):
        assert told not in page and "Not confirmed:" not in page


def test_it_lies_in_the_private_envelope(protection, tmp_path):
    sfumato.write_release(protection, tmp_path / "out.csv")
    assert (tmp_path / "out.private" / "board.html").read_text() == board(
        sfumato.protect(
            protection.original,
            methods=["mondrian"],
            require=["k >= 3"],
            policy="none",
            with_verdict=False,
            seed=1,
        )
    ).replace("For decision: The release", "For decision: out.csv")
