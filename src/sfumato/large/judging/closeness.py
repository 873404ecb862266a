"""How far classes of equal key values are from the whole file, where there may be as many classes as records.

Classes are numbered in the order of their keys, in which the database answers. What is known of them is written
into files of one number a class, which are mapped.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.large.judging.classes import give_classes, keys
from sfumato.large.judging.database import Database, database
from sfumato.large.judging.distributions import ClassValues, Distribution, distribution
from sfumato.large.judging.ranks import mapped
from sfumato.large.judging.streamed._contract import Sought, Sources

TOGETHER = 1_000_000  # classes that are looked at at once
ROUNDING = 1e-12  # a distance this little above t is t


class Closeness(NamedTuple):
    """Weights of the records farther than t from the file, in each attribute and in any; and how far they are.

    `total` is the weight of all records, `distance` their mean distance times that, `largest` the greatest.
    """

    far: np.ndarray
    far_in_any: float
    total: float
    distance: float
    largest: float


@dataclass(frozen=True)
class ClassDistances(Sought):
    """How close classes are to the whole file in some sensitive attributes, none of them a key."""

    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    t: float
    weighted: bool

    def seek(self, sources: Sources) -> Closeness:
        """Count the records of all classes, find their distances, and look at these."""
        with database(sources.folder, memory=sources.memory) as db:
            weights, *starts = self._counted(db, sources)
            distances = [self._distances(db, sources, j, starts[j]) for j in range(len(self.sensitive))]
        return _closeness(weights, distances, self.t)

    def _counted(self, db: Database, sources: Sources) -> list[np.ndarray]:
        """The weight of all classes before each, and how many values they have of each sensitive attribute."""
        give_classes(db, sources, self.names + self.sensitive, weighted=self.weighted)
        present = (self._present(sources, j) for j in range(len(self.sensitive)))
        sums = ["sum(weight)", *(f"count(*) FILTER (WHERE {condition})" for condition in present)]
        query = f"""
            SELECT {", ".join(f"CAST({one} AS BIGINT)" for one in sums)} FROM records
            GROUP BY {keys(self.names)} ORDER BY {keys(self.names)}"""
        paths = [sources.folder / f"before-{j}" for j in range(len(sums))]
        _write_running_sums(paths, db.ask(query))
        return [mapped(path, np.int64) for path in paths]

    def _distances(self, db: Database, sources: Sources, j: int, starts: np.ndarray) -> np.ndarray:
        """The distance of each class in one sensitive attribute; 0 where all its values are missing."""
        folder = sources.folder / f"sensitive-{j}"
        folder.mkdir(exist_ok=True)
        whole = distribution(sources.masked, self.sensitive[j], folder, db)
        give_classes(db, sources, self.names + self.sensitive, weighted=False)
        order = f"{keys(self.names)}, {self._column(j)}"
        query = f"""
            SELECT {self._column(j)}, count(*) FROM records WHERE {self._present(sources, j)}
            GROUP BY {order} ORDER BY {order}"""
        distances: np.ndarray = np.memmap(folder / "distances", np.float64, "w+", shape=len(starts) - 1)
        for labels, found in _by_class(db.ask(query), whole, starts):
            # one after the other, so that it does not matter where a batch of the answer ends
            np.add.at(distances, labels, whole.distances(found))
        return distances

    def _column(self, j: int) -> str:
        return f"k{len(self.names) + j}"

    def _present(self, sources: Sources, j: int) -> str:
        """The part of a query that says whether a sensitive attribute has a value."""
        numeric = sources.masked.schema[self.sensitive[j]].is_numeric
        return f"NOT isnan({self._column(j)})" if numeric else f"{self._column(j)} >= 0"


def _write_running_sums(paths: list[Path], batches: Iterator[pa.RecordBatch]) -> None:
    """Write what the numbers of each column come to before each row, and after the last."""
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        sums = [np.zeros(1, np.int64) for _ in files]
        for batch in batches:
            for j, file in enumerate(files):
                running = np.cumsum(np.append(sums[j], batch.column(j).to_numpy()))
                running[:-1].tofile(file)
                sums[j] = running[-1:]
        for file, last in zip(files, sums, strict=True):
            last.tofile(file)


def _by_class(
    batches: Iterator[pa.RecordBatch], whole: Distribution, starts: np.ndarray
) -> Iterator[tuple[np.ndarray, ClassValues]]:
    """Values in the order of classes, with the number of the class of each."""
    seen, last = 0, 0
    for batch in batches:
        value, count = (batch.column(i).to_numpy() for i in range(2))
        place, upto = whole.places(value), seen + np.cumsum(count)
        # of classes that start at the same value, all but the last have none
        labels = np.searchsorted(starts, upto - count, side="right") - 1
        start, end = starts[labels], starts[labels + 1]
        previous = np.where(upto - count == start, 0, np.append(last, place[:-1]))
        yield labels, ClassValues(place, count, end - start, upto - start, previous)
        seen, last = int(upto[-1]), int(place[-1])


def _closeness(before: np.ndarray, distances: list[np.ndarray], t: float) -> Closeness:
    """Sum up over classes, from the weight before each and from its distances."""
    far, far_in_any, distance, largest = np.zeros(len(distances)), 0.0, 0.0, 0.0
    for start in range(0, len(before) - 1, TOGETHER):
        weights = np.diff(before[start : start + TOGETHER + 1])
        here = np.column_stack([found[start : start + TOGETHER] for found in distances])
        bad = here > t + ROUNDING
        far += [weights[column].sum() for column in bad.T]
        far_in_any += weights[bad.any(1)].sum()
        distance += float((weights * here.mean(1)).sum())
        largest = max(largest, float(here.max()))
    return Closeness(far, far_in_any, float(before[-1]), distance, largest)
