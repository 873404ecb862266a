"""Tables 5 to 7 of Tavrov and Chertov, and what their text says of ten memetic runs."""

from collections.abc import Mapping
from typing import NamedTuple


class Counts(NamedTuple):
    """Outliers of a state: of the true signal, of these undisclosed, of the auxiliary signal, of these false."""

    true: int
    undisclosed: int
    seen: int
    false: int

    @property
    def disclosed_percent(self) -> float:
        return 100 * (self.true - self.undisclosed) / max(self.true, 1)

    @property
    def false_percent(self) -> float:
        """Of the outliers that the attack sees."""
        return 100 * self.false / max(self.seen, 1)


TABLE_6 = {  # the census of 2000, of which the rules were learnt
    "Alabama": Counts(4, 3, 1, 0),
    "Alaska": Counts(2, 0, 2, 0),
    "Arizona": Counts(4, 1, 3, 0),
    "California": Counts(4, 0, 4, 0),
    "Colorado": Counts(2, 0, 2, 0),
    "Connecticut": Counts(1, 0, 1, 0),
    "Florida": Counts(7, 4, 4, 1),
    "Georgia": Counts(5, 1, 5, 1),
    "Hawaii": Counts(1, 0, 1, 0),
    "Illinois": Counts(2, 1, 1, 0),
    "Kansas": Counts(3, 2, 1, 0),
    "Kentucky": Counts(2, 0, 2, 0),
    "Louisiana": Counts(4, 2, 2, 0),
    "Maryland": Counts(2, 1, 1, 0),
    "Mississippi": Counts(2, 1, 1, 0),
    "Missouri": Counts(2, 1, 1, 0),
    "New Jersey": Counts(3, 1, 2, 0),
    "New York": Counts(2, 0, 2, 0),
    "North Carolina": Counts(4, 2, 2, 0),
    "Ohio": Counts(4, 3, 1, 0),
    "Oklahoma": Counts(3, 2, 1, 0),
    "Pennsylvania": Counts(4, 2, 4, 2),
    "Rhode Island": Counts(1, 0, 1, 0),
    "South Carolina": Counts(6, 1, 5, 0),
    "Tennessee": Counts(3, 3, 0, 0),
    "Texas": Counts(7, 2, 5, 0),
    "Virginia": Counts(9, 3, 6, 0),
    "Washington": Counts(5, 2, 3, 0),
}
TABLE_7 = {  # the survey of 2013
    "Alabama": Counts(2, 2, 1, 1),
    "Alaska": Counts(2, 0, 2, 0),
    "Arizona": Counts(4, 1, 4, 1),
    "California": Counts(3, 1, 2, 0),
    "Colorado": Counts(2, 0, 2, 0),
    "Connecticut": Counts(1, 0, 2, 1),
    "Florida": Counts(7, 5, 3, 1),
    "Georgia": Counts(7, 3, 4, 0),
    "Hawaii": Counts(1, 0, 1, 0),
    "Illinois": Counts(2, 1, 2, 1),
    "Kansas": Counts(2, 2, 0, 0),
    "Kentucky": Counts(2, 1, 1, 0),
    "Louisiana": Counts(4, 4, 0, 0),
    "Maryland": Counts(3, 2, 1, 0),
    "Mississippi": Counts(1, 0, 1, 0),
    "Missouri": Counts(2, 2, 0, 0),
    "Nevada": Counts(1, 0, 1, 0),
    "New Jersey": Counts(2, 2, 0, 0),
    "New Mexico": Counts(2, 2, 0, 0),
    "New York": Counts(2, 0, 2, 0),
    "North Carolina": Counts(3, 1, 2, 0),
    "Ohio": Counts(2, 1, 3, 2),
    "Oklahoma": Counts(3, 2, 1, 0),
    "South Carolina": Counts(4, 1, 3, 0),
    "Texas": Counts(6, 1, 5, 0),
    "Virginia": Counts(7, 4, 4, 1),
    "Washington": Counts(4, 1, 3, 0),
}


def total(table: Mapping[str, Counts]) -> Counts:
    """All states of a table together."""
    return Counts(*map(sum, zip(*table.values(), strict=True)))


# Table 5: DF, RCF and support of the 18 rules, all of which say that the person walks to work
RULES = (
    (0.032, 0.755, 0.032),
    (0.031, 0.787, 0.031),
    (0.012, 0.801, 0.012),
    (0.010, 0.781, 0.010),
    (0.012, 0.851, 0.012),
    (0.034, 0.840, 0.034),
    (0.025, 0.765, 0.025),
    (0.018, 0.931, 0.018),
    (0.017, 0.915, 0.018),
    (0.025, 0.754, 0.026),
    (0.032, 0.751, 0.032),
    (0.018, 0.951, 0.018),
    (0.019, 0.767, 0.019),
    (0.009, 1.876, 0.009),
    (0.008, 0.761, 0.009),
    (0.010, 1.325, 0.010),
    (0.026, 0.767, 0.026),
    (0.002, 0.914, 0.002),
)
LISTED = 0.005  # share of the group that a state must have, more than, to be in the tables

# ten runs of 1000 generations for the state of New York
VALID, LISTS = 983, 1000
LEAST, MEAN = 53.0, 62.518  # the influential metric, added up over the swaps of a list
RECORDS, ATTRIBUTES = 91_398, 13
LIMIT = 2.0  # of the group in a hidden place
