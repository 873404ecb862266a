"""MHM: the optimal groups along a tour through all records."""

from typing import ClassVar

import numpy as np

from sfumato.core import ParameterError, param
from sfumato.kernels.hilbert import hilbert_order
from sfumato.kernels.optimal_univariate import line_groups
from sfumato.kernels.tours import nearest_point_next, shorten
from sfumato.masking._axis import principal_components
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._nearest_records import neighbours

BITS = 16
NEIGHBOURS = 10
LONGEST_PART = 50


class Mhm(Microaggregation):
    """Multivariate Hansen–Mukherjee: a tour puts the records in a line; a shortest path cuts it best.

    Every group is a run of k to 2k − 1 records of the tour, and no way to cut the tour into such runs has a
    smaller SSE of whole records. It takes nk steps once the tour is known. Tours:

    - `tsp`: a short closed tour. Nearest point next, made shorter by 2-opt and Or-opt moves between each record
      and its 10 nearest until none helps; then `kicks` times for each record two short parts of the tour are
      swapped at random, the moves start again from there, and what makes the tour longer is undone; n² steps.
    - `nearest_point_next`: from the record farthest from the centroid always to the nearest one not yet
      visited; n² steps.
    - `space_filling`: along a Hilbert curve through the cube around the principal components of the file;
      n log n steps, for large files.

    Groups hold k to 2k − 1 records. Ties go to the record that comes first.

    Source: Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz & Sebé (2006), *VLDB Journal* 15(4); tours of
    travelling salesmen after Heaton & Mukherjee (2011).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 9.0, 2.0, 8.0, 10.0], "sales": [5.0, 85.0, 7.0, 90.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> Mhm(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 90.0, 6.0, 90.0, 90.0]
    """

    grid: ClassVar = {"k": (2, 3, 5, 10)}

    tour: str = param(
        default="tsp",
        choices=("tsp", "nearest_point_next", "space_filling"),
        help="how the records are put in a line",
    )
    kicks: int = param(
        default=1, low=0, help="attempts for each record to shorten the tour further (tsp only)"
    )

    @property
    def grows(self) -> float:  # type: ignore[override]
        """A tour along a curve is sorted, any other is walked."""
        return 1.0 if self.tour == "space_filling" else 2.0

    def check(self) -> None:
        """Only the tour of a travelling salesman is kicked."""
        super().check()
        if self.kicks != 1 and self.tour != "tsp":
            raise ParameterError(f"{self.name}: kicks must be 1 where tour is {self.tour}. Got {self.kicks}.")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        X = np.ascontiguousarray(X)
        if self.tour == "space_filling":
            return cut_line(X, hilbert_order(X @ principal_components(X), BITS), self.k)
        tour = nearest_point_next(X, int(np.argmax((X**2).sum(axis=1))))
        if self.tour == "nearest_point_next":
            return cut_line(X, tour, self.k)
        shorten(X, tour, neighbours(X, min(NEIGHBOURS, len(X) - 1)), drawn_kicks(len(X), self.kicks, rng))
        return cut_ring(X, tour, self.k)


def drawn_kicks(n: int, kicks: int, rng: np.random.Generator) -> np.ndarray:
    """So many kicks for each of n records: a place, and the sizes of the two parts that follow it."""
    longest = min(LONGEST_PART, (n - 2) // 2)
    count = kicks * n if n >= 8 else 0
    sizes = rng.integers(1, longest + 1, size=(count, 2))
    return np.column_stack([rng.integers(n, size=count), sizes])


def cut_line(X: np.ndarray, tour: np.ndarray, k: int) -> np.ndarray:
    """Labels of the rows of X after the best cuts of the tour."""
    labels = np.empty(len(X), np.int64)
    labels[tour] = line_groups(np.ascontiguousarray(X[tour]), k)
    return labels


def cut_ring(X: np.ndarray, tour: np.ndarray, k: int) -> np.ndarray:
    """Labels after cutting a closed tour, which is opened at its longest edge.

    Whether that edge is cut in the best partition is not known; the tour is therefore opened once more, at a
    cut on the opposite side, and cut again.
    """
    steps = ((X[tour] - X[np.roll(tour, 1)]) ** 2).sum(axis=1)
    tour = np.roll(tour, -int(steps.argmax()))
    labels = cut_line(X, tour, k)[tour]
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    opposite = starts[np.abs(starts - len(tour) // 2).argmin()]
    return cut_line(X, np.roll(tour, -int(opposite)), k)
