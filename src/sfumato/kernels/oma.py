"""The plain object-migrating automaton: queries for two records bring them into one group, whatever SSE does."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def answer_queries(
    queries: np.ndarray, labels: np.ndarray, state: np.ndarray, members: np.ndarray, depth: int
) -> None:
    """Algorithm 5, in place. `members` holds the rows of each group, −1 where there is none; sizes stay as they are."""
    for t in range(len(queries)):
        i, j = queries[t]
        if labels[i] == labels[j]:  # reward
            state[i] = max(state[i] - 1, 1)
            state[j] = max(state[j] - 1, 1)
        elif state[i] < depth and state[j] < depth:
            state[i] += 1
            state[j] += 1
        elif state[i] < depth or state[j] < depth:
            if state[j] < depth:
                i, j = j, i  # now j stands at the boundary
            v = _outermost(members, labels[i], state, i)
            if state[v] == depth:
                _change_places(labels, members, j, v)
            state[i] += 1
        else:
            v = _outermost(members, labels[j], state, j)
            _change_places(labels, members, i, v)
            state[v] = depth


@kernel
def _outermost(members: np.ndarray, group: int, state: np.ndarray, other: int) -> int:
    """The record of a group nearest to the boundary that is not `other`, of several the first in the file."""
    best = -1
    for row in members[group]:
        if row < 0 or row == other:
            continue
        if best < 0 or state[row] > state[best] or (state[row] == state[best] and row < best):
            best = row
    return best


@kernel
def _change_places(labels: np.ndarray, members: np.ndarray, i: int, j: int) -> None:
    u, v = labels[i], labels[j]
    labels[i], labels[j] = v, u
    for place in range(members.shape[1]):
        if members[u, place] == i:
            members[u, place] = j
            break
    for place in range(members.shape[1]):
        if members[v, place] == j:
            members[v, place] = i
            break
