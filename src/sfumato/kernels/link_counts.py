"""How many released records are nearer to each known one than its own, and as near; kept while some change."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.nearest import TIE, _distance


@kernel
def count_all(
    known: np.ndarray, released: np.ndarray, metric: np.ndarray, sets: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Fill the counts (nearer, as near) of each known record, and return the distances to their own."""
    radii = np.empty(len(known))
    for i in range(len(known)):
        radii[i] = _distance(known[i], released[i], metric, sets, np.inf)
        for r in range(len(released)):
            _add(counts[i], 1, _distance(known[i], released[r], metric, sets, radii[i] * (1 + TIE)), radii[i])
    return radii


@kernel
def recount(
    known: np.ndarray,
    released: np.ndarray,
    rows: np.ndarray,
    new: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    counts: np.ndarray,
    radii: np.ndarray,
) -> None:
    """Bring counts and distances up to date with new values for some released rows; `released` stays."""
    changed = np.full(len(known), -1)
    for c in range(len(rows)):
        changed[rows[c]] = c
    for i in range(len(known)):
        c = changed[i]
        if c < 0:
            for a in range(len(rows)):
                r = rows[a]
                _add(
                    counts[i],
                    -1,
                    _distance(known[i], released[r], metric, sets, radii[i] * (1 + TIE)),
                    radii[i],
                )
                _add(counts[i], 1, _distance(known[i], new[a], metric, sets, radii[i] * (1 + TIE)), radii[i])
            continue
        radii[i] = _distance(known[i], new[c], metric, sets, np.inf)
        counts[i] = 0
        for r in range(len(released)):
            other = released[r] if changed[r] < 0 else new[changed[r]]
            _add(counts[i], 1, _distance(known[i], other, metric, sets, radii[i] * (1 + TIE)), radii[i])


@kernel
def _add(count: np.ndarray, times: int, distance: float, radius: float) -> None:
    if distance < radius * (1 - TIE):
        count[0] += times
    elif distance <= radius * (1 + TIE):
        count[1] += times
