"""Probabilistic record linkage: how many records are found again by weighing where they agree."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage.fellegi_sunter import (
    MOST_ATTRIBUTES,
    Classification,
    FellegiSunterLinker,
    classified,
)
from sfumato.core import Aliases, param, stream
from sfumato.data import Table
from sfumato.kernels.agreement import agreements
from sfumato.kernels.fellegi_sunter import linked_shares
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._tracking import Change, Tracker


class ProbabilisticLinkage(Measure):
    """PLD = 100 · share of masked records that probabilistic record linkage links to their own original.

    A category agrees with an original one if it is equal, or stands for it after recoding; a number if it
    is within `tolerance` standard deviations of the original; a missing value only with a missing one. EM
    on the patterns of agreement of all pairs estimates m_j = P(agree in j | match) and u_j = P(agree in j |
    no match), and a pair weighs Σ log2(m_j / u_j) over the attributes that agree plus
    Σ log2((1 − m_j) / (1 − u_j)) over the others; see the attack of the same name. With `link="best"` each
    masked record is linked to its heaviest original, and several that tie share the link; with
    `"assignment"` links are one to one and their sum is greatest (at most 5000 records; ties between
    different records are decided by a fixed seed). With `link="classified"` all pairs are divided by two thresholds:
    linked, as many as a share `false_matches` of pairs that do not match would be (LT); not linked, where at most a share
    `false_non_matches` of matches is lost (NLT); and the rest, left to clerical review. The value is then the share of records
    whose own pair is linked, and the parts tell how pairs and matches are divided. From 0 to 100. Survey weights
    count the records that are linked, unless classified; EM does not use them. At most 20 attributes are compared; of more key attributes, the first 20
    unless others are named. The parts are m and u of each attribute in percent.

    It does not see how near values are that do not agree, nor attributes that depend on each other.

    Source: Fellegi & Sunter (1969); Marés, *thesis*, §2.4.2; Domingo-Ferrer & Torra (2001).

    >>> from sfumato.data import Attribute, Schema
    >>> domain = tuple("abcd")
    >>> town, job = (Attribute(name=n, scale="nominal", role="key", categories=domain) for n in ("town", "job"))
    >>> original = Table(Schema([town, job]), {"town": np.array([0, 1, 2, 3]), "job": np.array([0, 0, 1, 1])})
    >>> masked = original.replace({"job": np.array([0, 0, 0, 1])})
    >>> ProbabilisticLinkage().bind(original).score(masked).value
    100.0
    >>> ProbabilisticLinkage(attributes=("job",)).bind(original).score(masked).value  # 1/2 + 1/2 + 0 + 1/2
    37.5
    """

    aliases: ClassVar[Aliases] = {"PRL": {}, "PLD": {}}

    sense = "risk"
    joinable = False
    quick = 30_000

    tolerance: float = param(
        default=0.1, low=0, help="how far apart numbers may be and agree, in standard deviations"
    )
    link: str = param(
        default="best",
        choices=("best", "assignment", "classified"),
        help="how records are linked: to the best, one to one, or all pairs by two thresholds",
    )
    false_matches: float = param(
        default=1e-4, low=0, high=1, help="LT, if classified: share of false pairs that may be linked"
    )
    false_non_matches: float = param(
        default=0.05, low=0, high=1, help="NLT, if classified: share of matches that may be given up"
    )

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The key attributes, as many as can be compared."""
        return super().fitting(original)[:MOST_ATTRIBUTES]

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundProbabilistic(self, original, names)

    def tracker(self, bound: "_BoundProbabilistic", masked: Table) -> Tracker | None:
        """Follows the patterns of each record, where links are the best ones."""
        return None if self.link != "best" else LinkageTracker(bound.linker, masked, bound.percent)


