"""OMA: the plain object-migrating automaton, which brings records asked for together into one group."""

import numpy as np

from sfumato.core import param
from sfumato.kernels.oma import answer_queries
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._nearest_records import neighbours

BATCH = 50  # queries for each record before it is looked whether all have settled


class Oma(Microaggregation):
    """Groups that learn from a stream of queries, each for two records that are near each other.

    Every record has a state in its group, from 1, certain, to `depth`, the boundary, where all begin, in random
    groups. A query for two records of one group moves both a state inwards; one for two of different groups both a
    state outwards. If one of the two stands at the boundary, it changes places with a record of the other's group
    that does so too, where there is one; if both do, one joins the other's group, in exchange for the record
    nearest to the boundary there. It ends when all records are in the two innermost states, or after so many
    `queries` for each record.

    The source leaves open where queries come from: here each record in turn, in random order, is asked for with one
    of its `neighbours` nearest records (k − 1). The automaton does not look at SSE, which is what `omma` adds to it, and
    loses far more: it is here to be compared with. Groups are of equal size, or differ by one record.

    Source: Gale, Das & Yu (1990), enhanced, as Algorithm 5 of Fayyoumi, *thesis*, §4.2.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 90.0, 3.0, 92.0]}))
    >>> Oma(k=2).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 91.0, 2.0, 91.0]
    """

    depth: int = param(default=5, low=1, help="depth of memory: states of a record in its group")
    queries: int = param(default=1000, low=1, help="queries for each record, at most")
    neighbours: int | None = param(
        default=None, low=1, help="how many nearest records a record is asked for with (k − 1)"
    )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        n = len(X)
        near = neighbours(X, self.neighbours or self.k - 1)
        labels = rng.permutation(np.arange(n) % (n // self.k))
        state, members = np.full(n, self.depth), members_of(labels)
        for batch in range(0, self.queries, BATCH):
            for _ in range(min(BATCH, self.queries - batch)):
                first = rng.permutation(n)
                second = near[first, rng.integers(0, near.shape[1], n)]
                answer_queries(np.column_stack([first, second]), labels, state, members, self.depth)
            if state.max() <= min(2, self.depth - 1):
                break
        return labels


def members_of(labels: np.ndarray) -> np.ndarray:
    """The rows of each group, −1 where it has fewer than others.

    >>> members_of(np.array([1, 0, 1])).tolist()
    [[1, -1], [0, 2]]
    """
    sizes = np.bincount(labels)
    members = np.full((len(sizes), sizes.max()), -1)
    order = np.argsort(labels, kind="stable")
    within = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members[labels[order], within] = order
    return members
