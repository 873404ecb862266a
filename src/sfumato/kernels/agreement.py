"""In which attributes do two records agree? Patterns of all pairs, counted and never listed.

Known records are codes, one row per attribute. A released value is a span (low, high): it agrees with the
codes low ≤ code < high. A span with low < 0 is the set −low − 1, whose spans are the rows
`set_starts[s] : set_starts[s + 1]` of `set_spans`. A pattern has bit j set where attribute j agrees.
"""

import numpy as np

from sfumato.kernels._compile import INT64, kernel

CHUNK = 2048


@kernel
def agreements(
    spans: np.ndarray,
    copies: np.ndarray,
    codes: np.ndarray,
    counts: np.ndarray,
    set_starts: np.ndarray,
    set_spans: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Count the patterns of all pairs, and list for each released record those that no other contains.

    Returns the number of pairs by pattern (a released record counts `copies` times), where the list of each
    released record starts, the patterns in the lists, and with how many known records each occurs.
    """
    n, d = spans.shape[0], spans.shape[1]
    pairs = np.zeros(1 << d, np.int64)
    here = np.zeros(1 << d, np.int64)
    seen = np.empty(min(1 << d, len(counts)), np.int64)
    chunk = np.empty(CHUNK, np.int32)
    starts = np.zeros(n + 1, np.int64)
    patterns, tallies = np.empty(4 * n + 64, np.int64), np.empty(4 * n + 64, np.int64)
    for q in range(n):
        found = INT64(0)
        for at in range(0, len(counts), CHUNK):
            size = min(CHUNK, len(counts) - at)
            _patterns(spans[q], codes, at, size, set_starts, set_spans, chunk)
            for k in range(size):
                pattern = chunk[k]
                if here[pattern] == 0:
                    seen[found] = pattern
                    found += 1
                here[pattern] += counts[at + k]
        start = starts[q]
        if start + found > len(patterns):
            patterns = np.concatenate((patterns, np.empty(len(patterns) + found, np.int64)))
            tallies = np.concatenate((tallies, np.empty(len(patterns) - len(tallies), np.int64)))
        end = _keep_greatest(seen, found, patterns, start)
        for p in range(start, end):
            tallies[p] = here[patterns[p]]
        for s in range(found):
            pairs[seen[s]] += copies[q] * here[seen[s]]
            here[seen[s]] = 0
        starts[q + 1] = end
    return pairs, starts, patterns[: starts[n]].copy(), tallies[: starts[n]].copy()


def own_patterns(
    spans: np.ndarray, codes: np.ndarray, own: np.ndarray, set_starts: np.ndarray, set_spans: np.ndarray
) -> np.ndarray:
    """The pattern of each released record with its own known record; few pairs, which need no compiling."""
    patterns = np.zeros(len(spans), np.int64)
    for j in range(len(codes)):
        code, low, high = codes[j, own], spans[:, j, 0], spans[:, j, 1]
        agrees = (low <= code) & (code < high)
        rows = np.flatnonzero(low < 0)
        sets = -low[rows] - 1
        first, lengths = set_starts[sets], set_starts[sets + 1] - set_starts[sets]
        rows = np.repeat(rows, lengths)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        of_set = set_spans[np.repeat(first, lengths) + within]
        agrees[rows[(of_set[:, 0] <= code[rows]) & (code[rows] < of_set[:, 1])]] = True
        patterns |= agrees.astype(np.int64) << j
    return patterns


@kernel
def _patterns(
    spans: np.ndarray,
    codes: np.ndarray,
    at: int,
    size: int,
    set_starts: np.ndarray,
    set_spans: np.ndarray,
    out: np.ndarray,
) -> None:
    out[:size] = 0
    for j in range(len(spans)):
        low, high = spans[j, 0], spans[j, 1]
        if low >= 0:
            _mark(codes[j, at : at + size], low, high, 1 << j, out)
        else:
            for s in range(set_starts[-low - 1], set_starts[-low]):
                _mark(codes[j, at : at + size], set_spans[s, 0], set_spans[s, 1], 1 << j, out)


@kernel
def _mark(codes: np.ndarray, low: int, high: int, bit: int, out: np.ndarray) -> None:
    # 32-bit arithmetic without branches: eight pairs at a time
    least, past, flag = np.int32(low), np.int32(high), np.int32(bit)
    for k in range(len(codes)):
        out[k] |= flag if (codes[k] >= least) & (codes[k] < past) else np.int32(0)


@kernel
def _keep_greatest(seen: np.ndarray, found: int, kept: np.ndarray, start: int) -> int:
    """Write the patterns that are part of no other to kept[start:], and return where they end."""
    end = start
    for s in range(found):
        pattern = seen[s]
        inside = False
        for p in range(start, end):
            if pattern & ~kept[p] == 0:
                inside = True
                break
        if inside:
            continue
        left = start
        for p in range(start, end):
            if kept[p] & ~pattern != 0:
                kept[left] = kept[p]
                left += 1
        kept[left] = pattern
        end = left + 1
    return end
