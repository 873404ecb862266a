"""What every plot draws, in words; what a reader sees is looked at once, and told when it changes."""

import matplotlib
import pytest
from described import described
from drawn_cases import CASES, FOLDER

from recorded import check
from sfumato.core.registry import names

PLOTS = {
    "attack_rates",
    "correlations",
    "curves",
    "dependence_tree",
    "dispersion",
    "distributions",
    "fronts",
    "graph_losses",
    "graph_pair",
    "graph_scores",
    "group_attack",
    "group_comparison",
    "group_protection",
    "grouping_front",
    "grouping_scores",
    "groups",
    "key_risks",
    "marked_signals",
    "matrices",
    "operator_analytics",
    "operator_comparison",
    "operators",
    "population",
    "risk_utility",
    "score_evolution",
    "scores",
    "signals",
    "submissions",
    "verdict",
}


@pytest.mark.parametrize("name", CASES)
def test_an_example_is_drawn_as_it_was_when_somebody_looked_at_it(name):
    check(FOLDER, name, described(CASES[name]()))


def test_every_plot_has_an_example():
    assert {name.partition("-")[0] for name in CASES} == set(names("plots")) == PLOTS


def test_no_description_is_of_an_example_that_is_no_more():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)


def test_descriptions_tell_looks_and_places_and_not_what_others_set():
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9, "axes.facecolor": "black"}):
        check(FOLDER, "verdict", described(CASES["verdict"]()))
