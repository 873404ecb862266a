"""Tours through records: nearest point next, and local search for a short one."""

import numpy as np

from sfumato.kernels._compile import INT64, kernel

LONGEST_SEGMENT = 3
LONGEST_LOG = 10_000


@kernel
def nearest_point_next(X: np.ndarray, start: int) -> np.ndarray:
    """Row numbers in the order of a walk that always goes to the nearest row not yet visited."""
    n, d = X.shape
    tour = np.arange(n)
    tour[0], tour[start] = start, 0
    for at in range(1, n):
        here = X[tour[at - 1]]
        best, least = at, np.inf
        for a in range(at, n):
            row = X[tour[a]]
            distance = 0.0
            for j in range(d):
                difference = row[j] - here[j]
                distance += difference * difference
            if distance < least or (distance == least and tour[a] < tour[best]):
                best, least = a, distance
        tour[at], tour[best] = tour[best], tour[at]
    return tour


@kernel
def shorten(X: np.ndarray, tour: np.ndarray, neighbours: np.ndarray, kicks: np.ndarray) -> None:
    """Make a closed tour shorter in place: 2-opt and Or-opt moves between neighbours until none is left.

    Each row of `kicks` (a place and two sizes) then swaps two short parts of the tour that follow each other;
    the moves start again from there, and all is undone if the tour has become longer (and took no more flips
    than the log holds).
    """
    n = len(tour)
    place = np.empty(n, np.int64)
    for a in range(n):
        place[tour[a]] = a
    queue = tour.copy()  # rows to look at, in a ring
    waiting = np.ones(n, np.bool_)
    log = np.zeros((LONGEST_LOG, 2), np.int64)  # row 0 counts the flips in the rows that follow
    rows = np.empty(6, np.int64)
    _improve(X, tour, place, neighbours, queue, waiting, n, log)
    for start, first, second in kicks:
        log[0, 0] = 0
        middle, end = start + first, start + first + second
        for side, cut in enumerate((start, middle, end)):
            rows[2 * side], rows[2 * side + 1] = tour[(cut - 1) % n], tour[cut % n]
        gain = _length(X, rows[0], rows[1]) + _length(X, rows[2], rows[3]) + _length(X, rows[4], rows[5])
        gain -= _length(X, rows[0], rows[3]) + _length(X, rows[4], rows[1]) + _length(X, rows[2], rows[5])
        _flip(tour, place, start, first + second, log)
        _flip(tour, place, start, second, log)
        _flip(tour, place, start + second, first, log)
        count = INT64(0)
        for row in rows:
            if not waiting[row]:
                queue[count] = row
                waiting[row] = True
                count += 1
        gain += _improve(X, tour, place, neighbours, queue, waiting, count, log)
        if gain < 0 and log[0, 0] < LONGEST_LOG - 1:
            for a in range(log[0, 0], 0, -1):
                _flip(tour, place, log[a, 0], log[a, 1], log)


@kernel
def _improve(
    X: np.ndarray,
    tour: np.ndarray,
    place: np.ndarray,
    neighbours: np.ndarray,
    queue: np.ndarray,
    waiting: np.ndarray,
    count: int,
    log: np.ndarray,
) -> float:
    """Moves from the rows in the queue, and from those they touch, until none is left; what they gained."""
    n = len(tour)
    touched = np.empty(6, np.int64)
    total, head = 0.0, 0
    while count > 0:
        i = queue[head]
        head, count = (head + 1) % n, count - 1
        waiting[i] = False
        while True:
            gain = _two_opt(i, X, tour, place, neighbours, touched, log)
            if gain == 0:
                gain = _or_opt(i, X, tour, place, neighbours, touched, log)
            if gain == 0:
                break
            total += gain
            for t in touched:
                if t >= 0 and not waiting[t]:
                    queue[(head + count) % n] = t
                    waiting[t] = True
                    count += 1
    return total


