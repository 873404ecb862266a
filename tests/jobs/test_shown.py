"""Outcomes as frames of the library that came in, as text, and as a notebook shows them."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato
from sfumato.datasets import household_survey
from sfumato.jobs import Listing
from sfumato.jobs._shown import as_html, as_text


@pytest.fixture(scope="module")
def survey():
    return household_survey(60, seed=1).select(["region", "age", "sex"])


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (lambda table: table.to_arrow().to_pandas(), pd.DataFrame),
        (lambda table: pl.from_arrow(table.to_arrow()), pl.DataFrame),
        (lambda table: table.to_arrow(), pa.Table),
        (lambda table: table, pa.Table),
    ],
)
def test_what_comes_out_is_of_the_library_that_went_in(survey, convert, kind):
    data = convert(survey)
    described = sfumato.describe(data)
    assert isinstance(described.to_frame(), kind) and len(described.to_frame()) == 3
    worked = sfumato.steps(data).then("rounding(base=10, attributes=[age])")
    assert isinstance(worked.to_frame(), kind) and isinstance(worked.undo().to_frame(), kind)
    released = sfumato.protect(data, masking="rounding(base=10)", with_verdict=False, seed=1)
    assert isinstance(released.frame, kind) and len(released.frame) == 60


def test_an_outcome_prints_and_shows_what_it_tells(survey):
    found = sfumato.evaluate(survey, survey, measures=["k_anonymity"])
    assert "k_anonymity" in str(found) or "k-anonymity" in str(found)
    assert found._repr_html_().count("<table>") == str(found._repr_html_()).count("</table>") > 0


def test_numbers_stand_to_the_right_and_texts_are_escaped():
    told = ["<a>", Listing("Title", ("Name", ">Number"), (("x<y", "1.50"), ("z", "10.25")))]
    assert as_text(told).splitlines() == ["<a>", "Title", "Name  Number", "x<y     1.50", "z      10.25"]
    assert as_html(told).startswith("<p>&lt;a&gt;</p><table><caption>Title</caption>")
    assert '<td style="text-align: right">1.50</td>' in as_html(told)
    assert "<td>x<y" not in as_html(told)
