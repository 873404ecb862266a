"""A formal promise: what is promised of a file by (ε, δ)-differential privacy, in words that may be published."""

import math
from collections.abc import Iterator
from typing import NamedTuple


class Promise(NamedTuple):
    """(ε, δ)-differential privacy of what is released, composed by zCDP with ρ, for originals that differ in one record.

    >>> print(Promise(epsilon=1.0, delta=1e-6, rho=0.02436))
    (ε, δ)-differential privacy with ε = 1, δ = 1e-06, for files of as many records that differ in one; composed by
    zCDP with ρ = 0.02436; domains as declared.
    """

    epsilon: float
    delta: float
    rho: float

    def __str__(self) -> str:
        return (
            f"(ε, δ)-differential privacy with ε = {self.epsilon:g}, δ = {self.delta:g}, for files of as many records "
            f"that differ in one; composed by zCDP with ρ = {self.rho:.4g}; domains as declared."
        )

    def sentences(self) -> Iterator[str]:
        """What it says and means, what it takes as known, and what it is about; all of it may be published."""
        yield str(self)
        yield (
            "Had any one record of the original been another, nothing that can be seen of the file would have been more "
            f"than {self.factor} times as likely, but for a chance of about {self.delta:g}."
        )
        yield (
            "Taken as known to everybody: the number of records, and what the schema declares, which are columns, "
            "categories, codes for missing values, bounds and decimals."
        )
        yield (
            "It is about single records: for whoever has several in the file, such as a household, ε counts once for each."
        )
        yield (
            "It is about the file, its codebook and the page for its users. Whatever else is published of the same people "
            "adds to it: the ε of all of it add up, at the most."
        )

    @property
    def factor(self) -> str:
        """By how much likelihoods may differ, e to the ε, rounded up where it is small enough to mean something.

        >>> Promise(1.0, 1e-6, 0.02).factor, Promise(0.1, 1e-6, 0.02).factor, Promise(20, 1e-6, 0.02).factor
        ('2.72', '1.11', '4.9e+08')
        """
        exact = math.exp(self.epsilon)
        return f"{math.ceil(100 * exact) / 100:.2f}" if exact < 1000 else f"{exact:.2g}"
