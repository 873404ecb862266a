"""Expectation ratio: how likely a masked category is the true one."""

import numpy as np

from sfumato.data import Table
from sfumato.data.coverage import Coverage
from sfumato.measures._contract import Bound, Files, Judged, Measure, StatisticBound
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.joint_counts import Joint, JointCounts, joint_counts


class ExpectationRatio(Measure):
    """100 · mean over attributes of Σ_k T(k) · ER(k) / (1 + ER(k)) / Σ_k T(k).

    The expectation ratio ER(k) of a category is the number of records that have it in both files, to the
    number that have it in the masked file only; T(k) is its frequency in the original. ER / (1 + ER) is the
    probability that a released k is true, which stays finite where nothing changed: from 0 to 100. The bound
    measure's `ratios` gives ER(k) itself. What a PRAM matrix makes of it before any record is drawn is told
    by `expectation_ratios` and `average_expectation_ratio` of `sfumato.kernels.markov`; here the files stand
    for matrix and frequencies. A recoded category counts as a uniform draw from those it covers. A missing
    value is no category: one that was filled in counts as coming from elsewhere. Weights count each record
    by its weight. The parts are the attributes.

    It does not see single records, or combinations of attributes.

    Source: Gouweleeuw et al. (1998), as in Marés, *thesis*, §4.1.5, Tables 4.8–4.11.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 0, 0, 1, 1, 1])})
    >>> bound = ExpectationRatio().bind(original)
    >>> masked = original.replace({"sex": np.array([0, 0, 1, 0, 1, 1])})
    >>> bound.ratios(masked)["sex"].tolist(), round(bound.score(masked).value, 2)
    ([2.0, 2.0], 66.67)
    """

    sense = "risk"
    scales = ("ordinal", "nominal")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return tuple(JointCounts(name, self.weighted) for name in files.names)

    def value(self, files: Files, *found: Joint) -> Judged:
        parts = {}
        for name, pairs in zip(files.names, found, strict=True):
            before, kept, released = _counts(files.reading(name), pairs)
            true = np.divide(kept, released, out=np.zeros_like(kept), where=released > 0)
            n = float(before.sum())
            parts[name] = 100 * float(before @ np.minimum(true, 1.0)) / n if n else 0.0
        return sum(parts.values()) / len(parts), parts

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundExpectationRatio(self, original, names)


class BoundExpectationRatio(StatisticBound):
    """The measure with the original; it also tells the ratio of each category."""

    def ratios(self, masked: Table) -> dict[str, np.ndarray]:
        """ER(k) by attribute and category: infinite where none came from elsewhere, NaN where none is released."""
        self.check(masked)
        found, files = {}, self.files_of(masked.schema)
        for name in self.names:
            pairs = joint_counts(masked[name], self.original[name], self.weights)
            _, kept, released = _counts(files.reading(name), pairs)
            with np.errstate(divide="ignore", invalid="ignore"):
                found[name] = kept / np.maximum(released - kept, 0.0)
        return found


def _counts(reading: Coverage, pairs: Joint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By category: its records in the original, in both files, and in the masked file."""
    released = reading.of(pairs.masked)
    present = np.flatnonzero(pairs.original >= 0)
    before = np.bincount(pairs.original[present], pairs.counts[present], minlength=reading.size)
    both = present[released[present] >= 0]
    same = reading.drawn(np.equal, released[both], pairs.original[both])
    kept = np.bincount(pairs.original[both], pairs.counts[both] * same, minlength=reading.size)
    totals = np.bincount(released % reading.width, pairs.counts, minlength=reading.width)
    starts, containing, weights = reading.containing()
    spread = np.add.reduceat(totals[containing] * weights, starts[:-1])
    return before.astype(float), kept.astype(float), spread[: reading.size]
