"""Household risk: how likely it is that somebody of a household is found, and so all of its members."""

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.data.households import together, unlinked
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Bound, Judged
from sfumato.measures._population import MatchingMeasure
from sfumato.measures.individual_risk import BoundIndividualRisk, IndividualRisk

ROUNDING = 1e-12


class HouseholdRisk(MatchingMeasure):
    """100 · mean over records of h = 1 − ∏ (1 − r) over the members of their household: one found gives all away.

    r is the individual risk of each member, as `individual_risk` finds it in the masked file, with the declared weight
    unless `weighted=false`. Who lives together is said by the column with the role household, in the original: the
    release may give it new numbers. A record whose household is missing there or in the release, where nobody sees with
    whom it belongs, is a household by itself, and so is every record of a file without such a column: then h = r.

    0 is no household to be found, 100 all. The parts are in percent `households`, the mean over households; `above`,
    the records in households whose risk is above the `threshold`; `largest`; `individual`, the mean individual risk;
    and `expected`, the number of households expected to be found. With `missing="category"` a missing key value is a
    value like others, and so is each code declared for one; with `"any"` it matches every value. It does not see that
    the keys of a household together (its size, the ages of all) may single it out where no member is rare.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.3.

    >>> from sfumato.data import Attribute, Schema
    >>> home = Attribute(name="home", scale="numeric", role="household")
    >>> age = Attribute(name="age", scale="ordinal", role="key", categories=("young", "old"))
    >>> file = Table(Schema([home, age]), {"home": np.array([1, 1, 2]), "age": np.array([0, 1, 1])})
    >>> bound = HouseholdRisk().bind(file)
    >>> bound.records(file).tolist()  # the young one is found, and so is who lives there
    [1.0, 1.0, 0.5]
    """

    joinable = False
    roles = ("household",)

    threshold: float = param(
        default=10.0, low=0, high=100, help="risk in percent above which records are counted"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundHouseholdRisk(self, original, names)


class BoundHouseholdRisk(Bound):
    """The measure with the individual risk and the households of the original."""

    measure: HouseholdRisk

    def __init__(self, measure: HouseholdRisk, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        members = IndividualRisk(attributes=names, missing=measure.missing, weighted=measure.weighted)
        self.members = BoundIndividualRisk(members, original, names)
        self.households = together(original)

    def judge(self, masked: Table) -> Judged:
        risk, labels = self.members.records(masked), self._shown(masked)
        households = _joint(risk, labels)
        of_record = households[labels]
        parts = {
            "households": 100 * float(households.mean()),
            "above": 100 * float(np.mean(of_record > self.measure.threshold / 100 + ROUNDING)),
            "largest": 100 * float(households.max()),
            "individual": 100 * float(risk.mean()),
            "expected": float(households.sum()),
        }
        return 100 * float(of_record.mean()), parts

    def records(self, masked: Table) -> np.ndarray:
        """The risk of each record's household, from 0 to 1."""
        labels = self._shown(masked)
        risk: np.ndarray = _joint(self.members.records(masked), labels)[labels]
        return risk

    def _shown(self, masked: Table) -> np.ndarray:
        """The household of each record; one whose number was removed is one by itself."""
        if not masked.schema.with_role("household"):
            return self.households
        return distinct([self.households, np.where(unlinked(masked), np.arange(masked.n), -1)]).labels


def _joint(risk: np.ndarray, households: np.ndarray) -> np.ndarray:
    """1 − ∏ (1 − r) over the members of each household."""
    safe = np.ones(int(households.max(initial=-1)) + 1)
    np.multiply.at(safe, households, 1 - risk)
    return 1 - safe
