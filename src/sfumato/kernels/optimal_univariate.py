"""The optimal partition of records that stand in a line: the shortest path of Hansen and Mukherjee."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def line_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Labels of groups of k to 2k − 1 consecutive rows of X, which has at least k, with the least SSE.

    A node is the end of a group and an arc a group; the arc's length is its SSE, updated as the group grows
    backwards (Welford), so that no large squares cancel.
    """
    n, d = X.shape
    shortest = np.full(n + 1, np.inf)
    shortest[0] = 0.0
    start = np.zeros(n + 1, np.int64)
    mean = np.empty(d)
    for end in range(k, n + 1):
        mean[:] = 0.0
        sse = 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            for j in range(d):
                deviation = X[end - size, j] - mean[j]
                mean[j] += deviation / size
                sse += deviation * (X[end - size, j] - mean[j])
            if sse >= shortest[end]:
                break
            if size >= k and shortest[end - size] + sse < shortest[end]:
                shortest[end] = shortest[end - size] + sse
                start[end] = end - size
    labels = np.zeros(n, np.int64)
    last = n
    while last > 0:
        last = int(start[last])
        labels[last] = 1  # the first of a group
    return np.cumsum(labels) - 1
