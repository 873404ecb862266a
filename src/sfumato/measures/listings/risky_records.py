"""The riskiest records of a release with the reason why, for those who protect it and for nobody else."""

from typing import Any, NamedTuple

import numpy as np

from sfumato.core import ParameterError, Result
from sfumato.data import Table
from sfumato.measures.household_risk import BoundHouseholdRisk, HouseholdRisk
from sfumato.measures.individual_risk import BoundIndividualRisk, IndividualRisk
from sfumato.measures.suda2 import BoundSuda2, Suda2


class RiskyRecord(NamedTuple):
    """A record by its number in the original, from 1 on; risks are percents. No value of it is told."""

    record: int
    individual_risk: float
    household_risk: float
    suda_score: float
    dis_score: float
    reason: str


class RiskyRecords(Result):
    """The riskiest records, the riskiest first. Private: a record number is a lead to a person."""

    records: tuple[RiskyRecord, ...]

    def _rows(self) -> list[dict[str, Any]]:
        return [one._asdict() for one in self.records]


def riskiest(
    original: Table,
    masked: Table,
    *,
    count: int = 20,
    attributes: tuple[str, ...] = (),
    scenario: str = "",
    missing: str = "category",
) -> RiskyRecords:
    """The records of a masked table that are found most easily, and what singles them out, in words.

    They come in the order of their individual risk, then of their DIS-SUDA score and of their number. The reason names
    the smallest set of attributes in which the record is alone, or says how many records it shares all keys with.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> trade = Attribute(name="trade", scale="nominal", role="key", categories=("baker", "smith"))
    >>> file = Table(Schema([town, trade]), {"town": np.array([0, 0, 1, 1]), "trade": np.array([0, 1, 1, 1])})
    >>> [(one.record, one.reason) for one in riskiest(file, file, count=3).records]
    [(1, 'the only record with this trade'), (2, 'the only record with this town and trade'), (3, 'one of 2 records with these values of all keys')]
    """
    if count < 1:
        raise ParameterError(f"count must be an integer of at least 1. Got {count}.")
    people = IndividualRisk(attributes=attributes, scenario=scenario, missing=missing)
    names = people.judged(original)
    individual = BoundIndividualRisk(people, original, names)
    risk, (frequency, _) = individual.records(masked), individual.frequencies(masked)
    households = BoundHouseholdRisk(HouseholdRisk(missing=missing), original, names).records(masked)
    suda = BoundSuda2(Suda2(missing=missing), original, names)
    scores, chances = suda.scores(masked), suda.records(masked)
    order = np.lexsort([np.arange(masked.n), -chances, -risk])[:count]
    reasons = _reasons(suda, masked, order, frequency)
    return RiskyRecords(
        records=tuple(
            RiskyRecord(
                row + 1,
                100 * float(risk[row]),
                100 * float(households[row]),
                float(scores[row]),
                100 * float(chances[row]),
                reasons[row],
            )
            for row in order.tolist()
        )
    )


def _reasons(suda: BoundSuda2, masked: Table, rows: np.ndarray, frequency: np.ndarray) -> dict[int, str]:
    """What singles each record out; sets come smaller ones first, so that the first found is the reason."""
    wanted, reasons = set(rows.tolist()), dict[int, str]()
    for places, found in suda.minimal_uniques(masked):
        names = [suda.names[j] for j in places]
        for row in found[np.isin(found, rows)].tolist():
            reasons.setdefault(row, f"the only record with this {_listed(names)}")
    for row in wanted - reasons.keys():
        f = int(frequency[row])
        alone = "the only record with these values of all keys"
        reasons[row] = alone if f == 1 else f"one of {f} records with these values of all keys"
    return reasons


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
