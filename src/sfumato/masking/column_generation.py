"""Column generation: groups that are proven to be near the best there are."""

import time

import numpy as np

from sfumato.core import DataError, param, progress
from sfumato.masking._aggregates import squares
from sfumato.masking._lower_bounds import lower_bound
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._refinement import refined
from sfumato.masking._set_partitioning import Columns, chosen, enrich, near_columns, priced
from sfumato.masking.mdav import Mdav

MOST = 5_000  # records: all distances are held
MOVES = 2_000  # of refinement per record, before and after
NODES = 200  # of the search for whole groups


class ColumnGeneration(Microaggregation):
    """Choose among all groups of k to 2k − 1 records those that cover each record once at the least SSE.

    The linear program min Σ SSE_G λ_G, Σ_{G with i} λ_G = 1 for each record i, λ ≥ 0, is a bound on what any
    microaggregation can reach. Its prices (dual values) say which groups would lower it; an exact search
    finds them, until there are none left or the bound is within `gap` percent. Whole groups are then chosen
    among those found (integer programming) and refined. `partition(...)` carries the bound: "IL 4.67 %, at
    least 4.65 % is unavoidable".

    Half a minute for a thousand records and k = 3. The number of groups to search grows steeply with k: where
    the search has to be cut short, the bound is the one of degrees (see `lower_bound`). At most 5,000 records
    (in each stratum), and memory grows with their square. Missing values stand at the mean; where
    there are some, or several strata, no bound is given. Groups hold k to 2k − 1 records. A limit of
    `seconds` of processor time on the choice of whole groups makes the result depend on the machine; without, a seed
    fixes it. Where the limit cut the choice short, that is said.

    Source: Aloise, Hansen, Rocha & Santi (2014), *Column generation bounds for numerical microaggregation*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 8.0, 9.0, 10.0]}))
    >>> print(ColumnGeneration(k=3).partition(firms, np.random.default_rng(1)))
    2 groups of 3 records: IL 5.161 %, at least 5.161 % is unavoidable
    """

    k: int = param(default=3, low=1, help="smallest number of records in a group")
    rounds: int = param(default=40, low=1, help="how often groups are priced, at most")
    gap: float = param(default=0.01, low=0, help="percent between program and bound that is good enough")
    seconds: float = param(
        default=0.0, low=0, help="processor time that the choice of whole groups may take (0: no limit)"
    )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.solve(X, rng)[0]

    def solve(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        n, k = len(X), self.k
        if n > MOST:
            raise DataError(f"{self.name}: takes at most {MOST} records. Got {n}; use refine instead.")
        X, started = np.ascontiguousarray(X), (time.perf_counter(), time.process_time())
        first = Mdav(k=k).group(X, rng)
        labels = self._refined(X, first, rng)
        columns = Columns(X, k)
        near_columns(columns)
        columns.add_labels(labels)
        sse = squares(X, labels)
        if sse <= 0:
            return labels, 0.0
        bound, prices = priced(columns, sse, self.rounds, self.gap / 100)
        bound = bound or lower_bound(X, k)
        if sse - bound <= 1e-9 * sse:
            return labels, bound
        columns.add_labels(labels)
        enrich(columns, prices, sse - bound)
        limit = self.seconds * _slower(*started) if self.seconds else np.inf
        whole = chosen(columns, prices, sse - bound + 1e-9 * sse, NODES, limit)
        if whole.cut_short == "seconds":
            progress.note(
                f"{self.name}: the choice of whole groups was cut short after {self.seconds:g} seconds of processor time; "
                "with more it may lose less."
            )
        if whole.labels is not None and squares(X, whole.labels) < sse:
            labels = self._refined(X, whole.labels, rng)
        return labels, bound

    def _refined(self, X: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        steps = self.refine_steps or (0 if self.refine_seconds else MOVES * len(X))
        return refined(X, labels, self.k, rng, seconds=self.refine_seconds, steps=steps)


def _slower(clock: float, processor: float) -> float:
    """How many seconds pass for one of processor time, since these: the solver only knows the clock."""
    return max(1.0, (time.perf_counter() - clock) / max(time.process_time() - processor, 1e-3))
