"""What a generalised file loses, from its classes alone, and how little any coarser one can lose."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.released_bits import released_bits
from sfumato.masking._lattice import Classes, Lattice, Node


class Loss(ABC):
    """A loss in percent, of the formula of the measure of its name; with strata, the mean over their records.

    What is `standing` at a node without suppression never falls from a node to a coarser one, and suppression adds a
    `toll`. So what stands at a node, with the toll of records that are suppressed at a coarser one and therefore at all
    between the two, bounds the loss of these. It may use that the classes which stay have at least `least` records.
    `costs` say for each column how much each of its levels loses by itself.
    """

    counts_classes: ClassVar[bool] = True  # whether classes must be counted to know what stands

    def __init__(self, lattice: Lattice, *, budget: int, least: int) -> None:
        self.lattice, self.budget, self.least = lattice, budget, least
        self.costs = [self.column_costs(column) for column in range(len(lattice.columns))]

    @abstractmethod
    def standing(self, node: Node, classes: Classes | None) -> Any:
        """What is lost at a node before any record is suppressed, or at least at it and all coarser ones."""

    @abstractmethod
    def toll(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> Any:
        """What it costs that some classes are suppressed, none of which is blank already as others may be."""

    @abstractmethod
    def bound(self, standing: Any, toll: Any) -> float:
        """The least that can be lost, in percent."""

    @abstractmethod
    def lost(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        """The loss in percent at a node where some classes are suppressed."""

    def column_costs(self, column: int) -> np.ndarray:
        """The bits that each level of a column loses, by record: where to look first."""
        cells = Cells(self.lattice, column)
        bits = [cells.bits(level, cells.nobody).sum() for level in range(cells.levels)]
        return np.array(bits) / self.lattice.n

    @property
    def shares(self) -> np.ndarray:
        """The share of the records that each stratum has, in percent."""
        shares: np.ndarray = 100 * self.lattice.sizes / self.lattice.n
        return shares


class GranularityLoss(Loss):
    """The mean over records and columns of (values covered − 1) / (|D| − 1), and 1 for a blank.

    A number covers the values of the file that lie in its interval.
    """

    counts_classes = False

    def __init__(self, lattice: Lattice, *, budget: int, least: int) -> None:
        self.gains: list[list[np.ndarray]] = []
        super().__init__(lattice, budget=budget, least=least)

    def standing(self, node: Node, classes: Classes | None) -> float:
        return float(sum(costs[level] for costs, level in zip(self.costs, node, strict=True)))

    def toll(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        rows, added = self.lattice.states[classes.first[gone]], np.zeros(np.count_nonzero(gone))
        for column, level in self.lattice.at(classes.node) if len(rows) else ():
            if not level.blank:
                added += self.gains[column][classes.node[column]][rows[:, column]]
        return float(added @ classes.counts[gone])

    def bound(self, standing: float, toll: float) -> float:
        return 100 * (standing + toll) / (self.lattice.n * len(self.costs))

    def lost(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        return self.bound(self.standing(classes.node, classes), self.toll(classes, gone, blank))

    def column_costs(self, column: int) -> np.ndarray:
        """The sum over records of what each level covers; what a blank would add is kept beside it."""
        levels = self.lattice.columns[column]
        V, states = len(levels.values), self.lattice.states[:, column]
        counts = np.bincount(states, self.lattice.finest.counts, len(levels.levels[0].to))
        present = (np.arange(len(counts)) < V).astype(float)
        shares = []
        for level in levels.levels:
            covered = np.bincount(level.to[:V], minlength=level.size)[level.to]
            shares.append(present * (1.0 if level.blank else (covered - 1) / max(V - 1, 1)))
        self.gains.append([present - share for share in shares])
        return np.array([share @ counts for share in shares])


class DiscernibilityLoss(Loss):
    """(Σ size² − DM) / (n² − DM): DM is that of the file; records without any value count n each.

    A record that stays is at last in a class of the least size.
    """

    def __init__(self, lattice: Lattice, *, budget: int, least: int) -> None:
        super().__init__(lattice, budget=budget, least=least)
        self.before = self._squares(lattice.finest, 1)
        room = lattice.sizes.astype(float) ** 2 - self.before
        self.scale = np.divide(self.shares, room, out=np.zeros(len(room)), where=room > 0)

    def standing(self, node: Node, classes: Classes | None) -> float:
        assert classes is not None
        return float(self.scale @ (self._squares(classes, self.least) - self.before))

    def toll(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        some = np.flatnonzero(gone)
        some = some[~self.lattice.missing(classes, empty=False)[some]]  # those count n each already
        stratum, counts = self.lattice.stratum[classes.first[some]], classes.counts[some].astype(float)
        added = counts * (self.lattice.sizes[stratum] - np.maximum(counts, self.least))
        return float(self.scale[stratum] @ added)

    def bound(self, standing: float, toll: float) -> float:
        return max(standing + toll, 0.0)

    def lost(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        return self.bound(self.standing(classes.node, classes), self.toll(classes, gone, blank))

    def _squares(self, classes: Classes, least: int) -> np.ndarray:
        """For each stratum the sum of squares of its classes, in which each record counts at least so much."""
        stratum, counts = self.lattice.stratum[classes.first], classes.counts.astype(float)
        unseen = self.lattice.missing(classes, empty=False)
        sizes = np.where(unseen, self.lattice.sizes[stratum], np.maximum(counts, least))
        return np.bincount(stratum, counts * sizes, len(self.lattice.sizes))


class AverageClassSizeLoss(Loss):
    """(n / classes − c) / (n − c): c is the mean size of the classes of the file.

    A class that stays at a coarser node holds one of the least size, or smaller ones that make up for it; so there are
    at most as many as are large, as the records of all others suffice for, and one of those suppressed.
    """

    def __init__(self, lattice: Lattice, *, budget: int, least: int) -> None:
        super().__init__(lattice, budget=budget, least=least)
        n = lattice.sizes
        self.before = n / self._classes(lattice.finest)
        self.scale = np.divide(self.shares, n - self.before, out=np.zeros(len(n)), where=n > self.before)

    def standing(self, node: Node, classes: Classes | None) -> tuple[np.ndarray, np.ndarray]:
        assert classes is not None
        stratum, small = self.lattice.stratum[classes.first], classes.counts < self.least
        number, few = self._classes(classes), np.bincount(stratum[small], minlength=len(self.before))
        others = np.bincount(stratum[small], classes.counts[small], len(self.before))
        return number, number - few + others // self.least + 1

    def toll(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> np.ndarray:
        """How many classes fewer there are: those suppressed become one, or part of the one that is blank."""
        strata, number = self.lattice.stratum[classes.first], len(self.before)
        fewer = np.bincount(strata[gone], minlength=number)
        there = np.bincount(strata[blank], minlength=number)
        return np.where(fewer > 0, fewer - 1 + there, 0)

    def bound(self, standing: tuple[np.ndarray, np.ndarray], toll: np.ndarray) -> float:
        return self._value(np.minimum(standing[0] - toll, standing[1]))

    def lost(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        return self._value(self._classes(classes) - self.toll(classes, gone, blank))

    def column_costs(self, column: int) -> np.ndarray:
        """The bits that are lost, and those by which the number of classes may fall."""
        cells = Cells(self.lattice, column)
        numbers = [len(np.unique(groups)) for groups in cells.groups]
        return super().column_costs(column) - np.log(numbers)

    def _value(self, number: np.ndarray) -> float:
        return max(float(self.scale @ (self.lattice.sizes / np.maximum(number, 1) - self.before)), 0.0)

    def _classes(self, classes: Classes) -> np.ndarray:
        return np.bincount(self.lattice.stratum[classes.first], minlength=len(self.lattice.sizes))


class NonUniformEntropyLoss(Loss):
    """The mean over columns of H(V | V') / H(V), V the value and V' what is released; missing is a value.

    A record that is suppressed may make others easier to read. Where D are suppressed for sure, and E beside them,
    H(V | V'_(D ∪ E)) ≥ H(V | V'_D, E) ≥ H(V | V'_D) − H(E), with H(E) the entropy of being among so many.
    """

    counts_classes = False

    def __init__(self, lattice: Lattice, *, budget: int, least: int) -> None:
        self.cells = [Cells(lattice, column) for column in range(len(lattice.columns))]
        self.scales: list[np.ndarray] = []
        self.labelled = lattice.finest.node, lattice.finest.first
        super().__init__(lattice, budget=budget, least=least)

    def standing(self, node: Node, classes: Classes | None) -> Node:
        return node

    def toll(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> np.ndarray:
        """The distinct records that are suppressed."""
        if not gone.any():
            return np.zeros(0, np.int32)
        if self.labelled[0] != classes.node:
            self.labelled = classes.node, self.lattice.labelled(self.lattice.finest.first, classes.node)[0]
        return np.flatnonzero(gone[self.labelled[1]]).astype(np.int32)

    def bound(self, standing: Node, toll: np.ndarray) -> float:
        return self._value(standing, toll, self.budget - int(self.lattice.finest.counts[toll].sum()))

    def lost(self, classes: Classes, gone: np.ndarray, blank: np.ndarray) -> float:
        return self._value(classes.node, self.toll(classes, gone, blank), 0)

    def _value(self, node: Node, rows: np.ndarray, further: int) -> float:
        columns = zip(self.scales, self.cells, node, strict=True)
        return float(
            sum(scale @ cells.bits(level, cells.counted(rows), further) for scale, cells, level in columns)
        )

    def column_costs(self, column: int) -> np.ndarray:
        cells = self.cells[column]
        everything = released_bits(cells.counts, cells.counts, cells.groups[0], cells.stratum, cells.zeros)
        each = self.shares / len(self.lattice.columns)
        scale = np.divide(each, everything, out=np.zeros(len(everything)), where=everything > 0)
        self.scales.append(scale)
        return np.array([scale @ cells.bits(level, cells.nobody) for level in range(cells.levels)])


class Cells:
    """The values of a column in each stratum, how many records have each, and what they become at each level."""

    def __init__(self, lattice: Lattice, column: int) -> None:
        V = len(lattice.columns[column].values)
        states = np.minimum(lattice.states[:, column], V)  # missing is one value, whatever its code
        found = distinct([lattice.stratum, states])
        self.lattice, self.of = lattice, found.labels
        self.stratum, values = lattice.stratum[found.first], states[found.first]
        self.counts = np.bincount(self.of, lattice.finest.counts)
        self.nobody, self.zeros = np.zeros(len(self.counts)), np.zeros(len(lattice.sizes))
        levels = lattice.columns[column].levels
        alike = [distinct([self.stratum, level.to[values]]).labels for level in levels]
        self.groups = [
            np.where((values < V) & (not level.blank), labels, -1)
            for labels, level in zip(alike, levels, strict=True)
        ]

    @property
    def levels(self) -> int:
        return len(self.groups)

    def counted(self, rows: np.ndarray) -> np.ndarray:
        """How many of some distinct records have each value."""
        return np.bincount(self.of[rows], self.lattice.finest.counts[rows], len(self.counts))

    def bits(self, level: int, gone: np.ndarray, further: int = 0) -> np.ndarray:
        """What each stratum leaves open at a level, where some are suppressed and so many more may be."""
        return released_bits(self.counts, gone, self.groups[level], self.stratum, self.zeros + further)


LOSSES: dict[str, type[Loss]] = {
    "granularity": GranularityLoss,
    "discernibility": DiscernibilityLoss,
    "average_class_size": AverageClassSizeLoss,
    "non_uniform_entropy": NonUniformEntropyLoss,
}
