"""Uniqueness of a file that does not fit into memory: from its classes of equal key values."""

from dataclasses import dataclass

import numpy as np

from sfumato.large.judging.classes import CLASSES, ClassSizes, Sizes, give_classes, keys
from sfumato.large.judging.database import database
from sfumato.large.judging.streamed._contract import Found, Judgement, Sought, Sources, Statistic, Streamed
from sfumato.large.judging.totals import Totals
from sfumato.measures.uniqueness import individual_risk, sampled_share


@dataclass(frozen=True)
class Risks(Sought):
    """Records expected to be found, sample uniques, expected population uniques, and the greatest risk.

    Weights say how many people a record stands for.
    """

    names: tuple[str, ...]

    def seek(self, sources: Sources) -> np.ndarray:
        """Group the records; classes of the same size and weight have the same risk."""
        with database(sources.folder, memory=sources.memory) as db:
            unit = give_classes(db, sources, self.names, weighted=True)
            query = f"""
                SELECT size, weight, count(*) AS classes
                FROM ({CLASSES.format(keys=keys(self.names))}) GROUP BY size, weight ORDER BY size, weight"""
            found = np.zeros(4)
            for batch in db.ask(query):
                f, people, classes = (batch.column(j).to_numpy() for j in range(3))
                found = _added(found, f, people * unit, classes)
        return found


def _added(found: np.ndarray, f: np.ndarray, F: np.ndarray, classes: np.ndarray) -> np.ndarray:
    risk, alone = individual_risk(f, F), np.where(f == 1, classes, 0)
    sums = [classes * f @ risk, alone.sum(), alone @ sampled_share(f, F)]
    return np.append(found[:3] + sums, max(found[3], risk.max()))


class Uniqueness(Streamed):
    """The mean individual risk."""

    def check(self) -> None:
        """A missing value is a value like others."""
        if self.measure.missing == "any":
            raise self.refused("missing=any")

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The risks of all classes; without weights their sizes will do."""
        return (Risks(self.names) if self.weighted else ClassSizes(self.names, weighted=False),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Average over records."""
        risks = found[self.needs[0]]
        if isinstance(risks, Sizes):
            risks = _added(np.zeros(4), risks.sizes, risks.sizes.astype(float), risks.classes)
        expected, alone, population, largest = risks.tolist()
        parts = {
            "sample_uniques": 100 * alone / totals.n,
            "population_uniques": 100 * population / totals.n,
            "largest": 100 * largest,
            "expected": expected,
        }
        return Judgement(100 * expected / totals.n, parts)
