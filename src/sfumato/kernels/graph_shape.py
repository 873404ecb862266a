"""The shape of a graph: triangles through each node, and distances from some nodes to all others."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def triangles(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Triangles through each node, given every edge once, from its end of lower rank to that of higher rank."""
    n = len(indptr) - 1
    through, mark = np.zeros(n, np.int64), np.full(n, -1)
    for a in range(n):
        for slot in range(indptr[a], indptr[a + 1]):
            mark[indices[slot]] = a
        for slot in range(indptr[a], indptr[a + 1]):
            b = indices[slot]
            for further in range(indptr[b], indptr[b + 1]):
                c = indices[further]
                if mark[c] == a:
                    through[a] += 1
                    through[b] += 1
                    through[c] += 1
    return through


@kernel
def path_sums(indptr: np.ndarray, indices: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """For each source the sum of its distances to all nodes it reaches, and how many these are."""
    n = len(indptr) - 1
    found = np.zeros((len(sources), 2), np.int64)
    depth, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    for s in range(len(sources)):
        depth[:] = -1
        queue[0], depth[sources[s]] = sources[s], 0
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            found[s, 0] += depth[node]
            for slot in range(indptr[node], indptr[node + 1]):
                other = indices[slot]
                if depth[other] < 0:
                    depth[other] = depth[node] + 1
                    queue[tail] = other
                    tail += 1
        found[s, 1] = tail - 1
    return found
