"""A permutation of the integers 0 … size − 1 that nobody can follow without its key.

A Feistel network shuffles the smallest even number of bits that hold the integers, with SipHash-2-4 in each
round; what falls outside is shuffled again until it is inside.
"""

import numpy as np

from sfumato.kernels._compile import kernel

ROUNDS = 10


@kernel
def permuted(values: np.ndarray, size: int, key: np.ndarray) -> np.ndarray:
    """The places that integers below `size` take; `key` is two 64-bit words."""
    half = 1
    while (np.int64(1) << np.int64(2 * half)) < size:
        half += 1
    bits, below = np.uint64(half), np.uint64((1 << half) - 1)
    found = np.empty(len(values), np.int64)
    for i in range(len(values)):
        place = np.uint64(values[i])
        while True:
            left, right = place >> bits, place & below
            for turn in range(ROUNDS):
                left, right = right, left ^ (siphash(right | (np.uint64(turn) << np.uint64(32)), key) & below)
            place = (left << bits) | right
            if place < np.uint64(size):
                break
        found[i] = np.int64(place)
    return found


@kernel
def siphash(message: np.uint64, key: np.ndarray) -> np.uint64:
    """SipHash-2-4 of a message of seven bytes, the lowest first."""
    word = message | (np.uint64(7) << np.uint64(56))  # the length of the message is its last byte
    v0 = key[0] ^ np.uint64(0x736F6D6570736575)
    v1 = key[1] ^ np.uint64(0x646F72616E646F6D)
    v2 = key[0] ^ np.uint64(0x6C7967656E657261)
    v3 = key[1] ^ np.uint64(0x7465646279746573) ^ word
    for turn in range(6):
        if turn == 2:
            v0 ^= word
            v2 ^= np.uint64(0xFF)
        v0, v2 = v0 + v1, v2 + v3
        v1, v3 = v0 ^ _rotated(v1, 13), v2 ^ _rotated(v3, 16)
        v0, v2 = _rotated(v0, 32) + v3, v2 + v1
        v1, v3 = v2 ^ _rotated(v1, 17), v0 ^ _rotated(v3, 21)
        v2 = _rotated(v2, 32)
    mixed: np.uint64 = v0 ^ v1 ^ v2 ^ v3
    return mixed


@kernel
def _rotated(word: np.uint64, bits: int) -> np.uint64:
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))
