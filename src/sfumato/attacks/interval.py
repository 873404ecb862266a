"""Interval attack: the original value is taken to be near the released one."""

from functools import partial

import numpy as np

from sfumato.attacks._contract import Attack
from sfumato.attacks.linkage.intervals import Intervals, interval_scale, share_of
from sfumato.core import ParameterError, param
from sfumato.data import Attribute, Table


class Interval(Attack):
    """The intruder bets that each original value lies within ±`percent` % around the released value.

    Attribute disclosure: no record is linked. The success on a record is the share of its attributes where
    the bet is right. Percents are taken of the ranks, of the standard deviation, of the original value
    itself, or of its distance from the smallest (`interval`), as in the measure `interval_disclosure`; ordinal categories have ranks, nominal
    ones must be equal, and a recoded one counts as a draw from those it covers. A value missing on one side
    is a bet lost; missing on both sides there is none. The guess without the release always bets on the
    median (the most frequent category if nominal).

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001).

    >>> from sfumato.data import Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> known = Table(Schema([x]), {"x": np.arange(101.0)})
    >>> result = Interval(percent=5).run(known, known, np.random.default_rng(0))
    >>> result.attack.value, round(result.baseline.value, 1)
    (100.0, 10.9)
    """

    percent: int = param(default=10, low=1, high=100, help="half the width of the interval, in percent")
    interval: str = param(
        default="rank",
        choices=("rank", "sd", "relative", "scaled"),
        help="what the percents of numbers are taken of",
    )
    standardised: bool = param(
        default=False, help="relative intervals of deviations from the mean, not of values"
    )

    def check(self) -> None:
        """Only relative intervals depend on where zero is."""
        if self.standardised and self.interval != "relative":
            raise ParameterError(f"{self.name}: standardised goes with interval = relative only.")

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        columns, rows = [], np.arange(known.n)
        credit = [partial(share_of, range(self.percent, self.percent + 1))]
        for name in names:
            whole = interval_scale(known, name, self.interval)
            intervals = Intervals(known, name, whole, standardised=self.standardised)
            columns.append(intervals.reader(released.schema[name], credit)(released[name], rows)[:, 0])
        cells = np.array(columns)
        tried = np.count_nonzero(~np.isnan(cells), axis=0)
        return np.where(tried > 0, np.nansum(cells, axis=0) / np.maximum(tried, 1), np.nan)

    def guess(self, known: Table, names: tuple[str, ...]) -> float:
        """The success of a release in which every value present is the median or the most frequent."""
        bets = {n: _always_the_middle(known.schema[n], known[n], ~known.missing(n)) for n in names}
        outcomes = self.outcomes(known.replace(bets), known, names, np.random.default_rng(0))
        tried = outcomes[~np.isnan(outcomes)]
        return float(tried.mean()) if len(tried) else 0.0


def _always_the_middle(attribute: Attribute, values: np.ndarray, present: np.ndarray) -> np.ndarray:
    if not present.any():
        return values
    if attribute.scale == "nominal":
        bet = np.bincount(values[present]).argmax()
    else:
        bet = np.sort(values[present])[(np.count_nonzero(present) - 1) // 2]
    return np.where(present, bet, values).astype(values.dtype)
