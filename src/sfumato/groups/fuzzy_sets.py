"""Fuzzy sets: how much a value belongs to the meaning of a word, from 0 to 1."""

import math
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute
from sfumato.data.attribute import as_number

SHAPES = {"trapezoid": 4, "triangle": 3, "gaussian": 2, "set": 0}  # and how many points they have


@dataclass(frozen=True)
class FuzzySet:
    """A shape and its points.

    A trapezoid a, b, c, d rises from a to b, is 1 up to c and falls to d; a triangle a, b, c has its top at b;
    where two points are the same the edge is upright and belongs to the set. A gaussian has its middle and
    its spread. A set is crisp: the values it lists belong, and no others.

    >>> age = Attribute(name="age", scale="numeric")
    >>> FuzzySet("trapezoid", (18, 18, 22, 26)).membership(age, np.array([17.0, 18, 23, 30, np.nan])).tolist()
    [0.0, 1.0, 0.75, 0.0, 0.0]
    """

    shape: str
    points: tuple[float, ...] | tuple[str, ...]

    def __post_init__(self) -> None:
        if self.shape == "set":
            if not self.points:
                raise DataError("a set must list at least one value.")
            return
        wanted = SHAPES[self.shape]
        if len(self.points) != wanted or not all(_is_number(point) for point in self.points):
            raise DataError(f"a {self.shape} takes {wanted} numbers.")
        numbers = self.numbers
        if self.shape == "gaussian" and numbers[1] <= 0:
            raise DataError("the spread of a gaussian must be greater than 0.")
        if self.shape != "gaussian" and sorted(numbers) != list(numbers):
            raise DataError(f"the points of a {self.shape} must not fall.")

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(float(point) for point in self.points)

    def membership(self, attribute: Attribute, values: np.ndarray) -> np.ndarray:
        """How much each value, a number or a code of the attribute, belongs; a missing one does not."""
        if attribute.is_numeric:
            return self._of_numbers(values)
        return np.append(self._of_categories(attribute), 0.0).take(values)

    def check_fits(self, attribute: Attribute, word: str) -> None:
        """Refuse numbers for categories that are none, and categories for numbers."""
        where = f"vocabulary, {attribute.name}"
        if attribute.is_numeric:
            if self.shape == "set" and any(as_number(str(point)) is None for point in self.points):
                raise DataError(f"{where}: the column is numeric; {word} must list numbers.")
        elif (
            self.shape != "set"
            and attribute.scale == "nominal"
            and any(as_number(category) is None for category in attribute.categories)
        ):
            raise DataError(f"{where}: its categories are no numbers; {word} must be a set of them.")

    def check_known(self, attribute: Attribute, word: str) -> None:
        """Refuse a set of which no value is a category."""
        if self.shape == "set" and not attribute.is_numeric:
            listed = tuple(map(str, self.points))
            if not set(listed) & set(attribute.categories):
                raise UnknownNameError(
                    f"value of {attribute.name} in the word {word}", listed[0], attribute.categories
                )

    def _of_categories(self, attribute: Attribute) -> np.ndarray:
        if self.shape == "set":
            return np.array([float(category in self.points) for category in attribute.categories])
        numbers = [as_number(category) for category in attribute.categories]
        if None in numbers:  # an ordinal attribute: the first category is 1
            numbers = [float(place) for place in range(1, attribute.domain_size + 1)]
        return self._of_numbers(np.array(numbers, np.float64))

    def _of_numbers(self, x: np.ndarray) -> np.ndarray:
        if self.shape == "set":
            return np.isin(x, [float(point) for point in self.points]).astype(np.float64)
        if self.shape == "gaussian":
            middle, spread = self.numbers
            return np.nan_to_num(np.exp(-(((x - middle) / spread) ** 2) / 2))
        a, b, c, d = self.numbers if self.shape == "trapezoid" else (*self.numbers[:2], *self.numbers[1:])
        rising = _ramp(x, a, b)
        falling = _ramp(-x, -d, -c)
        slopes: np.ndarray = np.nan_to_num(np.minimum(rising, falling))
        return slopes


def _ramp(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 before low, 1 from high on, and straight between."""
    if low == high:
        return np.where(np.isnan(x), np.nan, (x >= high).astype(np.float64))
    return np.clip((x - low) / (high - low), 0.0, 1.0)


def _is_number(point: object) -> bool:
    return isinstance(point, int | float) and not isinstance(point, bool) and math.isfinite(point)
