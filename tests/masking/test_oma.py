import numpy as np
import pytest
from grouping import table_of
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.kernels.oma import answer_queries
from sfumato.masking import Oma, Omma
from sfumato.masking.oma import members_of


def literal(queries, zeta, N):
    """Algorithm 5 line by line: ζ from (h − 1)N + 1, certain, to hN, the boundary of class h."""

    def group(i):
        return (zeta[i] - 1) // N  # "div" as the notation above the algorithm means it

    def unaccessed(h, i, j):
        return [v for v in range(len(zeta)) if group(v) == h and v not in (i, j)]

    for i, j in queries:
        if group(i) == group(j):
            for x in (i, j):
                if zeta[x] % N != 1 and N > 1:
                    zeta[x] -= 1
        elif zeta[i] % N != 0 and zeta[j] % N != 0:
            zeta[i] += 1
            zeta[j] += 1
        elif zeta[i] % N != 0 or zeta[j] % N != 0:
            inner, outer = (i, j) if zeta[i] % N != 0 else (j, i)
            free = [v for v in unaccessed(group(inner), i, j) if zeta[v] % N == 0]
            if free:
                zeta[outer], zeta[free[0]] = zeta[free[0]], zeta[outer]
            zeta[inner] += 1
        else:
            before, target = zeta[i], group(j)
            t = min(unaccessed(target, i, j), key=lambda v: (zeta[j] - zeta[v], v))
            zeta[i] = zeta[j]
            zeta[t] = before
    return zeta


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_queries_are_answered_as_printed(seed, depth):
    rng = np.random.default_rng(seed)
    n, groups = 13, 4
    labels = rng.permutation(np.arange(n) % groups)
    state, members = np.full(n, depth), members_of(labels)
    zeta = [int(label * depth + depth) for label in labels]
    for _ in range(8):
        queries = np.array([rng.choice(n, 2, replace=False) for _ in range(40)])
        answer_queries(queries, labels, state, members, depth)
        zeta = literal(queries.tolist(), zeta, depth)
        assert [int(label * depth + s) for label, s in zip(labels, state, strict=True)] == zeta
        for group, rows in enumerate(members):
            assert set(rows[rows >= 0]) == set(np.flatnonzero(labels == group))


@given(st.integers(4, 40), st.integers(2, 6), st.integers(0, 9))
def test_groups_differ_by_at_most_one_record(n, k, seed):
    if n < 2 * k:
        return
    X = np.random.default_rng(seed).integers(0, 5, (n, 2)).astype(float)
    sizes = np.bincount(Oma(k=k, queries=20).group(X, np.random.default_rng(seed)))
    assert len(sizes) == n // k and k <= sizes.min() <= sizes.max() < 2 * k


def test_pairs_far_from_others_come_together():
    X = np.repeat(np.arange(8) * 100.0, 2)[:, None]
    partition = Oma(k=2).partition(table_of(X), np.random.default_rng(0))
    assert partition.il == pytest.approx(0, abs=1e-12)


@pytest.mark.classic
def test_omma_loses_less_than_the_plain_automaton():
    table = datasets.load("tarragona")
    plain, enhanced = (method(k=3).partition(table, np.random.default_rng(0)).il for method in (Oma, Omma))
    assert enhanced < plain < 80
