import numpy as np
from matplotlib.figure import Figure

from plots.results import numeric
from sfumato.data import Schema, Table
from sfumato.masking import Mdav
from sfumato.plots._style import svg_text


def partition(X, **parameters):
    names = [f"x{j}" for j in range(X.shape[1])]
    table = Table(Schema(numeric(name) for name in names), dict(zip(names, X.T, strict=True)))
    return Mdav(**parameters).partition(table, np.random.default_rng(0), bound="neighbours")


def test_a_partition_is_drawn_with_its_loss_and_bound():
    found = partition(np.random.default_rng(0).normal(size=(60, 3)), k=3)
    text = svg_text(found.plot())
    assert str(found) in text
    assert "is unavoidable" in text
    assert text == svg_text(found.plot())


def test_one_group_one_column_and_constants_are_drawn():
    for X in (np.zeros((3, 1)), np.ones((20, 2)), np.arange(9.0)[:, None]):
        assert isinstance(partition(X, k=3).plot(), Figure)


def test_axes_of_the_caller_are_used():
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert partition(np.arange(20.0)[:, None], k=2).plot(axes[1]) is figure
