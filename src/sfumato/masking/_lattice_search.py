"""The best node of a lattice, proven: boxes of nodes are cut in two until none can hold a better one."""

from heapq import heappop, heappush
from math import prod
from typing import Any, NamedTuple

import numpy as np

from sfumato.core import progress
from sfumato.masking._class_losses import Loss
from sfumato.masking._class_rules import Rules
from sfumato.masking._lattice import Classes, Lattice, Node

TABLES = 512  # nodes whose classes are held
ROWS = 8_000_000  # classes that are held in all
NEVER = np.iinfo(np.int16).max  # the level of a column that no table is held for
CLOSE = 1e-9  # losses in percent that differ by less are equal


class Judged(NamedTuple):
    """What is known of a node: its loss, infinite if it cannot be released; and what holds of all finer ones.

    If it is `hopeless`, they suppress too many, as it does itself; else they pay at least the `toll`.
    """

    loss: float
    hopeless: bool
    toll: Any


class Found(NamedTuple):
    """The best node, its loss, what no node loses less than, and how many nodes were counted of how many there are."""

    node: Node
    loss: float
    bound: float
    counted: int
    nodes: int


class Box(NamedTuple):
    """All nodes between two, and the least that any of them can lose."""

    bound: float
    low: Node
    high: Node


class ClassTables:
    """The classes of nodes, each added up from the fewest finer ones that are held; the oldest give way to new ones."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.counted = lattice, 0
        self.held: dict[Node, Classes] = {}
        self.slots: list[Node | None] = [None] * TABLES
        self.nodes = np.full((TABLES, len(lattice.columns)), NEVER, np.int16)
        self.rows = np.zeros(TABLES, np.int64)
        self.newest = -1

    def __getitem__(self, node: Node) -> Classes:
        found = self.held.get(node)
        if found is None:
            found = self.lattice.coarser(self._source(node), node)
            self.counted += 1
            self._hold(found)
        return found

    def _source(self, node: Node) -> Classes:
        finer = np.flatnonzero((self.nodes <= np.array(node, np.int16)).all(axis=1))
        if not len(finer):
            return self.lattice.finest
        nearest = self.slots[finer[np.argmin(self.rows[finer])]]
        assert nearest is not None
        return self.held[nearest]

    def _hold(self, classes: Classes) -> None:
        self.newest = slot = (self.newest + 1) % TABLES
        self._drop(slot)
        oldest = slot
        while self.held and self.rows.sum() + len(classes) > ROWS:
            oldest = (oldest + 1) % TABLES
            self._drop(oldest)
        self.held[classes.node] = classes
        self.slots[slot], self.nodes[slot], self.rows[slot] = classes.node, classes.node, len(classes)

    def _drop(self, slot: int) -> None:
        node = self.slots[slot]
        if node is not None:
            del self.held[node]
            self.slots[slot], self.nodes[slot], self.rows[slot] = None, NEVER, 0


class Search:
    """One search: rules that classes must keep, a loss, how many records may be suppressed, and nodes to count.

    That a node is hopeless holds for all finer ones, and what stands at a node for all coarser ones. So a box is done
    with if its coarsest node is hopeless, or if its bound is not below the best loss that was found; else it is cut
    in two, and the box with the least bound comes first. What is then the least bound holds for the whole lattice.
    """

    def __init__(self, lattice: Lattice, rules: Rules, loss: Loss, *, budget: int, nodes: int) -> None:
        self.lattice, self.rules, self.loss = lattice, rules, loss
        self.budget, self.limit = budget, nodes
        self.tables = ClassTables(lattice)
        self.known: dict[Node, Judged] = {}
        self.best, self.least = lattice.top, np.inf
        self.boxes: list[Box] = []

    def run(self) -> Found:
        """Look at the top, at each column by itself, at a chain down from the top, then at boxes, and at ties."""
        top = self.lattice.top
        self.judged(top)
        low = self._lowest(top)
        self._descend(low)
        with progress.task("Generalising", volume(low, top)) as work:
            bound = self._proven(low, top, work)
        self._settle()
        proven = bound >= self.least - CLOSE
        nodes = volume((0,) * len(top), top)
        return Found(self.best, self.least, self.least if proven else bound, self.tables.counted, nodes)

    def judged(self, node: Node) -> Judged:
        """Count the classes of a node, unless it is known, and remember the best."""
        if node not in self.known:
            self.known[node] = found = self._judge(self.tables[node])
            if found.loss < self.least - CLOSE:
                self.best, self.least = node, found.loss
        return self.known[node]

    @property
    def spent(self) -> bool:
        return self.tables.counted >= self.limit

    def _judge(self, classes: Classes) -> Judged:
        doomed = self.rules.judged(self.lattice, classes)
        none = np.zeros(len(doomed), bool)
        if not doomed.any():
            return Judged(self.loss.lost(classes, none, none), False, self.loss.toll(classes, none, none))
        blank = self.lattice.missing(classes, empty=True)
        if doomed[~blank].sum() > self.budget:
            return Judged(np.inf, True, None)
        toll = self.loss.toll(classes, (doomed == classes.counts) & ~blank, none)
        gone = self.rules.suppressed(self.lattice, classes, doomed > 0, blank, self.budget)
        return Judged(np.inf if gone is None else self.loss.lost(classes, gone, blank), False, toll)

    def _lowest(self, top: Node) -> Node:
        """The least level of each column at which it is not hopeless even where all others are at the top."""
        low = [0] * len(top)
        for column in range(len(top)):
            last = top[column]
            while low[column] < last and not self.spent:
                middle = (low[column] + last) // 2
                if self.judged(moved(top, column, middle)).hopeless:
                    low[column] = middle + 1
                else:
                    last = middle
        return tuple(low)

    def _descend(self, low: Node) -> None:
        """From the top down, by the level that saves most, as long as there is hope."""
        node, hopeless, costs = self.lattice.top, set[int](), self.loss.costs
        while not self.spent:
            open_ = [j for j in range(len(node)) if node[j] > low[j] and j not in hopeless]
            if not open_:
                return
            column = max(open_, key=lambda j: costs[j][node[j]] - costs[j][node[j] - 1])
            finer = moved(node, column, node[column] - 1)
            if self.judged(finer).hopeless:
                hopeless.add(column)
            else:
                node = finer

    def _proven(self, low: Node, high: Node, work: progress.Task) -> float:
        """What no node loses less than: the best loss, unless the nodes to count are spent before."""
        self._keep(Box(0.0, low, high), work)
        while self.boxes and self.boxes[0].bound < self.least - CLOSE:
            if self.spent:
                return self.boxes[0].bound
            box = heappop(self.boxes)
            column, level = self._cut(box)
            below = moved(box.high, column, level)
            if self.judged(below).hopeless:
                work.advance(volume(box.low, below))
            else:
                self._keep(Box(box.bound, box.low, below), work)
            self._keep(Box(box.bound, moved(box.low, column, level + 1), box.high), work)
        work.advance(sum(volume(box.low, box.high) for box in self.boxes))
        return self.least

    def _keep(self, box: Box, work: progress.Task) -> None:
        """Keep a box, whose coarsest node is known, if any other node of it may be better than the best."""
        if box.low != box.high:
            bound = max(box.bound, self.bound(box.low, box.high))
            if bound < self.least - CLOSE:
                heappush(self.boxes, Box(bound, box.low, box.high))
                return
        self.known[box.high] = self.known[box.high]._replace(toll=None)  # no other box ends there
        work.advance(volume(box.low, box.high))

    def _settle(self) -> None:
        """Of nodes that lose the same, take one of which no column can be finer."""
        column = 0
        while column < len(self.best) and not self.spent:
            finer = moved(self.best, column, self.best[column] - 1)
            if finer[column] >= 0 and self.judged(finer).loss <= self.least + CLOSE:
                self.best, self.least, column = finer, self.known[finer].loss, 0
            else:
                column += 1

    def bound(self, low: Node, high: Node) -> float:
        """What no node between two loses less than; the coarser is known."""
        if not self.loss.counts_classes:
            return self.loss.bound(self.loss.standing(low, None), self.known[high].toll)
        if self.spent:
            return 0.0
        return self.loss.bound(self.loss.standing(low, self.tables[low]), self.known[high].toll)

    def _cut(self, box: Box) -> tuple[int, int]:
        """The column whose levels differ most in what they lose, and the last level of the finer part."""
        ends = list(zip(self.loss.costs, box.low, box.high, strict=True))
        wide = [j for j, (_, low, high) in enumerate(ends) if low < high]
        column = max(wide, key=lambda j: ends[j][0][ends[j][2]] - ends[j][0][ends[j][1]])
        costs, low, high = ends[column]
        middle = (costs[low] + costs[high]) / 2
        return column, low + max(int(np.searchsorted(costs[low:high], middle, side="right")) - 1, 0)


def volume(low: Node, high: Node) -> int:
    """How many nodes there are between two."""
    return prod(b - a + 1 for a, b in zip(low, high, strict=True))


def moved(node: Node, column: int, level: int) -> Node:
    """The node with another level of one column."""
    return (*node[:column], level, *node[column + 1 :])
