"""Trades of categories that bring contingency tables back, and leave the original categories unsure."""

import numpy as np

from sfumato.kernels._compile import kernel

TIE = 1e-12  # of two that save as much, rounding must not choose


@kernel
def mending_trades(
    codes: np.ndarray,
    j: int,
    gaps: np.ndarray,
    joint: np.ndarray,
    own: np.ndarray,
    cost: np.ndarray,
    cell: float,
    bit: float,
    pairs: np.ndarray,
) -> np.ndarray:
    """Choose disjoint pairs of rows that trade their codes of column j; partners follow each other.

    `gaps[m, u, p]` is by how many records the cell (u, p) of the table of columns j and m exceeds what it
    should be; each record too many or too few costs `cell`. `joint[x, u]` counts the records whose original
    code `own` is x and whose code now is u; each bit by which the original becomes less certain costs `bit`.
    `cost[x, u]` is what u costs where x was. `pairs` holds the rows of several pairs for each trade: the one
    that saves most is taken, the first of those that save as much, if it saves anything.
    """
    n, d = codes.shape
    gaps, joint = gaps.copy(), joint.copy()
    used = np.zeros(n, np.bool_)
    chosen = np.empty(2 * len(pairs), np.int64)
    count = 0
    for q in range(len(pairs)):
        best, least = -1, 0.0
        for t in range(pairs.shape[1]):
            a, b = pairs[q, t]
            u, v = codes[a, j], codes[b, j]
            if u == v or used[a] or used[b]:
                continue
            x, y = own[a], own[b]
            more = cost[x, v] + cost[y, u] - cost[x, u] - cost[y, v]
            for m in range(d):
                p, r = codes[a, m], codes[b, m]
                if m != j and p != r:
                    fewer = _one_fewer(gaps[m, u, p]) + _one_fewer(gaps[m, v, r])
                    more += cell * (fewer + _one_more(gaps[m, v, p]) + _one_more(gaps[m, u, r]))
            if x != y:
                lost = _bits_apart(joint[x, u] - 1) + _bits_apart(joint[y, v] - 1)
                more += bit * (lost - _bits_apart(joint[x, v]) - _bits_apart(joint[y, u]))
            if more < least - TIE:
                best, least = t, more
        if best >= 0:
            a, b = pairs[q, best]
            u, v = codes[a, j], codes[b, j]
            for m in range(d):
                p, r = codes[a, m], codes[b, m]
                gaps[m, u, p] -= 1
                gaps[m, v, p] += 1
                gaps[m, v, r] -= 1
                gaps[m, u, r] += 1
            joint[own[a], u] -= 1
            joint[own[a], v] += 1
            joint[own[b], v] -= 1
            joint[own[b], u] += 1
            used[a] = used[b] = True
            chosen[count], chosen[count + 1] = a, b
            count += 2
    return chosen[:count]


@kernel
def _one_fewer(gap: int) -> int:
    return -1 if gap > 0 else 1


@kernel
def _one_more(gap: int) -> int:
    return 1 if gap >= 0 else -1


@kernel
def _bits_apart(count: int) -> float:
    """By how much count · log2 count grows with one record more."""
    if count < 1:
        return 0.0
    grown: float = (count + 1) * np.log2(count + 1) - count * np.log2(count)
    return grown
