"""Local suppression where an empty cell is like any value: few records lose cells, and so are like those that are rare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.kernels.compatible_records import EMPTY, compatible_sums
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._enough_records import EnoughRecords
from sfumato.masking._suppression_demand import Columns, SuppressionDemand, attribute_sets

MANY_HUBS = 64  # of which each is compared with every other


@dataclass(frozen=True)
class SortedRecords:
    """Distinct records in order, so that those compatible with some others are found fast.

    `rows` are their states, `counts` how many records are like each, `people` what one of these stands for.
    """

    rows: np.ndarray
    counts: np.ndarray
    people: np.ndarray
    labels: np.ndarray
    upto: np.ndarray

    @classmethod
    def of(cls, states: np.ndarray, people: np.ndarray) -> "SortedRecords":
        found = distinct([*states.T, people])
        rows, each = np.ascontiguousarray(states[found.first]), people[found.first]
        sums = np.column_stack([found.counts, found.counts * each])
        upto = np.concatenate([np.zeros((1, 2)), np.cumsum(sums, axis=0)])
        return cls(rows, found.counts, each, found.labels, upto)

    def compatible(self, rows: np.ndarray, enough: float = np.inf) -> tuple[np.ndarray, np.ndarray]:
        """Records and people that are compatible with each of some rows; at least `enough` where it says so."""
        sums = compatible_sums(self.rows, self.upto, np.ascontiguousarray(rows, self.rows.dtype), enough)
        return np.rint(sums[:, 0]).astype(np.int64), sums[:, 1]


def covered(states: np.ndarray, people: np.ndarray, demand: SuppressionDemand) -> np.ndarray:
    """The states of all cells in the end, when every record is compatible with enough in each set of columns.

    Cells that go never make a record less like another, so that sets can be looked at one after the other.
    """
    found = states.copy()
    for columns in sorted(demand.sets, key=len, reverse=True):
        part = found[:, list(columns)]
        found[:, list(columns)] = _covered_set(part, people, demand, columns)
    return found


def rare(records: SortedRecords, enough: EnoughRecords) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which distinct records are compatible with too few, and with how many records and people they are."""
    few = np.flatnonzero(~enough.safe(records.counts, records.counts * records.people))
    limit = float(enough.k) if enough.risk <= 0 else np.inf
    like, stand = records.compatible(records.rows[few], limit)
    unsafe = ~enough.safe(like, stand)
    return few[unsafe], like[unsafe], stand[unsafe]


def _covered_set(
    states: np.ndarray, people: np.ndarray, demand: SuppressionDemand, columns: Columns
) -> np.ndarray:
    records = SortedRecords.of(states, people)
    risky, like, stand = rare(records, demand.enough)
    if not len(risky):
        return states
    free = [j for j, column in enumerate(columns) if column not in demand.never]
    fixed = [records.rows[:, j] for j in range(len(columns)) if j not in free]
    blocks = distinct(fixed).labels if fixed else np.zeros(len(records.rows), np.int64)
    found = states.copy()
    spent = np.zeros(len(records.rows), np.int64)  # records of each class that lost cells
    by_class = np.argsort(records.labels, kind="stable")
    starts = np.cumsum(records.counts) - records.counts
    for block in np.unique(blocks[risky]).tolist():
        here = blocks[risky] == block
        members = np.flatnonzero(blocks == block) if fixed else np.arange(len(records.rows))
        few = Rare(risky[here], like[here], stand[here])
        cover = Cover(records, demand.enough, demand.costs[list(columns)], few, members)
        for number, blanked in cover.hubs():
            found[by_class[starts[number] + spent[number]]] = blanked
            spent[number] += 1
    return _all_safe(found, people, demand, free)


def _all_safe(
    states: np.ndarray, people: np.ndarray, demand: SuppressionDemand, free: list[int]
) -> np.ndarray:
    """What is still rare, since those it shares all fixed values with are too few, loses all; then all it could be like."""
    fixed = [j for j in range(states.shape[1]) if j not in free]
    for _ in range(2):
        records = SortedRecords.of(states, people)
        unsafe = np.isin(records.labels, rare(records, demand.enough)[0])
        if not unsafe.any():
            break
        for row in np.unique(states[unsafe][:, fixed], axis=0) if fixed else [np.zeros(0)]:
            shown = states[:, fixed]
            unsafe |= ((shown == row) | (shown == EMPTY) | (row == EMPTY)).all(axis=1)
        states = np.where(unsafe[:, None] & np.isin(np.arange(states.shape[1]), free), EMPTY, states)
    return states


