"""Resampling: each value becomes the mean of the values of its rank in several random samples."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import present_rows


class Resampling(Masking):
    """The value of rank i gives way to the mean of the i-th smallest of t bootstrap samples.

    For each attribute by itself, t samples S_1 … S_t of n values are drawn with replacement from the n
    values present, and each is sorted:

        x'_(i) = (S_1(i) + … + S_t(i)) / t.

    Ranks are kept, so that relations between attributes are, and the distribution is nearly: the more
    samples, the closer a value comes to the expected value of its rank. Values in dense places change
    little; those in the tails change most. Equal values share their ranks in random order.

    The means are rounded to the declared decimals. Missing values stay missing, and n counts the values
    present. With strata, samples are drawn inside the stratum; one in which an attribute has a single value
    is refused.

    Source: Heer (1993), as in Fayyoumi, *thesis*, §2.5.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"sales": [12.5, 95.0, 31.0, 40.5, 8.0, 25.0]}))
    >>> masked = Resampling(t=2).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [12.5, 67.8, 28.0, 63.0, 10.2, 18.8]
    """

    scales = ("numeric",)
    grid: ClassVar = {"t": (1, 3)}
    for_users: ClassVar[Advice] = Advice(
        done="Each value was replaced by the mean of the values that have its rank in several random "
        "samples of the variable.",
        effect="Ranks, and so most relations between variables, are kept; means and spreads are nearly "
        "those collected, values in the tails are the least reliable.",
        remedy="Use it as the file it came from, with rank-based methods where tails matter, and read "
        "nothing from maxima, minima or single values.",
    )

    t: int = param(default=3, low=1, help="number of samples")

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        return table.replace({name: self._resampled(table, name, rng) for name in names})

    def _resampled(self, table: Table, name: str, rng: np.random.Generator) -> np.ndarray:
        rows = rng.permutation(present_rows(table, name, self.name))
        values = table[name].copy()
        by_rank = rows[np.argsort(values[rows], kind="stable")]
        ordered, n = values[by_rank], len(rows)
        total = np.zeros(n)
        for _ in range(self.t if n else 0):
            times = np.bincount(rng.integers(0, n, n), minlength=n)
            total += np.repeat(ordered, times)  # a sorted sample, without sorting
        values[by_rank] = total / self.t
        return table.schema[name].conform(values)
