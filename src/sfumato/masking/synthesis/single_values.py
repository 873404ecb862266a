"""Numbers that only one person has, which would show wherever they stand that she was in the file."""

import numpy as np

from sfumato.data import Attribute

ENDS = 5  # largest and smallest values that are drawn around their mean
REACH = 2  # ranks to each side between which another value is drawn
FEWEST_TOGETHER = 3  # single ones of these that keep their sum
TRIES = 10


def without_single_values(attribute: Attribute, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Numbers in which those that occur once are drawn anew between their neighbours; declared decimals and bounds hold.

    A value is drawn between those two ranks below and above, and is not itself again: so it stands in the file as often
    as a number that nobody has, by the draws of its neighbours. Of the five largest and the five smallest each single
    one is drawn around their mean; where at least three are single, these keep their sum.

    >>> pay = Attribute(name="pay", scale="numeric", decimals=0)
    >>> old = np.repeat([100.0, 250, 420, 700], [5, 1, 5, 5])
    >>> new = without_single_values(pay, old, np.random.default_rng(0))
    >>> bool(new[5] != 250 and 100 <= new[5] <= 420), new[old != 250].tolist() == old[old != 250].tolist()
    (True, True)
    """
    present = np.flatnonzero(~np.isnan(values))
    order = present[np.argsort(values[present], kind="stable")]
    ordered = values[order]
    single = _single(ordered)
    drawn = ordered.copy()
    for _ in range(TRIES):
        again = np.flatnonzero(single & (drawn == ordered))
        if len(again) == 0:
            break
        drawn[again] = attribute.conform(_drawn(ordered, single, rng))[again]
    new = values.copy()
    new[order] = drawn
    return new


def _drawn(ordered: np.ndarray, single: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    n = len(ordered)
    ranks = np.arange(n)
    low, high = ordered[np.maximum(ranks - REACH, 0)], ordered[np.minimum(ranks + REACH, n - 1)]
    drawn: np.ndarray = low + (high - low) * rng.random(n)
    ends = min(ENDS, n // 2)
    for end in (slice(0, ends), slice(n - ends, n)):
        drawn[end] = _around_mean(ordered[end], single[end], rng)
    return drawn


def _single(ordered: np.ndarray) -> np.ndarray:
    """Which of the ordered values occur once."""
    apart = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    found: np.ndarray = apart[1:] & apart[:-1]
    return found[: len(ordered)]


def _around_mean(end: np.ndarray, single: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws as far to both sides of the mean as the values reach on the side where they reach less far."""
    if len(end) == 0:
        return end
    mean = end.mean()
    width = min(mean - end.min(), end.max() - mean)
    drawn = mean + width * (2.0 * rng.random(len(end)) - 1.0)
    if np.count_nonzero(single) >= FEWEST_TOGETHER:
        drawn += (end[single] - drawn[single]).mean()
    return np.asarray(drawn)
