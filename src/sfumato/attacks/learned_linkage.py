"""Learned linkage: an intruder who knows some true links learns from them which attributes to trust."""

import numpy as np

from sfumato.attacks._contract import Attack
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.pair_weights import fitted_weights
from sfumato.attacks.linkage.record_space import Readings, Space
from sfumato.core import param
from sfumato.data import Table

MOST_TRAINED = 2000
MOST_CANDIDATES = 5000
BLOCK = 256
HARD = 8  # wrong records per released one and round
ROUNDS = 3


class LearnedLinkage(Attack):
    """Each released record is linked to the nearest known one, under weights learned from true links.

    The distance is Σ_j w_j · d_j with w_j ≥ 0, where d_j is the squared difference of standardised numbers,
    or the distance from 0 to 1 of categories; a value missing on one side only counts 2 or 1. The weights
    are those of a logistic regression that tells the true records of a `fraction` of the file from their
    nearest wrong ones. Attributes that were masked heavily get little weight, so that the attack finds more
    than plain distances where masking is uneven. If the weights find no more of the records they were learned
    from than the plain distances of `distance_linkage`, these are used.

    The attack is tried on the other records only. A guess without the release finds one record of n.

    Source: Abril, Navarro-Arribas & Torra (2012), with a regression in place of their integer program.

    >>> from sfumato.data import Attribute, Schema
    >>> rng = np.random.default_rng(0)
    >>> attributes = [Attribute(name=name, scale="numeric", role="key") for name in "xyz"]
    >>> known = Table(Schema(attributes), {name: rng.normal(size=200) for name in "xyz"})
    >>> released = known.replace({"y": rng.normal(size=200), "z": known["z"] + 0.01 * rng.normal(size=200)})
    >>> result = LearnedLinkage().run(released, known, rng)
    >>> result.attack.value > 95, int(np.isnan(result.outcomes).sum())
    (True, 60)
    """

    fraction: float = param(
        default=0.3, low=0.0, high=0.9, help="share of the records whose true links the intruder knows"
    )
    ties: str = param(
        default="expected", choices=("expected", "miss", "hit"), help="what equally near records count"
    )

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        found = np.full(known.n, np.nan)
        order = rng.permutation(known.n)
        trained = np.sort(order[: int(self.fraction * known.n)])
        rest = np.setdiff1d(order, trained)
        if len(rest):
            linker = _best(released, known, names, trained, rng)
            found[rest] = linker.outcomes(released, self.ties, rows=rest)
        return found


def _best(
    released: Table, known: Table, names: tuple[str, ...], trained: np.ndarray, rng: np.random.Generator
) -> DistanceLinker:
    """The linker that finds most of the records it may learn from; the plain one unless another finds more."""
    plain = DistanceLinker(known, Space(known, names))
    weights = _weights(released, known, names, trained, rng)
    if not weights:
        return plain
    linkers = [plain, DistanceLinker(known, Space(known, names, weights=weights))]
    found = [linker.outcomes(released, rows=trained).sum() for linker in linkers]
    return linkers[int(np.argmax(found))]


def _weights(
    released: Table, known: Table, names: tuple[str, ...], trained: np.ndarray, rng: np.random.Generator
) -> dict[str, float]:
    """The weight of each attribute; none if there is nothing to learn from."""
    rows = np.sort(rng.permutation(trained)[:MOST_TRAINED])
    candidates = np.sort(rng.permutation(known.n)[:MOST_CANDIDATES])
    space = Space(known, names, weights=dict.fromkeys(names, 1.0))
    if len(rows) < 2 or not space.names:
        return {}
    readings = space.read(released.schema)
    gaps = Gaps(space, readings, space.points(released, readings)[rows], space.points(known), candidates)
    learned = learned_weights(gaps, rows)
    if not learned.any():
        return {}
    # the largest is 1, which changes no link and keeps distances within range
    return dict.fromkeys(names, 0.0) | dict(zip(space.names, (learned / learned.max()).tolist(), strict=True))


class Gaps:
    """The released records of some rows, and candidates among the known ones, as points of a weighted space."""

    def __init__(
        self,
        space: Space,
        readings: Readings,
        released: np.ndarray,
        known: np.ndarray,
        candidates: np.ndarray,
    ) -> None:
        self.released, self.known, self.candidates = released, known, candidates
        self.spreads = list(space.spreads.values())
        self.tables = [_table(readings, name) for name in space.names]

    def between(self, j: int, released: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Distances in one attribute: squared and standardised of numbers, as in `dbil` of categories."""
        table = self.tables[j]
        if table is not None:
            pairs: np.ndarray = table[_codes(released), _codes(known)]
            return pairs
        differences = (released - known) / self.spreads[j]
        squares = differences * differences
        gaps: np.ndarray = np.where(np.isnan(squares), 2.0 * (np.isnan(released) != np.isnan(known)), squares)
        return gaps

    def hard_pairs(self, true: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Distances to the nearest wrong candidates minus those to the true record, one row per pair."""
        blocks = [slice(start, start + BLOCK) for start in range(0, len(self.released), BLOCK)]
        return np.concatenate([self._hard(self.released[rows], true[rows], weights) for rows in blocks])

    def _hard(self, released: np.ndarray, true: np.ndarray, weights: np.ndarray) -> np.ndarray:
        X = self.known[self.candidates]
        total = np.zeros((len(released), len(X)))
        for j in np.flatnonzero(weights).tolist():
            total += weights[j] * self.between(j, released[:, j, None], X[:, j])
        total[true[:, None] == self.candidates] = np.inf
        count = min(HARD, len(X) - 1)
        wrong = np.argpartition(total, count - 1, axis=1)[:, :count].ravel()
        own = np.repeat(self.known[true], count, axis=0)
        released = np.repeat(released, count, axis=0)
        d = released.shape[1]
        return np.column_stack(
            [
                self.between(j, released[:, j], X[wrong, j]) - self.between(j, released[:, j], own[:, j])
                for j in range(d)
            ]
        )


def learned_weights(gaps: Gaps, true: np.ndarray) -> np.ndarray:
    """Weights under which true records are nearer than wrong ones, as a logistic regression has it.

    P(the true record is nearer than a wrong one) = 1 / (1 + exp(−Σ_j w_j · (gap to wrong − gap to true)_j)).
    Each round adds the wrong records that are nearest under the weights so far.
    """
    weights = np.ones(len(gaps.spreads))
    pairs = np.empty((0, len(weights)))
    for _ in range(ROUNDS):
        pairs = np.concatenate([pairs, gaps.hard_pairs(true, weights)])
        weights = fitted_weights(pairs, weights)
    return weights


def _codes(values: np.ndarray) -> np.ndarray:
    """Coordinates of categories as positions; a missing one is the last."""
    return np.where(np.isnan(values), -1, values).astype(np.int64)


def _table(readings: Readings, name: str) -> np.ndarray | None:
    if name not in readings:
        return None
    reading = readings[name]
    masked, original = np.arange(reading.width), np.arange(reading.size + 1)
    masked[-1] = original[-1] = -1
    rows = [reading.distances(np.full(len(original), code), original) for code in masked]
    return np.array(rows)
