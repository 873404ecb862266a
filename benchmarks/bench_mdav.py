"""MDAV: published information loss, and speed beside a plain numpy twin."""

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row, best_of, once
from sfumato import datasets
from sfumato.core import FileError
from sfumato.kernels.mdav import mdav_groups
from sfumato.masking import Mdav

PUBLISHED = {
    "tarragona": {3: 16.9326, 5: 22.4619, 10: 33.1929},
    "census": {3: 5.6922, 5: 9.0884, 10: 14.1559},
    "eia": {3: 0.4829, 5: 1.6667, 10: 3.8397},
}


def rows() -> Iterator[Row]:
    for name, by_k in PUBLISHED.items():
        try:
            table = datasets.load(name)
        except FileError:
            continue
        for k, published in by_k.items():
            il = Mdav(k=k).partition(table, np.random.default_rng(0)).il
            yield Row(f"mdav {name} k={k}: IL", il, "%", bar=published, exactly=True)
    for n, d in ((1_000, 10), (10_000, 10)):
        X = np.random.default_rng(0).normal(size=(n, d))
        ours = best_of(lambda X=X: mdav_groups(X, 5))
        yield Row(f"mdav {n}×{d} k=5, numpy twin", ours, twin=once(lambda X=X: numpy_mdav(X, 5)))


def numpy_mdav(X: np.ndarray, k: int) -> np.ndarray:
    """MDAV as one would write it with numpy."""
    labels = np.full(len(X), -1)
    left = np.arange(len(X))
    group = 0

    def take(center: np.ndarray) -> None:
        nonlocal left, group
        near = np.argsort(((X[left] - center) ** 2).sum(axis=1), kind="stable")[:k]
        labels[left[near]] = group
        left = np.delete(left, near)
        group += 1

    while len(left) >= 2 * k:
        three = len(left) >= 3 * k
        r = X[left[np.argmax(((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1))]]
        take(r)
        if three:
            take(X[left[np.argmax(((X[left] - r) ** 2).sum(axis=1))]])
    labels[left] = group
    return labels
