"""Refine: the groups of another method, improved by simulated annealing."""

import numpy as np

from sfumato.core import ParameterError, param, registry
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._refinement import refined

MOVES = 500  # per record, where neither steps nor seconds are given


class Refine(Microaggregation):
    """Start from the groups of any other method and let records move while it pays.

    A record leaves its group for that of a near record (groups keep at least k; those that reach 2k are
    split), changes places with a record of a near group or within a ring of three groups, or a whole group
    is dissolved among its neighbours, or made of records that other groups can spare. A move that changes
    SSE by Δ is made if Δ < −T·log u, with u uniform in (0, 1): the temperature T falls from several times
    what a record costs to almost nothing, then once more from a lower one, starting at the best groups
    seen; the best are returned. SSE is never above that of the start. Groups hold k to 2k − 1 records. Missing
    values stand at the mean.

    Of a large budget (2,000 moves per record, at 4 million a second, where the clock ends it; 60,000 where steps do) only a
    quarter is spent so. Then regions of 8k to 60k records are cooled down again and again, at temperatures that follow
    how dense they are. The groups before and after fall into parts that hold the same records, and of each part the
    better ones are kept. Where k ≤ 4 and the file has at most 5,000 records, the whole file is cooled several times
    first, and the best partition there is among all the groups seen is found by integer programming.

    `refine_steps` is the number of moves (500 per record if not given); `refine_seconds` limits the
    processor time instead, and then a seed does not fix the result.

    Source: simulated annealing after Kirkpatrick, Gelatt & Vecchi (1983); the moves are those of
    Hansen & Mladenović (2001) for clusters of least squares, with a smallest size; parts are put together as tours
    are by Whitley, Hains & Howe (2009).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0]}))
    >>> Refine(k=3).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 2.0, 10.0, 10.0, 10.0, 10.0]
    """

    start: str = param(default="mdav", help="the method whose groups are refined")

    def check(self) -> None:
        super().check()
        if self.start == self.name or not issubclass(registry.load("masking", self.start), Microaggregation):
            raise ParameterError(
                f"{self.name}: start must be another method that groups. Got {self.start!r}."
            )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        first = registry.make("masking", {"method": self.start, "k": self.k}).group(X, rng)
        steps = self.refine_steps if self.refine_steps or self.refine_seconds else MOVES * len(X)
        return refined(X, first, self.k, rng, seconds=self.refine_seconds, steps=steps)

    def solve(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """The groups, which need no further refinement; nothing is proven about them."""
        return self.group(X, rng), 0.0
