"""Propensity loss: how well a model can tell masked records from original ones."""

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._design import Design
from sfumato.measures._logistic import Sample, Terms, fitted, probabilities

FARTHEST = 10.0  # standard deviations; beyond, squares and products would drown all else


class Propensity(Measure):
    """100 · pMSE / 0.25, with pMSE = mean over all records of (p − ½)².

    The records of both files are put together, and p is the probability a logistic regression gives to each of
    them to be a masked one. Half of them are, so that pMSE is 0 where the model cannot tell and ¼ where it is
    always sure: the value runs from 0 to 100. The terms of the model are all attributes, the squares of
    numbers, and the products of any two columns of different attributes: means, shares, variances and relations
    of pairs are what it can see. Who was masked how is nothing to it; the file in another order loses nothing.

    Numbers and ordinal ranks are standardised by the original (farther than 10 standard deviations counts as 10),
    a nominal attribute is an indicator for each category (the 20 most frequent), and a missing value is the mean
    with an indicator that it is missing. Products take as many categories of each nominal attribute, the most
    frequent first, as leave the model with at most 200 terms, and are left out where numbers alone make more. A
    recoded category counts as a uniform draw from those it covers. A ridge of 10⁻⁴ per record keeps coefficients
    finite where files can be told apart perfectly. Weights count records.

    The part `null` is about what another sample of the same population would have, terms / (4 n), in percent
    (Snoke et al.). It is not subtracted: a masked file is no other sample, and one that was left alone has 0.

    Source: Woo, Reiter, Oganian & Karr (2009), *Global measures of data utility for microdata masked for
    disclosure limitation*; Snoke, Raab, Nowok, Dibben & Slavkovic (2018), *General and specific utility measures
    for synthetic data*.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"][::-1]})
    >>> Propensity().bind(original).score(masked).value < 1e-9
    True
    >>> masked = original.replace({"x": np.full(100, 49.5)})  # the mean is right
    >>> round(Propensity().bind(original).score(masked).value)
    67
    """

    sense = "loss"
    joinable = False
    quick = 100_000

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundPropensity(self, original, names)


class _BoundPropensity(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.design = Design(original, names, self.weights)
        self.columns = self._columns(original)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        holes = [self._holes(table, masked) for table in (self.original, masked)]
        terms = Terms.chosen(self.design.owner, self.design.is_number, holes[0].shape[1])
        weights = np.ones(masked.n) if self.weights is None else self.weights
        files = [
            Sample(np.concatenate([columns, missing], axis=1), weights)
            for columns, missing in zip((self.columns, self._columns(masked)), holes, strict=True)
        ]
        coefficients = fitted(files, terms)
        off = [(probabilities(file, terms, coefficients) - 0.5) ** 2 for file in files]
        pmse = float(np.mean([np.average(squares, weights=weights) for squares in off]))
        return 400 * pmse, {"null": min(100 * (len(coefficients) - 1) / (4 * masked.n), 100.0)}

    def _columns(self, table: Table) -> np.ndarray:
        columns: np.ndarray = np.clip(self.design.matrix(table), -FARTHEST, FARTHEST)
        return columns

    def _holes(self, table: Table, masked: Table) -> np.ndarray:
        """Which values are missing, of attributes where one is in either file."""
        names = [n for n in self.names if self.original.missing(n).any() or masked.missing(n).any()]
        return np.column_stack([np.zeros(table.n), *(table.missing(name) for name in names)])[:, 1:]
