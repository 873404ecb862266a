"""What is measured beside a kernel does the same work, to the same answer."""

import numpy as np
import pytest
from benchmarks.bench_kernels import KERNELS, matrix, pair, patients, people, seven_keys
from benchmarks.peers import best_known, figures

from benchmarks import plain_numpy
from sfumato.measures import DistanceLinkage, KAnonymity, LDiversity, Suda2, TCloseness

N = 400


def test_classes_are_counted_alike():
    file = people(N)
    assert KAnonymity(k=5).bind(file).score(file).value == pytest.approx(
        plain_numpy.rare_share(matrix(file), 5)
    )


@pytest.mark.parametrize(
    ("measure", "twin", "least"),
    [
        (LDiversity(l=2), plain_numpy.not_diverse_share, 2),
        (TCloseness(t=0.2), plain_numpy.not_close_share, 0.2),
    ],
)
def test_secrets_are_judged_alike(measure, twin, least):
    file = patients(N).select(("c0", "c1", "c2", "c3", "c7"))  # so few that classes differ
    X = matrix(file)
    found = measure.bind(file).score(file).value
    assert found > 0
    assert found == pytest.approx(twin(X[:, :-1], X[:, -1], least))


def test_minimal_uniques_are_the_same():
    file = seven_keys(N)
    alone = [bool(sets) for sets in Suda2(size=7).bind(file).scores(file)]
    assert plain_numpy.minimal_uniques(matrix(file)) >= sum(alone) > 0


def test_the_nearest_are_the_same():
    original, released = pair(N)
    ours = DistanceLinkage().bind(original).score(released).value
    assert ours == pytest.approx(plain_numpy.nearest_share(matrix(original), matrix(released)))


def test_shuffled_columns_keep_their_values():
    X = np.random.default_rng(0).normal(size=(N, 4))
    dealt = plain_numpy.shuffled(X, 2)
    np.testing.assert_array_equal(np.sort(dealt, axis=0), np.sort(X[:, :2], axis=0))


def test_figures_of_others_are_of_kernels_that_are_measured():
    assert figures("mdav", 10_000)[0].who.startswith("sdcMicro")
    for kernel in KERNELS:
        assert any(figures(kernel.name, n) for n in kernel.sizes) or kernel.name == "distance_linkage"
    assert best_known()["census"][3] == 4.6679
