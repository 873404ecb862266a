"""Global-median k-anonymity: Mondrian regions, each of which releases the middle category of its interval."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice
from sfumato.data import Attribute
from sfumato.masking._regions import Regional, Regions


class GlobalMedian(Regional):
    """Regions of k records as `mondrian` cuts them, released as one category instead of an interval.

    For each attribute the categories of the declared domain between the ends of the region's interval are
    listed, whether or not a record has them, and the middle one is released:

        (a + b) / 2, rounded down, for the interval from the a-th to the b-th category.

    So the domain stays what it was, and the released category may be one that no record of the region had:
    the median is that of the domain, not of the records. Attributes must be ordinal. The released file is
    k-anonymous in the masked attributes taken together.

    Missing values are a value of their own (see `missing`). Nothing is drawn at random.

    Source: Marés, *thesis*, §5.3.1, on LeFevre et al. (2006).

    >>> from sfumato.data import Schema, Table
    >>> degree = Attribute(name="degree", scale="ordinal", role="key", categories=tuple("12345678"))
    >>> people = Table(Schema([degree]), {"degree": np.array([0, 4, 0, 6, 7, 7])})
    >>> GlobalMedian(k=3).apply(people, np.random.default_rng(1)).to_arrow()["degree"].to_pylist()
    ['3', '3', '3', '7', '7', '7']
    """

    scales = ("ordinal",)
    grid: ClassVar = {"k": (2, 3, 5, 10, 20)}
    for_users: ClassVar[Advice] = Advice(
        done="Records with similar values were put into groups, and each has the category in the "
        "middle of the range of its group.",
        effect="Categories in the middle occur more often than they did, outer and rare ones less often; "
        "the order of records is kept roughly.",
        remedy="Work with a few broad classes or with medians of many records, and do not interpret the "
        "share of a single category.",
    )

    def released(
        self, attribute: Attribute, values: np.ndarray, order: np.ndarray, regions: Regions, j: int
    ) -> tuple[Attribute, np.ndarray]:
        """The middle of each interval; ranks start at 1."""
        middle = (regions.low[:, j] - 1 + regions.high[:, j] - 1) // 2
        return attribute, middle[regions.labels]