@kernel
def _two_opt(
    i: int,
    X: np.ndarray,
    tour: np.ndarray,
    place: np.ndarray,
    neighbours: np.ndarray,
    touched: np.ndarray,
    log: np.ndarray,
) -> float:
    """Replace the edges (i, i') and (c, c') by (i, c) and (i', c'), ' being the next or the one before."""
    n = len(tour)
    for step in (1, -1):
        after = tour[(place[i] + step) % n]
        old = _length(X, i, after)
        for c in neighbours[i]:
            new = _length(X, i, c)
            if new >= old:
                break
            beyond = tour[(place[c] + step) % n]
            if c in (i, after) or beyond == i:
                continue
            gain = old + _length(X, c, beyond) - new - _length(X, after, beyond)
            if gain > 1e-10 * old:
                if step == 1:
                    _reverse(tour, place, place[after], place[c], log)
                else:
                    _reverse(tour, place, place[c], place[after], log)
                touched[:] = -1
                touched[0], touched[1], touched[2], touched[3] = i, after, c, beyond
                return gain
    return 0.0


@kernel
def _or_opt(
    i: int,
    X: np.ndarray,
    tour: np.ndarray,
    place: np.ndarray,
    neighbours: np.ndarray,
    touched: np.ndarray,
    log: np.ndarray,
) -> float:
    """Move up to three rows that begin or end with i so that i comes next to a neighbour."""
    n = len(tour)
    for size in range(1, min(LONGEST_SEGMENT, n - 3) + 1):
        for step in (1, -1):  # the segment goes from i against the step; `after` follows it
            far = tour[(place[i] - step * (size - 1)) % n]
            before, after = tour[(place[far] - step) % n], tour[(place[i] + step) % n]
            freed = _length(X, before, far) + _length(X, i, after) - _length(X, before, after)
            for c in neighbours[i]:
                joined = _length(X, i, c)
                if joined >= freed:
                    break
                if (place[i] - place[c]) * step % n < size:
                    continue  # c is in the segment
                for side in (1, -1):
                    other = tour[(place[c] + side) % n]
                    if (place[i] - place[other]) * step % n < size:
                        continue
                    added = joined + _length(X, far, other) - _length(X, c, other)
                    if freed - added > 1e-10 * freed:
                        _carry(tour, place, i, far, c, other, step, log)
                        touched[0], touched[1], touched[2] = i, far, c
                        touched[3], touched[4], touched[5] = other, before, after
                        return float(freed - added)
    return 0.0


@kernel
def _carry(
    tour: np.ndarray, place: np.ndarray, i: int, far: int, c: int, other: int, step: int, log: np.ndarray
) -> None:
    """Put the segment from `far` to i between c and `other`, with i next to c."""
    n = len(tour)
    first, last = (far, i) if step == 1 else (i, far)
    a, b = place[first], place[last]
    size = (b - a) % n + 1
    low = c if (place[other] - place[c]) % n == 1 else other
    between = (place[low] - b) % n
    if 2 * between <= n:  # the segment goes forward past what is between
        _flip(tour, place, a, size + between, log)
        _flip(tour, place, a, between, log)
        at = a + between
    else:
        at, between = place[low] + 1, n - size - between
        _flip(tour, place, at, size + between, log)
        _flip(tour, place, at + size, between, log)
    if (c == low) != (i == last):
        _flip(tour, place, at, size, log)


@kernel
def _reverse(tour: np.ndarray, place: np.ndarray, start: int, end: int, log: np.ndarray) -> None:
    """Reverse the part of the tour between two places, or the rest of it, whichever is shorter."""
    n = len(tour)
    size = (end - start) % n + 1
    if 2 * size <= n:
        _flip(tour, place, start, size, log)
    else:
        _flip(tour, place, end + 1, n - size, log)


@kernel
def _flip(tour: np.ndarray, place: np.ndarray, start: int, size: int, log: np.ndarray) -> None:
    n = len(tour)
    if log[0, 0] < len(log) - 1:
        log[0, 0] += 1
        log[log[0, 0], 0], log[log[0, 0], 1] = start, size
    a, b = start % n, (start + size - 1) % n
    for _ in range(size // 2):
        tour[a], tour[b] = tour[b], tour[a]
        place[tour[a]], place[tour[b]] = a, b
        a = a + 1 if a + 1 < n else 0
        b = b - 1 if b > 0 else n - 1


@kernel
def _length(X: np.ndarray, i: int, j: int) -> float:
    total = 0.0
    for c in range(X.shape[1]):
        difference = X[i, c] - X[j, c]
        total += difference * difference
    return float(np.sqrt(total))
