"""Signatures of the neighbourhoods of nodes: equal for neighbourhoods that are alike.

The neighbourhood of a node is the node, its neighbours and the links among them, with a colour on each node
and the direction of each link. The colours of the neighbours are refined by the colours they are linked with
until no refinement tells more of them apart (Weisfeiler and Leman); the refined colours are then summed up
for each connected part of the neighbours, and the parts for the neighbourhood.
"""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def ego_signatures(
    indptr: np.ndarray,
    indices: np.ndarray,
    kinds: np.ndarray,
    colours: np.ndarray,
    first: int,
    end: int,
) -> np.ndarray:
    """Signatures of some nodes, one column for each row of colours; `kinds` are the directions of the links."""
    found = np.empty((end - first, len(colours)), np.uint64)
    mark = np.zeros(len(indptr) - 1, np.int64)
    for i in range(first, end):
        near, how = indices[indptr[i] : indptr[i + 1]], kinds[indptr[i] : indptr[i + 1]]
        starts, targets, ways = _links_among(near, indptr, indices, kinds, mark)
        parts = _parts(starts, targets)
        for row in range(len(colours)):
            shades = np.empty(len(near), np.uint64)
            for p in range(len(near)):
                shades[p] = mixed(colours[row, near[p]], np.uint64(how[p]))
            if len(targets):
                shades = _refined(shades, starts, targets, ways)
            found[i - first, row] = mixed(colours[row, i], _summed(shades, parts))
    return found


@kernel
def mixed(one: np.uint64, other: np.uint64) -> np.uint64:
    """64 bits that depend on both numbers and on their order (twice the last step of splitmix64)."""
    z: np.uint64 = one + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = (z ^ (z >> np.uint64(31))) + other * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def _links_among(
    near: np.ndarray, indptr: np.ndarray, indices: np.ndarray, kinds: np.ndarray, mark: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Links between the neighbours by their places in the list; `mark` is all zero before and after."""
    for p in range(len(near)):
        mark[near[p]] = p + 1
    starts = np.zeros(len(near) + 1, np.int64)
    for p in range(len(near)):
        starts[p + 1] = starts[p]
        for q in range(indptr[near[p]], indptr[near[p] + 1]):
            starts[p + 1] += mark[indices[q]] > 0
    targets, ways, at = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.uint64), 0
    if len(targets):
        for u in near:
            for q in range(indptr[u], indptr[u + 1]):
                if mark[indices[q]] > 0:
                    targets[at], ways[at] = mark[indices[q]] - 1, kinds[q]
                    at += 1
    for u in near:
        mark[u] = 0
    return starts, targets, ways


@kernel
def _refined(shades: np.ndarray, starts: np.ndarray, targets: np.ndarray, ways: np.ndarray) -> np.ndarray:
    classes = len(np.unique(shades))
    for _ in range(len(shades)):
        finer = np.empty_like(shades)
        for p in range(len(shades)):
            around = np.uint64(0)
            for q in range(starts[p], starts[p + 1]):
                around += mixed(shades[targets[q]], ways[q])
            finer[p] = mixed(shades[p], around)
        shades = finer
        told_apart = len(np.unique(shades))
        if told_apart == classes:
            break
        classes = told_apart
    return shades


@kernel
def _parts(starts: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """For each neighbour, the first one of its connected part."""
    parts = np.arange(len(starts) - 1)
    changed = len(targets) > 0
    while changed:
        changed = False
        for p in range(len(parts)):
            for q in range(starts[p], starts[p + 1]):
                low = min(parts[p], parts[targets[q]])
                if parts[p] != low or parts[targets[q]] != low:
                    parts[p] = parts[targets[q]] = low
                    changed = True
    return parts


@kernel
def _summed(shades: np.ndarray, parts: np.ndarray) -> np.uint64:
    sums = np.zeros(len(shades), np.uint64)
    sizes = np.zeros(len(shades), np.uint64)
    for p in range(len(shades)):
        sums[parts[p]] += mixed(shades[p], np.uint64(1))
        sizes[parts[p]] += np.uint64(1)
    total = np.uint64(0)
    for p in range(len(shades)):
        if sizes[p]:
            total += mixed(sums[p], sizes[p])
    return total
