"""Submicrofiles: the records of one place each, and which of them belong to the group."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import DataError, UnknownNameError
from sfumato.groups.signals import RecordPlaces


@dataclass(frozen=True, eq=False)
class Submicrofiles:
    """A file cut up by its parameter attribute, such as the place of work, and who belongs to the group.

    A record without a place is never counted and never moved. `partner` tells who may take the place of a member;
    without it, all others.

    >>> places = RecordPlaces(("Drum", "Ulster"), np.array([0, 1, 1, -1]))
    >>> files = Submicrofiles(places, np.array([True, True, False, True]))
    >>> files.quantity.tolist(), files.records.tolist(), files.members.at(1).tolist(), files.others.at(1).tolist()
    ([1, 1], [1, 2], [1], [2])
    """

    places: RecordPlaces
    member: np.ndarray
    partner: np.ndarray | None = None

    def __post_init__(self) -> None:
        if len(self.place) != len(self.member):
            raise DataError(
                f"The group must be told of each of the {len(self.place)} records. Got {len(self.member)}."
            )

    @property
    def place(self) -> np.ndarray:
        """The place of each record, as a number; −1 for none."""
        return self.places.codes

    @property
    def names(self) -> tuple[str, ...]:
        return self.places.names

    @property
    def n(self) -> int:
        return len(self.place)

    @cached_property
    def quantity(self) -> np.ndarray:
        """The quantity signal: how many records of the group each place has."""
        return np.diff(self.members.first)

    @cached_property
    def records(self) -> np.ndarray:
        """How many records each place has."""
        return np.bincount(self.place[self.place >= 0], minlength=len(self.names))

    @cached_property
    def members(self) -> "Listing":
        """The records of the group by place."""
        return _listed(self.place, self.member, len(self.names))

    @cached_property
    def others(self) -> "Listing":
        """All other records by place, or those of them that may be partners."""
        free = ~self.member if self.partner is None else ~self.member & self.partner
        return _listed(self.place, free, len(self.names))

    def number(self, name: str) -> int:
        try:
            return self._numbers[name]
        except KeyError:
            raise UnknownNameError("place", name, self.names) from None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}


@dataclass(frozen=True, eq=False)
class Listing:
    """Row numbers by place: those of place p are `order[first[p] : first[p + 1]]`."""

    first: np.ndarray
    order: np.ndarray

    def at(self, place: int) -> np.ndarray:
        """Those of one place, in the order of the file."""
        return self.order[self.first[place] : self.first[place + 1]]


def _listed(place: np.ndarray, wanted: np.ndarray, places: int) -> Listing:
    rows = np.flatnonzero(wanted & (place >= 0))
    order = rows[np.argsort(place[rows], kind="stable")]
    counts = np.bincount(place[rows], minlength=places)
    return Listing(np.concatenate([[0], np.cumsum(counts)]), order)
