"""Generators make files as they always did, told column by column: whoever changes a constant sees what it does."""

import pytest

from datasets.summaries import CASES, FOLDER
from recorded import check
from sfumato import datasets
from sfumato.datasets import (
    business_survey,
    census_pair,
    dependent_numbers,
    household_survey,
    housing,
    profile_graph,
    random_numbers,
)

GENERATORS = (
    business_survey,
    dependent_numbers,
    household_survey,
    housing,
    random_numbers,
    census_pair,
    profile_graph,
)


@pytest.mark.parametrize("name", CASES)
def test_what_is_generated_has_the_same_columns_spreads_and_relations_as_ever(name):
    check(FOLDER, name, CASES[name]())


def test_every_generator_has_its_summary():
    made = {name.partition("-")[0] for name in CASES}
    assert {name for name in datasets.names() if not datasets.is_classic(name)} <= made
    assert {generator.__name__ for generator in GENERATORS} == made


def test_no_summary_is_of_a_file_that_is_no_more():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
