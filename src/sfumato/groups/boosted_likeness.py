"""Boosted trees taught on one file who belongs to a group, and what they say of the records of another."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Table
from sfumato.data.features import features
from sfumato.kernels.boosted_trees import boosted_classifier

TAUGHT = 200_000  # records that trees learn from; more of them teach little more
FOLDS = 2
FEWEST = 5  # members that trees learn from


def boosted_likeness(
    teacher: Table, member: np.ndarray, pupil: Table, names: Sequence[str], rng: np.random.Generator
) -> np.ndarray:
    """The chance of each record of one file to belong, as the other teaches it; 0 where that has too few members."""
    rows = rng.permutation(teacher.n)[:TAUGHT]
    if np.count_nonzero(member[rows]) < FEWEST or member[rows].all():
        return np.zeros(pupil.n)
    seen = features(pupil, names)
    taught = _in_codes_of(teacher.take(rows), pupil, names)
    seed = int(rng.integers(2**31))
    model = boosted_classifier(taught, member[rows].astype(int), nominal=seen.nominal, seed=seed)
    found: np.ndarray = model.probabilities(seen.X)[:, 1]
    return found


def own_likeness(
    table: Table, member: np.ndarray, names: Sequence[str], rng: np.random.Generator
) -> np.ndarray:
    """The same of a file that teaches itself: each record is judged by trees that have not seen it."""
    fold, found = rng.integers(FOLDS, size=table.n), np.zeros(table.n)
    for number in range(FOLDS):
        here = fold == number
        if here.any() and not here.all():
            found[here] = boosted_likeness(table.take(~here), member[~here], table.take(here), names, rng)
    return found


def _in_codes_of(teacher: Table, pupil: Table, names: Sequence[str]) -> np.ndarray:
    """The columns of one file as numbers, categories by the codes that they have in the other."""
    X = features(teacher, names).X
    for at, name in enumerate(names):
        if not pupil.schema[name].is_numeric:
            codes = {category: code for code, category in enumerate(pupil.schema[name].categories)}
            known = [codes.get(category, np.nan) for category in teacher.schema[name].categories]
            X[:, at] = np.array([*known, np.nan])[teacher[name]]
    return X
