"""V-MDAV: groups grown around the records far from the centroid, by searches in a tree of those left."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import Tree, plant, take_out
from sfumato.kernels.tree_search import nearest


@kernel
def vmdav_groups(X: np.ndarray, k: int, gamma: float, outward: np.ndarray, in_leaf: int) -> np.ndarray:
    """Group label of each row of X; `outward` are the rows from the farthest of the centroid to the nearest.

    Labels of records for which no k are left are −1.
    """
    n = len(X)
    labels = np.full(n, -1)
    members, near, apart = np.empty(2 * k - 1, np.int64), np.empty(k, np.int64), np.empty(k)
    tree = plant(X, np.arange(n), in_leaf)
    left = planted = n
    group = 0
    for e in outward:
        if labels[e] >= 0:
            continue
        if left < k:
            break
        if 2 * left <= planted and left > in_leaf:
            tree = plant(X, np.nonzero(labels < 0)[0], in_leaf)
            planted = left
        nearest(tree, X[e], near, apart)
        for a in range(k):
            members[a] = near[a]
            labels[near[a]] = group
            take_out(tree, near[a])
        left -= k
        left -= _extend(tree, X, members, labels, left, gamma)
        group += 1
    return labels


@kernel
def _extend(
    tree: Tree, X: np.ndarray, members: np.ndarray, labels: np.ndarray, left: int, gamma: float
) -> int:
    """Let the nearest outside record join while it is nearer to the group than to others; how many joined."""
    k = (len(members) + 1) // 2
    size, limit = k, min(2 * k - 1, k + left)
    closest, inside = np.full(len(members), -1), np.empty(len(members))  # of each member
    one, apart = np.empty(1, np.int64), np.empty(1)
    two, between = np.empty(2, np.int64), np.empty(2)
    while size < limit:
        best = 0
        for a in range(size):
            if closest[a] < 0 or labels[closest[a]] >= 0:  # not yet known, or it has joined
                nearest(tree, X[members[a]], one, apart)
                closest[a], inside[a] = one[0], apart[0]
            if (inside[a], closest[a]) < (inside[best], closest[best]):
                best = a
        joining = closest[best]
        nearest(tree, X[joining], two, between)  # itself, or a twin of it, and the next
        if not np.sqrt(inside[best]) < gamma * np.sqrt(between[1]):
            break
        take_out(tree, joining)
        labels[joining] = labels[members[0]]
        members[size] = joining
        size += 1
    return size - k
