"""The measures as one would write them on a blackboard: loops, fractions, no tricks."""

import math
from fractions import Fraction
from itertools import combinations, product

from naive_categories import records


def members(original, masked, code):
    """The original codes a masked code stands for; None is missing."""
    if code < 0:
        return None
    label = masked.categories[code]
    if label in original.categories:
        return [original.categories.index(label)]
    covered = [original.categories.index(c) for c in masked.covers.get(label, ()) if c in original.categories]
    return covered or list(range(original.domain_size))


def category_distance(original, masked, a, code):
    stands = members(original, masked, code)
    if a < 0 or stands is None:
        return Fraction(int((a < 0) != (stands is None)))
    if original.scale == "ordinal":
        return sum(Fraction(abs(a - m), original.domain_size) for m in stands) / len(stands)
    return Fraction(sum(a != m for m in stands), len(stands))


def dbil(original, masked, names):
    total = Fraction(0)
    for name in names:
        o, m = original.schema[name], masked.schema[name]
        total += sum(
            category_distance(o, m, int(original[name][r]), int(masked[name][r])) for r in range(original.n)
        )
    return float(100 * total / (original.n * len(names)))


def ctbil(original, masked, names, dimension):
    raw, tables = Fraction(0), 0
    for size in range(1, dimension + 1):
        for subset in combinations(names, size):
            tables += 1
            cells = {}
            for r in range(original.n):
                cell = tuple(int(original[name][r]) for name in subset)
                cells[cell] = cells.get(cell, 0) + 1
                spread = [
                    members(original.schema[name], masked.schema[name], int(masked[name][r])) or [-1]
                    for name in subset
                ]
                share = Fraction(1, math.prod(len(s) for s in spread))
                for cell in product(*spread):
                    cells[cell] = cells.get(cell, 0) - share
            raw += sum(abs(v) for v in cells.values())
    return float(100 * raw / (2 * original.n * tables))


def ebil(original, masked, names):
    lost = most = 0.0
    for name in names:
        a, b = original[name].tolist(), masked[name].tolist()
        for r in range(original.n):
            seen = [a[s] for s in range(original.n) if b[s] == b[r]]
            shares = [seen.count(value) / len(seen) for value in set(seen)]
            lost -= sum(p * math.log2(p) for p in shares)
        size = original.schema[name].domain_size + (-1 in a)
        most += original.n * math.log2(max(size, 1))
    return 100 * lost / most if most else 0.0


def sse(original, masked, names):
    lost = total = 0.0
    for name in names:
        a = [x for x in original[name].tolist() if not math.isnan(x)]
        mean = sum(a) / len(a) if a else 0.0
        spread = math.sqrt(sum((x - mean) ** 2 for x in a) / len(a)) if a and min(a) < max(a) else 1.0
        for x, y in zip(original[name].tolist(), masked[name].tolist(), strict=True):
            x, y = (mean if math.isnan(v) else v for v in (x, y))
            lost += ((x - y) / spread) ** 2
            total += ((x - mean) / spread) ** 2 if a and min(a) < max(a) else 0.0
    return 100 * lost / total if total else (100.0 if lost else 0.0)


def interval_disclosure(original, masked, names, percent=10):
    shares = []
    for name in names:
        a, gone = original[name].tolist(), masked.missing(name) & original.missing(name)
        present = [v for v, hole in zip(a, original.missing(name), strict=True) if not hole]
        counted, disclosed = 0, Fraction(0)
        for r in range(original.n):
            if gone[r]:
                continue
            counted += 1
            if original.missing(name)[r] or masked.missing(name)[r]:
                continue
            disclosed += disclosure(
                original.schema[name], masked.schema[name], present, a[r], masked[name][r], percent
            )
        shares.append(disclosed / counted if counted else Fraction(0))
    return float(100 * sum(shares) / len(shares))


def disclosure(original, masked, present, value, released, percent):
    if original.scale == "numeric":
        return window(present, value, float(released), percent)
    stands = members(original, masked, int(released))
    if original.scale == "nominal":
        return Fraction(int(value in stands), len(stands))
    return sum(window(present, value, m, percent) for m in stands) / len(stands)


def window(present, a, b, percent):
    apart = abs(midrank(present, a) - midrank(present, b))
    return Fraction(sum(apart <= Fraction(p * len(present), 100) for p in range(1, percent + 1)), percent)


def midrank(present, value):
    return Fraction(sum(x < value for x in present) + sum(x <= value for x in present), 2)


def distance_linkage(original, masked, names, ties="expected"):
    gaps = {name: gap_function(original, masked, names, name) for name in names}
    used = [name for name in names if gaps[name] is not None]
    gaps = [gaps[name] for name in used]
    records = [released(original, masked, used, r) for r in range(original.n)]
    linked = Fraction(0)
    for r in range(original.n):
        distances = [sum((gap(s, r) for gap in gaps), Fraction(0)) for s in range(original.n)]
        nearest = [s for s in range(original.n) if distances[s] == min(distances)]
        if r in nearest:
            alone = len(nearest) == 1 and records.count(records[r]) == 1
            linked += {"hit": 1, "miss": int(alone), "expected": Fraction(1, len(nearest))}[ties]
    return float(100 * linked / original.n)


def released(original, masked, names, r):
    """What a masked record says, as a text."""
    return str(
        [
            float(masked[name][r]) + 0.0
            if original.schema[name].is_numeric
            else sorted(members(original.schema[name], masked.schema[name], int(masked[name][r])) or [])
            for name in names
        ]
    )


def gap_function(original, masked, names, name):
    """Distance of original record s and masked record r in one attribute, in exact arithmetic."""
    o, m = original.schema[name], masked.schema[name]
    if not o.is_numeric:
        return lambda s, r: category_distance(o, m, int(original[name][s]), int(masked[name][r]))
    present = [Fraction(x) for x in original[name].tolist() if not math.isnan(x)]
    if not present or min(present) == max(present):
        return None
    squared = all(original.schema[n].is_numeric for n in names)
    mean = sum(present) / len(present)
    variance = sum((x - mean) ** 2 for x in present) / len(present)

    def gap(s, r):
        x, y = float(original[name][s]), float(masked[name][r])
        if math.isnan(x) or math.isnan(y):
            return Fraction(0 if math.isnan(x) and math.isnan(y) else 2 if squared else 1)
        apart = abs(Fraction(x) - Fraction(y))
        return apart**2 / variance if squared else apart / (max(present) - min(present))

    return gap


def k_anonymity(masked, names, k=5, missing="category"):
    rows = records(masked, names, missing)

    def alike(a, b):
        free = missing == "any"
        return all(x == y or (free and None in (x, y)) for x, y in zip(a, b, strict=True))

    rare = sum(sum(alike(a, b) for b in rows) < k for a in rows)
    return 100 * rare / masked.n
