"""Mondrian: the space of the keys is cut into regions of k records, and each record releases its region."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice
from sfumato.data import Attribute
from sfumato.masking._aggregates import group_means
from sfumato.masking._recoding import interval_domain
from sfumato.masking._regions import Regional, Regions


class Mondrian(Regional):
    """Greedy multidimensional recoding: cut across the widest attribute at the median, and each part again.

    A cut between two values x ≤ c and x > c is allowed if at least k records lie on either side. A region
    is cut across the attribute in which its records are spread widest,

        (max − min in the region) / (max − min in the file),

    at the allowed cut nearest its median; if there is none, across the next widest. What cannot be cut is
    final. With `relaxed` the records that have the median are shared out, so that any region of 2k records
    whose values differ is cut in halves; regions may then overlap. The released file is k-anonymous in the
    masked attributes taken together.

    - Ordinal: a region releases its interval as a category "first..last", which `covers` those in between.
    - Nominal: the same, in the order of the domain, or of the hierarchy where there is one; the category
      lists its members ("a|b|c"), or the first and last of more than four.
    - Numeric: a region releases its mean, rounded to the declared decimals, as an interval would not be a
      legal number.

    Missing values are a value of their own (see `missing`). Nothing is drawn at random. A million records
    of eight attributes take a few seconds.

    Source: LeFevre et al. (2006), as in Marés, *thesis*, §2.3.3 and Fig. 2.4.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"town": ["a", "a", "b", "c", "d", "c"], "age": [20.0, 30.0, 25.0, 60.0, 50.0, 70.0]})
    >>> masked = Mondrian(k=3).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist(), masked["age"].tolist()
    (['a|b', 'a|b', 'a|b', 'c|d', 'c|d', 'c|d'], [25.0, 25.0, 25.0, 60.0, 60.0, 60.0])
    """

    only_coarsens = True
    grid: ClassVar = {"k": (2, 3, 5, 10, 20)}
    for_users: ClassVar[Advice] = Advice(
        done="Records with similar values were put into groups, and each has the range of categories, "
        "or the mean of the numbers, of its group.",
        effect="Categories are coarser and may overlap; means of numbers are nearly those collected, and "
        "their variances and extremes smaller.",
        remedy="Analyse at the coarser level: count a range as a whole, or spread its records over the "
        "categories it holds; do not treat overlapping ranges as different categories.",
    )

    def released(
        self, attribute: Attribute, values: np.ndarray, order: np.ndarray, regions: Regions, j: int
    ) -> tuple[Attribute, np.ndarray]:
        if attribute.is_numeric:
            means = group_means(values[:, None], regions.labels)[:, 0]
            return attribute, attribute.conform(means)[regions.labels]
        attribute, codes = interval_domain(attribute, order, regions.low[:, j] - 1, regions.high[:, j] - 1)
        return attribute, codes[regions.labels]
