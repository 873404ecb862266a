"""Regression loss: how far regressions fitted to the masked file predict from those of the original."""

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._design import Design

RIDGE = 1e-4  # of a variance; keeps sums among the attributes from having any coefficients they like


class Regression(Measure):
    """100 · mean over attributes of min(1, rms(ŷ' − ŷ) / s): each attribute is regressed on all others.

    ŷ = a + bᵀx is what the least-squares coefficients of the original predict for an original record, ŷ' what
    those fitted to the masked file predict for the same record, and s the standard deviation of y. In terms of
    the coefficients rms² = (difference of the predictions at the mean)² + (b' − b)ᵀ C (b' − b), with C the
    covariance of the predictors in the original: coefficients count by how much their predictor varies, and those
    that cannot be told apart, since the predictors move together, do not count. 0 where nothing changed; where
    all relations are gone, 100 · the multiple correlation R of the original; never above 100.

    Ordinal categories are numbers, by their rank. A nominal attribute is an indicator for each category (the 20
    most frequent of the original), regressed one by one (linear probability) and averaged. A ridge of 10⁻⁴ of the
    variances keeps exact relations among predictors harmless. All is in units of the original's means and
    standard deviations. A missing value counts as the mean, in both files; a recoded category as a uniform draw
    from those it covers. A single attribute has its mean alone. Weights count records in both fits and in the
    rms. The parts are the loss of each attribute.

    It does not see relations that are not linear, or single records.

    Source: regressions as a yardstick of utility are those of Karr, Kohnen, Oganian, Reiter & Sanil (2006); the
    scale by predictions in place of their confidence intervals, which shrink as the file grows, is ours.

    >>> from sfumato.data import Attribute, Schema
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=1000)
    >>> columns = {"x": x, "y": x + 0.1 * rng.normal(size=1000)}
    >>> original = Table(Schema([Attribute(name=name, scale="numeric", role="key") for name in "xy"]), columns)
    >>> masked = original.replace({"x": rng.permutation(x)})  # means and variances are right
    >>> Regression().bind(original).score(masked).value > 90
    True
    """

    sense = "loss"
    joinable = False

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundRegression(self, original, names)


class _BoundRegression(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.design = Design(original, names, self.weights)
        self.means, self.covariances = self._moments(original)
        self.slopes = self._slopes(self.covariances)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        means, covariances = self._moments(masked)
        change = self._slopes(covariances) - self.slopes  # one column per regression
        # what both predict for a record at the mean of the original
        shift = (means + (self.means - means) @ (self.slopes + change)) - self.means
        squares = shift**2 + np.einsum("ij,ik,kj->j", change, self.covariances, change, optimize=True)
        losses = np.minimum(np.sqrt(np.maximum(squares, 0.0)), 1.0)
        owner, d = self.design.owner, len(self.names)
        columns = np.maximum(np.bincount(owner, minlength=d), 1)
        parts = 100 * np.bincount(owner, losses, minlength=d) / columns
        return float(parts.mean()), dict(zip(self.names, parts.tolist(), strict=True))

    def _moments(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        columns = np.ascontiguousarray(self.design.matrix(table).T)
        weights = np.ones(table.n) if self.weights is None else self.weights
        total = max(float(weights.sum()), 1e-300)
        means = np.einsum("in,n->i", columns, weights) / total
        columns -= means[:, None]
        covariances = np.einsum("in,jn->ij", columns * weights, columns) / total
        return means, covariances

    def _slopes(self, covariances: np.ndarray) -> np.ndarray:
        """The coefficients of each column on those of the other attributes; 0 for its own attribute."""
        slopes = np.zeros_like(covariances)
        ridge = np.diag(RIDGE * np.maximum(np.diag(covariances), 1.0))
        for attribute in range(len(self.names)):
            own = self.design.owner == attribute
            if own.any() and not own.all():
                fitted = np.linalg.solve((covariances + ridge)[~own][:, ~own], covariances[~own][:, own])
                slopes[np.ix_(~own, own)] = fitted
        return slopes
