"""Probabilistic and rank-swapping linkage with all pairs written out."""

import math
from fractions import Fraction

import numpy as np
from naive_measures import members


def agrees(original, masked, name, r, s, tolerance):
    """Whether released record r and known record s agree in an attribute."""
    gone, unknown = bool(masked.missing(name)[r]), bool(original.missing(name)[s])
    if gone or unknown:
        return gone and unknown
    if not original.schema[name].is_numeric:
        released = members(original.schema[name], masked.schema[name], int(masked[name][r]))
        return int(original[name][s]) in released
    present = original[name][~original.missing(name)]
    margin = tolerance * (float(np.std(np.sort(present))) if present.min() < present.max() else 0.0)
    y, x = float(masked[name][r]), float(original[name][s])
    return y - margin <= x <= y + margin


def patterns(original, masked, names, tolerance=0.1):
    n = range(original.n)
    return [[[agrees(original, masked, name, r, s, tolerance) for name in names] for s in n] for r in n]


def em(pairs, n):
    """m, u and the share of matches; `pairs` lists the agreements of every pair."""
    d, most, margin = len(pairs[0]), 1 / max(n, 2), 1e-6
    u = [min(max(sum(p[j] for p in pairs) / len(pairs), margin), 1 - 2 * margin) for j in range(d)]
    m = [min(max(0.9, u[j] + margin), 1 - margin) for j in range(d)]
    share = most
    for _ in range(100):
        match = []
        for pair in pairs:
            if_match = math.prod(m[j] if pair[j] else 1 - m[j] for j in range(d)) * share
            if_not = math.prod(u[j] if pair[j] else 1 - u[j] for j in range(d)) * (1 - share)
            match.append(if_match / (if_match + if_not))
        matched = math.fsum(match)
        both = [math.fsum(g for g, p in zip(match, pairs, strict=True) if p[j]) for j in range(d)]
        rest = [sum(p[j] for p in pairs) - both[j] for j in range(d)]
        old = m + u
        u = [min(max(x / max(len(pairs) - matched, margin), margin), 1 - 2 * margin) for x in rest]
        m = [min(max(both[j] / matched, u[j] + margin), 1 - margin) for j in range(d)]
        share = min(matched / len(pairs), most)
        if max(abs(a - b) for a, b in zip(old, m + u, strict=True)) <= 1e-4:
            break
    return m, u, share


def weight(pair, m, u):
    """The weight of a pair above that of no agreement, in units of 2⁻²⁰ bits."""
    gains = [math.log2(a / b) - math.log2((1 - a) / (1 - b)) for a, b in zip(m, u, strict=True)]
    return sum(round(gain * 2**20) for gain, agree in zip(gains, pair, strict=True) if agree)


def best_links(original, masked, names, tolerance=0.1):
    found = patterns(original, masked, names, tolerance)
    m, u, _ = em([pair for row in found for pair in row], original.n)
    outcomes = []
    for r, row in enumerate(found):
        weights = [weight(pair, m, u) for pair in row]
        tied = weights.count(max(weights))
        outcomes.append(1 / tied if weights[r] == max(weights) else 0.0)
    return outcomes


def rank_swapping_linkage(original, masked, names, p=10):
    outcomes = []
    for r in range(original.n):
        candidates = [
            s for s in range(original.n) if all(in_window(original, masked, name, r, s, p) for name in names)
        ]
        outcomes.append(1 / len(candidates) if r in candidates else 0.0)
    return outcomes


def in_window(original, masked, name, r, s, p):
    gone, unknown = bool(masked.missing(name)[r]), bool(original.missing(name)[s])
    if gone or unknown:
        return gone and unknown
    present = sorted(original[name][~original.missing(name)].tolist())
    w = max(1, math.floor(Fraction(p * len(present), 100)))
    released = [float(masked[name][r])]
    if not original.schema[name].is_numeric:
        released = members(original.schema[name], masked.schema[name], int(masked[name][r]))
    below = sum(x < min(released) for x in present)
    upto = sum(x <= max(released) for x in present)
    lowest = present[min(max(below - w, 0), len(present) - 1)]
    highest = present[min(max(upto - 1 + w, 0), len(present) - 1)]
    return lowest <= original[name][s] <= highest
