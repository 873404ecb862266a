"""Random streams keyed by purpose: one seed fixes every result, on any number of workers."""

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def stream(seed: int, *keys: str | int) -> "np.random.Generator":
    """A generator that depends on the seed and on what it is for, and on nothing else.

    >>> a, b = stream(1, "candidate", 7), stream(1, "candidate", 7)
    >>> bool(a.random() == b.random())
    True
    >>> bool(stream(1, "candidate", 7).random() == stream(1, "candidate", 8).random())
    False
    """
    import numpy as np  # here, so that the command line can list methods without it

    digest = blake2b(repr(keys).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([_whole(seed), *words])))


def _whole(seed: int) -> int:
    # SeedSequence takes no negative numbers; fold them onto the odd ones so that -1 and 1 differ
    return 2 * seed if seed >= 0 else -2 * seed - 1
