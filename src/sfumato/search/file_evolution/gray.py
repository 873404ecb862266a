"""Gray codes: neighbours on the line differ in one bit."""

import numpy as np

from sfumato.data import Attribute

MOST_DIGITS = 9  # of a number without declared decimals, in units of its range


class IntegerGrid:
    """Numbers of an attribute as whole numbers from 0, and back."""

    def __init__(self, attribute: Attribute, values: np.ndarray) -> None:
        self.attribute = attribute
        low, high = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
        if low > high:  # no value is present
            low = high = 0.0
        self.low = min(low, 0.0) if attribute.low is None else min(attribute.low, 0.0)
        reach = max(high - self.low, 0.0)
        self.unit = (
            10.0**-attribute.decimals if attribute.decimals is not None else reach * 10.0**-MOST_DIGITS
        )
        self.unit = self.unit or 1.0
        self.bits = max(1, round(reach / self.unit).bit_length())

    def flipped(self, value: float, rng: np.random.Generator) -> float:
        """The value with one bit of its perturbation flipped.

        That bit of the Gray code of the value is the one to flip: the original's code, which the
        perturbation is taken against, stays.
        """
        bit = int(rng.integers(self.bits))
        return value if np.isnan(value) else self._with_flipped(value, bit)

    def flipped_below(self, value: float, original: float, rng: np.random.Generator) -> float:
        """The same, with a bit no higher than the highest that the perturbation has set; without one, the value."""
        if np.isnan(value) or np.isnan(original):
            return value
        length = genome(self._whole(value), self._whole(original)).bit_length()
        return self._with_flipped(value, int(rng.integers(length))) if length else value

    def _whole(self, value: float) -> int:
        return max(0, round((value - self.low) / self.unit))

    def _with_flipped(self, value: float, bit: int) -> float:
        found = from_gray(to_gray(self._whole(value)) ^ (1 << bit))
        return float(self.attribute.conform(np.array([self.low + found * self.unit]))[0])


def to_gray(number: int) -> int:
    """The Gray code of a whole number.

    >>> f"{to_gray(1500):b}", f"{to_gray(1000):b}"
    ('11100110010', '1000011100')
    """
    return number ^ (number >> 1)


def from_gray(code: int) -> int:
    """The whole number of a Gray code.

    >>> all(from_gray(to_gray(number)) == number for number in range(1000))
    True
    """
    number = 0
    while code:
        number ^= code
        code >>= 1
    return number


def genome(masked: int, original: int) -> int:
    """The perturbation that turns an original value into a masked one (eq. 3.1).

    >>> f"{genome(1500, 1000):b}", f"{genome(1500, 1900):b}", f"{genome(12, 7):b}"
    ('10100101110', '1111101000', '1110')
    """
    return to_gray(masked) ^ to_gray(original)
