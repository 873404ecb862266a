"""Boosted trees of scikit-learn on plain arrays, on one thread: the same numbers on any machine's cores."""

from typing import Any

import numpy as np

from sfumato.kernels.single_thread import one_thread

ROUNDS = 100
LEAF = 20
LEARNING_RATE = 0.1


def boosted_classifier(
    X: np.ndarray, y: np.ndarray, *, nominal: np.ndarray, seed: int, rounds: int = ROUNDS, leaf: int = LEAF
) -> "Boosted":
    """Learn classes 0, 1, … from columns, NaN where a value is missing; `nominal` columns have no order."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return Boosted(HistGradientBoostingClassifier(**_settings(nominal, seed, rounds, leaf)), X, y)


def boosted_regressor(
    X: np.ndarray, y: np.ndarray, *, nominal: np.ndarray, seed: int, rounds: int = ROUNDS, leaf: int = LEAF
) -> "Boosted":
    """Learn a number from columns, as `boosted_classifier` does classes."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return Boosted(HistGradientBoostingRegressor(**_settings(nominal, seed, rounds, leaf)), X, y)


class Boosted:
    """A fitted model."""

    def __init__(self, model: Any, X: np.ndarray, y: np.ndarray) -> None:
        empty = np.isnan(X).all(axis=0)  # which trees refuse; a constant tells as little
        with one_thread():
            self.model = model.fit(np.where(empty, 0.0, X), y)

    def predicted(self, X: np.ndarray) -> np.ndarray:
        """Classes, or numbers."""
        with one_thread():
            found: np.ndarray = self.model.predict(X)
        return found

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        """The probability of each class, in the order of `classes`."""
        with one_thread():
            found: np.ndarray = self.model.predict_proba(X)
        return found

    @property
    def classes(self) -> np.ndarray:
        known: np.ndarray = self.model.classes_
        return known


def _settings(nominal: np.ndarray, seed: int, rounds: int, leaf: int) -> dict[str, Any]:
    return {
        "max_iter": rounds,
        "learning_rate": LEARNING_RATE,
        "min_samples_leaf": leaf,
        "early_stopping": False,
        "categorical_features": np.asarray(nominal, bool) if np.any(nominal) else None,
        "random_state": seed,
    }
