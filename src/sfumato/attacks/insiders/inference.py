"""Two ways to infer what is not known of people from a file: the nearest records, and a boosted model."""

from collections.abc import Sequence

import numpy as np

from sfumato.attacks.insiders.nearness import Nearest, NearnessSpace, RecordsNear
from sfumato.attacks.insiders.people import some_rows
from sfumato.attacks.insiders.targets import Target
from sfumato.core import stream
from sfumato.data import Table
from sfumato.data.features import features
from sfumato.kernels.boosted_trees import LEAF, boosted_classifier, boosted_regressor

FEW = 5  # records that are equally near have a say
TIE = 1e-12  # sums of ranks that are equal may differ by so much
MOST_LEARNED = 10_000  # records a boosted model learns from
MOST_CLASSES = 10  # categories it tells apart, the most frequent
ROUNDS = 20

Guesses = list[np.ndarray]
"""The guess of a target for each person, by target; NaN where there is none."""


def by_nearest(space: NearnessSpace, file: Table, targets: Sequence[Target], people: Table) -> Guesses:
    """The most frequent category, or the median, of the nearest records; one that is sought is not looked at."""
    records, points = RecordsNear(space, file), space.points(people)
    found: dict[str, np.ndarray] = {}
    guesses = []
    for target in targets:
        sought = target.name if target.name in space.names else ""
        if sought not in found:
            found[sought] = _nearest_rows(records.nearest(points, FEW, without=sought))
        rows = found[sought]
        standings = np.append(target.standings(file), np.nan)[rows]  # −1 is nobody
        guesses.append(_middle(standings) if target.is_numeric else _mode(standings))
    return guesses


def by_model(names: tuple[str, ...], file: Table, targets: Sequence[Target], people: Table) -> Guesses:
    """What boosted trees say, learned from the other columns that the intruder knows."""
    guesses = []
    for target in targets:
        known = tuple(name for name in names if name != target.name)
        standings = target.standings(file)
        rows = np.flatnonzero(~np.isnan(standings))
        rows = rows[some_rows(len(rows), MOST_LEARNED, stream(0, "learned", "records"))]
        guesses.append(_modelled(target, known, file.take(rows), people))
    return guesses


def _nearest_rows(found: Nearest) -> np.ndarray:
    """The rows of the records that are nearest, up to FEW that are equally near; −1 where there are fewer."""
    least = found.distances[:, :1]
    near = (found.distances <= least + TIE) & np.isfinite(least)
    return np.where(near, found.rows, -1)


def _middle(standings: np.ndarray) -> np.ndarray:
    """The lower median of what is there."""
    ordered = np.sort(standings, axis=1)  # what is missing comes last
    there = np.count_nonzero(~np.isnan(ordered), axis=1)
    middle: np.ndarray = ordered[np.arange(len(ordered)), np.maximum(there - 1, 0) // 2]
    return middle


def _mode(standings: np.ndarray) -> np.ndarray:
    """The most frequent of what is there, the nearest of those as frequent."""
    votes = np.count_nonzero(
        standings[:, :, None] == standings[:, None, :], axis=2
    )  # missing is unlike itself
    mode: np.ndarray = standings[np.arange(len(standings)), votes.argmax(axis=1)]
    return mode


def _modelled(target: Target, known: tuple[str, ...], file: Table, people: Table) -> np.ndarray:
    y = target.standings(file)
    if not known or file.n < 2 * LEAF:
        return np.full(people.n, np.nan)
    X, Z = features(file, known), features(people, known)
    if target.is_numeric:
        model = boosted_regressor(X.X, y, nominal=X.nominal, seed=0, rounds=ROUNDS)
        return model.predicted(Z.X)
    classes, counts = np.unique(y, return_counts=True)
    told = np.sort(classes[np.argsort(-counts, kind="stable")[:MOST_CLASSES]])
    if len(told) == 1:
        return np.full(people.n, told[0])
    rows = np.isin(y, told)
    model = boosted_classifier(X.X[rows], y[rows], nominal=X.nominal, seed=0, rounds=ROUNDS)
    # a right guess counts 1 / √chance: the best one is not always the most probable
    worth = 1 / np.sqrt(target.chances(model.classes))
    guesses: np.ndarray = model.classes[np.argmax(model.probabilities(Z.X) * worth, axis=1)]
    return guesses
