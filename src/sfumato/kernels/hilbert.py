"""The order of points along a Hilbert curve through the cube around them, in any number of dimensions."""

import numpy as np


def hilbert_order(X: np.ndarray, bits: int) -> np.ndarray:
    """Row numbers of X along the curve through a grid of 2^bits cells a side; rows of a cell in their order.

    The index of a cell in transposed form is that of Skilling (2004), *Programming the Hilbert curve*.
    """
    low = X.min(axis=0)
    side = (X.max(axis=0) - low).max()
    scaled = (X - low) / (side if side > 0 else 1)
    cells = np.minimum(scaled * 2**bits, 2**bits - 1).astype(np.int64).T.copy()
    _untwist(cells, bits)
    for i in range(1, len(cells)):
        cells[i] ^= cells[i - 1]
    turn = np.zeros(len(X), np.int64)
    for bit in reversed(range(1, bits)):
        turn ^= np.where(cells[-1] >> bit & 1, 2**bit - 1, 0)
    cells ^= turn
    levels = [row >> bit & 1 for bit in reversed(range(bits)) for row in cells]
    words = [_word(levels[at : at + 62]) for at in range(0, len(levels), 62)]
    return np.lexsort(words[::-1])


def _untwist(cells: np.ndarray, bits: int) -> None:
    for bit in reversed(range(1, bits)):
        below = 2**bit - 1
        for i in range(len(cells)):
            here = (cells[i] >> bit & 1).astype(bool)
            swap = np.where(here, 0, (cells[0] ^ cells[i]) & below)
            cells[0] ^= np.where(here, below, swap)
            cells[i] ^= swap


def _word(levels: list[np.ndarray]) -> np.ndarray:
    word = np.zeros(len(levels[0]), np.int64)
    for level in levels:
        word = word << 1 | level
    return word
