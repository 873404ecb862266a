"""A discriminator: how well trees tell released records from people outside."""

from collections.abc import Sequence

import numpy as np
import scipy

from sfumato.data import Table
from sfumato.data.features import Features, features
from sfumato.kernels.boosted_trees import boosted_classifier
from sfumato.measures.analyses.bins import Bins
from sfumato.measures.analyses.contract import Kind, sampled
from sfumato.measures.analyses.record_order import record_hashes

MOST_RECORDS = 2_500
FOLDS = 3
SIXTEENTHS = 16
ROUNDS = 40


class Discriminator(Kind):
    """max(0, 2 · AUC − 1) of boosted trees that tell released records from people who are not in the original.

    Cross-fitted: each record is judged by trees that never saw it, nor another that holds the same, since a copy
    would tell. Numbers are seen as sixteenths of the original's distribution, so that rounding is no give-away. The original itself takes no part: trees trained on one half of it and tried on the other would be misled
    where a release keeps its totals.
    """

    samples = 5
    sample_size = 1.0

    def __init__(self, original: Table, outside: Table, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.about = ((),)
        numbers = [name for name in names if original.schema[name].is_numeric]
        self.bins = Bins(original, numbers, SIXTEENTHS)
        self.outside = sampled(outside, MOST_RECORDS)

    def distances(self, table: Table) -> np.ndarray:
        released = sampled(table, MOST_RECORDS)
        files = [self._features(file) for file in (self.outside, released)]
        X = np.concatenate([file.X for file in files])
        y = np.repeat([0, 1], [self.outside.n, released.n])
        hashes = [record_hashes(file, self.names) for file in (self.outside, released)]
        folds = np.concatenate(hashes) % np.uint64(FOLDS)
        places = np.zeros(len(y))
        for fold in range(FOLDS):
            train, test = folds != fold, folds == fold
            if test.any() and len(np.unique(y[train])) == 2:
                model = boosted_classifier(
                    X[train], y[train], nominal=files[0].nominal, seed=fold, rounds=ROUNDS
                )
                places[test] = model.probabilities(X[test])[:, 1]
        return np.array([max(0.0, 2 * _auc(places, y == 1) - 1)])

    def _features(self, table: Table) -> Features:
        found = features(table, self.names)
        for at, name in enumerate(self.names):
            if name in self.bins.widths:
                digits = self.bins.digits(name, table[name])
                found.X[:, at] = np.where(digits == 0, np.nan, digits)
        return found


def _auc(places: np.ndarray, positive: np.ndarray) -> float:
    ones, zeros = np.count_nonzero(positive), np.count_nonzero(~positive)
    if not ones or not zeros:
        return 0.5
    return float((scipy.stats.rankdata(places)[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))
