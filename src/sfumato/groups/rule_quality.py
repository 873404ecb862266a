"""How good a rule is: support, coverage, the discriminative factor and relative confidence."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.groups.fuzzy_model import ALPHA, Rule, encoded
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.signals import Group
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.fuzzy_rules import BITS, rule_sums

BARELY = 0.5  # the compatibility of a record that is just caught


@dataclass(frozen=True)
class Quality:
    """What a rule gets right on the auxiliary file; all sums are of compatibilities.

    support
      : Σ over the group / records of the group
    coverage
      : Σ over all / all records
    discriminative_factor
      : support − coverage
    relative_confidence
      : Σ over the group / Σ over the others. Of a rule that catches no others it is taken as if it caught one,
        and that one barely; else the rarest rule would be the best.
    """

    of_vital: float
    of_all: float
    vital: float
    all: float
    unit: float = 1.0  # what a record counts on average

    @property
    def support(self) -> float:
        return self.of_vital / self.vital

    @property
    def coverage(self) -> float:
        return self.of_all / self.all

    @property
    def discriminative_factor(self) -> float:
        return self.support - self.coverage

    @property
    def relative_confidence(self) -> float:
        return self.of_vital / max(self.of_all - self.of_vital, BARELY * self.unit)


def df_rcf(quality: Quality) -> float:
    """The fitness of the source: discriminative factor times relative confidence, 0 where the first is not positive."""
    return max(quality.discriminative_factor, 0.0) * quality.relative_confidence


def wracc(quality: Quality) -> float:
    """Weighted relative accuracy: coverage times (confidence − share of the group).

    That is the discriminative factor times the share of the group, so both rank rules alike.
    """
    return quality.discriminative_factor * quality.vital / quality.all


def youden(quality: Quality) -> float:
    """The share of the group that the rule catches less the share of the others."""
    return quality.support - (quality.of_all - quality.of_vital) / (quality.all - quality.vital)


MEASURES: dict[str, Callable[[Quality], float]] = {"df_rcf": df_rcf, "wracc": wracc, "youden": youden}


class RuleJudge:
    """Judges rules on an auxiliary file. Records that belong alike to all words are counted once."""

    def __init__(self, auxiliary: Table, group: Group, vocabulary: Vocabulary, alpha: float = ALPHA) -> None:
        members, weights = group.members(auxiliary), group.weights(auxiliary)
        self.vital, self.all = float(weights[members].sum()), float(weights.sum())
        if not 0 < self.vital < self.all:
            raise DataError(
                "The auxiliary file must hold records of the group and others: check the vital values."
            )
        records = encoded(auxiliary, vocabulary, "auxiliary file")
        alike = distinct(list(records.codes.T))
        self.codes = np.ascontiguousarray(records.codes[alike.first])
        self.total = np.bincount(alike.labels, weights=weights)
        self.of_group = np.bincount(alike.labels, weights=weights * members)
        self.tables, self.alpha = records.tables, alpha
        self.flat, self.starts, self.sizes = records.flat, records.starts, records.sizes
        self.unit = self.all / auxiliary.n

    def quality(self, rule: Rule) -> Quality:
        """The sums of a rule."""
        bits, crisp, offsets = self._sets
        of_vital, of_all = rule_sums(
            np.array(rule, np.int64),
            bits,
            crisp,
            self.codes,
            self.flat,
            self.starts,
            self.sizes,
            offsets,
            self.of_group,
            self.total,
            self.alpha,
        )
        return Quality(of_vital, of_all, self.vital, self.all, self.unit)

    @cached_property
    def _sets(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bits of the records that belong to each value to alpha or more, whether wholly, and where they begin."""
        rows = [np.ones(len(self.codes), bool)]
        crisp, offsets = [True], []
        for j, table in enumerate(self.tables):
            offsets.append(len(rows) - 1)
            for column in table.T[1:]:
                rows.append((column >= self.alpha)[self.codes[:, j]])
                crisp.append(bool(np.all(column[column >= self.alpha] == 1)))
        bits = np.stack([_packed(row) for row in rows])
        return bits, np.array(crisp), np.array(offsets)


def _packed(flags: np.ndarray) -> np.ndarray:
    """Flags as 64-bit words, the first one the lowest bit of the first word."""
    padded = np.zeros(-(-len(flags) // BITS) * BITS, bool)
    padded[: len(flags)] = flags
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
