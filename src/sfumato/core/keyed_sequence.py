"""Secret bits as numpy takes them: the states of generators, and of those that they make, by a keyed hash."""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISpawnableSeedSequence


class KeyedSequence(ISpawnableSeedSequence):
    """What generators are seeded by: whoever knows the state of one knows nothing of the secret, or of another's.

    >>> one, other = KeyedSequence(b"a").spawn(2)
    >>> bool((one.generate_state(2) == other.generate_state(2)).any())
    False
    """

    def __init__(self, secret: bytes) -> None:
        self.secret, self.spawned = secret, 0

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        """So many words, no more than 64 bytes of them."""
        size = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(self._derived(b"state", size), dtype)

    def spawn(self, n_children: int) -> "list[KeyedSequence]":
        first, self.spawned = self.spawned, self.spawned + n_children
        return [KeyedSequence(self._derived(b"child %d" % n, 32)) for n in range(first, self.spawned)]

    def _derived(self, purpose: bytes, size: int) -> bytes:
        return blake2b(purpose, key=self.secret, digest_size=size).digest()
