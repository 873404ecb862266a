"""Gazetteer: the place that a user means by what they wrote as their location, without a network."""

import re
import unicodedata
from collections.abc import Iterator

from sfumato.data.places import Places

BREAKS = re.compile(r"[,;/|•·()\[\]]")
JOINTS = re.compile(r"\s(?:[-–—&+]|and|y|i|et|und)\s")  # also inside of names
NO_LETTERS = re.compile(r"[\W_]+")
IN_BRACKETS = re.compile(r"\s*\(.*\)$")


class Gazetteer:
    """Finds places by their names, in any case, with or without accents.

    The whole text is looked up first, then its parts from left to right: the first part that names a place is
    taken, and if it names several, the one that lies where the other parts say. What names no place is nothing.

    >>> gazetteer = Gazetteer(Places.shipped())
    >>> gazetteer.place("brooklyn, NY!"), gazetteer.place("Cordoba, Argentina"), gazetteer.place("my sofa")
    ('Brooklyn', 'Córdoba (Argentina)', None)
    >>> gazetteer.place("Georgia, USA"), gazetteer.place("Hyde Park, Chicago"), gazetteer.place("Hyde Park")
    ('Georgia (US)', 'Hyde Park (Chicago)', 'Hyde Park')
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._named: dict[str, list[str]] = {}
        for name in places.names:
            for spelling in (name, *places[name].others):
                self._add(spelling, name)
        for name in places.names:  # last, so that a name without brackets goes before
            self._add(IN_BRACKETS.sub("", name), name)

    @classmethod
    def shipped(cls) -> "Gazetteer":
        return cls(Places.shipped())

    def place(self, text: str) -> str | None:
        """The name of the place that a text means, if it means one."""
        whole = self._named.get(_plain(text))
        if whole:
            return whole[0]
        meant = [self._named.get(_plain(part), []) for part in self._parts(text)]
        for position, candidates in enumerate(meant):
            if candidates:
                others = {name for other, names in enumerate(meant) if other != position for name in names}
                return self._fitting(candidates, others)
        return None

    def _parts(self, text: str) -> Iterator[str]:
        for part in BREAKS.split(text):
            if _plain(part) in self._named:
                yield part
            else:
                yield from JOINTS.split(part)

    def _fitting(self, candidates: list[str], others: set[str]) -> str:
        for candidate in candidates:
            if others & set(self.places.branch(candidate)[1:]):
                return candidate
        return candidates[0]

    def _add(self, spelling: str, name: str) -> None:
        known = self._named.setdefault(_plain(spelling), [])
        if name not in known:
            known.append(name)


def _plain(text: str) -> str:
    """A text as it is compared: small letters without accents, one space between words."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return NO_LETTERS.sub(" ", bare).strip()
