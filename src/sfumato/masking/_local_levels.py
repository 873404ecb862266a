"""Local recoding: each class of a generalised file goes down its hierarchies by itself, as far as rules allow."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.kernels.coarser_classes import added_up, coarser_values
from sfumato.masking._class_rules import Rules
from sfumato.masking._lattice import Classes, Lattice, Node


class LocalClass(NamedTuple):
    """Distinct records that are released alike, and the level of each column."""

    rows: np.ndarray
    node: Node


@dataclass(frozen=True)
class Descent:
    """Classes that are cut by the next finer level of a column, the one that gains most, until no cut keeps the rules.

    A cut may leave records behind at the coarser level: those of values that are too rare, and as many others as they need
    to be safe. What is gained is granularity: the share of its domain that a released value no longer covers.
    """

    lattice: Lattice
    rules: Rules

    def classes(self, node: Node, gone: np.ndarray) -> list[LocalClass]:
        """The classes in the end, from those at a node of which some distinct records are suppressed."""
        labels, _ = self.lattice.labelled(self.lattice.finest.first, node)
        empty = labels.max(initial=-1) + 1 + self.lattice.stratum
        labels = np.where(gone, empty, labels)
        waiting = [LocalClass(rows, self.lattice.top if gone[rows[0]] else node) for rows in _parts(labels)]
        done = []
        while waiting:
            one = waiting.pop()
            cut = self._cut(one)
            if cut:
                waiting += cut
            else:
                done.append(one)
        return sorted(done, key=lambda one: int(one.rows[0]))

    def _cut(self, one: LocalClass) -> list[LocalClass]:
        """The classes that one falls into, or none."""
        cuts = [self._at_finer_level(one, column) for column in range(len(one.node)) if one.node[column]]
        gains = [gain for gain, _ in cuts]
        return cuts[int(np.argmax(gains))][1] if max(gains, default=0.0) > 0 else []

    def _at_finer_level(self, one: LocalClass, column: int) -> tuple[float, list[LocalClass]]:
        """What is gained if a column goes down one level, and the classes that result."""
        level = self.lattice.columns[column].levels[one.node[column] - 1]
        parts = _parts(level.to[self.lattice.states[one.rows, column]])
        behind = self._behind(one, parts)
        if behind.all():
            return 0.0, []
        finer = (*one.node[:column], one.node[column] - 1, *one.node[column + 1 :])
        found = [
            LocalClass(one.rows[part], finer) for part, stays in zip(parts, behind, strict=True) if not stays
        ]
        gain = sum(self._gain(new, column) for new in found)
        left = [part for part, stays in zip(parts, behind, strict=True) if stays]
        if left:
            found.append(LocalClass(one.rows[np.sort(np.concatenate(left))], one.node))
        return gain, found

    def _behind(self, one: LocalClass, parts: list[np.ndarray]) -> np.ndarray:
        """Which parts of a class stay at the coarser level: what breaks a rule, and the smallest others while it does."""
        sizes = np.array([self.lattice.finest.counts[one.rows[part]].sum() for part in parts])
        behind = ~self._safe(one, parts)
        while behind.any() and not behind.all():
            together = np.concatenate([part for part, stays in zip(parts, behind, strict=True) if stays])
            if self._safe(one, [together])[0]:
                break
            behind[np.argmin(np.where(behind, np.inf, sizes))] = True
        return behind

    def _safe(self, one: LocalClass, parts: list[np.ndarray]) -> np.ndarray:
        """Whether each part of a class keeps the rules as a class of its own."""
        rows = np.concatenate([one.rows[part] for part in parts])
        labels = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
        finest, place = self.lattice.finest, np.full(len(self.lattice.finest), -1, np.int32)
        place[rows] = labels
        values = tuple(
            coarser_values(found[place[found[:, 0]] >= 0], place, len(parts), len(secret.upto))
            for found, secret in zip(finest.values, self.lattice.secrets, strict=True)
        )
        firsts = np.array([one.rows[part[0]] for part in parts], np.int32)
        sums = added_up(labels, finest.sums[rows], len(parts))
        safe: np.ndarray = self.rules.judged(self.lattice, Classes(one.node, firsts, sums, values)) == 0
        return safe

    def _gain(self, one: LocalClass, column: int) -> float:
        counts, states = self.lattice.finest.counts[one.rows], self.lattice.states[one.rows, column]
        finer, coarser = (self._covered(column, one.node[column] + up)[states] for up in (0, 1))
        return float(counts @ (coarser - finer)) + 1e-9  # a level that loses nothing is still to be gone down

    def _covered(self, column: int, number: int) -> np.ndarray:
        """The share of the other values that each state stands for at a level."""
        levels = self.lattice.columns[column]
        level, V = levels.levels[number], len(levels.values)
        covered = np.bincount(level.to[:V], minlength=level.size)[level.to] - 1
        share = np.ones(len(level.to)) if level.blank else covered / max(V - 1, 1)
        return np.where(np.arange(len(level.to)) < V, share, 0.0)


def _parts(labels: np.ndarray) -> list[np.ndarray]:
    """The places of each label."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
