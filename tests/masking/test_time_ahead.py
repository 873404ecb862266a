"""How long a slow method will take is said before it starts."""

import numpy as np
import pytest

from sfumato.core import progress
from sfumato.masking import Kward, Mdav, Mhm, Omma, make_masking
from sfumato.masking._time_ahead import seconds_ahead, tell_time_ahead


class Ear(progress.Unheard):
    """Keeps the notes."""

    def __init__(self):
        self.notes = []

    def started(self, task):
        pass

    advanced = finished = started

    def honoured(self):
        pass

    def noted(self, message):
        self.notes.append(message)


def told(n, grows):
    ear, sizes = Ear(), []
    with progress.listening(ear):
        tell_time_ahead("slow", np.zeros((n, 1)), grows, lambda some: sizes.append(len(some)))
    return ear.notes, sizes


def test_a_long_time_is_told_from_a_larger_sample():
    (note,), sizes = told(6000, 120.0)
    assert note.startswith("slow: 6,000 records will take about ") and "the power 120" in note
    assert sizes == [1000, 1000, 5000]


def test_the_larger_sample_says_how_long():
    times = {1000: 2.0, 5000: 10.0}  # the small one takes more than its share
    now = [0.0]

    def group(some):
        now[0] += times[len(some)]

    assert seconds_ahead(np.zeros((50_000, 1)), 2.0, group, clock=lambda: now[0]) == 1000.0


def test_a_short_time_and_a_small_file_are_not():
    assert told(6000, 1.0) == ([], [1000, 1000])
    assert told(5000, 60.0) == ([], [])


def test_those_that_take_all_pairs_say_so():
    specs = ("kward", "kwr", "kwd", "mst", "md", "mdav", "iamat", "omma", "OMMA-printed", "mhm", "genetic")
    grows = {spec: make_masking(spec).grows for spec in specs}
    assert {s for s in specs if grows[s] == 2} == {"kward", "kwr", "mst", "md", "OMMA-printed", "mhm"}
    assert {s for s in specs if 1 < grows[s] < 2} == {"iamat", "omma", "genetic"}
    assert Omma().of_many() == Omma(runs=1, neighbours=30) and Mdav().of_many() == Mdav()
    assert Omma(neighbours=0).grows == 2 and Mdav().grows == 1
    assert Mhm(tour="space_filling").grows == 1


@pytest.mark.parametrize("k", [3, 5])
def test_what_is_told_changes_no_groups(k):
    X = np.random.default_rng(0).normal(size=(5200, 1))
    rng = np.random.default_rng(1)
    expected = Kward(k=k).group(X, rng)
    found = Kward(k=k).solve(X, rng)[0]
    ear = Ear()
    with progress.listening(ear):
        labels, _ = Kward(k=k)._labels(X, rng, None)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(labels, expected)
