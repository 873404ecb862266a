"""Classes of equal key values in a file that does not fit into memory: how many there are of each size."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.large.judging.database import Database, database
from sfumato.large.judging.streamed._contract import Sought, Sources


class Sizes(NamedTuple):
    """The sizes of classes in order, how many classes have each, and the weight of all their records."""

    sizes: np.ndarray
    classes: np.ndarray
    weights: np.ndarray

    def share(self, bad: np.ndarray) -> float:
        """Percent of the weight of all records that is in classes of some sizes."""
        return 100 * float(self.weights[bad].sum()) / float(self.weights.sum())


@dataclass(frozen=True)
class ClassSizes(Sought):
    """How many classes of equal key values the masked file has, by size."""

    names: tuple[str, ...]
    weighted: bool

    def seek(self, sources: Sources) -> Sizes:
        """Group the records, then the groups."""
        with database(sources.folder, memory=sources.memory) as db:
            give_classes(db, sources, self.names, weighted=self.weighted)
            query = f"""
                SELECT size, count(*) AS classes, CAST(sum(weight) AS DOUBLE) AS weight
                FROM ({CLASSES.format(keys=keys(self.names))}) GROUP BY size ORDER BY size"""
            batches = list(db.ask(query))
        columns = (np.concatenate([batch.column(j).to_numpy() for batch in batches]) for j in range(3))
        return Sizes(*columns)


CLASSES = "SELECT count(*) AS size, CAST(sum(weight) AS BIGINT) AS weight FROM records GROUP BY {keys}"


def keys(names: tuple[str, ...]) -> str:
    """The key columns of `records`, for a query."""
    return ", ".join(f"k{j}" for j in range(len(names)))


def give_classes(db: Database, sources: Sources, names: tuple[str, ...], *, weighted: bool) -> float:
    """Let queries read the keys of the masked file and the weights as `records`; what a unit of weight is.

    Weights are given in whole units so small that nothing is lost, and so large that every sum is exact:
    the order in which threads add them cannot matter.
    """
    unit = weight_unit(sources.totals.n * sources.totals.mean_weight) if weighted else 1.0
    declared = [sources.masked.schema[name] for name in names]
    kinds = [pa.float64() if attribute.is_numeric else pa.int32() for attribute in declared]
    schema = pa.schema([*((f"k{j}", kind) for j, kind in enumerate(kinds)), ("weight", pa.int64())])
    batches = _records(sources, names, sources.totals.weight if weighted else "", unit)
    arrow = (pa.record_batch([pa.array(column) for column in batch], schema=schema) for batch in batches)
    db.give("records", pa.RecordBatchReader.from_batches(schema, arrow))
    return unit


def weight_unit(total: float) -> float:
    """The largest power of two of which a sum of weights up to the total has at most 2^52.

    >>> weight_unit(1000.0) == 2.0**-42
    True
    """
    return float(2.0 ** (np.ceil(np.log2(max(total, 1e-300))) - 52))


def _records(
    sources: Sources, names: tuple[str, ...], weight: str, unit: float
) -> Iterator[list[np.ndarray]]:
    """Keys and weights, block by block; adding zero makes −0 the 0 that it is equal to."""
    for block, table in enumerate(sources.masked.tables(names)):
        numeric = [table.schema[name].is_numeric for name in names]
        columns = [
            table[name] + 0.0 if is_number else table[name].astype(np.int32)
            for name, is_number in zip(names, numeric, strict=True)
        ]
        amounts = np.ones(table.n, np.int64)
        if weight:
            people = sources.original.table(block, [weight])[weight]
            amounts = np.rint(people / unit).astype(np.int64)
        yield [*columns, amounts]
