import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from sfumato.attacks import AttackResult, Rate
from sfumato.jobs.attack import Attacks
from sfumato.plots._style import svg_text
from sfumato.plots.attack_rates import attack_rates


def result(name="distance_linkage", value=40.0, low=35.0, high=45.0):
    rate = Rate(value=0.1, low=0.0, high=0.5)
    attack = Rate(value=value, low=low, high=high)
    return AttackResult(name=name, attack=attack, baseline=rate, control=rate, outcomes=np.zeros(3))


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]


def test_one_attack_draws_itself():
    shown = texts(result().plot())
    assert {"distance linkage", "40.0", "attack on the release", "guess without the release"} <= set(shown)


def test_several_attacks_as_a_list_or_as_a_study():
    both = [result(), result("interval", 100.0, 99.0, 100.0)]
    drawn = texts(attack_rates(both))
    assert drawn.count("attack on the release") == 1
    assert {"distance linkage", "interval", "100.0"} <= set(drawn)
    assert texts(Attacks(results={one.name: one for one in both}).plot()) == drawn


def test_no_attack():
    assert texts(attack_rates([])) == ["No attack was made."]


@pytest.mark.parametrize("value", [0.0, 50.0, 100.0])
def test_the_value_stays_inside(value):
    figure = attack_rates(result(value=value, low=max(value - 1, 0), high=min(value + 1, 100)))
    assert 0 <= figure.axes[0].texts[0].get_position()[0] <= 100


def test_axes_of_the_caller_are_used():
    figure = Figure(layout="constrained")
    assert attack_rates(result(), figure.subplots(1, 2)[1]) is figure
