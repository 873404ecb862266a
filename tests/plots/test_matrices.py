from dataclasses import dataclass

import numpy as np
import pytest
from matplotlib.figure import Figure

from plots.results import ODD_NAMES, nominal
from sfumato.data import Schema, Table
from sfumato.plots._style import svg_text
from sfumato.plots.matrices import matrices


@dataclass
class Side:
    matrices: dict


@dataclass
class Both:
    original: Table
    before: Side
    after: Side


def both(*sizes):
    rng = np.random.default_rng(0)
    attributes = [
        nominal(name, [f"{name} {i}" for i in range(n)]) for name, n in zip(ODD_NAMES, sizes, strict=False)
    ]
    table = Table(Schema(attributes), {a.name: np.zeros(3, int) for a in attributes})
    sides = [
        Side({a.name: rng.dirichlet(np.ones(a.domain_size), a.domain_size) for a in attributes}) for _ in "ab"
    ]
    return Both(table, *sides)


@pytest.mark.parametrize("sizes", [(1,), (2, 5), (3, 12, 40)])
def test_matrices_of_any_size_are_drawn(sizes):
    figure = matrices(both(*sizes))
    assert isinstance(figure, Figure)
    maps = [ax for ax in figure.axes if "becomes" in ax.get_xlabel()]
    assert len(maps) == 2 * len(sizes)
    text = svg_text(figure)
    assert text == svg_text(matrices(both(*sizes)))
    assert "before" in text and "after" in text


def test_probabilities_are_written_where_they_fit():
    result = both(2)
    value = result.after.matrices[ODD_NAMES[0]][0, 0]
    assert f"{value:.2f}" in svg_text(matrices(result))


def test_axes_of_the_caller_are_used():
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert matrices(both(3), axes[1]) is figure
