"""The linker of Fellegi and Sunter: it knows some records, and links the records of any release to them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from sfumato.attacks._known_records import Agreement, KnownRecords, alike
from sfumato.core import DataError, Result
from sfumato.data import Schema, Table
from sfumato.kernels.agreement import agreements, own_patterns
from sfumato.kernels.distinct_records import Distinct
from sfumato.kernels.fellegi_sunter import estimate, linked_shares, pattern_weights
from sfumato.kernels.spread import centre_and_spread
from sfumato.parallel.threads import thread_count

MOST_ATTRIBUTES = 20
LARGEST_ASSIGNMENT = 5000
BLOCKS, LEAST_PAIRS = 16, 4_000_000  # fewer pairs are not worth a thread
UNIT = 2**-20  # of a bit; weights are whole numbers of it, so that equal ones are equal


@dataclass(frozen=True)
class Weights:
    """What EM found: P(agree | match), P(agree | no match) of each attribute, and the share of matches."""

    m: np.ndarray
    u: np.ndarray
    share: float

    @cached_property
    def gains(self) -> np.ndarray:
        """The weight of agreement minus that of disagreement, in units of 2⁻²⁰ bits; never below 1."""
        bits = np.log2(self.m / self.u) - np.log2((1 - self.m) / (1 - self.u))
        units: np.ndarray = np.rint(bits / UNIT).astype(np.int64)
        return units

    @property
    def least(self) -> float:
        """The weight in bits of a pair that agrees nowhere."""
        return float(np.log2((1 - self.m) / (1 - self.u)).sum())


class Classification(Result):
    """All pairs by the two thresholds of Fellegi and Sunter: links, clerical review, and no links.

    `pairs` counts the pairs in each class, and `matches` those of them that are true.
    """

    upper: float
    lower: float
    pairs: dict[str, int]
    matches: dict[str, int]

    def _rows(self) -> list[dict[str, object]]:
        return [{"class": c, "pairs": self.pairs[c], "matches": self.matches[c]} for c in self.pairs]


def classified(
    pairs: np.ndarray, own: np.ndarray, weights: Weights, false_matches: float, false_non_matches: float
) -> Classification:
    """Classify the pairs of each pattern, and count those that are of a record with its own; see `FellegiSunterLinker`."""
    weight = pattern_weights(weights.gains)
    levels, level = np.unique(weight, return_inverse=True)
    by_match = np.bincount(level, _probabilities(weights.m))
    by_chance = np.bincount(level, _probabilities(weights.u))
    slack = 1 + 1e-9  # for sums of many probabilities
    linked = np.cumsum(by_chance[::-1])[::-1] <= false_matches * slack
    parted = (np.cumsum(by_match) <= false_non_matches * slack) & ~linked
    bits = np.concatenate([[-np.inf], levels * UNIT + weights.least, [np.inf]])
    names = np.where(linked, "linked", np.where(parted, "not linked", "clerical"))[level]
    true = np.bincount(own, minlength=len(weight))
    classes = ("linked", "clerical", "not linked")
    return Classification(
        upper=float(bits[len(levels) - linked.sum() + 1]),
        lower=float(bits[parted.sum()]),
        pairs={c: int(pairs[names == c].sum()) for c in classes},
        matches={c: int(true[names == c].sum()) for c in classes},
    )


def _probabilities(agree: np.ndarray) -> np.ndarray:
    probabilities = np.ones(1)
    for p in agree:  # the last attribute is the highest bit
        probabilities = np.concatenate([probabilities * (1 - p), probabilities * p])
    return probabilities


@dataclass(frozen=True)
class Comparison:
    """A release compared with the known records: pairs by pattern, and each record's greatest patterns."""

    agreement: Agreement
    spans: np.ndarray
    groups: Distinct
    pairs: np.ndarray
    starts: np.ndarray
    patterns: np.ndarray
    tallies: np.ndarray
    own: np.ndarray


