"""Of two ways to group, each part from the better one."""

from itertools import product

import numpy as np
import pytest
from grouping import labels_sse

from sfumato.masking._partition_crossover import crossed


def random_groups(rng, n, k):
    return rng.permutation(np.arange(n) % (n // k))


def parts_of(first, second):
    """Rows that hang together through groups of either, by the plainest search."""
    left, parts = set(range(len(first))), []
    while left:
        part, before = {left.pop()}, 0
        while len(part) > before:
            before = len(part)
            for labels in (first, second):
                inside = {labels[i] for i in part}
                part = {i for i in range(len(labels)) if labels[i] in inside}
        parts.append(sorted(part))
        left -= part
    return parts


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_best_choice_of_parts(seed):
    rng = np.random.default_rng(seed)
    blocks = [(random_groups(rng, 8, 2), random_groups(rng, 8, 2)) for _ in range(3)]
    first, second = (np.concatenate([pair[side] + 4 * b for b, pair in enumerate(blocks)]) for side in (0, 1))
    X = rng.normal(size=(24, 2))
    labels, less = crossed(X, first, second)
    parts = parts_of(first, second)
    best = np.inf
    for sides in product((0, 1), repeat=len(parts)):
        made = np.empty(24, np.int64)
        for part, side in zip(parts, sides, strict=True):
            made[part] = second[part] + 100 if side else first[part]
        best = min(best, labels_sse(X, np.unique(made, return_inverse=True)[1]))
    assert labels_sse(X, labels) == pytest.approx(best)
    assert less == pytest.approx(labels_sse(X, first) - best)


def test_the_same_groups_stay():
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels, less = crossed(X, np.arange(12) // 3, np.roll(np.arange(4), 1)[np.arange(12) // 3])
    assert less == 0
    np.testing.assert_array_equal(labels, np.arange(12) // 3)
