"""How many known records lie inside the spans of a released one in every attribute?

Codes and spans are those of `kernels.agreement`. The known records are sorted by their first attribute.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles

CHUNK = 1024
_small_files = SmallFiles(20_000)


def count_candidates(
    spans: np.ndarray, starts: np.ndarray, ends: np.ndarray, codes: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """For each released record, the known ones among starts to ends that are inside all of its spans."""
    plain = _small_files.takes(max(len(spans), len(counts)))
    return (plain_candidates if plain else compiled_candidates)(spans, starts, ends, codes, counts)


def plain_candidates(
    spans: np.ndarray, starts: np.ndarray, ends: np.ndarray, codes: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """The same without compiled code."""
    found = np.zeros(len(spans), np.int64)
    for q, (start, end) in enumerate(zip(starts, ends, strict=True)):
        among = codes[1:, start:end]
        inside = (among >= spans[q, 1:, :1]) & (among < spans[q, 1:, 1:])
        found[q] = counts[start:end][inside.all(axis=0)].sum()
    return found


@kernel
def compiled_candidates(
    spans: np.ndarray, starts: np.ndarray, ends: np.ndarray, codes: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """The same, compiled: a chunk of records is left as soon as none of them is inside the spans so far."""
    found = np.zeros(len(spans), np.int64)
    inside = np.empty(CHUNK, np.int32)
    for q in range(len(spans)):
        for at in range(starts[q], ends[q], CHUNK):
            size = min(CHUNK, ends[q] - at)
            inside[:size] = 1
            left = size
            for j in range(1, len(codes)):
                left = _narrow(codes[j, at : at + size], spans[q, j, 0], spans[q, j, 1], inside)
                if left == 0:
                    break
            if left > 0:
                for k in range(size):
                    found[q] += inside[k] * counts[at + k]
    return found


@kernel
def _narrow(codes: np.ndarray, low: int, high: int, inside: np.ndarray) -> int:
    least, past, left = np.int32(low), np.int32(high), np.int32(0)
    for k in range(len(codes)):
        inside[k] &= np.int32(1) if (codes[k] >= least) & (codes[k] < past) else np.int32(0)
        left += inside[k]
    return int(left)
