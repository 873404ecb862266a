"""Maskings of data frames: a frame in, a frame of the same kind out, by the columns that `sfumato.mask` takes."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato
from sfumato.core import DataError
from sfumato.datasets import household_survey
from sfumato.masking import Chain, GlobalRecoding, IndividualRanking, Mdav, Pram, Sampling

KINDS = {
    "pandas": lambda arrow: arrow.to_pandas().set_index(pd.Index(range(100, 100 + arrow.num_rows))),
    "polars": pl.from_arrow,
    "pyarrow": lambda arrow: arrow,
}


@pytest.fixture(scope="module")
def arrow():
    survey = household_survey(60, seed=1)
    return survey.select(["age", "sex", "region", "income"]).to_arrow(text=True)


def same(one, other):
    return one.equals(other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_comes_out_as_the_kind_that_went_in_and_as_mask_gives_it(arrow, kind):
    frame = KINDS[kind](arrow)
    for masking in (Mdav(k=5), IndividualRanking(k=3, attributes=("income",)), GlobalRecoding(p=2)):
        masked = masking.apply(frame)
        assert type(masked) is type(frame)
        assert same(masked, sfumato.mask(frame, masking, seed=1)) and not same(masked, frame)


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_fixes_what_is_drawn_and_without_one_nobody_knows_it(arrow, kind):
    frame, swap = KINDS[kind](arrow), Pram(p=0.5)
    first, again = (swap.apply(frame, np.random.default_rng(1)) for _ in range(2))
    assert same(first, again)
    assert not same(swap.apply(frame), swap.apply(frame))  # 120 draws that would have to agree


def test_records_that_stay_keep_their_index(arrow):
    frame = KINDS["pandas"](arrow)
    sample = Sampling(size=20).apply(frame, np.random.default_rng(1))
    assert len(sample) == 20
    pd.testing.assert_frame_equal(sample, frame.loc[sample.index], check_dtype=False)


def test_a_chain_masks_a_frame_step_by_step_by_the_columns_that_each_step_takes(arrow):
    frame = arrow.to_pandas()
    chain = Chain([Mdav(k=5), Pram(p=0.5)])
    masked = chain.apply(frame, np.random.default_rng(1))
    assert all(not masked[name].equals(frame[name]) for name in frame)
    named = sfumato.mask(frame, "mdav(k=5) + pram(p=0.5)", seed=1)
    assert named["age"].equals(masked["age"])


def test_what_is_no_frame_is_refused_in_the_words_of_every_job():
    with pytest.raises(DataError, match=r"Expected a Table, or a pandas, .* data frame\. Got dict\."):
        Mdav(k=2).apply({"age": [1, 2]})


def test_completion_finds_methods_and_their_parameters():
    for package, name in (("masking", "Mdav"), ("measures", "Ctbil"), ("attacks", "Interval")):
        assert package in dir(sfumato)
        methods = getattr(sfumato, package)
        assert name in dir(methods)
        assert len(inspect.signature(getattr(methods, name)).parameters) > 0
    assert "k" in inspect.signature(sfumato.masking.Mdav).parameters
