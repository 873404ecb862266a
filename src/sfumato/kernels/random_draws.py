"""Random numbers inside kernels: splitmix64, whose state is an array of two 64-bit numbers, where it is and its stride."""

import numpy as np

from sfumato.kernels._compile import kernel

STRIDE = 0x9E3779B97F4A7C15  # of the published generator


def seed_from(rng: np.random.Generator) -> int:
    """A seed drawn from a stream, of as many bits as protect the stream: 63 from that of a known seed, else 128."""
    is_known = isinstance(rng.bit_generator, np.random.PCG64)
    return int(rng.integers(2**63)) if is_known else int.from_bytes(rng.bytes(16), "little")


def state_from(seed: int) -> np.ndarray:
    """The state that a seed stands for; its bits beyond 64 are the stride."""
    stride = seed >> 64
    return np.array([seed % 2**64, stride | 1 if stride else STRIDE], np.uint64)


@kernel
def below(n: int, bits: np.uint64) -> int:
    """One of 0 to n − 1, from 32 bits."""
    return np.int64((bits * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@kernel
def draw(state: np.ndarray) -> np.uint64:
    """Next of the 64-bit numbers of splitmix64."""
    state[0] += state[1]
    z: np.uint64 = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def uniform(state: np.ndarray) -> float:
    """A number above 0 and below 1."""
    return (float(draw(state) >> np.uint64(12)) + 0.5) / 4503599627370496.0
