"""Groups of k to 2k − 1 points that stay so while points come and go; only groups near to them move."""

import numpy as np

NEAR = 8  # groups looked at around one that has changed
MOVES = 3  # points that may leave a changed group for a better one


class MaintainedGroups:
    """Groups of points with numbers 0, 1, …; every method that changes groups returns which ones it changed."""

    def __init__(self, X: np.ndarray, labels: np.ndarray, k: int) -> None:
        self.k = k
        self.count = len(X)  # numbers given so far; X may have more rows, it grows by doubling
        self.X = X.copy()
        self.labels = labels.astype(np.int64)  # of points that were removed: −1
        self.members: list[list[int]] = [[] for _ in range(labels.max() + 1)]
        for number, group in enumerate(labels.tolist()):
            self.members[group].append(number)
        self.sizes = np.array([len(members) for members in self.members], dtype=float)
        self.centres = np.array([X[members].mean(axis=0) for members in self.members])

    def new(self, x: np.ndarray) -> int:
        """The number of a new point, which is in no group yet."""
        if self.count == len(self.X):
            room = max(self.count, 16)
            self.X = np.concatenate([self.X, np.zeros((room, self.X.shape[1]))])
            self.labels = np.concatenate([self.labels, np.full(room, -1)])
        number = self.count
        self.X[number] = x
        self.count += 1
        return number

    def join(self, number: int) -> set[int]:
        """Put a point into the group where SSE rises least, and cut the group in two if it then holds 2k."""
        group = int(np.argmin(self.rises(self.X[number])))
        self._set(group, [*self.members[group], number])
        if len(self.members[group]) < 2 * self.k:
            return {group}
        one, two = self._halves(self.members[group])
        new = self._empty_group()
        self._set(group, one)
        self._set(new, two)
        return {group, new}

    def remove(self, number: int) -> set[int]:
        """Take a point out; the others of a group that becomes too small find a place elsewhere."""
        group = int(self.labels[number])
        self.labels[number] = -1
        left = [i for i in self.members[group] if i != number]
        centre = self.centres[group]
        self._set(group, left)
        if len(left) >= self.k or not left:
            return {group}
        self._set(group, [])
        near = self._near(centre, self.sizes > 0).tolist()
        cost, plan = min((self._merged(group, left, other) for other in near), key=lambda merged: merged[0])
        if cost > self._cost_of_dissolving(left):
            return {group}.union(*(self.join(i) for i in left))
        for target, members in plan:
            self._set(target, members)
        return {group, *(target for target, _ in plan)}

    def settle(self, groups: set[int]) -> set[int]:
        """Let points leave groups that can spare them for near ones where they cost less."""
        changed = set(groups)
        for group in sorted(groups):
            for _ in range(MOVES):
                move = self._best_move(group)
                if move is None:
                    break
                number, other = move
                self._set(group, [i for i in self.members[group] if i != number])
                self._set(other, [*self.members[other], number])
                changed.add(other)
        return changed

    def stays(self, number: int, x: np.ndarray) -> bool:
        """Whether a point that moves to x is cheapest in the group where it is."""
        group = int(self.labels[number])
        others = [i for i in self.members[group] if i != number]
        if not others:
            return True
        rises = self.rises(x)
        apart = ((self.X[others].mean(axis=0) - x) ** 2).sum()
        rises[group] = apart * len(others) / (len(others) + 1)
        return int(np.argmin(rises)) == group

    def put(self, number: int, x: np.ndarray) -> set[int]:
        """Move a point without moving it to another group."""
        self.X[number] = x
        group = int(self.labels[number])
        self._set(group, self.members[group])
        return {group}

    def rises(self, x: np.ndarray) -> np.ndarray:
        """By how much SSE rises if a point joins each group; infinite where nobody is."""
        rises: np.ndarray = ((self.centres - x) ** 2).sum(axis=1) * (self.sizes / (self.sizes + 1))
        rises[self.sizes == 0] = np.inf
        return rises

    def _near(self, x: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        """The groups of those allowed where a point would cost least, cheapest first."""
        rises = np.where(allowed, self.rises(x), np.inf)
        near = np.argpartition(rises, NEAR)[:NEAR] if len(rises) > NEAR else np.arange(len(rises))
        near = near[np.isfinite(rises[near])]
        return near[np.lexsort((near, rises[near]))]

    def _merged(self, group: int, left: list[int], other: int) -> tuple[float, list[tuple[int, list[int]]]]:
        """The rise of SSE if some points join another group, in one or two groups; and what these then hold."""
        members = [*self.members[other], *left]
        before = sse_of(self.X[self.members[other]])
        if len(members) < 2 * self.k:
            return sse_of(self.X[members]) - before, [(other, members)]
        one, two = self._halves(members)
        after = sse_of(self.X[one]) + sse_of(self.X[two])
        return after - before, [(other, one), (group, two)]

    def _cost_of_dissolving(self, left: list[int]) -> float:
        """The rise of SSE if each point joins a group of its own choice; infinite where one chosen has no room."""
        rises = np.array([self.rises(self.X[i]) for i in left])
        chosen = np.bincount(rises.argmin(axis=1), minlength=len(self.sizes))
        fits = (chosen <= 1).all() and (self.sizes + chosen < 2 * self.k).all()
        return float(rises.min(axis=1).sum()) if fits else np.inf

    def _best_move(self, group: int) -> tuple[int, int] | None:
        """The point whose leaving a group for a near one with room makes SSE fall most, and that one."""
        members = self.members[group]
        size = len(members)
        near = self._near(self.centres[group], self.sizes < 2 * self.k - 1)
        near = near[near != group]
        if size <= self.k or len(near) == 0:
            return None
        X = self.X[members]
        leaving = ((X - self.centres[group]) ** 2).sum(axis=1) * size / (size - 1)
        joining = ((X[:, None, :] - self.centres[near]) ** 2).sum(axis=2)
        falls = leaving[:, None] - joining * (self.sizes[near] / (self.sizes[near] + 1))
        best, other = np.unravel_index(np.argmax(falls), falls.shape)
        if falls[best, other] <= 1e-12 * leaving[best]:
            return None
        return members[best], int(near[other])

    def _halves(self, members: list[int]) -> tuple[list[int], list[int]]:
        one, two = halves(self.X[members], self.k)
        return [members[a] for a in one], [members[a] for a in two]

    def _empty_group(self) -> int:
        empty = np.flatnonzero(self.sizes == 0)
        if len(empty):
            return int(empty[0])
        self.members.append([])
        self.sizes = np.append(self.sizes, 0.0)
        self.centres = np.concatenate([self.centres, np.zeros((1, self.X.shape[1]))])
        return len(self.members) - 1

    def _set(self, group: int, members: list[int]) -> None:
        self.members[group] = sorted(members)
        self.sizes[group] = len(members)
        if members:
            self.labels[members] = group
            self.centres[group] = self.X[self.members[group]].mean(axis=0)


def sse_of(X: np.ndarray) -> float:
    """Sum of squared distances of the rows to their mean."""
    return float(((X - X.mean(axis=0)) ** 2).sum())


def halves(X: np.ndarray, k: int) -> tuple[list[int], list[int]]:
    """The best of some cuts of 2k rows or more into two parts of at least k.

    Rows are ordered by their distance from the one farthest from the centroid, from the one opposite to it, and
    along the line between the two; each order is cut at every place.

    >>> halves(np.array([[0.0], [9.0], [1.0], [8.0], [2.0]]), 2)
    ([1, 3], [0, 2, 4])
    """
    spread = X - X.mean(axis=0)
    far = int(np.argmax((spread**2).sum(axis=1)))
    from_far = ((X - X[far]) ** 2).sum(axis=1)
    opposite = int(np.argmax(from_far))
    ways = (from_far, ((X - X[opposite]) ** 2).sum(axis=1), (spread * (X[far] - X[opposite])).sum(axis=1))
    best, least = (np.arange(0), np.arange(0)), np.inf
    for way in ways:
        order = np.argsort(way, kind="stable")
        for cut in range(k, len(order) - k + 1):
            cost = sse_of(X[order[:cut]]) + sse_of(X[order[cut:]])
            if cost < least:
                best, least = (order[:cut], order[cut:]), cost
    return sorted(best[0].tolist()), sorted(best[1].tolist())
