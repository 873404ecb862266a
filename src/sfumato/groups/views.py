"""Views: what each attacker counts in a file, record by record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import DataError
from sfumato.groups.signals import RecordPlaces


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """What one attacker counts: `amounts` is what each record adds to the signal that is seen.

    Records that `look` like the group, by default those that add anything, are worth moving. `whole` views count
    records, so that what they see are whole numbers. What an `attacker` sees must be hidden; a view that stands for
    attackers nobody knows guides the search only. Of several groups each has views of its own, and `hides` are the
    places to hide this one in: by default all that are named.
    """

    name: str
    amounts: np.ndarray
    look: np.ndarray | None = None
    whole: bool = False
    attacker: bool = True
    group: int = 0
    hides: tuple[str, ...] | None = None

    @property
    def telling(self) -> np.ndarray:
        """The records that look like the group."""
        return self.amounts > 0 if self.look is None else self.look


@dataclass(frozen=True, eq=False)
class Views:
    """Several views of one file, the first the one that the places to hide are told by.

    `sizes` is what each record counts in the size of its place, where that is not 1.

    >>> views = Views((View(name="count", amounts=np.array([1.0, 0, 1])),))
    >>> views.signals(RecordPlaces(("north", "south"), np.array([0, 0, 1]))).tolist()
    [[1.0], [1.0]]
    """

    listed: tuple[View, ...]
    sizes: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not self.listed:
            raise DataError("group: without a file of a third party, the file itself must tell who belongs.")

    def __len__(self) -> int:
        return len(self.listed)

    @cached_property
    def amounts(self) -> np.ndarray:
        """One row a record, one column a view."""
        return np.column_stack([view.amounts for view in self.listed])

    @property
    def telling(self) -> np.ndarray:
        """The records that look like the group to any of them."""
        found: np.ndarray = np.logical_or.reduce([view.telling for view in self.listed])
        return found

    @property
    def attackers(self) -> np.ndarray:
        return np.array([view.attacker for view in self.listed])

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The groups that are looked for, in the order of the views."""
        return tuple(dict.fromkeys(view.group for view in self.listed))

    def first_of(self, group: int) -> int:
        """The first view of a group, the one that its places are told by."""
        return next(at for at, view in enumerate(self.listed) if view.group == group)

    def telling_of(self, group: int) -> np.ndarray:
        """The records that look like one group to any view of it."""
        found: np.ndarray = np.logical_or.reduce([one.telling for one in self.listed if one.group == group])
        return found

    def signals(self, places: RecordPlaces) -> np.ndarray:
        """One row a place, one column a view."""
        return np.column_stack([places.sums(view.amounts) for view in self.listed])

    def counted(self, places: RecordPlaces) -> np.ndarray:
        """How large each place is, as the attackers count records."""
        return places.sums(np.ones(len(places.codes)) if self.sizes is None else self.sizes)


def partners(views: Views, guides: Sequence[View]) -> np.ndarray:
    """Who may take the place of a member: records of no telling look, and not above the average of all others.

    A near record looks like the one it replaces. So near ones alone would leave a place as conspicuous as before to
    whoever learns what the group looks like.
    """
    others = ~views.telling
    for guide in guides:
        if others.any():
            others = others & (guide.amounts <= guide.amounts[others].mean())
    return others


def few_of_each(flags: np.ndarray, places: RecordPlaces, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of the flagged records of each place, drawn by lot.

    >>> places = RecordPlaces(("north", "south"), np.array([0, 0, 0, 1]))
    >>> found = few_of_each(np.array([True, True, True, True]), places, 2, np.random.default_rng(0))
    >>> places.sums(found).tolist()
    [2.0, 1.0]
    """
    rows = rng.permutation(np.flatnonzero(flags & (places.codes >= 0)))
    rows = rows[np.argsort(places.codes[rows], kind="stable")]
    codes = places.codes[rows]
    rank = np.arange(len(rows)) - np.searchsorted(codes, codes)
    kept = np.zeros(len(flags), bool)
    kept[rows[rank < most]] = True
    return kept
