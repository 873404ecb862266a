"""Groups in the form that kernels work on: members, sizes and centres."""

import numpy as np

from sfumato.kernels.group_arrays import Groups


def as_groups(X: np.ndarray, labels: np.ndarray, k: int) -> Groups:
    """Labels in the form the kernel works on, with room for as many groups as there can be."""
    n, room = len(X), len(X) // k + 1
    sizes = np.bincount(labels, minlength=room)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    places = np.empty(n, np.int64)
    places[order] = np.arange(n) - starts[labels[order]]
    members = np.zeros((room, 2 * k), np.int64)
    members[labels, places] = np.arange(n)
    return Groups(
        labels=labels.astype(np.int64, copy=True),
        places=places,
        members=members,
        sizes=sizes,
        centres=group_centres(X, labels, room),
        total=np.array([labels.max() + 1]),
    )


def group_centres(X: np.ndarray, labels: np.ndarray, groups: int) -> np.ndarray:
    sums = np.column_stack([np.bincount(labels, weights=column, minlength=groups) for column in X.T])
    means: np.ndarray = sums / np.maximum(np.bincount(labels, minlength=groups), 1)[:, None]
    return means
