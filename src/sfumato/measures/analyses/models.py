"""Models: trained on a release, and tried on people outside."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Schema, Table
from sfumato.data.features import Features, features
from sfumato.kernels.boosted_trees import boosted_classifier, boosted_regressor
from sfumato.measures.analyses.bins import Bins
from sfumato.measures.analyses.contract import Kind, sampled

MOST_RECORDS = 2_500
MOST_TARGETS = 6
MOST_CLASSES = 2
FEWEST_RECORDS = 20
ROUNDS = 30


class Models(Kind):
    """How much worse boosted trees guess values of people outside if trained on the release, not the original.

    Each target is guessed from all other columns: numbers, and ordinal categories if there are many, by their
    rank among the original's; of categories whether it is the most frequent. The error is squared (Brier's
    score, of classes), in units of that of who knows the target's distribution alone and no relations: so a file
    of unrelated columns has an error of 1, and what is worse counts as 1.
    """

    samples = 5
    sample_size = 1.0

    def __init__(self, original: Table, outside: Table, names: Sequence[str]) -> None:
        self.names = tuple(names)
        outside = sampled(outside, MOST_RECORDS)
        self.targets = [
            _Target(original, outside, name, self.names) for name in chosen_targets(original.schema, names)
        ]
        self.about = tuple((target.name,) for target in self.targets)
        self.errors = self._errors(original)

    def distances(self, table: Table) -> np.ndarray:
        more: np.ndarray = self._errors(table) - self.errors
        return more

    def _errors(self, table: Table) -> np.ndarray:
        table = sampled(table, MOST_RECORDS)
        return np.array([target.error(table) for target in self.targets])


class _Target:
    """One column to guess, and the people outside to try it on."""

    def __init__(self, original: Table, outside: Table, name: str, names: tuple[str, ...]) -> None:
        self.name, self.others = name, [other for other in names if other != name]
        attribute = original.schema[name]
        known = original.take(np.flatnonzero(~original.missing(name)))
        self.is_number = attribute.is_numeric or (
            attribute.scale == "ordinal" and attribute.domain_size > MOST_CLASSES
        )
        self.sorted = np.sort(known[name].astype(float))
        self.classes = Bins(original, () if self.is_number else (name,), MOST_CLASSES)
        here = outside.take(np.flatnonzero(~outside.missing(name)))
        self.tried, self.truth = features(here, self.others), self._values(here)
        guess = self._values(known).mean(0) if known.n else 0.0
        self.unit = float(np.square(self.truth - guess).sum(-1).mean()) if here.n else 0.0

    def error(self, table: Table) -> float:
        table = table.take(np.flatnonzero(~table.missing(self.name)))
        values = self._values(table)
        if table.n < FEWEST_RECORDS or self.unit <= 0 or not np.ptp(values, axis=0).any():
            return 1.0
        guessed = self._guessed(features(table, self.others), values)
        return min(float(np.square(self.truth - guessed).sum(-1).mean()) / self.unit, 1.0)

    def _values(self, table: Table) -> np.ndarray:
        """Ranks as shares of the original, or an indicator for each class."""
        values = table[self.name]
        if self.is_number:
            ends = [np.searchsorted(self.sorted, values.astype(float), side) for side in ("left", "right")]
            ranks: np.ndarray = (ends[0] + ends[1]) / (2 * max(len(self.sorted), 1))
            return ranks[:, None]
        indicators: np.ndarray = np.eye(MOST_CLASSES + 1)[self.classes.digits(self.name, values)]
        return indicators

    def _guessed(self, known: Features, values: np.ndarray) -> np.ndarray:
        if self.is_number:
            fit = boosted_regressor(known.X, values[:, 0], nominal=known.nominal, seed=0, rounds=ROUNDS)
            return fit.predicted(self.tried.X)[:, None]
        y = values.argmax(1)
        model = boosted_classifier(known.X, y, nominal=known.nominal, seed=0, rounds=ROUNDS)
        guessed = np.zeros((len(self.tried.X), values.shape[1]))
        guessed[:, model.classes] = model.probabilities(self.tried.X)
        return guessed


def chosen_targets(schema: Schema, names: Sequence[str]) -> list[str]:
    """Confidential columns first, then others, spread evenly over the file; at most six."""
    first = [name for name in names if schema[name].role == "confidential"][:MOST_TARGETS]
    others = [name for name in names if name not in first]
    places = np.linspace(0, len(others) - 1, min(MOST_TARGETS - len(first), len(others))).round().astype(int)
    return [*first, *(others[at] for at in places)]
