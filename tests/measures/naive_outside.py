"""Slow and obvious twins of what is measured with people outside: loops over people, records and pairs of columns."""

import math
from itertools import combinations

from sfumato.attacks.insiders.people import together


def rows_of(table, names):
    """Records as tuples, missing values as None."""
    columns = [
        [None if gone else v for v, gone in zip(table[n].tolist(), table.missing(n), strict=True)]
        for n in names
    ]
    return list(zip(*columns, strict=True))


def area(inside, outside):
    """The share of pairs in which the person inside has the higher score; ties are half."""
    inside, outside = ([round(score, 9) for score in side] for side in (inside, outside))
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in inside for b in outside]
    return sum(wins) / len(wins)


def rank(values, x):
    """The middle of the positions of a value among others, from 0 to 1, and in proportion between two of them."""

    def middle(y):
        return (sum(v < y for v in values) + sum(v <= y for v in values)) / (2 * len(values))

    below, above = [v for v in values if v <= x], [v for v in values if v >= x]
    if not below or not above:
        return middle(min(above) if above else max(below)) if values else 0.0
    low, high = max(below), min(above)
    if low == high:
        return middle(low)
    return middle(low) + (middle(high) - middle(low)) * (x - low) / (high - low)


def gower(people, names, a, b):
    total = 0.0
    for j, name in enumerate(names):
        if a[j] is None or b[j] is None:
            total += (a[j] is None) != (b[j] is None)
        elif people.schema[name].scale == "nominal":
            total += a[j] != b[j]
        else:
            values = [v for v in (row[j] for row in rows_of(people, names)) if v is not None]
            total += abs(rank(values, a[j]) - rank(values, b[j]))
    return total


def nearness(original, outside, released, names):
    """The areas of the attacker and of the control."""
    everybody = together(original, outside)
    inside, others, records = (rows_of(table, names) for table in (original, outside, released))

    def least(person, among):
        return min((gower(everybody, names, person, one) for one in among), default=math.inf)

    attack = area([-least(p, records) for p in inside], [-least(p, records) for p in others])
    alone = [-least(p, inside[:i] + inside[i + 1 :]) for i, p in enumerate(inside)]
    return attack, area(alone, [-least(p, inside) for p in others])


def cells(people, names, bins, table):
    """Records as tuples of bins and of categories, rare ones together."""
    found = []
    for name in names:
        present = [v for (v,) in rows_of(people, [name]) if v is not None]
        column = [v for (v,) in rows_of(table, [name])]
        if people.schema[name].is_numeric:
            ordered = sorted(present)
            cuts = (
                {ordered[math.ceil(len(ordered) * b / bins - 1e-9) - 1] for b in range(1, bins)}
                if ordered
                else set()
            )
            found.append([None if v is None else sum(cut < v for cut in cuts) for v in column])
        else:
            found.append([None if v is None else v if present.count(v) >= 10 else "rare" for v in column])
    return list(zip(*found, strict=True))


def likelihood(person, file, leave_out):
    """The logarithm of Π p_i Π p_ij / (p_i p_j) by the shares of a file; one like the person may be left out."""

    def log_share(columns):
        count = sum(all(row[j] == person[j] for j in columns) for row in file) - leave_out
        return math.log((count + 0.5) / (len(file) - leave_out + 1))

    singles = [log_share([j]) for j in range(len(person))]
    pairs = combinations(range(len(person)), 2)
    return sum(singles) + sum(log_share([i, j]) - singles[i] - singles[j] for i, j in pairs)


def tracing(original, outside, released, names):
    bins = min(max(int(math.sqrt(outside.n / 5)), 2), 20)
    inside, others, records = (
        cells(together(original, outside), names, bins, table) for table in (original, outside, released)
    )
    usual = [likelihood(p, others, 0) for p in inside], [likelihood(p, others, 1) for p in others]

    def compared(file, itself):
        traces = [
            [likelihood(p, file, own) - e for p, e in zip(people, expected, strict=True)]
            for people, expected, own in zip((inside, others), usual, (itself, 0), strict=True)
        ]
        return area(*traces)

    return compared(records, 0), compared(inside, 1)


def copies(original, outside, released, names):
    """The four shares, from 0 to 1, and what stands above coincidence of each kind that somebody has."""
    inside, others, records = (rows_of(table, names) for table in (original, outside, released))
    unique = [p for p in inside if inside.count(p) == 1], [p for p in others if p not in inside]
    numbers = [[], []]
    for name in names:
        if original.schema[name].is_numeric:
            own, theirs, shown = ([v for (v,) in rows_of(t, [name])] for t in (original, outside, released))
            numbers[0] += [v in shown for v in own if v is not None and own.count(v) == 1]
            numbers[1] += [v in shown for v in theirs if v is not None and v not in own]
    shares = [
        sum(found) / len(found) if found else 0.0
        for found in ([p in records for p in unique[0]], [p in records for p in unique[1]], *numbers)
    ]
    kinds = [(shares[:2], unique[0]), (shares[2:], numbers[0])]
    above = [(a - b) / (1 - b) if b < 1 else 0.0 for (a, b), somebody in kinds if somebody]
    return shares, [max(0.0, excess) for excess in above] or [0.0]
