"""Random numbers inside kernels: splitmix64, whose state is an array of one 64-bit number."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def below(n: int, bits: np.uint64) -> int:
    """One of 0 to n − 1, from 32 bits."""
    return np.int64((bits * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@kernel
def draw(state: np.ndarray) -> np.uint64:
    """Next of the 64-bit numbers of splitmix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z: np.uint64 = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def uniform(state: np.ndarray) -> float:
    """A number above 0 and below 1."""
    return (float(draw(state) >> np.uint64(12)) + 0.5) / 4503599627370496.0
