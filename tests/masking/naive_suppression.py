"""Slow, obvious twins of local suppression: who is like whom, the fewest cells there are, and what a greedy peer does."""

from functools import cache
from itertools import combinations, product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

HOLE = -1  # a missing cell, in rows of whole numbers


def is_like(known, own, other, reading):
    """Whether somebody who looks for a record may take another for it, by the definitions.

    `known` is the row before suppression, `own` the released one, `other` the released row of the other record.
    """
    if reading == "category":
        return list(own) == list(other)
    if reading == "any":
        return all(a == b or HOLE in (a, b) for a, b in zip(own, other, strict=True))
    contradicts = any(b not in (HOLE, a) for a, b in zip(known, other, strict=True))
    return not contradicts and list(other).count(HOLE) <= list(own).count(HOLE)


def like(before, after, reading, columns=None):
    """For each record, with how many it may be confused in some columns, itself included."""
    columns = list(range(len(before[0]))) if columns is None else list(columns)
    known = [[row[j] for j in columns] for row in before]
    shown = [[row[j] for j in columns] for row in after]
    pairs = zip(known, shown, strict=True)
    return [sum(is_like(a, b, other, reading) for other in shown) for a, b in pairs]


def fewest_by_trying(rows, k, reading):
    """The fewest cells by trying all subsets of them; for very few cells."""
    cells = [(i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if cell != HOLE]
    for number in range(len(cells) + 1):
        for chosen in combinations(cells, number):
            after = [
                [HOLE if (i, j) in chosen else c for j, c in enumerate(row)] for i, row in enumerate(rows)
            ]
            if min(like(rows, after, reading)) >= k:
                return number
    raise AssertionError("all cells together suffice")


def fewest_by_groups(rows, k):
    """The fewest cells where missing is a category, by trying all partitions into groups of k to 2k − 1 records.

    Larger groups can be cut in two, and lose no more.
    """

    @cache
    def lost(group):
        columns = [[rows[i][j] for i in group] for j in range(len(rows[0]))]
        return sum(len(c) - c.count(HOLE) for c in columns if len(set(c)) > 1)

    @cache
    def fewest(left):
        if not left:
            return 0
        found = np.inf
        for size in range(k, min(2 * k - 1, len(left)) + 1):
            if 0 < len(left) - size < k:
                continue
            for others in combinations(left[1:], size - 1):
                rest = tuple(i for i in left[1:] if i not in others)
                found = min(found, lost((left[0], *others)) + fewest(rest))
        return found

    return fewest(tuple(range(len(rows))))


def fewest_by_program(rows, k, reading):
    """The fewest cells by an integer program, solved to the end: a variable for each cell, and for each pair alike."""
    n, d = len(rows), len(rows[0])
    cells = {(i, j): None for i, j in product(range(n), range(d)) if rows[i][j] != HOLE}
    cells = {cell: number for number, cell in enumerate(cells)}
    directed = [(a, b) for a, b in product(range(n), repeat=2) if (a != b if reading == "best" else a < b)]
    pairs = {pair: len(cells) + number for number, pair in enumerate(directed)}
    rules = []  # (coefficients, what their sum is at least)
    for (a, b), pair in pairs.items():
        for j in range(d):
            x, y = rows[a][j], rows[b][j]
            if reading == "any" and x != y and HOLE not in (x, y):
                rules.append(({pair: -1, cells[a, j]: 1, cells[b, j]: 1}, 0))
            if reading == "best" and y not in (HOLE, x):
                rules.append(({pair: -1, cells[b, j]: 1}, 0))
        if reading == "best":  # the other has no more holes, if it is to count
            holes = list(rows[a]).count(HOLE) - list(rows[b]).count(HOLE)
            rule = {pair: -d} | {cells[a, j]: 1 for j in range(d) if (a, j) in cells}
            rules.append((rule | {cells[b, j]: -1 for j in range(d) if (b, j) in cells}, -d - holes))
            own = {cells[a, j]: 1 for j in range(d) if (a, j) in cells}
            rules.append((own | {pair: -_apart(rows[a], rows[b])}, 0))
    own_pairs = [[p for p in directed if p[0] == a or (a in p and reading == "any")] for a in range(n)]
    rules += [({pairs[p]: 1 for p in some}, k - 1) for some in own_pairs]
    matrix = lil_matrix((len(rules), len(cells) + len(pairs)))
    for number, (rule, _) in enumerate(rules):
        for variable, coefficient in rule.items():
            matrix[number, variable] = coefficient
    solved = milp(
        np.r_[np.ones(len(cells)), np.zeros(len(pairs))],
        constraints=LinearConstraint(matrix.tocsr(), [least for _, least in rules], np.inf),
        integrality=np.ones(len(cells) + len(pairs)),
        bounds=Bounds(0, 1),
    )
    assert solved.status == 0
    return round(solved.fun)


def _apart(known, other):
    """How many cells of its own a record must lose at least before another may have no more holes and fit."""
    holes = list(other).count(HOLE) + sum(b not in (HOLE, a) for a, b in zip(known, other, strict=True))
    return max(holes - list(known).count(HOLE), 0)


def greedy_peer(rows, k, reading):
    """Greedy by importance, one cell at a time, as the usual tool does it.

    Each record that is like too few loses one cell: of the columns in which it differs from the records nearest to it, the
    one that comes last; again and again.
    """
    after = [list(row) for row in rows]
    while True:
        counts = like(rows, after, reading)
        risky = [i for i in sorted(range(len(rows)), key=lambda i: counts[i]) if counts[i] < k]
        if not risky:
            return after
        for i in risky:
            others = [_differing(after[i], after[j]) for j in range(len(rows)) if j != i]
            nearest = min((o for o in others if o), key=len, default=[])
            present = [j for j, cell in enumerate(after[i]) if cell != HOLE]
            if nearest or present:
                after[i][nearest[-1] if nearest else present[-1]] = HOLE
            else:
                after = _all_alike(after)


def _differing(own, other):
    return [j for j, (a, b) in enumerate(zip(own, other, strict=True)) if a != b and a != HOLE]


def _all_alike(rows):
    """Records without any value wait for others: the ones with most holes lose all as well."""
    left = [i for i, row in enumerate(rows) if set(row) != {HOLE}]
    most = max(left, key=lambda i: rows[i].count(HOLE))
    return [[HOLE] * len(row) if i == most else row for i, row in enumerate(rows)]
