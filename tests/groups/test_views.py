import numpy as np
import pytest

from sfumato.core import DataError
from sfumato.groups.signals import RecordPlaces
from sfumato.groups.views import View, Views, partners

PLACES = RecordPlaces(("north", "south"), np.array([0, 0, 1, 1, -1]))


def view(amounts, **given):
    return View(name="seen", amounts=np.array(amounts, float), **given)


def test_signals_are_sums_by_place_and_view():
    views = Views((view([1, 0, 1, 1, 1]), view([0.5, 0.25, 0, 1, 9])), np.array([1.0, 2, 3, 4, 5]))
    assert views.signals(PLACES).tolist() == [[1, 0.75], [2, 1]]
    assert views.counted(PLACES).tolist() == [3, 7]
    assert Views((view([1, 0, 1, 1, 1]),)).counted(PLACES).tolist() == [2, 2]


def test_whoever_looks_like_the_group_to_anybody_is_no_partner_nor_who_nearly_does():
    looks = view([0.9, 0.1, 0, 0, 0], look=np.array([True, False, False, False, False]))
    guide = view([0.9, 0.5, 0.1, 0.2, 0.9], look=np.zeros(5, bool), attacker=False)
    views = Views((view([1, 0, 0, 0, 0]), looks, guide))
    assert views.telling.tolist() == [True, False, False, False, False]
    assert partners(views, []).tolist() == [False, True, True, True, True]
    assert partners(views, [guide]).tolist() == [False, False, True, True, False]


def test_a_file_that_nobody_can_look_at_is_refused():
    with pytest.raises(DataError, match="must tell who belongs"):
        Views(())
