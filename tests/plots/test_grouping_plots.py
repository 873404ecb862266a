import xml.etree.ElementTree as ET
from functools import partial

import pytest
from matplotlib.figure import Figure

import sfumato
from sfumato.core.registry import load_function
from sfumato.datasets import business_survey
from sfumato.plots._style import svg_text
from sfumato.reproductions.grouping import GroupingScores
from sfumato.search.grouping.operator_comparison import OperatorComparison

group_attributes = partial(
    sfumato.group_attributes, with_verdict=False
)  # which takes long, and is tested by itself

NAMES = ("staff", "wages", "profit", "equity", "cash")
PLOTS = ("operator_analytics", "operator_comparison", "grouping_front", "grouping_scores")


@pytest.fixture(scope="module")
def results():
    table = business_survey(60, seed=1)
    found = group_attributes(table, k=5, names=NAMES, search="genetic", generations=6, population=15)
    scores = GroupingScores(
        title="Firms", k=(5, 25), found=(10.0, 12.0), groups=(1, 2), by_hand={"all together": (10.0, 14.0)}
    )
    return {
        "operator_analytics": found.analytics,
        "operator_comparison": OperatorComparison(best={"combined": (4.0, 2.0), "crossover": (4.0, 3.0)}),
        "grouping_front": found,
        "grouping_scores": scores,
    }


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]


@pytest.mark.parametrize("plot", PLOTS)
def test_results_find_their_plot_and_draw_the_same_bytes(plot, results):
    result = results[plot]
    assert result.drawn_by == plot
    assert svg_text(result.plot()) == svg_text(load_function("plots", plot)(result))


@pytest.mark.parametrize("plot", PLOTS)
def test_axes_of_the_caller_are_used(plot, results):
    figure = Figure(figsize=(12, 9), layout="constrained")
    axes = figure.subplots(1, 2)
    assert results[plot].plot(axes[1]) is figure
    svg_text(figure)


def test_six_views_and_all_operators_are_named(results):
    shown = texts(results["operator_analytics"].plot())
    assert {"group create", "element move", "crossover"} <= set(shown)
    for word in ("Utilisation", "Lifetime", "Efficacy", "Efficiency", "Best score", "Number of groups"):
        assert any(text.startswith(word) for text in shown), word


def test_a_search_of_one_generation_is_drawn():
    found = group_attributes(
        business_survey(60, seed=1), k=5, names=NAMES, search="genetic", generations=1, population=5
    )
    texts(found.analytics.plot())


def test_the_number_of_groups_stands_at_each_score(results):
    assert {"1 group", "2 groups", "k = 25"} <= set(texts(results["grouping_scores"].plot()))


def test_operators_alone_are_named_with_their_last_score(results):
    assert {"combined (2.00)", "crossover (3.00)"} <= set(texts(results["operator_comparison"].plot()))
