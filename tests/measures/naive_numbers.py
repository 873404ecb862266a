"""Measures of numbers as one would write them on a blackboard: lists, loops and formulas of the papers."""

import math
from itertools import combinations

from scipy.stats import norm


def present(*columns):
    return [row for row in zip(*columns, strict=True) if not any(math.isnan(v) for v in row)]


def moment(rows, *powers):
    """The central moment of some powers."""
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return sum(
        math.prod((v - m) ** p for v, m, p in zip(row, means, powers, strict=True)) for row in rows
    ) / len(rows)


def quantile(values, q):
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low, high = ordered[math.floor(at)], ordered[min(math.floor(at) + 1, len(ordered) - 1)]
    return low + (at - math.floor(at)) * (high - low)


def density(values, at):
    n, s = len(values), math.sqrt(moment([(v,) for v in values], 2))
    iqr = quantile(values, 0.75) - quantile(values, 0.25)
    h = 0.9 * (min(s, iqr / 1.349) or s) * n**-0.2
    return sum(norm.pdf((at - v) / h) for v in values) / (n * h)


def correlation(rows):
    return moment(rows, 1, 1) / math.sqrt(moment(rows, 2, 0) * moment(rows, 0, 2))


def correlation_variance(rows):
    """The general asymptotic variance of r in fourth-order moments (Kendall & Stuart), for μ11 ≠ 0."""
    m = {(a, b): moment(rows, a, b) for a in range(5) for b in range(5) if a + b in (2, 4)}
    bracket = (
        m[2, 2] / m[1, 1] ** 2
        + (m[4, 0] / m[2, 0] ** 2 + m[0, 4] / m[0, 2] ** 2 + 2 * m[2, 2] / (m[2, 0] * m[0, 2])) / 4
        - m[3, 1] / (m[1, 1] * m[2, 0])
        - m[1, 3] / (m[1, 1] * m[0, 2])
    )
    return correlation(rows) ** 2 * bracket / len(rows)


def probability(new, old, variance):
    return 100 * 2 * (norm.cdf(abs(new - old) / math.sqrt(variance)) - 0.5)


def pil(original, masked, names):
    """For tables whose statistics all vary: no constants, no exact relations."""
    old = {name: original[name].tolist() for name in names}
    new = {name: masked[name].tolist() for name in names}
    families = [[] for _ in range(5)]
    for name in names:
        a, b = present(old[name]), present(new[name])
        x, y = [v for (v,) in a], [v for (v,) in b]
        n, s2 = len(x), moment(a, 2)
        for q in (k / 20 for k in range(1, 20)):
            variance = q * (1 - q) / (n * density(x, quantile(x, q)) ** 2)
            families[0].append(probability(quantile(y, q), quantile(x, q), variance))
        families[1].append(probability(sum(y) / len(y), sum(x) / n, s2 / n))
        families[2].append(probability(moment(b, 2), s2, (moment(a, 4) - s2**2) / n))
    for i, j in combinations(names, 2):
        a, b = present(old[i], old[j]), present(new[i], new[j])
        variance = (moment(a, 2, 2) - moment(a, 1, 1) ** 2) / len(a)
        families[3].append(probability(moment(b, 1, 1), moment(a, 1, 1), variance))
        families[4].append(probability(correlation(b), correlation(a), correlation_variance(a)))
    means = [sum(family) / len(family) for family in families if family]
    return sum(means) / len(means)


def variation(old, new):
    if old == 0:
        return 0.0 if new == 0 else abs(old - new) / abs(new)
    return abs(old - new) / abs(old)


def moments(original, masked, names):
    """M1 to M5 of Table 4.1, without missing values."""
    n, d = original.n, len(names)
    old, new = ({name: table[name].tolist() for name in names} for table in (original, masked))
    m1 = sum(variation(old[k][i], new[k][i]) for k in names for i in range(n)) / (n * d)
    m2 = sum(variation(sum(old[k]) / n, sum(new[k]) / n) for k in names) / d
    v = {(i, j): [moment(present(t[i], t[j]), 1, 1) for t in (old, new)] for i in names for j in names}
    upto = [(names[i], names[j]) for j in range(d) for i in range(j + 1)]
    m3 = sum(variation(*v[k, k]) for k in names) / d
    m4 = sum(variation(*v[pair]) for pair in upto) / (d * (d + 1) / 2)
    r = {pair: [correlation(present(t[pair[0]], t[pair[1]])) for t in (old, new)] for pair in upto}
    m5 = sum(abs(a - b) for (i, j), (a, b) in r.items() if i != j) / (d * (d - 1) / 2)
    return [m1, m2, m3, m4, m5]
