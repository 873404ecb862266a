"""A made-up country: its states, the one model of the group, and what the attack finds in each state."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato import group_attack
from sfumato.core import stream
from sfumato.data import Table
from sfumato.datasets.census_pair import HARMONISATION, WORDS, CensusPair, census_pair
from sfumato.groups.adequacy import Adequacy
from sfumato.groups.fuzzy_model import FuzzyModel, Rule
from sfumato.groups.harmonised_files import Harmonisation, harmonise
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.outliers import Outliers, outliers
from sfumato.groups.rule_quality import Quality
from sfumato.groups.signals import Group, RecordPlaces, Signal
from sfumato.reproductions._groups_tables import LISTED

CENSUS, SURVEY = "census", "survey"
RECORDS_OF_AREA, AREAS_OF_STATE = (
    800,
    43,
)  # the source counts 1238 areas in 28 states, and more records of each
LEAST_AREAS = 20  # of a state: of fewer numbers, quartiles say little
PLANTED = 0.08  # of the areas: 98 of 1238
UNEVEN = 0.8  # spread of the logarithm of how many areas a state has


@dataclass(frozen=True, eq=False)
class StateFile:
    """The records of one state in one of the files: where they work, and their grades."""

    state: str
    table: Table
    places: RecordPlaces
    grades: np.ndarray
    truth: Signal
    alpha: float

    @cached_property
    def seen(self) -> Signal:
        """The auxiliary signal."""
        return self.places.signal(self.grades, label="auxiliary quantity")

    def outliers(self, signal: Signal) -> Outliers:
        """The places with far too many, as an expert looks for them."""
        return outliers(signal, alpha=self.alpha, side="high")


@dataclass(frozen=True)
class StateAttack:
    """True and auxiliary outliers of a state, as an expert has revised them.

    The expert knows the sites: true outliers where none is are taken off both lists, as the source does.
    """

    file: StateFile
    true: Outliers
    found: Outliers

    @classmethod
    def on(cls, file: StateFile, bases: frozenset[str]) -> "StateAttack":
        first = file.outliers(file.truth)
        strike = [name for name in first.names if name not in bases]
        true = outliers(file.truth, alpha=file.alpha, side="high", strike=strike)
        return cls(file, true, outliers(file.seen, alpha=file.alpha, side="high", strike=strike))

    @property
    def adequacy(self) -> Adequacy:
        return Adequacy(places=self.true.places, true=self.true.indices, found=self.found.indices)


@dataclass(frozen=True, eq=False)
class Country:
    """Both harmonised files state by state, and the model that was learnt on the whole census."""

    model: FuzzyModel
    qualities: Mapping[Rule, Quality]
    attacks: Mapping[str, tuple[StateAttack, ...]]

    @classmethod
    def made(cls, records: int, significance: float, seed: int) -> "Country":
        """A country of so many records in each file, its model, and the attack on each state."""
        areas = max(records // RECORDS_OF_AREA, LEAST_AREAS)
        pair = census_pair(records, areas=areas, planted=max(round(PLANTED * areas), 1), seed=seed)
        first, second = harmonise(pair.survey, pair.auxiliary, Harmonisation.from_toml(HARMONISATION))
        files = {CENSUS: second.table, SURVEY: first.table}
        attack = group_attack(
            files[SURVEY],
            files[CENSUS],
            words=Vocabulary.from_toml(WORDS),
            vital=pair.vital,
            parameter=pair.parameter,
            workers=1,
            seed=seed,
        )
        borders = _borders(areas, seed)
        attacks = {
            name: _listed(_states(table, pair, attack.model, borders, significance), pair)
            for name, table in files.items()
        }
        return cls(attack.model, attack.qualities, attacks)

    def adequacy(self, file: str) -> Adequacy:
        """Of all listed states together."""
        places: list[str] = []
        true: list[int] = []
        found: list[int] = []
        for attack in self.attacks[file]:
            true += [len(places) + index for index in attack.true.indices]
            found += [len(places) + index for index in attack.found.indices]
            places += attack.true.places
        return Adequacy(places=tuple(places), true=tuple(true), found=tuple(found))

    @property
    def exposed(self) -> tuple[StateAttack, ...]:
        """The states of the survey in which the attack sees something."""
        return tuple(attack for attack in self.attacks[SURVEY] if attack.found.indices)

    @property
    def like_new_york(self) -> StateAttack:
        """The largest state in which the attack sees two places, or nearly so."""
        return min(self.exposed, key=lambda one: (abs(len(one.found.indices) - 2), -one.file.table.n))


def _borders(areas: int, seed: int) -> np.ndarray:
    """Where the areas of each state begin, and where the last one ends."""
    states = max(areas // AREAS_OF_STATE, 1)
    weights = np.exp(UNEVEN * stream(seed, "groups", "states").standard_normal(states))
    above = np.round((areas - LEAST_AREAS * states) * np.cumsum(weights) / weights.sum())
    ends = LEAST_AREAS * np.arange(1, states + 1) + above.astype(np.int64)
    return np.concatenate([[0], ends])


def _states(
    table: Table, pair: CensusPair, model: FuzzyModel, borders: np.ndarray, alpha: float
) -> list[StateFile]:
    group = Group(vital=pair.vital, parameter=pair.parameter)
    members, grades = group.members(table), model.grades(table)
    state_of = np.searchsorted(borders, table[pair.parameter], side="right") - 1
    found = []
    for state in range(len(borders) - 1):
        rows = np.flatnonzero(state_of == state)
        own = table.take(rows)
        places = group.places(own)
        truth = places.signal(members[rows], label="quantity")
        found.append(StateFile(f"S{state + 1:02d}", own, places, grades[rows], truth, alpha))
    return found


def _listed(files: list[StateFile], pair: CensusPair) -> tuple[StateAttack, ...]:
    """The states with more than the least share of the group, attacked."""
    least = LISTED * sum(file.truth.values.sum() for file in files)
    bases = frozenset(pair.planted)
    return tuple(StateAttack.on(file, bases) for file in files if file.truth.values.sum() > least)