class FellegiSunterLinker:
    """Known records, ready to be linked with releases of them."""

    def __init__(self, known: Table, names: tuple[str, ...], tolerance: float) -> None:
        if len(names) > MOST_ATTRIBUTES:
            raise DataError(
                f"probabilistic_linkage: at most {MOST_ATTRIBUTES} attributes can be compared. "
                f"Got {len(names)}; name fewer of them."
            )
        self.known = KnownRecords(known, names)
        numeric = [known.schema[name].is_numeric for name in names]
        self.margins = [
            tolerance * centre_and_spread(known[name])[1] if number else 0.0
            for name, number in zip(names, numeric, strict=True)
        ]

    def agreement(self, released: Schema) -> Agreement:
        return Agreement(self.known, released, self.margins)

    def compare(self, released: Table) -> Comparison:
        agreement = self.agreement(released.schema)
        spans = agreement.spans(released)
        groups = alike(spans)
        pairs, starts, patterns, tallies = self.count(agreement, spans[groups.first], groups.counts)
        own = self.own(agreement, spans, self.known.own)
        return Comparison(agreement, spans, groups, pairs, starts, patterns, tallies, own)

    def count(
        self, agreement: Agreement, spans: np.ndarray, copies: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `kernels.agreement`; blocks of records are compared in threads."""
        known, sets = self.known, agreement.sets

        def block(rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
            return agreements(spans[rows], copies[rows], known.codes, known.counts, sets.starts, sets.spans)

        size = max(-(-len(spans) // BLOCKS), LEAST_PAIRS // len(known.counts))
        blocks = [slice(start, start + size) for start in range(0, len(spans), size)]
        if len(blocks) == 1:
            return block(blocks[0])
        with ThreadPoolExecutor(thread_count()) as threads:
            pairs, starts, patterns, tallies = zip(*threads.map(block, blocks), strict=True)
        lengths = np.concatenate([np.diff(s) for s in starts])
        return (
            np.sum(pairs, axis=0),
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate(patterns),
            np.concatenate(tallies),
        )

    def own(self, agreement: Agreement, spans: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The pattern of released records with their own known ones."""
        return own_patterns(spans, self.known.codes, own, agreement.sets.starts, agreement.sets.spans)

    def weights(self, pairs: np.ndarray) -> Weights:
        """Fit the model to the numbers of pairs by pattern; at most one known record in n is a match."""
        return Weights(*estimate(pairs, len(self.known.names), 1 / max(self.known.n, 2)))

    def best_links(self, found: Comparison, weights: Weights) -> np.ndarray:
        """The chance of each record to be linked with its own, if it is linked to its heaviest partner."""
        lists = found.starts[:-1], found.starts[1:], found.patterns, found.tallies
        return linked_shares(*lists, found.groups.labels, found.own, weights.gains)

    def assigned_links(self, found: Comparison, weights: Weights, rng: np.random.Generator) -> np.ndarray:
        """The same if each known record is linked once, so that the sum of the weights is greatest.

        Records that are alike share their links evenly. Where several assignments of different records
        have the same sum, the generator decides.
        """
        n = self.known.n
        if n > LARGEST_ASSIGNMENT:
            raise DataError(
                f"probabilistic_linkage: assignment takes at most {LARGEST_ASSIGNMENT} records. "
                f"Got {n}; use link = best."
            )
        weight = self._pair_weights(found, weights)
        rows = rng.permutation(np.repeat(np.arange(len(weight)), found.groups.counts))
        columns = rng.permutation(np.repeat(np.arange(weight.shape[1]), self.known.counts))
        linked, to = scipy.optimize.linear_sum_assignment(weight[np.ix_(rows, columns)], maximize=True)
        links = np.zeros(weight.shape)
        np.add.at(links, (rows[linked], columns[to]), 1.0)
        q, k = found.groups.labels, self.known.own
        shares: np.ndarray = links[q, k] / (found.groups.counts[q] * self.known.counts[k])
        return shares

    def classify(
        self, released: Table, *, false_matches: float = 1e-4, false_non_matches: float = 0.05
    ) -> Classification:
        """Divide all pairs by two thresholds (Fellegi & Sunter, 1969).

        A pair is linked where its weight is at least `upper`, the least threshold at which a pair that does
        not match is linked with probability of at most `false_matches`. It is not linked where its weight
        is at most `lower`, the greatest at which a match is lost with probability of at most
        `false_non_matches`, unless it is linked. What is between needs clerical review.
        """
        found = self.compare(released)
        return classified(found.pairs, found.own, self.weights(found.pairs), false_matches, false_non_matches)

    def _pair_weights(self, found: Comparison, weights: Weights) -> np.ndarray:
        spans = found.spans[found.groups.first]
        total = np.zeros((len(spans), len(self.known.counts)))
        for j, gain in enumerate(weights.gains):
            total += float(gain) * found.agreement.matrix(spans, j)
        return total
