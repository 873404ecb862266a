"""The slow, obvious twin of distance-based linkage with all its options."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from naive_measures import gap_function, released


def linkage(original, masked, names, *, ties="expected", direction="released", nearest=1):
    """The success of each record, as exact fractions."""
    gaps = {name: gap_function(original, masked, names, name) for name in names}
    used = [name for name in names if gaps[name] is not None]
    n = original.n
    apart = [[sum((gaps[name](s, r) for name in used), Fraction(0)) for s in range(n)] for r in range(n)]
    texts = [released(original, masked, used, r) for r in range(n)]
    found = []
    for r in range(n):
        distances = apart[r] if direction == "released" else [apart[q][r] for q in range(n)]
        nearer = sum(distance < distances[r] for distance in distances)
        near = sum(distance == distances[r] for distance in distances)
        alone = direction == "known" or texts.count(texts[r]) == 1
        found.append(success(ties, nearer, near, nearest, alone))
    return found


def success(ties, nearer, near, nearest, alone):
    places = range(nearer, nearer + near)  # the true record is as likely to take any of them
    if ties == "hit":
        return int(places[0] < nearest)
    if ties == "miss":
        return int(places[-1] < nearest and alone)
    return Fraction(sum(place < nearest for place in places), near)


def over_subsets(original, masked, names, size, **options):
    """The mean percentage over all sets of up to so many attributes."""
    sets = [chosen for k in range(1, min(size, len(names)) + 1) for chosen in combinations(names, k)]
    values = [linkage(original, masked, chosen, **options) for chosen in sets]
    return 100 * float(sum(map(sum, values)) / (original.n * len(sets)))


def mahalanobis(X, Y):
    """Squared distances of masked (rows) and original records (columns), by the pseudoinverse."""
    inverse = np.linalg.pinv(np.cov(X.T, bias=True).reshape(X.shape[1], -1), rcond=1e-10, hermitian=True)
    differences = Y[:, None, :] - X[None, :, :]
    return np.einsum("qsi,ij,qsj->qs", differences, inverse, differences)
