import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import progress
from sfumato.masking import Noise, NoiseSwapping
from sfumato.masking.noise_swapping import linked, swapped


@given(st.integers(2, 12), st.data())
def test_exactly_the_given_places_trade_and_at_most_one_more(n, data):
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), max_size=n))), dtype=np.int64)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    order = swapped(np.arange(n), rows, rng.normal(size=(n, 2)), rng)
    assert sorted(order) == list(range(n))
    moved = set(np.flatnonzero(order != np.arange(n)))
    assert len(moved - set(rows)) <= len(rows) % 2
    assert set(rows) <= moved or len(rows) == n


def test_trades_are_nearer_than_those_at_random():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    order = swapped(np.arange(200), np.arange(200), X, rng)
    assert ((X[order] - X) ** 2).sum() < 0.5 * ((X[rng.permutation(200)] - X) ** 2).sum()


def test_links_are_those_of_all_distances():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1, 50, 0.01]
    Y = X + rng.normal(size=(80, 3)) * [0.3, 15, 0.003]
    apart = (((X[None] - Y[:, None]) / X.std(axis=0)) ** 2).sum(axis=2)
    np.testing.assert_array_equal(linked(X, Y), apart.argmin(axis=1) == np.arange(80))


@pytest.mark.parametrize("most", [0.0, 5.0])
def test_few_stay_linked_and_the_moments_stay(most):
    firms = datasets.business_survey(400, seed=1)
    masking = NoiseSwapping(alpha=0.01, linked=most)
    masked = masking.apply(firms, np.random.default_rng(0)).numbers(firms.names)
    noisy = Noise(kind="correlated_transformed", alpha=0.01).apply(firms, np.random.default_rng(0))
    assert linked(firms.numbers(firms.names), noisy.numbers(firms.names)).mean() > 0.4
    assert 100 * linked(firms.numbers(firms.names), masked).mean() <= most
    np.testing.assert_array_equal(np.sort(masked, axis=0), np.sort(noisy.numbers(firms.names), axis=0))


def test_it_is_told_how_many_are_left():
    class Ear(progress.Unheard):
        def __init__(self):
            self.notes = []

        def started(self, task):
            pass

        advanced = finished = started

        def noted(self, message):
            self.notes.append(message)

    firms = datasets.business_survey(50, seed=1)
    ear = Ear()
    with progress.listening(ear):
        NoiseSwapping(alpha=0.01, linked=100).apply(firms, np.random.default_rng(0))
    assert any("are nearest to their own after swapping" in note for note in ear.notes)
