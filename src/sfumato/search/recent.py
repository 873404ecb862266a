"""What was used last is kept at hand, and no more of it than there is room for."""

from collections import OrderedDict
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

FEWEST = 2  # things used last that are kept at hand


class Recent(Generic[Thing]):
    """So many things by their keys, two at least; what was used longest ago goes first.

    >>> files = Recent[str](most=2)
    >>> for key in (b"a", b"b", b"a", b"c"):
    ...     files.keep(key, key.decode())
    >>> b"b" in files, files.get(b"a"), files.pop(b"c"), len(files)
    (False, 'a', 'c', 1)
    """

    def __init__(self, most: int) -> None:
        self.most = max(most, FEWEST)
        self._things: OrderedDict[bytes, Thing] = OrderedDict()

    def __contains__(self, key: bytes) -> bool:
        return key in self._things

    def __len__(self) -> int:
        return len(self._things)

    def keep(self, key: bytes, thing: Thing) -> None:
        self._things[key] = thing
        self._things.move_to_end(key)
        while len(self._things) > self.most:
            self._things.popitem(last=False)

    def get(self, key: bytes) -> Thing | None:
        return self._things.get(key)

    def pop(self, key: bytes) -> Thing | None:
        """A thing, if it is at hand, which it then is no more."""
        return self._things.pop(key, None)
