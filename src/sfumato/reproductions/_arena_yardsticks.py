"""The yardsticks of the arena, in our own words: how near the tables of two files are, and who can be seen in both.

Source: NIST, *Collaborative Research Cycle*, and the report of its evaluator SDNist; the archive's scores come from
there. It draws 100 pairs of features at random and averages over areas; here all pairs count, and an area by its size.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.single_thread import one_thread
from sfumato.reproductions._arena_features import AREA, INDUSTRY, Cells, Comparable, binned, comparable

KNOWN_TO_INTRUDERS = ("SEX", "MSP", "RAC1P", "OWN_RENT", "EDU", "PUMA", "INDP_CAT", "HISP")
AGE = "AGEP"
# below these ages a feature is not applicable
LEAST_AGES = {"MSP": 15, "PINCP": 15, "PINCP_DECILE": 15, "EDU": 3, "DVET": 17}
DEPTH = 6


class ArenaScores(Result):
    """How a release fares: the k-marginal up to 1000, more is better; percentages, of which less is better; the pMSE.

    `features` are those that counted. `impossible` is nothing where no rule applies to them.
    """

    k_marginal: float
    uem: float
    apparent_matches: int
    apparent_agreement: float
    pmse: float
    impossible: float | None
    features: tuple[str, ...]
    records: int


def arena_scores(original: Table, released: Table, names: tuple[str, ...]) -> ArenaScores:
    """Judge a release by all yardsticks on some features of the original."""
    pair = comparable(original, released, names)
    matches, agreement = apparent_match(pair)
    return ArenaScores(
        k_marginal=k_marginal(pair),
        uem=uem(pair),
        apparent_matches=matches,
        apparent_agreement=agreement,
        pmse=pmse(pair),
        impossible=impossible(pair),
        features=pair.names,
        records=pair.sizes[1],
    )


def k_marginal(pair: Comparable) -> float:
    """1000·(1 − mean total variation distance) of the tables of shares of all pairs of features.

    Area and industry are in no pair; where the area is a feature it is joined to each pair.
    """
    paired = [name for name in pair.names if name not in (AREA, INDUSTRY)]
    if len(paired) < 2:
        raise DataError(f"The k-marginal needs two features beside {AREA} and {INDUSTRY}. Got {len(paired)}.")
    ours, theirs = (np.zeros(n, np.int64) for n in pair.sizes)
    areas = binned(pair, AREA) if AREA in pair.names else Cells(ours, theirs, 1)
    cells = {name: binned(pair, name) for name in paired}
    distances = [
        areas.joined(cells[one]).joined(cells[other]).distance for one, other in combinations(paired, 2)
    ]
    return 1000.0 * (1.0 - float(np.mean(distances)))


def uem(pair: Comparable) -> float:
    """Unique exact matches: of the original's records that are unique, the percent that occur in the release."""
    n = pair.sizes[0]
    labels = distinct(pair.stacked(pair.names)).labels
    return _found(labels[:n], labels[:n], labels[n:])


class Coincidences(NamedTuple):
    """Of the people inside a protected file and of others, the percent of unique ones who occur in the release."""

    inside: float
    outside: float


def coincidences(inside: Table, outside: Table, released: Table, names: tuple[str, ...]) -> Coincidences:
    """Whether unique people occur in a release because they were there: as often as people who were not, or more.

    Both are unique among all of them, so that nobody inside is rarer than anybody outside.
    """
    pair, others = (comparable(people, released, names) for people in (inside, outside))
    n, released_n = pair.sizes
    columns = [
        np.concatenate([values, others.original[name]])
        for name, values in zip(pair.names, pair.stacked(pair.names), strict=True)
    ]
    labels = distinct(columns).labels
    seen = labels[n : n + released_n]
    people = labels[:n], labels[n + released_n :]
    everybody = np.concatenate(people)
    return Coincidences(*(_found(those, everybody, seen) for those in people))


def apparent_match(pair: Comparable) -> tuple[int, float]:
    """What an intruder takes for a hit: records unique in both files, and alike, in what she knows.

    The number of them, and the percent of their other features that agree; 0 where there are none.
    """
    known = [name for name in pair.names if name in KNOWN_TO_INTRUDERS]
    others = [name for name in pair.names if name not in known]
    n, released_n = pair.sizes
    labels = distinct(pair.stacked(known)).labels if known else np.zeros(n + released_n, np.int64)
    size = int(labels.max()) + 1
    both = (np.bincount(labels[:n], minlength=size) == 1) & (np.bincount(labels[n:], minlength=size) == 1)
    place = np.zeros(size, np.int64)
    place[labels[:n]] = np.arange(n)
    theirs = np.flatnonzero(both[labels[n:]])
    ours = place[labels[n:][theirs]]
    if not len(theirs) or not others:
        return len(theirs), 0.0
    same = [_equal(pair.original[name][ours], pair.released[name][theirs]) for name in others]
    return len(theirs), 100.0 * float(np.mean(same))


def pmse(pair: Comparable) -> float:
    """The mean squared distance of p from its mean, where p is how surely a tree takes a record for a released one.

    The tree of depth 6 sees each feature as one number: the value, or the place of the category in its domain; one
    that is not applicable lies below all others. It is judged on the records it learned from.
    """
    from sklearn.tree import DecisionTreeClassifier

    X = np.column_stack([_below(column) for column in pair.stacked(pair.names)])
    is_released = np.repeat([0, 1], pair.sizes)
    with one_thread():
        tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X, is_released)
        p = tree.predict_proba(X)[:, 1]
    return float(np.mean((p - is_released.mean()) ** 2))


def impossible(pair: Comparable) -> float | None:
    """The percent of released records in which somebody too young is married, earns, went to school or to war."""
    released = pair.released
    judged = [name for name in LEAST_AGES if name in released] if AGE in released else []
    if not judged:
        return None
    broken = [(released[AGE] < LEAST_AGES[name]) & ~np.isnan(released[name]) for name in judged]
    return 100.0 * float(np.mean(np.any(broken, axis=0)))


def _found(people: np.ndarray, among: np.ndarray, seen: np.ndarray) -> float:
    """The percent of those unique among all whose records were seen; nobody unique is nobody found."""
    size = int(max(among.max(initial=0), seen.max(initial=0))) + 1
    is_unique = np.bincount(among, minlength=size)[people] == 1
    is_seen = np.bincount(seen, minlength=size)[people] > 0
    return 100.0 * float(np.mean(is_seen[is_unique])) if is_unique.any() else 0.0


def _equal(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    same: np.ndarray = (one == other) | (np.isnan(one) & np.isnan(other))
    return same


def _below(values: np.ndarray) -> np.ndarray:
    missing = np.isnan(values)
    return np.where(missing, values[~missing].min(initial=0.0) - 1.0, values)
