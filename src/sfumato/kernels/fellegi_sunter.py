"""The model of Fellegi and Sunter: agreement probabilities by EM, and the heaviest links."""

import numpy as np

from sfumato.kernels._compile import kernel

START = 0.9  # the m that EM starts from; u starts from the agreement of all pairs
MARGIN = 1e-6
TOLERANCE = 1e-4
STEPS = 100
SMALL = 2**14  # patterns: plain numpy is done with so few before compiled code is read


def estimate(pairs: np.ndarray, d: int, most: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit m, u and the share of matches, which starts from `most` and stays below, to the pairs by pattern.

    EM stops where no m or u moves by more than TOLERANCE, and after STEPS at the latest. Probabilities stay
    MARGIN away from 0 and 1, and m stays that much above u: agreement never speaks against a link.
    What runs over many patterns is compiled, and nothing else: a step is little work, and much to compile.
    """
    is_small = 1 << d <= SMALL
    ratios = plain_ratios if is_small else likelihood_ratios
    matches = plain_matches if is_small else _expected_matches
    sums = plain_sums if is_small else _by_attribute
    split = (d + 1) // 2
    table = pairs.astype(np.float64).reshape(1 << d - split, 1 << split)  # by high and by low half
    low_sums, high_sums = table.sum(axis=0), table.sum(axis=1)
    used = np.flatnonzero(high_sums)
    total, agree = high_sums.sum(), sums(low_sums, high_sums, d)
    u = np.minimum(np.maximum(agree / total, MARGIN), 1 - 2 * MARGIN)
    m = np.minimum(np.maximum(START, u + MARGIN), 1 - MARGIN)
    share = most
    for _ in range(STEPS):
        low, high = ratios(m[:split], u[:split]), ratios(m[split:], u[split:])
        low_sums, high_sums = matches(table, used, low, high, share / (1 - share))
        both, matched = sums(low_sums, high_sums, d), max(float(np.cumsum(high_sums)[-1]), 1e-300)
        share = min(matched / total, most)
        new_u = (agree - both) / max(total - matched, MARGIN)
        new_u = np.minimum(np.maximum(new_u, MARGIN), 1 - 2 * MARGIN)
        new_m = np.minimum(np.maximum(both / matched, new_u + MARGIN), 1 - MARGIN)
        moved = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if moved <= TOLERANCE:
            break
    return m, u, share


def plain_ratios(m: np.ndarray, u: np.ndarray) -> np.ndarray:
    """`likelihood_ratios` without compiled code."""
    ratios = np.ones(1)
    for agree, differ in zip(m / u, (1 - m) / (1 - u), strict=True):
        ratios = np.concatenate([ratios * differ, ratios * agree])
    return ratios


def plain_matches(
    table: np.ndarray, used: np.ndarray, low: np.ndarray, high: np.ndarray, odds: float
) -> tuple[np.ndarray, np.ndarray]:
    """`_expected_matches` without compiled code; sums run in the same order."""
    low_sums, high_sums = np.zeros(len(low)), np.zeros(len(high))
    if len(used):
        ratio = (odds * high[used])[:, None] * low
        expected = table[used] * (ratio / (1 + ratio))
        low_sums = np.cumsum(expected, axis=0)[-1]
        while expected.shape[1] > 1:
            half = expected.shape[1] // 2
            expected = expected[:, :half] + expected[:, half:]
        high_sums[used] = expected[:, 0]
    return low_sums, high_sums


def plain_sums(low_sums: np.ndarray, high_sums: np.ndarray, d: int) -> np.ndarray:
    """`_by_attribute` without compiled code; sums run in the same order."""
    split, sums = (d + 1) // 2, np.zeros(d)
    for j in range(d):
        half, bit = (low_sums, j) if j < split else (high_sums, j - split)
        sums[j] = np.cumsum(half[np.arange(len(half)) >> bit & 1 == 1])[-1]
    return sums


@kernel
def likelihood_ratios(m: np.ndarray, u: np.ndarray) -> np.ndarray:
    """P(pattern | match) / P(pattern | no match) of every pattern of some attributes."""
    ratios = np.ones(1 << len(m))
    for j in range(len(m)):
        agree, differ = m[j] / u[j], (1 - m[j]) / (1 - u[j])
        for pattern in range(1 << j):
            ratios[pattern | 1 << j] = ratios[pattern] * agree
            ratios[pattern] *= differ
    return ratios


@kernel
def _expected_matches(
    table: np.ndarray, used: np.ndarray, low: np.ndarray, high: np.ndarray, odds: float
) -> tuple[np.ndarray, np.ndarray]:
    """Expected matches by low and by high half of the pattern; loops without branches, so that they run
    on several patterns at a time."""
    low_sums, high_sums = np.zeros(len(low)), np.zeros(len(high))
    expected = np.empty(len(low))
    for b in used:
        scale = odds * high[b]
        for a in range(len(low)):
            ratio = scale * low[a]
            expected[a] = table[b, a] * np.divide(ratio, 1 + ratio)
        for a in range(len(low)):
            low_sums[a] += expected[a]
        half = len(low) // 2
        while half > 0:
            for a in range(half):
                expected[a] += expected[a + half]
            half //= 2
        high_sums[b] = expected[0]
    return low_sums, high_sums


@kernel
def _by_attribute(low_sums: np.ndarray, high_sums: np.ndarray, d: int) -> np.ndarray:
    """The sum over the patterns in which each attribute agrees."""
    split = (d + 1) // 2
    sums = np.zeros(d)
    for j in range(d):
        half, bit = (low_sums, j) if j < split else (high_sums, j - split)
        for pattern in range(len(half)):
            if pattern >> bit & 1:
                sums[j] += half[pattern]
    return sums


@kernel
def linked_shares(
    starts: np.ndarray,
    ends: np.ndarray,
    patterns: np.ndarray,
    tallies: np.ndarray,
    labels: np.ndarray,
    own: np.ndarray,
    gains: np.ndarray,
) -> np.ndarray:
    """The chance of each record to be linked with its own one, if one of its heaviest partners is drawn.

    `labels` says which list of patterns a record has, and `own` is its pattern with its own known record.
    """
    split = len(gains) // 2
    low, high = pattern_weights(gains[:split]), pattern_weights(gains[split:])
    # unsigned places, which cannot count from the end, are looked up faster
    mask, shift = np.uint64(len(low) - 1), np.uint64(split)
    best, tied = np.empty(len(starts), np.int64), np.zeros(len(starts), np.int64)
    for q in range(len(starts)):
        most, ties = -1, 0
        for p in range(starts[q], ends[q]):
            pattern = np.uint64(patterns[p])
            weight = low[pattern & mask] + high[pattern >> shift]
            if weight > most:
                most, ties = weight, 0
            if weight == most:
                ties += tallies[p]
        best[q], tied[q] = most, ties
    shares = np.zeros(len(labels))
    for r in range(len(labels)):
        pattern = np.uint64(own[r])
        if low[pattern & mask] + high[pattern >> shift] == best[labels[r]]:
            shares[r] = 1 / tied[labels[r]]
    return shares


@kernel
def pattern_weights(gains: np.ndarray) -> np.ndarray:
    """The weight of every pattern of some attributes, above that of no agreement."""
    weights = np.zeros(1 << len(gains), np.int64)
    for j in range(len(gains)):
        for pattern in range(1 << j):
            weights[pattern | 1 << j] = weights[pattern] + gains[j]
    return weights
