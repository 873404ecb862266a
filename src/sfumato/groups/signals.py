"""Signals: how many records of a group each place holds, and what share of the place they are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, Result, UnknownNameError
from sfumato.data import Attribute, Table
from sfumato.data.attribute import as_number
from sfumato.groups.named_values import known_names

KINDS = ("quantity", "concentration")
MOST_NUMBERS = 2000  # of a column of places; one with more holds amounts


@dataclass(frozen=True, kw_only=True)
class Group:
    """Who is meant, and over what they are counted.

    `vital` names the attributes that tell who belongs, each with the values that say so; a record belongs if
    all of them agree, and a missing value never does. Where only some `combinations` of these values belong,
    each names a value or several of every vital attribute, and one that agrees is enough. `parameter` is the attribute whose values (places of
    work, say) split the file into submicrofiles. `weight` names an attribute that counts a record as several.

    >>> Group(vital={"occupation": ["soldier", "officer"]}, parameter="place").vital
    {'occupation': ('soldier', 'officer')}
    """

    vital: Mapping[str, tuple[str, ...]]
    parameter: str
    weight: str = ""
    combinations: tuple[Mapping[str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        if not self.vital:
            raise ParameterError("group: name at least one vital attribute, with the values that belong.")
        if self.parameter in self.vital:
            raise ParameterError(f"group: {self.parameter} cannot be both vital and the parameter attribute.")
        listed = {name: tuple(map(str, values)) for name, values in self.vital.items()}
        object.__setattr__(self, "vital", listed)

    @classmethod
    def of(
        cls, listed: Iterable[Mapping[str, tuple[str, ...]]], *, parameter: str, weight: str = ""
    ) -> "Group":
        """From what was asked for: single columns, which must all agree, and combinations of several, of which one must.

        >>> [*Group.of([{"rank": ("1",)}, {"rank": ("2",)}], parameter="place").vital.values()]
        [('1', '2')]
        >>> group = Group.of([{"rank": ("1",), "sex": ("2",)}, {"rank": ("3",), "sex": ("1",)}], parameter="place")
        >>> group.vital, len(group.combinations)
        ({'rank': ('1', '3'), 'sex': ('2', '1')}, 2)
        """
        listed = [*listed]
        several = tuple(one for one in listed if len(one) > 1)
        vital: dict[str, tuple[str, ...]] = {}
        for one in listed:
            for name, values in one.items():
                vital[name] = tuple(dict.fromkeys((*vital.get(name, ()), *values)))
        if any(set(one) != set(several[0]) for one in several):
            raise ParameterError(
                "group: combinations of vital values must all name the same columns; list the values of a column "
                "that does not matter."
            )
        return cls(vital=vital, parameter=parameter, weight=weight, combinations=several)

    def members(self, table: Table) -> np.ndarray:
        belongs = _agree(table, self.vital)
        if self.combinations:
            belongs &= np.any([_agree(table, one) for one in self.combinations], axis=0)
        return belongs

    def places(self, table: Table) -> "RecordPlaces":
        return places_of(table, self.parameter)

    def weights(self, table: Table) -> np.ndarray:
        """What each record counts; a missing weight counts nothing."""
        if not self.weight:
            return np.ones(table.n)
        weights: np.ndarray = np.nan_to_num(table.numbers([self.weight])[:, 0])
        return weights

    def is_told_by(self, table: Table) -> bool:
        """Whether the table still holds what says who belongs."""
        return all(name in table for name in self.vital)


@dataclass(frozen=True)
class RecordPlaces:
    """The values of the parameter attribute that occur, and which of them each record has (−1: none)."""

    names: tuple[str, ...]
    codes: np.ndarray

    def sums(self, amounts: np.ndarray) -> np.ndarray:
        """The amounts of the records, added up place by place."""
        known = self.codes >= 0
        return np.bincount(self.codes[known], weights=amounts[known], minlength=len(self.names))

    def signal(
        self,
        amounts: np.ndarray,
        *,
        kind: str = "quantity",
        label: str = "",
        weights: np.ndarray | None = None,
    ) -> "Signal":
        """The amounts of all records as a signal; a concentration divides them by the records of the place."""
        if kind not in KINDS:
            raise ParameterError(f"signal: kind must be one of {', '.join(KINDS)}. Got {kind!r}.")
        records = self.sums(np.ones(len(self.codes)) if weights is None else weights)
        values = self.sums(np.asarray(amounts, np.float64))
        if kind == "concentration":
            values = np.divide(values, records, out=np.zeros(len(values)), where=records > 0)
        return Signal(kind=kind, label=label or kind, places=self.names, values=values, records=records)


class Signal(Result):
    """One number per place.

    >>> places = RecordPlaces(("north", "south"), np.array([0, 0, 1, -1]))
    >>> places.signal(np.array([1, 0, 1, 1])).values.tolist()
    [1.0, 1.0]
    """

    drawn_by: ClassVar[str] = "signals"

    kind: str
    label: str
    places: tuple[str, ...]
    values: np.ndarray
    records: np.ndarray

    def _rows(self) -> list[dict[str, Any]]:
        columns = zip(self.places, self.values.tolist(), self.records.tolist(), strict=True)
        return [{"place": place, self.kind: value, "records": size} for place, value, size in columns]


def quantity(table: Table, group: Group) -> Signal:
    """The quantity signal: the number of records of the group in each place."""
    return _signal(table, group, "quantity")


def concentration(table: Table, group: Group) -> Signal:
    """The concentration signal: the share of the records of each place that belong to the group."""
    return _signal(table, group, "concentration")


def places_of(table: Table, parameter: str) -> RecordPlaces:
    """The places that occur in a table, in the order of the domain; a record without one is nowhere."""
    attribute, values = table.schema[parameter], table[parameter]
    if attribute.is_numeric:
        present, codes = np.unique(values[~np.isnan(values)], return_inverse=True)
        if len(present) > MOST_NUMBERS:
            raise DataError(
                f"Column {parameter} holds {len(present):,} different numbers, which are no places: name the column of "
                "places, or declare it nominal in the schema."
            )
        all_codes = np.full(table.n, -1, np.int32)
        all_codes[~np.isnan(values)] = codes
        return RecordPlaces(tuple(f"{number:.12g}" for number in present.tolist()), all_codes)
    occurs = np.bincount(values[values >= 0], minlength=attribute.domain_size) > 0
    ranks = np.append(np.where(occurs, np.cumsum(occurs) - 1, -1), -1).astype(np.int32)
    names = tuple(name for name, there in zip(attribute.categories, occurs.tolist(), strict=True) if there)
    return RecordPlaces(names, ranks[values])


def _signal(table: Table, group: Group, kind: str) -> Signal:
    if not table.n:
        raise DataError("The table holds no record: there is no signal to take.")
    weights = group.weights(table)
    return group.places(table).signal(group.members(table) * weights, kind=kind, weights=weights)


def _agree(table: Table, wanted: Mapping[str, tuple[str, ...]]) -> np.ndarray:
    """Which records have one of the wanted values in each of these columns."""
    flags = np.ones(table.n, bool)
    for name, values in wanted.items():
        flags &= _is_one_of(table.schema[name], table[name], values)
    return flags


def _is_one_of(attribute: Attribute, values: np.ndarray, wanted: tuple[str, ...]) -> np.ndarray:
    if attribute.is_numeric:
        numbers = [as_number(text) for text in wanted]
        if any(number is None for number in numbers):
            raise DataError(f"group: column {attribute.name} is numeric; its vital values must be numbers.")
        return np.isin(values, np.array(numbers, np.float64))
    wanted = known_names(wanted, attribute.categories)
    for text in wanted:
        if text not in attribute.categories:
            raise UnknownNameError(
                f"value of the vital attribute {attribute.name}", text, attribute.categories
            )
    return np.array([*(text in wanted for text in attribute.categories), False]).take(values)
