"""Methods that sort records along one axis."""

import numpy as np

from sfumato.core import DataError, ParameterError, param
from sfumato.data import Table
from sfumato.masking._microaggregation import Microaggregation, standardised


class AlongAxis(Microaggregation):
    """A partitioning that sees a record only as its place on an axis through the file.

    The axis is the first principal component of the standardised attributes, the sum of their z-scores, or
    one of the masked attributes, named by `by`. For a single attribute all three are that attribute. Missing
    values stand at the mean of their attribute.
    """

    gaps_apart = False  # there is no room beside an axis

    axis: str = param(
        default="first_component",
        choices=("first_component", "sum_of_zscores", "attribute"),
        help="what records are sorted by",
    )
    by: str = param(default="", help="the attribute to sort by, where axis is attribute")

    def check(self) -> None:
        super().check()
        if self.axis == "attribute" and not self.by:
            raise ParameterError(f"{self.name}: by must name an attribute where axis is attribute. Got ''.")
        if self.axis != "attribute" and self.by:
            raise ParameterError(f"{self.name}: axis must be attribute where by is given. Got {self.axis!r}.")

    def targets(self, table: Table) -> tuple[str, ...]:
        """The columns the method will mask; the one that is the axis comes first."""
        names = super().targets(table)
        if not self.by:
            return names
        if table.schema[self.by].name not in names:
            raise DataError(f"{self.name}: by must be one of the columns to mask. Got column {self.by}.")
        return (self.by, *(name for name in names if name != self.by))

    def along(self, X: np.ndarray) -> np.ndarray:
        if self.axis == "attribute" or X.shape[1] == 1:
            return np.ascontiguousarray(X[:, 0])
        if self.axis == "sum_of_zscores":
            return _combined(standardised(X, "zscore"), np.ones(X.shape[1]))
        return _combined(X, principal_components(X)[:, 0])


def principal_components(X: np.ndarray) -> np.ndarray:
    """Directions of the rows of X as columns, the greatest variance first, the largest loading positive.

    >>> principal_components(np.array([[0.0, 0.0], [3.0, -4.0]]))[:, 0].round(3).tolist()
    [-0.6, 0.8]
    """
    centred = X - X.mean(axis=0)
    directions: np.ndarray = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    signs = np.sign(directions[largest, np.arange(len(largest))])
    return np.asarray(directions * signs)


def _combined(X: np.ndarray, loadings: np.ndarray) -> np.ndarray:
    # column by column: equal records must stand at exactly the same place
    place = np.zeros(len(X))
    for j, loading in enumerate(loadings):
        place += X[:, j] * loading
    return place
