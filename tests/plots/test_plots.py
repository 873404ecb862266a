import warnings
import xml.etree.ElementTree as ET
from functools import cache

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from plots.results import ODD_NAMES, candidate, mixed_table, nominal, numeric, protection
from sfumato import describe, evaluate
from sfumato.core import DataError
from sfumato.core.registry import load_function, names
from sfumato.data import Schema, Table
from sfumato.masking import Chain, Mdav, Pram, RankSwapping
from sfumato.plots._style import short_number, svg_text
from sfumato.plots.risk_utility import risk_utility
from sfumato.search.maskings.short_names import in_short

PLOTS = ("correlations", "distributions", "key_risks", "risk_utility", "scores")


@pytest.fixture(scope="module")
def odd():
    return protection(mixed_table(), require=["distance_linkage <= 50"])


def result_for(plot, protection):
    return {"scores": protection.evaluation, "key_risks": describe(protection.original)}.get(plot, protection)


def texts(figure):
    return texts_of(svg_text(figure))


def texts_of(svg):
    root = ET.fromstring(svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]


def test_every_plot_is_registered():
    assert set(PLOTS) <= set(names("plots"))


@pytest.fixture(scope="module")
def plain(odd):
    """The plot of a name, drawn once for all who read it."""
    return cache(lambda plot: svg_text(load_function("plots", plot)(result_for(plot, odd))))


@pytest.mark.parametrize("plot", PLOTS)
def test_odd_tables_are_drawn_the_same_each_time(plot, odd, plain):
    figure = load_function("plots", plot)(result_for(plot, odd))
    assert isinstance(figure, Figure)
    drawn = svg_text(figure)
    assert drawn == plain(plot)
    assert "<dc:date>" not in drawn and texts_of(drawn)


@pytest.mark.parametrize("plot", PLOTS)
def test_settings_of_others_neither_count_nor_change(plot, odd, plain):
    result, draw = result_for(plot, odd), load_function("plots", plot)
    usual = plain(plot)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black", "figure.dpi": 30}):
        before = dict(matplotlib.rcParams)
        assert svg_text(draw(result)) == usual
        assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("plot", PLOTS)
def test_axes_of_the_caller_are_used(plot, odd):
    figure = Figure(figsize=(12, 9), layout="constrained")
    axes = figure.subplots(1, 2)
    assert load_function("plots", plot)(result_for(plot, odd), axes[1]) is figure
    svg_text(figure)


@pytest.mark.parametrize("plot", PLOTS)
def test_pyplot_is_left_alone(plot, odd):
    from matplotlib import pyplot

    load_function("plots", plot)(result_for(plot, odd))
    assert pyplot.get_fignums() == []


def test_results_find_their_plot(odd):
    assert isinstance(odd.plot(), Figure)
    assert isinstance(odd.evaluation.plot(), Figure)
    assert isinstance(describe(odd.original).plot(), Figure)


def test_dollars_and_brackets_are_shown_as_they_are(odd):
    shown = texts(load_function("plots", "distributions")(odd))
    assert ODD_NAMES[0] in shown
    assert ODD_NAMES[1] in shown


def test_saving_outside_our_settings_keeps_dollars(odd, tmp_path):
    figure = load_function("plots", "distributions")(odd)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(tmp_path / "d.png")
    assert (tmp_path / "d.png").stat().st_size > 10_000


def test_no_identifier_in_any_plot(plain):
    for plot in PLOTS:
        assert "SECRET" not in plain(plot)


def test_one_numeric_key():
    table = Table(Schema([numeric("x")]), {"x": np.arange(30.0)})
    made = protection(table)
    for plot in ("distributions", "key_risks", "risk_utility", "scores"):
        svg_text(load_function("plots", plot)(result_for(plot, made)))
    with pytest.raises(DataError, match="two numeric key attributes"):
        load_function("plots", "correlations")(made)


def test_all_missing_and_one_record():
    x, c = numeric("x"), nominal("c", ("a", "b"))
    for n in (1, 12):
        table = Table(Schema([x, c]), {"x": np.full(n, np.nan), "c": np.full(n, -1)})
        pair = protection(table, [Pram(attributes=("c",))])
        svg_text(load_function("plots", "distributions")(pair))
        svg_text(load_function("plots", "key_risks")(describe(table)))


def test_a_table_without_keys_has_a_profile_to_draw():
    table = Table(Schema([numeric("x", role="other")]), {"x": np.arange(9.0)})
    assert any("No combination" in text for text in texts(describe(table).plot()))


class Map:
    """A hand-made choice."""

    def __init__(self, candidates, chosen=0, gates=(), score="max"):
        self.candidates = self.front = tuple(candidates)
        self.chosen, self.gates, self.score, self.whole = candidates[chosen], gates, score, None


def test_map_names_methods_by_colour_and_marker():
    chains = [Chain((first, Pram())) for first in (Mdav(), RankSwapping())]
    shown = texts(risk_utility(Map([candidate(c, 10.0 + i, 20.0) for i, c in enumerate(chains)])))
    assert {"chosen", "First method", "and then", "mdav", "rank_swapping", "pram"} <= set(shown)
    single = texts(risk_utility(Map([candidate(Mdav(), 0.0, 0.0)])))
    assert "and then" not in single
    assert "mdav" in single


def test_map_says_which_score_and_which_fail(odd):
    shown = texts(risk_utility(Map([candidate(Mdav(), 10.0, 20.0)], score="mean")))
    assert "same score (mean of the two)" in shown
    assert "fails a requirement" not in shown
    failing = protection(mixed_table(), require=["loss >= 0", f"loss <= {odd.chosen.loss + 0.001:.4f}"])
    assert any(c.loss > odd.chosen.loss + 0.001 for c in failing.candidates)
    assert "fails a requirement" in texts(failing.plot())


def test_in_short_tells_what_the_portfolio_varies():
    assert in_short(Mdav(attributes=("a", "b"))) == "mdav k=5"
    assert in_short(Chain((RankSwapping(p=20), Pram()))) == "rank_swapping p=20 → pram p=0.8"


def test_scores_keep_their_order_and_values():
    table = mixed_table()
    shown = texts(evaluate(table, table).plot())
    assert shown.index("Information loss") < shown.index("Disclosure risk")
    assert "0.0" in shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999.5, "999.5"),
        (1000.0, "1,000"),
        (-1e6, "-1 M"),
        (999_999.0, "999,999"),
        (2.5e9, "2.5 G"),
        (1e12, "1 T"),
    ],
)
def test_numbers_of_axes_are_short(value, text):
    assert short_number(value) == text
