"""Top and bottom coding: the extremes of an attribute become one value."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param
from sfumato.data import Attribute, Scale, Table
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole
from sfumato.masking._recoding import merged


class TopBottomCoding(InParts):
    """Large (top) and small (bottom) values are hidden behind a common one.

    **Ordinal.** The last p categories of the declared domain become one (top coding), and so do the first p
    (bottom coding). The new category is called "first..last", and `covers` tells what it stands for.

    **Numeric.** The threshold θ is the value beyond which at most `percent` of the n values present lie:

        top:    θ = x_(n − c),   x' = θ where x > θ        c = ⌊percent·n / 100⌋
        bottom: θ = x_(c + 1),   x' = θ where x < θ

    With `replace="mean"` the values beyond θ take their mean instead, which keeps the total of the
    attribute; a tail of one record still takes θ, as its mean would be its own value. The mean is rounded
    to the declared decimals and kept within the declared bounds.

    Or the thresholds are given: `top=100000` codes every number above it, `bottom=0` every number below; then neither
    `side` nor `percent` plays a part, and only numeric columns are taken. Given thresholds need not be values of the
    file, and tell nobody where its extremes are. `replace="mean"` looks at the file, and needs a percentage.

    Top means large values, as the field has it; the thesis calls the *first* categories the top. Nothing is
    drawn at random. Missing values stay missing. Strata play no part: there is one threshold for the file.

    Source: Hundepool et al. (1998), as in Marés, *thesis*, §2.3.5; numeric thresholds: Fayyoumi, *thesis*, §2.5.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"sales": [12.0, 950.0, 31.0, 40.0, 8.0, 25.0]}))
    >>> masked = TopBottomCoding(side="top", percent=20).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [12.0, 40.0, 31.0, 40.0, 8.0, 25.0]
    >>> TopBottomCoding(top=30, bottom=10).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [12.0, 30.0, 30.0, 30.0, 10.0, 25.0]
    """

    scales = ("numeric", "ordinal")
    only_coarsens = True
    stratified = False
    parted_by = "records"
    grid: ClassVar = {"percent": (1.0, 2.0, 5.0, 10.0, 20.0), "p": (2, 3, 4)}
    for_users: ClassVar[Advice] = Advice(
        done="The largest values, the smallest, or both were replaced by a common one, or extreme "
        "categories were merged.",
        effect="All values between the ends are as collected; means are pulled towards the middle, and "
        "variances are smaller.",
        remedy="Use medians and quantiles inside the ends, or a model for censored values (such as "
        "tobit) for means and regressions.",
    )

    side: str = param(
        default="both", choices=("both", "top", "bottom"), help="which end to code: large or small values"
    )
    p: int = param(default=2, low=2, help="ordinal: how many categories to merge at an end")
    percent: float = param(
        default=5.0, low=0, high=50, help="numeric: share of the values to code at an end, in percent"
    )
    replace: str = param(
        default="threshold", choices=("threshold", "mean"), help="numeric: what coded values become"
    )

    top: float | None = param(default=None, help="numeric: code what is above this number")
    bottom: float | None = param(default=None, help="numeric: code what is below this number")

    def check(self) -> None:
        if not self.is_given:
            return
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise ParameterError(
                f"{self.name}: bottom must be below top. Got bottom = {self.bottom:g} and top = {self.top:g}."
            )
        if self.replace == "mean":
            raise ParameterError(f"{self.name}: replace = mean needs a percentage, and no top or bottom.")

    @property
    def is_given(self) -> bool:
        """Whether thresholds are given, and not found in the file."""
        return self.top is not None or self.bottom is not None

    @property
    def taken(self) -> tuple[Scale, ...]:
        return ("numeric",) if self.is_given else self.scales

    @classmethod
    def settings(cls, *, numeric: bool) -> Iterator[dict[str, Any]]:
        """Percentages for numbers, counts of categories for ordinal attributes."""
        name = "percent" if numeric else "p"
        for value in cls.grid[name]:
            yield {name: value}

    @property
    def advice(self) -> Advice:
        """A mean in place of the threshold keeps totals."""
        if self.replace != "mean":
            return self.for_users
        return self.for_users._replace(
            done="The largest values, the smallest, or both were replaced by their mean, or extreme categories "
            "were merged.",
            effect="All values between the ends are as collected, and means and totals are nearly so; variances "
            "are smaller.",
            remedy="Use means, totals, and quantiles inside the ends as they are; take variances and slopes that "
            "rest on extreme values as understated.",
        )

    @property
    def needs_tails(self) -> float | None:
        return None if self.is_given else self.percent

    @property
    def households(self) -> Agreement:
        return "alike"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        columns, attributes = {}, []
        for name in names:
            attribute = part.schema[name]
            if attribute.is_numeric:
                columns[name] = self._numbers(part[name], attribute, whole)
            else:
                attribute, lookup = self._categories(attribute)
                columns[name] = lookup[part[name]]
            attributes.append(attribute)
        return part.replace(columns, attributes)

    def _categories(self, attribute: Attribute) -> tuple[Attribute, np.ndarray]:
        needed = 2 * self.p if self.side == "both" else self.p
        if attribute.domain_size < needed:
            raise DataError(
                f"{self.name}: column {attribute.name} must have at least {needed} categories for p = {self.p} "
                f"and side = {self.side}. Got {attribute.domain_size}."
            )
        lookup = np.append(np.arange(attribute.domain_size), -1)
        if self.side != "top":
            attribute, bottom = merged(attribute, range(self.p), at=0)
            lookup = bottom[lookup]
        if self.side != "bottom":
            first = attribute.domain_size - self.p
            attribute, top = merged(attribute, range(first, attribute.domain_size), at=first)
            lookup = top[lookup]
        return attribute, lookup

    def _numbers(self, values: np.ndarray, attribute: Attribute, whole: Whole) -> np.ndarray:
        if self.is_given:
            return self._clipped(values, attribute)
        if whole.present(attribute.name) == 0:
            return values
        tails = whole.tails(attribute.name, self.percent)
        coded = values.copy()
        if self.side != "top":
            by_mean = self.replace == "mean" and tails.below > 1
            coded[values < tails.low] = attribute.conform(tails.mean_below) if by_mean else tails.low
        if self.side != "bottom":
            by_mean = self.replace == "mean" and tails.above > 1
            coded[values > tails.high] = attribute.conform(tails.mean_above) if by_mean else tails.high
        return coded

    def _clipped(self, values: np.ndarray, attribute: Attribute) -> np.ndarray:
        coded = values.copy()
        for limit, beyond in ((self.top, np.greater), (self.bottom, np.less)):
            if limit is not None:
                coded[beyond(values, limit)] = attribute.conform(np.array(limit))
        return coded
