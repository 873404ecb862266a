"""Slow and obvious twins of the measures of categories, of classes and of clusters."""

import math
from collections import Counter
from itertools import combinations


def cells(table, name):
    """The values of a column; None is missing."""
    return [None if gone else v.item() for v, gone in zip(table[name], table.missing(name), strict=True)]


def shown(table, name):
    """What stands in the cells of a column of a file: a missing value may be written as one of several codes."""
    return table.to_arrow(text=True)[name].to_pylist()


def records(table, names, missing):
    """Tuples of values where a missing one, None, may be any; else of what stands in the file."""
    return list(zip(*((cells if missing == "any" else shown)(table, name) for name in names), strict=True))


def log_likelihood(original, masked, names):
    lost = most = 0.0
    for name in names:
        old, new = cells(original, name), cells(masked, name)
        size = max(original.schema[name].domain_size + (None in old), 1)
        if size > 1:
            of, both = Counter(old), Counter(zip(old, new, strict=True))
            pairs = zip(old, new, strict=True)
            lost += sum(-math.log2(both[i, j] / of[i]) for i, j in pairs)
            most += len(old) * math.log2(size)
    return 100 * lost / most if most else 0.0


def chi_square_statistic(a, b):
    n, of_a, of_b, both = len(a), Counter(a), Counter(b), Counter(zip(a, b, strict=True))
    total = 0.0
    for i in of_a:
        for j in of_b:
            expected = of_a[i] * of_b[j] / n
            total += (both[i, j] - expected) ** 2 / expected
    return total


def chi_square(original, masked, names):
    changes = []
    for a, b in combinations(names, 2):
        old = chi_square_statistic(cells(original, a), cells(original, b))
        new = chi_square_statistic(cells(masked, a), cells(masked, b))
        unit = old
        if old < 1e-9 * original.n:
            unit = max((len(set(cells(original, a))) - 1) * (len(set(cells(original, b))) - 1), 1)
        changes.append(100 * abs(new - old) / unit)
    return sum(changes) / len(changes) if changes else 0.0


def classes(table, keys):
    found = {}
    for r, record in enumerate(zip(*(shown(table, name) for name in keys), strict=True)):
        found.setdefault(record, []).append(r)
    return list(found.values()) if keys else [list(range(table.n))]


def tasks(names, sensitive):
    return [([key for key in names if key != s], s) for s in sensitive or names]


def diversity(values, variant, c):
    counts = sorted(Counter(values).values(), reverse=True)
    if variant == "distinct":
        return len(counts)
    if variant == "entropy":
        n = sum(counts)
        return math.exp(-sum(k / n * math.log(k / n) for k in counts))
    return max([i for i in range(1, len(counts) + 1) if counts[0] < c * sum(counts[i - 1 :])], default=0)


def l_diversity(masked, names, least, variant, c=3.0, sensitive=()):
    bad = set()
    for keys, s in tasks(names, sensitive):
        column = cells(masked, s)
        for rows in classes(masked, keys):
            values = [column[r] for r in rows if column[r] is not None]
            if values and diversity(values, variant, c) < least - 1e-9:
                bad.update(rows)
    return 100 * len(bad) / masked.n


def earth_movers(values, everybody, domain, scale):
    p = [sum(v == d for v in values) / len(values) for d in domain]
    q = [sum(v == d for v in everybody) / len(everybody) for d in domain]
    if scale == "nominal":
        return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    if len(domain) < 2:
        return 0.0
    return sum(abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(len(domain))) / (len(domain) - 1)


def t_closeness(masked, names, sensitive=()):
    """The distance of each record's class, for each sensitive attribute."""
    found = {}
    for keys, s in tasks(names, sensitive):
        attribute, column = masked.schema[s], cells(masked, s)
        everybody = [v for v in column if v is not None]
        domain = sorted(set(everybody))
        if attribute.scale == "ordinal":
            domain = list(range(attribute.domain_size))
        found[s] = [0.0] * masked.n
        for rows in classes(masked, keys):
            values = [column[r] for r in rows if column[r] is not None]
            if values:
                distance = earth_movers(values, everybody, domain, attribute.scale)
                for r in rows:
                    found[s][r] = distance
    return found


def frequencies(masked, names, weights, missing):
    """f and F of each record, by comparing it with all."""
    rows = records(masked, names, missing)

    def alike(a, b):
        return all(x == y or (missing == "any" and None in (x, y)) for x, y in zip(a, b, strict=True))

    matches = [[s for s, other in enumerate(rows) if alike(row, other)] for row in rows]
    return [len(m) for m in matches], [sum(weights[s] for s in m) for m in matches]


def individual_risk(f, F):
    """Σ_F 1/F · P(F | f), the negative binomial written out."""
    p = f / max(F, f)
    if p == 1:
        return 1 / f
    term, total, size = p**f, 0.0, f  # P(F = f)
    while term > 1e-18 or size < f / p:
        total += term / size
        term *= size / (size - f + 1) * (1 - p)
        size += 1
    return total


def partition_similarities(a, b):
    r = s = t = u = 0
    for i, j in combinations(range(len(a)), 2):
        together, too = a[i] == a[j], b[i] == b[j]
        r, s, t, u = (
            r + (together and too),
            s + (together and not too),
            t + (not together and too),
            u + (not together and not too),
        )
    rand = (r + u) / (r + s + t + u) if r + s + t + u else 1.0
    jaccard = r / (r + s + t) if r + s + t else 1.0
    pairs = (r + s) * (r + t)
    return rand, jaccard, r / math.sqrt(pairs) if pairs else float(r + s == r + t)


def expectation_ratio(original, masked, names):
    """Same domains only: the share of true ones among the released, by category, weighted by frequency."""
    parts = []
    for name in names:
        old, new = cells(original, name), cells(masked, name)
        present = [i for i in old if i is not None]
        total = 0.0
        for k, frequency in Counter(present).items():
            kept = sum(i == j == k for i, j in zip(old, new, strict=True))
            released = new.count(k)
            total += frequency * kept / released if released else 0.0
        parts.append(100 * total / len(present) if present else 0.0)
    return sum(parts) / len(parts)


def c_median_labels(X, start, nominal, scales):
    """Records one by one; None is missing."""

    def apart(x, y):
        total = 0.0
        for a, b, named, scale in zip(x, y, nominal, scales, strict=True):
            if (a is None) != (b is None):
                total += 1
            elif a is not None:
                total += float(a != b) if named else abs(a - b) * scale
        return total

    def middle(values, named):
        present = sorted(v for v in values if v is not None)
        if not present:
            return None
        if named:
            return min(present, key=lambda v: (-present.count(v), v))
        return present[(len(present) - 1) // 2]

    centroids, labels = [list(s) for s in start], None
    for _ in range(100):
        before = labels
        labels = [min(range(len(centroids)), key=lambda k: (apart(x, centroids[k]), k)) for x in X]
        if labels == before:
            return labels
        for k in set(labels):
            mine = [x for x, label in zip(X, labels, strict=True) if label == k]
            centroids[k] = [middle([x[j] for x in mine], nominal[j]) for j in range(len(nominal))]
    return labels
