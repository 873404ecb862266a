"""What tests of groupings share: tables of numbers, and the best groups there are, by trying all."""

from itertools import combinations

import numpy as np

from sfumato.data import Attribute, Schema, Table


def table_of(X, **details):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key", **details) for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


def partitions(rows, k):
    """All partitions of some rows into groups of at least k."""
    if not rows:
        yield []
        return
    for size in range(k, len(rows) + 1):
        for others in combinations(rows[1:], size - 1):
            left = [row for row in rows[1:] if row not in others]
            for rest in partitions(left, k):
                yield [[rows[0], *others], *rest]


def sse_of(X, groups):
    return sum(((X[group] - X[group].mean(axis=0)) ** 2).sum() for group in groups)


def labels_sse(X, labels):
    return sse_of(X, [np.flatnonzero(labels == group) for group in np.unique(labels)])


def least_sse(X, k):
    return min(sse_of(X, groups) for groups in partitions(list(range(len(X))), k))
