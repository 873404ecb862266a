"""Attributes: what is known about a column before any record is looked at."""

import math
from collections.abc import Collection
from typing import Any, Literal

import msgspec
import numpy as np

from sfumato.core import DataError
from sfumato.data.day_forms import is_form
from sfumato.data.hierarchy import Hierarchy

Scale = Literal["numeric", "ordinal", "nominal"]
Role = Literal["identifier", "key", "confidential", "weight", "stratum", "household", "other"]
Storage = Literal["text", "integer", "real", "boolean", "date", "timestamp"]

SCALES: tuple[Scale, ...] = ("numeric", "ordinal", "nominal")
ROLES: tuple[Role, ...] = ("identifier", "key", "confidential", "weight", "stratum", "household", "other")

LARGEST_NUMBER = (
    1e100  # products of four such numbers could still be calculated with, sums of as many as there are too
)


class Attribute(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A column: its name, scale, role and domain.

    `categories` lists the domain of an ordinal (in order) or nominal attribute; it may hold categories that
    no record takes. `low`, `high` and `decimals` bound a numeric one. `missing` lists the codes that stand
    for a missing value; those of them that are `structural` say that there can be none, since nothing was asked. `covers` says, for a category made by recoding, which original categories it stands
    for. `storage` is the type the values had where they came from, and get again where they go; `label` and
    `labels` are the descriptions a statistics package keeps for the column and for its values. `tables` are the files
    that a column is of where several are linked (see `linked_tables`). `form` says how files of text write days, such as
    dd.mm.yyyy; without one they do as ISO 8601 wants it.

    >>> Attribute(name="SEX", scale="nominal", role="key", categories=("female", "male")).domain_size
    2
    """

    name: str
    scale: Scale
    role: Role = "other"
    storage: Storage = "text"
    categories: tuple[str, ...] = ()
    covers: dict[str, tuple[str, ...]] = {}
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    missing: tuple[str, ...] = ()
    structural: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = None
    label: str = ""
    labels: dict[str, str] = {}
    tables: tuple[str, ...] = ()
    form: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise DataError("Attribute: name must be given.")
        self._check_missing()
        if self.form and not (self.storage in ("date", "timestamp") and is_form(self.form)):
            raise DataError(
                f"Column {self.name}: form says how days or moments are written, such as dd.mm.yyyy or "
                f"m/d/yyyy HH:MM. Got {self.form!r} for storage {self.storage}."
            )
        if self.is_numeric:
            self._check_numeric()
        else:
            self._check_categories()

    @property
    def is_numeric(self) -> bool:
        return self.scale == "numeric"

    @property
    def is_moment(self) -> bool:
        """Whether it is numeric inside and a day or a moment to people: days, or seconds, since the first of 1970."""
        return self.is_numeric and self.storage in ("date", "timestamp")

    @property
    def is_open(self) -> bool:
        """Whether its values are whatever the file holds: those of identifiers need not be listed."""
        return self.role == "identifier" and self.scale == "nominal" and not self.categories

    @property
    def domain_size(self) -> int:
        return len(self.categories)

    def conform(self, values: np.ndarray) -> np.ndarray:
        """Make masked numbers legal: the declared decimals and bounds, and no code that means missing."""
        if self.decimals is not None:
            values = np.round(values, self.decimals) + 0.0  # no negative zero
        if self.low is not None or self.high is not None:
            values = np.clip(values, self.low, self.high)
        codes = self.missing_numbers
        for code in codes:
            if np.any(values == code):
                values = np.where(values == code, self._beside(code, codes), values)
        return values

    @property
    def missing_numbers(self) -> tuple[float, ...]:
        if self.is_moment:
            return ()
        return tuple(number for number in map(as_number, self.missing) if number is not None)

    def _beside(self, code: float, codes: tuple[float, ...]) -> float:
        step = 10.0**-self.decimals if self.decimals is not None else 1e-6 * max(abs(code), 1.0)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        for away in range(1, len(codes) + 1):
            for value in (code + away * step, code - away * step):
                if value not in codes and low <= value <= high:
                    return value
        return code  # every number of the domain is a missing code

    def evolve(self, **changes: Any) -> "Attribute":
        return msgspec.structs.replace(self, **changes)

    def _check_missing(self) -> None:
        if "" in self.missing or "" in self.categories:
            raise DataError(f"Column {self.name}: an empty cell is always missing; do not declare ''.")
        repeated = first_repeated(self.missing)
        if repeated is not None:
            raise DataError(f"Column {self.name}: missing code {repeated!r} is declared twice.")

    def _check_numeric(self) -> None:
        if self.categories or self.covers:
            raise DataError(f"Column {self.name}: a numeric attribute has bounds, not categories.")
        if not all(abs(bound) <= LARGEST_NUMBER for bound in (self.low, self.high) if bound is not None):
            raise DataError(
                f"Column {self.name}: low and high must be numbers up to {LARGEST_NUMBER:g}; "
                "leave out a bound that is not."
            )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise DataError(
                f"Column {self.name}: low must not exceed high. Got {self.low:g} > {self.high:g}."
            )
        for bound in (self.low, self.high):
            if bound is not None and self.decimals is not None and round(bound, self.decimals) != bound:
                raise DataError(
                    f"Column {self.name}: low and high must have the declared decimals. Got {bound:g}."
                )
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            raise DataError(f"Column {self.name}: decimals must be from 0 to 15. Got {self.decimals}.")

    def _check_categories(self) -> None:
        if self.low is not None or self.high is not None or self.decimals is not None:
            raise DataError(f"Column {self.name}: bounds and decimals belong to a numeric attribute.")
        repeated = first_repeated(self.categories)
        if repeated is not None:
            raise DataError(f"Column {self.name}: category {repeated!r} is declared twice.")
        both = set(self.categories) & set(self.missing)
        if both:
            raise DataError(
                f"Column {self.name}: {min(both)!r} is declared both a category and a missing code."
            )
        unknown = set(self.covers) - set(self.categories)
        if unknown:
            raise DataError(f"Column {self.name}: covers names {min(unknown)!r}, which is not a category.")


def as_number(text: str) -> float | None:
    """The finite number a text stands for, if any.

    >>> as_number("-9"), as_number("refused")
    (-9.0, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and text.isascii() and "_" not in text else None


def first_repeated(names: tuple[str, ...] | list[str]) -> str | None:
    """The first name that occurs twice, if any.

    >>> first_repeated(["a", "b", "a"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or where it is taken the name with the first number after it that is free.

    >>> free_name("other", {"other", "other 2"})
    'other 3'
    """
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