class _BoundProbabilistic(Bound):
    def __init__(self, measure: ProbabilisticLinkage, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.link = measure.link
        self.shares = {
            "false_matches": measure.false_matches,
            "false_non_matches": measure.false_non_matches,
        }
        self.linker = FellegiSunterLinker(original, names, measure.tolerance)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        found = self.linker.compare(masked)
        weights = self.linker.weights(found.pairs)
        if self.link == "classified":
            return _of_classes(classified(found.pairs, found.own, weights, **self.shares))
        if self.link == "assignment":
            shares = self.linker.assigned_links(found, weights, stream(0, "assignment"))
        else:
            shares = self.linker.best_links(found, weights)
        parts = {f"m {name}": 100 * float(m) for name, m in zip(self.names, weights.m, strict=True)}
        parts |= {f"u {name}": 100 * float(u) for name, u in zip(self.names, weights.u, strict=True)}
        return self.percent(shares), parts

    def percent(self, shares: np.ndarray) -> float:
        """The value, from the chance of each record to be linked."""
        return 100 * float(np.average(shares, weights=self.weights))


def _of_classes(found: Classification) -> tuple[float, dict[str, float]]:
    """Which share of matches is linked, and how pairs and matches are divided, in percent."""
    pairs, matches = (max(sum(counts.values()), 1) for counts in (found.pairs, found.matches))
    parts = {f"pairs {name}": 100 * count / pairs for name, count in found.pairs.items()}
    parts |= {f"matches {name}": 100 * count / matches for name, count in found.matches.items()}
    return parts["matches linked"], parts


class LinkageTracker(Tracker):
    """Only the greatest patterns of a record can be its heaviest, whatever the weights: see `FellegiSunterLinker`.

    They are kept for each record in a pool of short lists. A change compares the changed records with all
    known ones, before and after, and adds the difference to the pairs by pattern. EM starts from the same
    values as ever, so that the tracked value is the judged one to the last bit.
    """

    def __init__(
        self, linker: FellegiSunterLinker, masked: Table, percent: Callable[[np.ndarray], float]
    ) -> None:
        found = linker.compare(masked)
        super().__init__(percent(linker.best_links(found, linker.weights(found.pairs))))
        self.linker, self.agreement, self.percent = linker, found.agreement, percent
        self.place = {name: j for j, name in enumerate(linker.known.names)}
        self.spans, self.pairs, self.own = found.spans, found.pairs, found.own
        self.rows = np.arange(masked.n)
        self._fill_pool(found.starts, found.patterns, found.tallies, found.groups.labels)
        self._pending: tuple[np.ndarray, ...] | None = None

    def propose(self, change: Change) -> float:
        """Compare the changed records, fit the model, and rank the partners of all."""
        spans = self.spans[change.rows]
        for name, values in change.columns.items():
            if name in self.place:
                spans[:, self.place[name]] = self.agreement.column(self.place[name], values)
        moved = (spans != self.spans[change.rows]).any((1, 2))
        if not moved.any():
            self._pending = None
            return self.value
        rows, spans = change.rows[moved], spans[moved]
        before = self._count(self.spans[rows])[0]
        after, starts, patterns, tallies = self._count(spans)
        pairs = self.pairs - before + after
        own = self.linker.own(self.agreement, spans, self.linker.known.own[rows])
        gains = self.linker.weights(pairs).gains
        shares = linked_shares(
            self.starts, self.ends, self.patterns, self.tallies, self.rows, self.own, gains
        )
        shares[rows] = linked_shares(
            starts[:-1], starts[1:], patterns, tallies, self.rows[: len(rows)], own, gains
        )
        self._pending = rows, spans, pairs, own, starts, patterns, tallies
        return self.percent(shares)

    def commit(self) -> None:
        if self._pending is None:
            return
        rows, spans, self.pairs, own, starts, patterns, tallies = self._pending
        self.spans[rows], self.own[rows] = spans, own
        for i, row in enumerate(rows):
            self._store(row, patterns[starts[i] : starts[i + 1]], tallies[starts[i] : starts[i + 1]])

    def _count(self, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        known, sets = self.linker.known, self.agreement.sets
        ones = np.ones(len(spans), np.int64)
        return agreements(spans, ones, known.codes, known.counts, sets.starts, sets.spans)

    def _fill_pool(
        self, starts: np.ndarray, patterns: np.ndarray, tallies: np.ndarray, labels: np.ndarray
    ) -> None:
        """Give each record a list of its own, from those of the groups of equal records."""
        lengths = np.diff(starts)[labels]
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        self.room = lengths.copy()
        at = np.arange(lengths.sum()) - np.repeat(self.starts, lengths) + np.repeat(starts[labels], lengths)
        self.patterns, self.tallies = patterns[at], tallies[at]
        self.used = len(at)

    def _store(self, row: int, patterns: np.ndarray, tallies: np.ndarray) -> None:
        size = len(patterns)
        if size > self.room[row]:  # a new place at the end, with room to grow
            self.starts[row], self.room[row] = self.used, 2 * size
            self.used += 2 * size
            if self.used > len(self.patterns):
                more = np.zeros(self.used, np.int64)
                self.patterns = np.concatenate([self.patterns, more])
                self.tallies = np.concatenate([self.tallies, more])
        start = self.starts[row]
        self.ends[row] = start + size
        self.patterns[start : start + size] = patterns
        self.tallies[start : start + size] = tallies
