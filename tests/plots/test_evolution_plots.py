"""Plots of evolutions: populations, score by generation, operators."""

import dataclasses
import xml.etree.ElementTree as ET

import matplotlib
import pytest
from matplotlib.figure import Figure

from plots.results import mixed_table
from sfumato import evolve
from sfumato.core.registry import load_function, names
from sfumato.jobs.evolve import front_of
from sfumato.plots._style import svg_text
from sfumato.plots.population import population
from sfumato.search.contracts import Individual
from sfumato.search.fitness import Fitness
from sfumato.search.run_record import Step

PLOTS = ("population", "score_evolution", "operators")


@pytest.fixture(scope="module")
def evolved():
    return evolve(mixed_table(50), preset="fast", generations=4, methods=["mdav", "pram"], with_verdict=False)


def result_for(plot, evolved):
    return {"population": evolved}.get(plot, evolved.run)


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]


def test_every_plot_is_registered():
    assert set(PLOTS) <= set(names("plots"))


@pytest.mark.parametrize("plot", PLOTS)
def test_drawn_the_same_each_time_whatever_others_set(plot, evolved):
    result, draw = result_for(plot, evolved), load_function("plots", plot)
    plain = svg_text(draw(result))
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black"}):
        assert svg_text(draw(result)) == plain
    assert "SECRET" not in plain


@pytest.mark.parametrize("plot", PLOTS)
def test_axes_of_the_caller_are_used(plot, evolved):
    figure = Figure(figsize=(12, 9), layout="constrained")
    axes = figure.subplots(1, 2)
    assert load_function("plots", plot)(result_for(plot, evolved), axes[1]) is figure
    svg_text(figure)


def test_results_find_their_plot(evolved):
    for result in (evolved, evolved.run):
        assert isinstance(result.plot(), Figure)


def test_populations_name_what_is_released(evolved):
    shown = texts(population(evolved))
    assert {"released", f"start: {len(evolved.run.start)} files", "same score (larger of the two)"} <= set(
        shown
    )
    assert "attributes =" not in " ".join(shown)


@pytest.mark.parametrize(
    ("fitness", "words"),
    [
        (Fitness(how="mean"), "same score (mean of the two)"),
        (Fitness(how="weighted", weight=1.0), "same score (weighted)"),
        (front_of(Fitness(), []), None),
    ],
)
def test_lines_of_equal_score_follow_the_fitness(evolved, fitness, words):
    shown = texts(population(dataclasses.replace(evolved, fitness=fitness)))
    assert (words in shown) if words else not any(text.startswith("same score") for text in shown)


def test_files_without_a_place_of_their_own_have_no_ways(evolved):
    run = dataclasses.replace(evolved.run, population=(Individual(None, (1.0, 2.0), "elsewhere"),))
    shown = texts(population(dataclasses.replace(evolved, run=run)))
    assert "what became of a file" not in shown
    assert "what became of a file" in texts(population(evolved))


def test_the_score_tells_where_it_began_and_ended(evolved):
    first, last = evolved.run.history[0], evolved.run.history[-1]
    shown = texts(evolved.run.plot())
    assert any(text.startswith(f"best score {first.best:.2f} → {last.best:.2f} in 4") for text in shown)
    assert f"worst {last.worst:.2f}" in shown


def test_long_histories_and_fronts():
    def step(i, volume=None):
        return Step(
            generation=i,
            evaluations=i,
            seconds=0.1 * i,
            best=50 / (1 + i),
            mean=30.0,
            worst=60.0,
            hypervolume=volume,
        )

    draw = load_function("plots", "score_evolution")

    class History:
        history = tuple(step(i) for i in range(5000))

    assert any("in 4,999 generations" in text for text in texts(draw(History())))
    assert len(svg_text(draw(History()))) < 200_000
    History.history = [step(i, volume=i / 2) for i in range(60)]
    assert "hypervolume (%)" in texts(draw(History()))
    History.history = [step(0)]
    svg_text(draw(History()))


def test_operators_are_ranked_by_what_they_gained(evolved):
    idle = dataclasses.replace(evolved.run, operators={})
    assert "No operator was tried." in texts(load_function("plots", "operators")(idle))
    shown = texts(load_function("plots", "operators")(evolved.run))
    best = max(evolved.run.operators, key=lambda name: evolved.run.operators[name].gain)
    ranked = [text for text in shown if text.replace(" ", "_") in evolved.run.operators]
    assert ranked[0] == best.replace("_", " ")
