"""Measures of how rare the records of a file are among the people they were drawn from."""

import numpy as np

from sfumato.core import param
from sfumato.data import Schema, Table
from sfumato.measures._contract import Bound, Files, Measure, StatisticBound, survey_weights
from sfumato.measures.statistics.contract import Part, Statistic
from sfumato.measures.statistics.key_classes import Classes, KeyClasses


class PopulationMeasure(Measure):
    """A measure of key classes: how often a combination occurs in the file, f_k, and among people, F_k.

    The declared survey weight says how many people a record stands for, F_k = Σ weights. Without one, or with
    `weighted=false`, the file is the population, F_k = f_k. Weights tell people apart, not records: every record
    of the file counts once.
    """

    sense = "risk"

    weighted: bool = param(
        default=True, help="take a record for as many people as its survey weight says, if one is declared"
    )

    def weighs(self, schema: Schema) -> bool:
        """Every record counts once; weights say how many people it stands for."""
        return False

    @property
    def matches_any(self) -> bool:
        """Whether a missing value matches every value; else it is a value like others."""
        return False

    def knows_people(self, schema: Schema) -> bool:
        """Whether survey weights say how many people the records stand for: a column of numbers does."""
        return self.weighted and bool(schema.weight) and schema[schema.weight].is_numeric

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (KeyClasses(files.names, self.matches_any, people=self.knows_people(files.original)),)

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return PopulationBound(self, original, names)


class MatchingMeasure(PopulationMeasure):
    """One of those to which a missing value may match every value."""

    missing: str = param(default="category", choices=("category", "any"), help="what a missing value is like")

    @property
    def matches_any(self) -> bool:
        return self.missing == "any"


class PopulationBound(StatisticBound):
    """The measure with the weights, which are checked; it also tells the frequencies of each record."""

    def __init__(self, measure: PopulationMeasure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        if measure.knows_people(original.schema):
            survey_weights(original, measure.name)

    def frequencies(self, masked: Table) -> tuple[np.ndarray, np.ndarray]:
        """f_k and the estimated F_k of each record: how often it occurs in the file and in the population."""
        found, labels = self.labelled(masked)
        return found.occurs[labels], found.people[labels].astype(float)

    def labelled(self, masked: Table) -> tuple[Classes, np.ndarray]:
        """The classes of a masked table, and which of them each record is in."""
        self.check(masked)
        (classes,) = self.statistics
        assert isinstance(classes, KeyClasses)
        return classes.labelled(Part(self.original), masked)


def people_of(table: Table, measure: PopulationMeasure) -> np.ndarray:
    """How many people each record stands for: its survey weight, or itself alone."""
    if not measure.knows_people(table.schema):
        return np.ones(table.n)
    survey_weights(table, measure.name)
    people: np.ndarray = table[table.schema.weight]
    return people
