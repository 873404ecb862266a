"""Coverage: which original categories a masked one stands for.

A masked attribute may have another domain than the original. A masked category stands for itself where its
label is in the original domain, for the categories it `covers` where that is declared, and for any category
of the domain otherwise. One that stands for several counts, everywhere, as a uniform draw from them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sfumato.data.attribute import Attribute
from sfumato.data.encoding import MISSING

Pairwise = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Coverage:
    """The masked codes of an attribute in terms of the original domain.

    A reading is a category 0 … size − 1 of the original domain, size + s for the s-th of the `sets`, or −1
    for missing. Same domains have no sets, and cost nothing.
    """

    size: int
    ordinal: bool
    readings: np.ndarray
    sets: tuple[np.ndarray, ...]

    @property
    def width(self) -> int:
        """How many readings there are, missing included."""
        return self.size + len(self.sets) + 1

    def of(self, codes: np.ndarray) -> np.ndarray:
        readings: np.ndarray = self.readings[codes]
        return readings

    def distances(self, masked: np.ndarray, original: np.ndarray) -> np.ndarray:
        """Distances of readings and original codes: 1 where one of them is missing, 0 where both are."""
        apart = self.drawn(self.steps, masked, original) / self.span
        one, both = (masked < 0) ^ (original < 0), (masked < 0) & (original < 0)
        return np.where(one, 1.0, np.where(both, 0.0, apart))

    def steps(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distance of categories in whole steps: the difference of ranks if ordinal, 0 or 1 if nominal."""
        steps: np.ndarray = np.abs(a - b) if self.ordinal else (a != b).astype(np.int64)
        return steps

    @property
    def span(self) -> int:
        """How many steps are a distance of 1."""
        return self.size if self.ordinal else 1

    def drawn(self, pairwise: Pairwise, masked: np.ndarray, original: np.ndarray) -> np.ndarray:
        """A function of a category and the original one; where a set was released, its mean over members."""
        values = pairwise(np.minimum(masked, self.size - 1), original).astype(float)
        for s in range(len(self.sets)):
            rows = masked == self.size + s
            if rows.any():
                values[rows] = self.expected(pairwise, s)[original[rows]]
        return values

    def expected(self, pairwise: Pairwise, s: int) -> np.ndarray:
        """The mean of a function over the members of a set, for each category of the domain."""
        domain = np.arange(self.size)
        total = np.zeros(self.size)
        for member in self.sets[s]:
            total += pairwise(np.full(1, member), domain)
        return total / len(self.sets[s])

    def weights(self) -> np.ndarray:
        """How a reading (row) is spread over the domain (columns); missing is last in both."""
        spread = np.zeros((self.width, self.size + 1))
        np.fill_diagonal(spread[: self.size], 1.0)
        for s, members in enumerate(self.sets):
            spread[self.size + s, members] = 1 / len(members)
        spread[-1, -1] = 1.0
        return spread

    def containing(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same in compressed form by category: where each starts, the readings, and their weights."""
        category = np.concatenate([np.arange(self.size + 1), *self.sets])
        reading = np.repeat(np.arange(self.size, self.width - 1), [len(s) for s in self.sets])
        weight = np.repeat([1 / len(s) for s in self.sets], [len(s) for s in self.sets])
        reading = np.concatenate([np.arange(self.size), [self.width - 1], reading]).astype(np.int64)
        weight = np.concatenate([np.ones(self.size + 1), weight])
        order = np.argsort(category, kind="stable")
        starts = np.searchsorted(category[order], np.arange(self.size + 2))
        return starts, reading[order], weight[order]


def coverage_of(original: Attribute, masked: Attribute) -> Coverage:
    """The coverage of the masked codes of an attribute.

    >>> sizes = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> fewer = sizes.evolve(categories=("S", "M+", "?"), covers={"M+": ("M", "L")})
    >>> reading = coverage_of(sizes, fewer)
    >>> reading.of(np.array([0, 1, 2, -1])).tolist(), [s.tolist() for s in reading.sets]
    ([0, 3, 4, -1], [[1, 2], [0, 1, 2]])
    >>> reading.distances(np.array([3, 3, 4, -1]), np.array([2, 0, -1, -1])).round(2).tolist()
    [0.17, 0.5, 1.0, 0.0]
    """
    size = max(original.domain_size, 1)  # a domain of nothing is read as one nameless category
    ordinal = original.scale == "ordinal"
    if masked.categories == original.categories:
        return Coverage(size, ordinal, np.append(np.arange(masked.domain_size), MISSING), ())
    position = {label: code for code, label in enumerate(original.categories)}
    numbers: dict[tuple[int, ...], int] = {(code,): code for code in range(size)}
    readings = []
    for label in masked.categories:
        covered = (label,) if label in position else masked.covers.get(label, ())
        members = tuple(sorted({position[name] for name in covered if name in position})) or tuple(
            range(size)
        )
        readings.append(numbers.setdefault(members, len(numbers)))
    sets = tuple(np.array(members) for members, number in numbers.items() if number >= size)
    return Coverage(size, ordinal, np.array([*readings, MISSING], np.int64), sets)


def original_codes(codes: np.ndarray) -> np.ndarray:
    """Original codes in the integers that readings are made of."""
    return codes.astype(np.int64)
