import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.keyed_permutation import ROUNDS, permuted, siphash

KEY = np.frombuffer(bytes(range(16)), "<u8")


def slow_siphash(message: bytes, key: bytes) -> int:
    """SipHash-2-4 in Python's own integers, of messages of any length."""
    mask = 2**64 - 1
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [k ^ c for k, c in zip((k0, k1, k0, k1), CONSTANTS, strict=True)]

    def turn():
        for a, b, s in ((0, 1, 13), (2, 3, 16)):
            v[a] = (v[a] + v[b]) & mask
            v[b] = ((v[b] << s) | (v[b] >> (64 - s))) & mask ^ v[a]
        v[0] = ((v[0] << 32) | (v[0] >> 32)) & mask
        for a, b, s in ((0, 3, 21), (2, 1, 17)):
            v[a] = (v[a] + v[b]) & mask
            v[b] = ((v[b] << s) | (v[b] >> (64 - s))) & mask ^ v[a]
        v[2] = ((v[2] << 32) | (v[2] >> 32)) & mask

    whole = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(whole), 8):
        word = int.from_bytes(whole[start : start + 8], "little")
        v[3] ^= word
        turn(), turn()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        turn()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


CONSTANTS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def slowly_permuted(value, size, key):
    half = next(h for h in range(1, 32) if 4**h >= size)
    while True:
        left, right = value >> half, value & (2**half - 1)
        for turn in range(ROUNDS):
            message = (right | turn << 32).to_bytes(7, "little")
            left, right = right, left ^ (slow_siphash(message, key) & (2**half - 1))
        value = left << half | right
        if value < size:
            return value


def test_the_slow_twin_gives_the_numbers_of_the_publication():
    assert slow_siphash(bytes(range(15)), bytes(range(16))) == 0xA129CA6149BE45E5


@given(st.integers(0, 2**56 - 1), st.binary(min_size=16, max_size=16))
def test_siphash_is_that_of_its_slow_twin(message, key):
    found = siphash(np.uint64(message), np.frombuffer(key, "<u8"))
    assert found == slow_siphash(message.to_bytes(7, "little"), key)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16, 17, 1000])
def test_every_place_is_taken_once(size):
    assert sorted(permuted(np.arange(size), size, KEY).tolist()) == list(range(size))


def test_places_are_those_of_the_slow_twin():
    size = 9 * 10**14
    values = np.array([0, 1, 2, 17, 10**6, size - 1])
    found = permuted(values, size, KEY).tolist()
    assert found == [slowly_permuted(value, size, KEY.tobytes()) for value in values.tolist()]


def test_neighbours_do_not_stay_neighbours():
    size = 2**20
    places = permuted(np.arange(2**16), size, KEY)
    assert abs(np.corrcoef(np.arange(2**16), places)[0, 1]) < 0.02
    assert np.histogram(places, 16, (0, size))[0].std() < 4 * np.sqrt(2**12)
