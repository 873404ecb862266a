"""Super-nodes: clusters of nodes with nearly the same neighbours, and edges drawn inside blocks of pairs."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.random_draws import below, draw


@kernel
def grown_clusters(indptr: np.ndarray, indices: np.ndarray, falling: np.ndarray, k: int) -> np.ndarray:
    """The cluster of each node; −1 for the n mod k that are left over.

    `falling` are the nodes by falling degree. The first one that is free opens a cluster, which takes, one
    after the other, the free node i with the least Σ_j d_i + d_j − 2a_ij − 2c_ij over its members j: the
    number of nodes that are the neighbour of one of the two only (c counts common neighbours). Only nodes
    within two steps of a member can do better than the free node of the least degree.
    """
    n = len(indptr) - 1
    labels, overlap, touched = np.full(n, -1), np.zeros(n, np.int64), np.empty(n, np.int64)
    first, last = 0, n - 1
    for cluster in range(n // k):
        while labels[falling[first]] >= 0:
            first += 1
        member, reached = falling[first], 0
        labels[member] = cluster
        for size in range(1, k):
            reached = _touch(indptr, indices, member, overlap, touched, reached)
            while labels[falling[last]] >= 0:
                last -= 1
            member = falling[last]
            best = size * (indptr[member + 1] - indptr[member]) - 2 * overlap[member]
            for i in touched[:reached]:
                if labels[i] < 0:
                    score = size * (indptr[i + 1] - indptr[i]) - 2 * overlap[i]
                    if score < best:
                        best, member = score, i
            labels[member] = cluster
        for i in touched[:reached]:
            overlap[i] = 0
    return labels


@kernel
def _touch(
    indptr: np.ndarray,
    indices: np.ndarray,
    member: int,
    overlap: np.ndarray,
    touched: np.ndarray,
    reached: int,
) -> int:
    for slot in range(indptr[member], indptr[member + 1]):
        near = indices[slot]
        if overlap[near] == 0:
            touched[reached] = near
            reached += 1
        overlap[near] += 1
        for further in range(indptr[near], indptr[near + 1]):
            i = indices[further]
            if overlap[i] == 0:
                touched[reached] = i
                reached += 1
            overlap[i] += 1
    return reached


@kernel
def drawn_slots(counts: np.ndarray, capacities: np.ndarray, state: np.ndarray) -> np.ndarray:
    """So many different numbers below its capacity for each block, all equally likely (Floyd's algorithm)."""
    slots, begin = np.empty(counts.sum(), np.int64), 0
    for block in range(len(counts)):
        made = begin
        for top in range(capacities[block] - counts[block], capacities[block]):
            slot = below(top + 1, draw(state) >> np.uint64(32))
            for other in slots[begin:made]:
                if other == slot:
                    slot = top
                    break
            slots[made] = slot
            made += 1
        begin = made
    return slots
