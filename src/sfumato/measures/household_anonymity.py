"""Household anonymity: how many households share what is seen of them with fewer than k − 1 others."""

import numpy as np

from sfumato.core import param
from sfumato.data import Schema, Table
from sfumato.data.households import compositions, first_members, shared_columns, together, unlinked
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Bound, Judged, Measure


class HouseholdAnonymity(Measure):
    """Percent of households that fewer than k are like: in what members share, in how many they are, and in their keys.

    What is seen of a household are the key values that its members share (a rule of the schema says so, or all do), and
    the number of its members, which whoever sees the file can count. `members` names further columns, of which an
    intruder knows the values of all members together, in whatever order: `members=age,sex` is her who knows how old
    everybody in a house is.

    Who lives together is said by the column with the role household of the masked file. Of records without a number
    there nobody sees it: the households they are of in the original are alike if they have the same shared values. A
    file without such a column has only these.

    From 0 to 100. A missing value is a value like others, and so is each code declared for one. The parts are
    `smallest`, the least number of households that are alike (the k of the file), `alone`, the percent of households
    that are like no other, `unlinked`, the percent of households without a number, and `households`, how many there are.

    It does not see members that are rare by themselves (`k_anonymity`, `household_risk`), nor what an intruder knows
    of members beside the columns named.

    Source: ours; household size and composition as keys of their own as in Hundepool et al. (2012), §3.3.

    >>> from sfumato.data import Attribute, Schema, edit_rule
    >>> home = Attribute(name="home", scale="numeric", role="household")
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> rows = {"home": np.array([1, 1, 2, 3, 4, 4]), "town": np.array([0, 0, 0, 0, 1, 1])}
    >>> file = Table(Schema([home, town], rules=[edit_rule("same town in household")]), rows)
    >>> HouseholdAnonymity(k=2).bind(file).score(file).parts
    {'smallest': 1.0, 'alone': 50.0, 'unlinked': 0.0, 'households': 4.0}
    """

    sense = "risk"
    joinable = False
    roles = ("household",)

    k: int = param(default=3, low=1, help="smallest number of households that must be alike")
    members: tuple[str, ...] = param(
        default=(), help="columns that are known of all members of a household (default: none)"
    )

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*names, *self.members)))

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundHouseholdAnonymity(self, original, names)


class BoundHouseholdAnonymity(Bound):
    """The measure with the households of the original, and which keys they share."""

    measure: HouseholdAnonymity

    def __init__(self, measure: HouseholdAnonymity, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.households = together(original)
        self.shared = shared_columns(original, names, self.households)

    def judge(self, masked: Table) -> Judged:
        labels, bare = self._shown(masked)
        alike = distinct([self._seen(masked, labels, bare), bare.astype(np.int8)])
        occurs = alike.counts[alike.labels]
        parts = {
            "smallest": float(occurs.min()),
            "alone": 100 * float(np.mean(occurs == 1)),
            "unlinked": 100 * float(np.mean(bare)),
            "households": float(len(occurs)),
        }
        return 100 * float(np.mean(occurs < self.measure.k)), parts

    def _shown(self, masked: Table) -> tuple[np.ndarray, np.ndarray]:
        """The household of each record, and which of these the file does not show."""
        hidden = unlinked(masked)
        labels = distinct(
            [np.where(hidden, -1, together(masked)), np.where(hidden, self.households, -1)]
        ).labels
        return labels, hidden[first_members(labels)]

    def _seen(self, masked: Table, labels: np.ndarray, bare: np.ndarray) -> np.ndarray:
        """A number for what is seen of each household: of those without a link, no more than what is shared."""
        known = (*self.shared, *(name for name in self.measure.members if name not in self.shared))
        linked = compositions(labels, _kinds(masked, known))
        return np.where(bare, _kinds(masked, self.shared)[first_members(labels)], linked)


def _kinds(masked: Table, names: tuple[str, ...]) -> np.ndarray:
    return distinct(masked.shown(names)).labels if names else np.zeros(masked.n, np.int64)
