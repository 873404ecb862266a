"""Pair classifiers: models that learn, from people who are known, what true pairs of records look like."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from sfumato.attacks.linkage.pair_weights import fitted_weights
from sfumato.attacks.panel.case import Case
from sfumato.attacks.panel.long_list import Pairs, long_list
from sfumato.attacks.panel.pair_features import pair_features
from sfumato.core import stream
from sfumato.kernels.boosted_trees import boosted_classifier

SHORT = (
    60  # pairs of a person, of the long list the most likely ones by the logistic model, which the trees rank
)
HARD, FAR = 16, 12  # wrong records to learn from, of the long list and of all
MOST_TAUGHT = 1000
ROUNDS = 50
TURNS = 20  # of making rows and columns sum up
CERTAIN = 1e-12


class Ranked(NamedTuple):
    """Pairs with the log odds that they are true."""

    pairs: Pairs
    odds: np.ndarray


class Lesson(NamedTuple):
    """True pairs of people who are known, and wrong ones: rows of features, and whose they are."""

    true: np.ndarray
    wrong: np.ndarray
    whose: np.ndarray  # of the wrong ones, by their place among the true


def lesson(case: Case, half: int) -> Lesson:
    """What the people outside a half teach."""
    pairs = case.once(long_list)
    rng = stream(case.seed, "lesson", half)
    taught = np.flatnonzero(case.halves != half)[:MOST_TAUGHT]
    starts = np.searchsorted(pairs.place, np.arange(len(case.people) + 1))
    sizes = np.diff(starts)[taught, None]
    near = pairs.kind[starts[taught, None] + rng.integers(0, sizes, (len(taught), HARD))]
    far = rng.integers(0, len(case.first), (len(taught), FAR))
    kinds = np.concatenate([near, far], axis=1).ravel()
    whose = np.repeat(np.arange(len(taught)), HARD + FAR)
    rows = case.people[taught]
    wrong = kinds != case.own[rows][whose]
    return Lesson(
        pair_features(case, taught, case.own[rows]),
        pair_features(case, taught[whose[wrong]], kinds[wrong]),
        whose[wrong],
    )


def lessons(case: Case) -> list[Lesson]:
    return [lesson(case, half) for half in (0, 1)]


def _telling(case: Case) -> Iterator[tuple[int, Lesson]]:
    """The halves, and what is taught about each; where all released records are alike nothing is, and all pairs are as likely."""
    yield from ((half, taught) for half, taught in enumerate(case.once(lessons)) if len(taught.wrong))


def by_logistic(case: Case) -> Ranked:
    """A regression on differences, as in `learned_linkage`, over the long list."""
    pairs = case.once(long_list)
    odds = np.zeros(len(pairs.place))
    for half, taught in _telling(case):
        true, wrong = np.nan_to_num(taught.true), np.nan_to_num(taught.wrong)
        units = np.maximum(wrong.std(0), CERTAIN)
        weights = fitted_weights((wrong - true[taught.whose]) / units, np.ones(len(units))) / units
        rows = np.flatnonzero(case.halves[pairs.place] == half)
        features = pair_features(case, pairs.place[rows], pairs.kind[rows])
        odds[rows] = -np.einsum("nj,j->n", np.nan_to_num(features), weights)
    return Ranked(pairs, odds)


def by_trees(case: Case) -> Ranked:
    """Boosted trees on differences, over the pairs that the regression finds most likely."""
    pairs = _short_list(case.once(by_logistic))
    odds = np.zeros(len(pairs.place))
    for half, taught in _telling(case):
        X = np.concatenate([taught.true, taught.wrong])
        y = np.arange(len(X)) < len(taught.true)
        nominal = np.zeros(X.shape[1], bool)
        model = boosted_classifier(X, y.astype(int), nominal=nominal, seed=case.seed % 2**32, rounds=ROUNDS)
        rows = np.flatnonzero(case.halves[pairs.place] == half)
        features = pair_features(case, pairs.place[rows], pairs.kind[rows])
        odds[rows] = scipy.special.logit(np.clip(model.probabilities(features)[:, 1], CERTAIN, 1 - CERTAIN))
    return Ranked(pairs, odds)


def _short_list(ranked: Ranked) -> Pairs:
    order = np.lexsort([ranked.pairs.kind, -ranked.odds, ranked.pairs.place])
    place = ranked.pairs.place[order]
    rank = np.arange(len(order)) - np.searchsorted(place, place)
    kept = np.sort(order[rank < SHORT])
    return Pairs(ranked.pairs.place[kept], ranked.pairs.kind[kept])


def top_shares(case: Case, ranked: Ranked) -> np.ndarray:
    """The chance to take the right record, if one of the likeliest is taken."""
    place, kind = ranked.pairs
    starts = np.searchsorted(place, np.arange(len(case.people)))
    top = ranked.odds == np.maximum.reduceat(ranked.odds, starts)[place]
    taken = np.bincount(place, top * case.counts[kind], len(case.people))
    true = np.bincount(place, top & (kind == case.own[case.people][place]), len(case.people))
    return true / taken


def logistic(case: Case) -> np.ndarray:
    return top_shares(case, case.once(by_logistic))


def boosted(case: Case) -> np.ndarray:
    return top_shares(case, case.once(by_trees))


def boosted_one_to_one(case: Case) -> np.ndarray:
    """The same if she knows that every record is of one person.

    Odds are scaled until the chances of each person sum to one, and those of each record to no more (Sinkhorn; other
    people than those looked for may have it): what is certain about one person helps to find others.
    """
    (place, kind), odds = case.once(by_trees)
    chances = np.exp(
        odds - np.maximum.reduceat(odds, np.searchsorted(place, np.arange(len(case.people))))[place]
    )
    for _ in range(TURNS):
        chances = chances / np.bincount(place, chances, len(case.people))[place]
        claimed = np.bincount(kind, chances, len(case.counts))
        chances = chances * (case.counts / np.maximum(claimed, case.counts))[kind]
    return top_shares(case, Ranked(Pairs(place, kind), chances))
