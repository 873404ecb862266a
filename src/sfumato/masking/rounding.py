"""Rounding: numbers become multiples of a base."""

from math import floor, isfinite, log10
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data import Attribute, Table
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole

LARGEST_EXACT = 2.0**53
SMALLEST = 1e-300  # of a base; what is less has lost its digits


class Rounding(InParts):
    """Each value becomes one of the two rounding points around it: kb and (k + 1)b, with k = ⌊x / b⌋.

    - **deterministic**: the nearer one; halfway, the even multiple.
    - **random**: the upper one with probability (x − lower) / (upper − lower), so that the expected value is
      x, and means and totals are kept in expectation.

    A declared bound takes the place of a multiple that lies beyond it. `base` holds for all columns; with
    0, each column has a base of its own: the largest number 1, 2 or 5 times a power of ten that is at most
    `share` of its standard deviation, yet at least two units of the last declared decimal, as less would
    change nothing. A lone value has no spread; its size takes the place. Where all values are equal, they stay.

    Missing values stay missing. Strata play no part: a column has one base for the whole file.

    Source: Willenborg & de Waal (2001), as in Fayyoumi, *thesis*, §2.5.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"sales": [12.0, 95.0, 31.0, 40.0, 8.0, 25.0]}))
    >>> Rounding(base=10).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [10.0, 100.0, 30.0, 40.0, 10.0, 20.0]
    >>> Rounding(share=1.0).bases(firms)  # the standard deviation is 28.8
    {'sales': 20.0}
    """

    scales = ("numeric",)
    stratified = False
    parted_by = "records"
    grid: ClassVar = {"share": (0.2, 0.5, 1.0, 2.0)}
    for_users: ClassVar[Advice] = Advice(
        done="Numbers were rounded to multiples of a base.",
        effect="Means and relations between variables are nearly those collected; differences smaller "
        "than the base are lost.",
        remedy="Treat each value as an interval of the width of the base, and read nothing from ties or "
        "from the last digits.",
    )

    kind: str = param(
        default="deterministic",
        choices=("deterministic", "random"),
        help="nearest multiple, or unbiased draw",
    )
    base: float = param(default=0.0, low=0, help="what values become multiples of (0: by the spread)")
    share: float = param(
        default=0.5, low=0.001, help="base as a share of the standard deviation, where none is given"
    )

    @property
    def households(self) -> Agreement:
        return "alike" if self.kind == "deterministic" else "once"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        bases = {name: self._base(part.schema[name], whole) for name in names}
        return part.replace(
            {name: self._rounded(part[name], part.schema[name], bases[name], rng) for name in names}
        )

    def bases(self, table: Table) -> dict[str, float]:
        """The base of each column; 0 where all values are the same and none was given."""
        whole = Whole.of(table)
        return {name: self._base(table.schema[name], whole) for name in self.targets(table)}

    def _base(self, attribute: Attribute, whole: Whole) -> float:
        if self.base > 0:
            return self.base
        means, spreads = whole.spreads((attribute.name,))
        alone = whole.present(attribute.name) == 1
        spread = abs(float(means[0])) if alone else float(spreads[0])
        least = 0.0 if attribute.decimals is None else 2 * 10.0**-attribute.decimals
        return max(_round_number(self.share * spread), least) if spread > 0 else 0.0

    def _rounded(
        self, values: np.ndarray, attribute: Attribute, base: float, rng: np.random.Generator
    ) -> np.ndarray:
        draws = rng.random(len(values))  # drawn even if unused, so that columns do not depend on each other
        if base == 0:
            return values
        with np.errstate(over="ignore"):
            k = np.floor(values / base)
            coarse = np.abs(k) < LARGEST_EXACT  # else a base is less than the last digit that a number has
            k = np.where(coarse, k, 0)
            points = [np.where(coarse, multiple * base, values) for multiple in (k, k + 1)]
        lower, upper = (_within(point, attribute) for point in points)
        gap = upper - lower
        place = np.divide(values - lower, gap, out=np.zeros_like(values), where=gap > 0)
        nearer = (place > 0.5) | ((place == 0.5) & (k % 2 == 1))
        up = draws < place if self.kind == "random" else nearer
        return attribute.conform(np.where(up, upper, lower))


def _within(values: np.ndarray, attribute: Attribute) -> np.ndarray:
    if attribute.low is None and attribute.high is None:
        return values
    clipped: np.ndarray = np.clip(values, attribute.low, attribute.high)
    return clipped


def _round_number(limit: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is at most the limit; 0 where there is none to calculate with.

    >>> _round_number(28.8), _round_number(0.7), _round_number(1000.0)
    (20.0, 0.5, 1000.0)
    """
    if limit < SMALLEST or not isfinite(limit):
        return 0.0
    exponent = floor(log10(limit))
    digits = limit / 10.0**exponent + 1e-9
    digit = 5 if digits >= 5 else 2 if digits >= 2 else 1
    return float(f"{digit}e{exponent}")
