"""What a class of records that are alike must hold to be released: k, l, t, individual risk, people."""

from dataclasses import dataclass

import numpy as np

from sfumato.kernels.coarser_classes import added_up, coarser_values, earth_moved
from sfumato.kernels.compatible_records import EMPTY, compatible_sums
from sfumato.kernels.population_risk import individual_risk
from sfumato.masking._lattice import PEOPLE, Classes, Lattice, Secret

ROUNDING = 1e-12  # a distance or a risk this little above its limit is at the limit
SHORT = 1e-9  # 2^H of equal frequencies may be a digit short; so may a share of a class


@dataclass(frozen=True)
class Rules:
    """The least size, diversity and number of people of a class, and its largest distance and risk.

    `judged` says of each class how many of its records are sure to be in a class that breaks a rule, at its own node
    and at every finer one; 0 where it keeps all rules. Sizes, people, risks and numbers of different values are all
    or nothing: no part of a class keeps them if the whole does not. Of a class that is too far from the file, or of too
    little entropy, some part must be so as well, since the distance of a mixture is at most, and its entropy at
    least, the mean of those of its parts.
    """

    k: int
    l: float = 1.0  # noqa: E741 -- the field's name
    entropy: bool = False
    t: float = 1.0
    risk: float = 1.0
    people: float = 0.0
    matches_any: bool = False

    def judged(self, lattice: Lattice, classes: Classes) -> np.ndarray:
        """How many records of each class are doomed."""
        doomed = np.where(self._too_few(lattice, classes), classes.counts, 0)
        stratum = lattice.stratum[classes.first]
        for secret, values in zip(lattice.secrets, classes.values, strict=True):
            sizes = added_up(values[:, 0], values[:, 2:], len(classes))[:, 0]
            if self.l > 1:
                doomed = np.maximum(doomed, self._alike(values, sizes))
            if self.t < 1:
                doomed = np.maximum(doomed, self._far(secret, values, sizes, stratum))
        return doomed

    def suppressed(
        self, lattice: Lattice, classes: Classes, fails: np.ndarray, blank: np.ndarray, budget: int
    ) -> np.ndarray | None:
        """Which classes are suppressed: those that break a rule, and where they break one together too, more.

        Records that are suppressed show nothing but empty cells, as others may do anyway (`blank`), and are a class of
        their own in each stratum. Where that breaks a rule, the smallest of the others join it: one, then two more,
        then four, and so on. None where these are too many.
        """
        gone: np.ndarray = fails & ~blank
        more = 1
        while classes.counts[gone].sum() <= budget:
            one, strata = joined(lattice, classes, np.flatnonzero(gone | blank))
            wrong = strata[self.judged(lattice, one) > 0] if not self.matches_any else ()
            if not len(wrong):
                return gone
            for stratum in wrong:
                left = np.flatnonzero(~gone & ~blank & (lattice.stratum[classes.first] == stratum))
                if not len(left):
                    return None
                gone[left[np.argsort(classes.counts[left], kind="stable")[:more]]] = True
            more *= 2
        return None

    def _too_few(self, lattice: Lattice, classes: Classes) -> np.ndarray:
        f = classes.counts
        few: np.ndarray = (_like(lattice, classes, self.k) if self.matches_any else f) < self.k
        if self.risk >= 1 and self.people <= 0:
            return few
        F = np.maximum(classes.sums[:, PEOPLE] * lattice.unit, f) if classes.sums.shape[1] > PEOPLE else f
        few |= self.people > F
        if self.risk < 1:
            # 1 / F ≤ risk ≤ f / (f − 1) / F: most classes need no series
            few |= self.risk + ROUNDING < 1 / F
            doubtful = np.flatnonzero(~few & (f > (f - 1) * F * self.risk) & (f < F))
            few[doubtful] = individual_risk(f[doubtful], F[doubtful]) > self.risk + ROUNDING
        return few

    def _alike(self, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Classes of too few different values; a class without any discloses nothing, nor does such a part."""
        of, counts = values[:, 0], values[:, 2]
        if not self.entropy:
            different = np.bincount(of, minlength=len(sizes))
            return np.where(different < self.l - SHORT, sizes, 0)
        p = counts / sizes[of]
        bits = np.bincount(of, -p * np.log2(p), minlength=len(sizes))
        fails = (2.0**bits < self.l - SHORT) & (sizes > 0)
        return _shares(fails, 1 - bits / np.log2(self.l), sizes)

    def _far(self, secret: Secret, values: np.ndarray, sizes: np.ndarray, stratum: np.ndarray) -> np.ndarray:
        """Classes whose values are distributed unlike those of their stratum."""
        ordered = secret.scale != "nominal"
        moved = earth_moved(values, sizes, secret.ends[stratum], secret.upto, ordered)
        fails = moved > self.t + ROUNDING
        farthest = np.ones(len(sizes)) if not fails.any() else _farthest(secret, ordered)[stratum]
        return _shares(fails, (moved - self.t) / np.maximum(farthest - self.t, ROUNDING), sizes)


def _shares(fails: np.ndarray, share: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """At least so many records of a class, and at least one where it fails."""
    some = np.ceil(np.clip(share, 0, 1) * sizes - SHORT).astype(np.int64)
    return np.where(fails, np.maximum(some, 1), 0)


def _farthest(secret: Secret, ordered: bool) -> np.ndarray:
    """How far a class of a stratum can be from it: as far as one that has a single value."""
    strata = np.repeat(np.arange(len(secret.ends)), np.diff(secret.ends)[:, 0])
    starts = np.repeat(secret.ends[:, 0], np.diff(secret.ends)[:, 0])
    places = np.arange(len(secret.upto))
    before = np.where(places > starts, np.append(0, secret.upto)[places], 0)
    some = np.flatnonzero(secret.upto > before)
    values = np.column_stack([np.arange(len(some)), some, np.ones(len(some), np.int64)])
    moved = earth_moved(values, np.ones(len(some), np.int64), secret.ends[strata[some]], secret.upto, ordered)
    farthest = np.zeros(len(secret.ends))
    np.maximum.at(farthest, strata[some], moved)
    return farthest


def _like(lattice: Lattice, classes: Classes, k: int) -> np.ndarray:
    """How many records are like those of each class if a missing value is like any; at least k where it says so."""
    levels = [(column, level) for column, level in lattice.at(classes.node) if not level.blank]
    rows = lattice.states[classes.first]
    found = [level.to[rows[:, column]] for column, level in levels]
    holes = [level.missing[states] for states, (_, level) in zip(found, levels, strict=True)]
    shown = [np.where(hole, EMPTY, states) for states, hole in zip(found, holes, strict=True)]
    keys = np.column_stack([rows[:, -1], *shown]).astype(np.int32)
    order = np.lexsort(keys.T[::-1])
    upto = np.append(0, np.cumsum(classes.counts[order]))[:, None].astype(np.float64)
    few = np.flatnonzero(classes.counts < k)
    like = classes.counts.copy()
    like[few] = np.rint(compatible_sums(keys[order], upto, keys[few], float(k))[:, 0])
    return like


def joined(lattice: Lattice, classes: Classes, chosen: np.ndarray) -> tuple[Classes, np.ndarray]:
    """Some of the classes as one for each stratum, as they are when all are blanked; and which strata these are."""
    strata, labels = np.unique(lattice.stratum[classes.first[chosen]], return_inverse=True)
    labels = labels.ravel().astype(np.int32)
    place = np.full(len(classes), -1, np.int32)
    place[chosen] = labels
    first = chosen[np.unique(labels, return_index=True)[1]]
    values = tuple(
        coarser_values(found[place[found[:, 0]] >= 0], place, len(strata), len(secret.upto))
        for found, secret in zip(classes.values, lattice.secrets, strict=True)
    )
    sums = added_up(labels, classes.sums[chosen], len(strata))
    return Classes(lattice.top, classes.first[first], sums, values), strata
