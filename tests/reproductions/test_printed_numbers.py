"""Published values and bars are facts: they stand in one list beside the tests, and do not change by themselves."""

import pytest

from recorded import check
from reproductions.printed_numbers import CASES, FOLDER
from sfumato.reproductions import (
    _arena_features,
    _arena_lines,
    _arena_yardsticks,
    _both_operators,
    _by_hand,
    _clustering_curves,
    _curves,
    _evolution_lines,
    _evolution_tables,
    _front_files,
    _front_judge,
    _front_lines,
    _graph_shape,
    _grouping_lines,
    _grouping_searches,
    _grouping_tables,
    _groups_country,
    _groups_lines,
    _groups_swaps,
    _groups_tables,
    _marks,
    _microaggregation_choices,
    _microaggregation_files,
    _microaggregation_rows,
    _microaggregation_tables,
    _microaggregation_trials,
    _pram_degree,
    _pram_invariance,
    _pram_scale,
    _printed_mdav,
    _signed_evolution,
    _signed_pil,
    arena,
    clustering,
    evolution,
    front,
    grouping,
    groups,
    microaggregation,
    pram,
    pram_equations,
    social,
)

STUDIES = (
    _arena_features,
    _arena_lines,
    _arena_yardsticks,
    _both_operators,
    _by_hand,
    _clustering_curves,
    _curves,
    _evolution_lines,
    _evolution_tables,
    _front_files,
    _front_judge,
    _front_lines,
    _graph_shape,
    _grouping_lines,
    _grouping_searches,
    _grouping_tables,
    _groups_country,
    _groups_lines,
    _groups_swaps,
    _groups_tables,
    _marks,
    _microaggregation_choices,
    _microaggregation_files,
    _microaggregation_rows,
    _microaggregation_tables,
    _microaggregation_trials,
    _pram_degree,
    _pram_invariance,
    _pram_scale,
    _printed_mdav,
    _signed_evolution,
    _signed_pil,
    arena,
    clustering,
    evolution,
    front,
    grouping,
    groups,
    microaggregation,
    pram,
    pram_equations,
    social,
)


@pytest.mark.parametrize("module", CASES)
def test_the_numbers_of_a_study_are_those_that_were_looked_up(module):
    check(FOLDER, module, CASES[module](), exact=True)


def test_every_module_of_the_studies_has_its_list():
    assert {module.__name__.rpartition(".")[2] for module in STUDIES} == set(CASES)


def test_no_list_is_of_a_module_that_is_no_more():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