class Rare(NamedTuple):
    """Distinct records that are like too few: their numbers, and how many records and people they are like by now."""

    numbers: np.ndarray
    like: np.ndarray
    stand: np.ndarray


class Hub(NamedTuple):
    """A record that loses cells, so that others are like it: the number of its class, and its row then."""

    number: int
    row: np.ndarray


class Cover:
    """Rare records that share what is never suppressed, and the cells that some records lose so that none is rare.

    A record without its chosen cells is like all that share its others. Chosen is what helps most records for its cost,
    again and again; or as many records as the rarest one needs lose all they can, if that is cheaper. Of what was
    chosen, what proves unnecessary in the end comes back.
    """

    def __init__(
        self,
        records: SortedRecords,
        enough: EnoughRecords,
        costs: np.ndarray,
        rare: Rare,
        members: np.ndarray,
    ) -> None:
        self.records, self.enough, self.costs, self.rare, self.members = records, enough, costs, rare, members
        self.free = np.flatnonzero(np.isfinite(costs)).tolist()
        self.rows = records.rows[rare.numbers]
        values = [self.rows[:, j] for j in self.free]
        sets = attribute_sets(values, tuple(costs[self.free].tolist()))
        self.sets = sorted((tuple(self.free[j] for j in chosen) for chosen in sets), key=len, reverse=True)

    def hubs(self) -> list[Hub]:
        """Which classes lose cells, one record each time, and the rows of these."""
        ways = [way for way in (self._thrifty(), self._plain()) if way is not None]
        return min(map(self._pruned, ways), key=self._cost, default=[])

    def _cost(self, hubs: list[Hub]) -> float:
        return sum(self._worth(self._lost(hub)) for hub in hubs)

    def _worth(self, columns: list[int]) -> float:
        return float(self.costs[columns].sum())

    def _lost(self, hub: Hub) -> list[int]:
        before = self.records.rows[hub.number]
        return np.flatnonzero((hub.row == EMPTY) & (before != EMPTY)).tolist()

    def _blanked(self, number: int, columns: list[int]) -> Hub:
        row = self.records.rows[number].copy()
        row[columns] = EMPTY
        return Hub(number, row)

    def _helped(self, hub: Hub) -> np.ndarray:
        """Which of the rare records are like a hub that were not like the record before it lost cells."""
        before = self.records.rows[hub.number]
        helped: np.ndarray = _are_compatible(self.rows, hub.row) & ~_are_compatible(self.rows, before)
        return helped

    def _plain(self) -> list[Hub] | None:
        """So many records lose all they can that the rarest has enough; those that have least to lose."""
        present = self.records.rows[self.members] != EMPTY
        worths = present[:, self.free] @ self.costs[self.free]
        order = np.lexsort((worths, -self.records.people[self.members]))
        if self.enough.risk <= 0:
            order = np.argsort(worths, kind="stable")
        numbers = np.repeat(self.members[order], self.records.counts[self.members[order]])
        like, stand = self.rare.like.copy(), self.rare.stand.copy()
        hubs: list[Hub] = []
        for number in numbers.tolist():
            if self._safe(hubs, like, stand).all():
                return hubs
            hubs.append(self._blanked(number, self.free))
            helped = self._helped(hubs[-1])
            like, stand = like + helped, stand + helped * self.records.people[number]
        return hubs if self._safe(hubs, like, stand).all() else None

    def _safe(self, hubs: list[Hub], like: np.ndarray, stand: np.ndarray) -> np.ndarray:
        """Which rare records have enough, or are all among the hubs, which are looked at by themselves."""
        hubs_of = np.bincount([hub.number for hub in hubs], minlength=len(self.records.rows))
        gone = hubs_of[self.rare.numbers] >= self.records.counts[self.rare.numbers]
        safe: np.ndarray = self.enough.safe(like, stand) | gone
        return safe

    def _thrifty(self) -> list[Hub] | None:
        """Again and again the record and the cells that help most rare records for their cost."""
        like, stand = self.rare.like.copy(), self.rare.stand.copy()
        hubs: list[Hub] = []
        most = 2 * self._worth(self.free) * max(int(self.enough.k - self.rare.like.min()), 1)
        while not (safe := self._safe(hubs, like, stand)).all():
            hub = self._most_helpful(np.flatnonzero(~safe), like)
            hubs.append(hub)
            helped = self._helped(hub)
            like, stand = like + helped, stand + helped * self.records.people[hub.number]
            if self._cost(hubs) > most:
                return None
        return hubs

    def _most_helpful(self, open_: np.ndarray, like: np.ndarray) -> Hub:
        """The record, and the columns it loses, whose help is greatest for what it costs.

        Of the rare records that share what is kept of it, each gains one, and it gains all it needs itself. A larger set of
        columns helps at least as many, so that what cannot be better than the best so far is not counted.
        """
        weight = self.records.counts[self.rare.numbers[open_]].astype(float)
        rows, need = self.rows[open_], (self.enough.k - like[open_]).clip(1)
        best, chosen, members = -1.0, list(self.free), np.arange(len(open_))
        most: dict[Columns, float] = {tuple(self.free): float(weight.sum())}
        for columns in self.sets:
            worth = self._worth(list(columns))
            above = (tuple(sorted({*columns, j})) for j in self.free if j not in columns)
            bound = min((most[larger] for larger in above if larger in most), default=float(weight.sum()))
            most[columns] = bound
            if (bound + need.max()) / worth <= best:
                continue
            kept = [rows[:, j] for j in range(rows.shape[1]) if j not in columns]
            labels = distinct(kept).labels if kept else np.zeros(len(rows), np.int64)
            helped = np.bincount(labels, weight)
            most[columns] = float(helped.max())
            gains = (helped[labels] - weight + need) / worth
            for at in np.argsort(-gains, kind="stable")[:3].tolist():
                if gains[at] > best and self._stands(
                    self._blanked(self.rare.numbers[open_[at]], list(columns))
                ):
                    best, chosen, members = gains[at], list(columns), np.flatnonzero(labels == labels[at])
        return self._cheapest(open_[members], chosen)

    def _cheapest(self, members: np.ndarray, columns: list[int]) -> Hub:
        """Of rare records that share what is kept, the one that has least to lose; of equals the one that needs most."""
        worths = (self.rows[members][:, columns] != EMPTY) @ self.costs[columns]
        at = members[np.lexsort((self.rare.like[members], worths))[0]]
        return self._blanked(int(self.rare.numbers[at]), columns)

    def _stands(self, hub: Hub, others: Sequence[Hub] = ()) -> bool:
        """Whether a record that lost cells is itself like enough, also like others that did."""
        like, stand = self.records.compatible(hub.row[None])
        for other in others:
            before = self.records.rows[other.number]
            helps = _are_compatible(other.row[None], hub.row) & ~_are_compatible(before[None], hub.row)
            like, stand = like + helps, stand + helps * self.records.people[other.number]
        return bool(self.enough.safe(like, stand)[0])

    def _pruned(self, hubs: list[Hub]) -> list[Hub]:
        """The hubs with whatever cells can come back, the dearest first, without a record becoming rare."""
        like, stand, hubs = self.rare.like.copy(), self.rare.stand.copy(), list(hubs)
        for hub in hubs:
            helped = self._helped(hub)
            like, stand = like + helped, stand + helped * self.records.people[hub.number]
        for at in sorted(range(len(hubs)), key=lambda i: -self._worth(self._lost(hubs[i]))):
            for column in sorted(self._lost(hubs[at]), key=lambda j: -self.costs[j]):
                hub, people = hubs[at], self.records.people[hubs[at].number]
                fuller = Hub(hub.number, hub.row.copy())
                fuller.row[column] = self.records.rows[hub.number][column]
                left = self._helped(hub) & ~self._helped(fuller)
                hubs[at] = fuller
                safe = self._safe(hubs, like - left, stand - left * people).all() and self._all_stand(
                    hubs, at
                )
                if safe:
                    like, stand = like - left, stand - left * people
                else:
                    hubs[at] = hub
        return [hub for hub in hubs if self._lost(hub)]

    def _all_stand(self, hubs: list[Hub], changed: int) -> bool:
        """Whether each hub is like enough; where they are many, the changed one must be so by itself."""
        if len(hubs) > MANY_HUBS:
            return self._stands(hubs[changed])
        return all(self._stands(hub, [other for other in hubs if other is not hub]) for hub in hubs)


def _are_compatible(rows: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Which rows equal another wherever neither is empty."""
    found: np.ndarray = ((rows == row) | (rows == EMPTY) | (row == EMPTY)).all(axis=1)
    return found
