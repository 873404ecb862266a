"""Steps that change a PRAM matrix a little: flipped bits, swapped ranges, turned rows, exchanged rows.

A step is plain data, so that it can be drawn in one place, tried in another and made again from a journal.
The first two are those of Marés & Torra (2014), who code each probability × 1000 in ten bits of Gray code; "crossover"
is their swap with both ends of its ranges, [s, s + m], as the text has them where the figure swaps m entries. The
others are ours, and change what a whole category becomes. After every step the rows are made stochastic again.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

UNIT = 1000  # a probability is a whole number of thousandths
BITS = 10
SHARES = (0.1, 0.25, 0.5, 1.0)  # of a row, that turn to one category


@dataclass(frozen=True)
class Step:
    """A change of the matrix of one attribute: the kind of change, and the numbers that say where."""

    name: str
    kind: str
    at: tuple[int, ...]


def encoded(P: np.ndarray) -> np.ndarray:
    """The genome of a matrix: the Gray codes of its probabilities in thousandths (Fig. 4.1).

    >>> [f"{code:010b}" for code in encoded(np.array([[0.185, 0.283, 0.532]])).ravel()]
    ['0011100101', '0110010110', '1100011110']
    """
    whole = np.floor(np.asarray(P) * UNIT + 1e-9).astype(np.int64)
    return whole ^ (whole >> 1)


def decoded(genome: np.ndarray) -> np.ndarray:
    """The matrix of a genome, with rows that add up to 1.

    >>> decoded(np.array([[0b0011100101, 0b1100011110], [0, 0]])).round(3).tolist()
    [[0.258, 0.742], [0.0, 1.0]]
    """
    whole = genome.copy()
    for shift in (1, 2, 4, 8):  # the sum modulo 2 of all higher bits, for codes of up to 16
        whole ^= whole >> shift
    return stochastic(whole.astype(float))


def stochastic(weights: np.ndarray) -> np.ndarray:
    """Rows divided by their sums; a row without weight becomes a category that stays what it is.

    >>> stochastic(np.array([[3.0, 1.0], [0.0, 0.0]])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), np.eye(len(weights)))


def flipped(P: np.ndarray, entry: int, bit: int) -> np.ndarray:
    """One bit of the Gray code of one probability flipped: the mutation of the source."""
    genome = encoded(P)
    genome.ravel()[entry] ^= 1 << bit
    return decoded(genome)


def swapped(P: np.ndarray, s: int, r: int, length: int) -> np.ndarray:
    """The ranges of so many entries that begin at s and r, row after row, swapped: the crossover (Fig. 4.3)."""
    return decoded(swapped_genome(encoded(P), s, r, length))


def swapped_genome(genome: np.ndarray, s: int, r: int, length: int) -> np.ndarray:
    """The same on any array, without making rows stochastic.

    >>> swapped_genome(np.arange(9).reshape(3, 3), 3, 7, 2).tolist()
    [[0, 1, 2], [7, 8, 5], [6, 3, 4]]
    """
    flat = genome.ravel().copy()
    flat[s : s + length], flat[r : r + length] = flat[r : r + length].copy(), flat[s : s + length].copy()
    return flat.reshape(genome.shape)


def crossed(P: np.ndarray, s: int, r: int, m: int) -> np.ndarray:
    """The ranges [s, s + m] and [r, r + m] swapped, of m + 1 entries, as the text of the crossover counts them."""
    return swapped(P, s, r, m + 1) if r > s else decoded(encoded(P))


def turned(P: np.ndarray, row: int, category: int, share: int) -> np.ndarray:
    """A share of what a category becomes goes to one category; the share is a position in `SHARES`."""
    moved = np.array(P, float)
    moved[row] *= 1 - SHARES[share]
    moved[row, category] += SHARES[share]
    return stochastic(moved)


def exchanged(P: np.ndarray, row: int, other: int) -> np.ndarray:
    """Two categories exchange what they become."""
    rows = np.array(P, float)
    rows[[row, other]] = rows[[other, row]]
    return rows


KINDS: dict[str, Callable[..., np.ndarray]] = {
    "flip": flipped,
    "swap": swapped,
    "crossover": crossed,
    "turn": turned,
    "exchange": exchanged,
}


def made(P: np.ndarray, step: Step) -> np.ndarray:
    return KINDS[step.kind](P, *step.at)


def drawn(kind: str, name: str, size: int, rng: np.random.Generator) -> Step:
    """A step of a kind, at a random place of a matrix of so many categories."""
    cells = size * size
    limits = {
        "flip": (cells, BITS),
        "swap": (cells, cells),
        "crossover": (cells, cells),
        "turn": (size, size, len(SHARES)),
        "exchange": (size, size),
    }
    at = tuple(int(rng.integers(limit)) for limit in limits[kind])
    if kind == "swap":
        s, r = sorted(at)
        at = (s, r, int(rng.integers(min(cells - r, r - s) + 1)))
    if kind == "crossover":
        s, r = sorted(at)
        at = (s, r, int(rng.integers(max(min(cells - r, r - s), 1))))
    return Step(name, kind, at)
