"""l-diversity of a file that does not fit into memory: different sensitive values, class by class."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.large.judging.classes import give_classes, keys
from sfumato.large.judging.database import database
from sfumato.large.judging.streamed._contract import Found, Judgement, Sought, Sources, Statistic
from sfumato.large.judging.streamed._sensitive import SensitiveStreamed
from sfumato.large.judging.totals import Totals


class Diversities(NamedTuple):
    """How many different values classes have of each sensitive attribute, and the weight of such classes."""

    distinct: np.ndarray
    weights: np.ndarray

    def share(self, bad: np.ndarray) -> float:
        """Percent of the weight of all records that is in some of the classes."""
        return 100 * float(self.weights[bad].sum()) / float(self.weights.sum())


@dataclass(frozen=True)
class SensitiveValues(Sought):
    """The diversities of the classes of equal key values."""

    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    weighted: bool

    def seek(self, sources: Sources) -> Diversities:
        """Group the records by key, then the classes by how diverse they are."""
        values = ", ".join(f"d{j}" for j in range(len(self.sensitive)))
        query = f"""
            SELECT CAST(sum(weight) AS DOUBLE) AS weight, {values}
            FROM (SELECT sum(weight) AS weight, {self._counted(sources)} FROM records GROUP BY {keys(self.names)})
            GROUP BY {values} ORDER BY {values}"""
        with database(sources.folder, memory=sources.memory) as db:
            give_classes(db, sources, self.names + self.sensitive, weighted=self.weighted)
            batches = list(db.ask(query))
        columns = range(len(self.sensitive) + 1)
        weights, *distinct = (np.concatenate([b.column(j).to_numpy() for b in batches]) for j in columns)
        return Diversities(np.column_stack(distinct), weights)

    def _counted(self, sources: Sources) -> str:
        """The part of a query that counts the different values of each; a missing one is no value."""
        counts = []
        for j, name in enumerate(self.sensitive):
            absent = "'nan'::DOUBLE" if sources.masked.schema[name].is_numeric else "-1"
            counts.append(f"count(DISTINCT nullif(k{len(self.names) + j}, {absent})) AS d{j}")
        return ", ".join(counts)


class LDiversity(SensitiveStreamed):
    """Percent of records in a class with too few different sensitive values."""

    def check(self) -> None:
        """Only different values are counted."""
        if self.measure.variant != "distinct":
            raise self.refused(f"variant={self.measure.variant}")
        super().check()

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The diversity of all classes."""
        return (SensitiveValues(self.names, self.sensitive, self.weighted),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Count records in classes that are not diverse; a class without values discloses nothing."""
        classes: Diversities = found[self.needs[0]]
        attained = np.where(classes.distinct == 0, np.inf, classes.distinct)
        bad = attained < self.measure.l - 1e-9
        parts = {name: classes.share(bad[:, j]) for j, name in enumerate(self.sensitive)}
        smallest = float(attained.min())
        parts["smallest"] = smallest if np.isfinite(smallest) else 0.0
        return Judgement(classes.share(bad.any(1)), parts)
