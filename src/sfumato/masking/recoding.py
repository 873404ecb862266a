"""Recoding: given categories give way to others that were chosen by hand."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa

from sfumato.core import Advice, DataError, ParameterError, UnknownNameError, param
from sfumato.data import Attribute, Hierarchy, Table
from sfumato.data.moments import as_numbers
from sfumato.masking._calendar_levels import (
    calendar_unit,
    check_calendar,
    check_days_are,
    check_is_moment,
    day_of_ages,
    period_name,
    periods,
)
from sfumato.masking._category_map import CategoryMap
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole
from sfumato.masking._recoding import Part, recoded, taken_names


class Recoding(InParts):
    """Each category becomes what a map says: `to={alone = [divorced, widowed], together = [married]}`.

    A category is named by itself or by its label, and a run of ordinal ones as `first..last`. Those that are not
    named stay, or become what `others` says. The map may be kept in a TOML file with one line for each new category,
    `alone = ["divorced", "widowed"]`; it is read once. Several columns may share a map: each category has to be one of
    at least one of them.

    A column of few days is one of categories too: `calendar=month` calls each by its month, and so do quarter, year and
    decade; `calendar=age` with `at=2024-01-31` by the age that whoever was born then has at that day.

    A new category has a name that no other has, so that nobody takes it for what was collected; it stands where the
    first of those it stands for stood, and `covers` tells which these are. In a hierarchy it has the ancestors that its
    members share. Missing values stay missing. Nothing is drawn at random, and strata play no part: an attribute has
    one domain for the whole file.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.4.1, global recoding.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"marital": ["single", "divorced", "widowed", "married", "divorced"]}))
    >>> recode = Recoding(to={"alone again": ["divorced", "widowed"]}, attributes=("marital",))
    >>> recode.plain()
    'recoding(to={alone again = [divorced, widowed]}, attributes=[marital])'
    >>> recode.apply(people, np.random.default_rng(1)).to_arrow()["marital"].to_pylist()
    ['single', 'alone again', 'alone again', 'married', 'alone again']
    """

    scales = ("ordinal", "nominal")
    only_coarsens = True
    stratified = False
    parted_by = "records"
    for_users: ClassVar[Advice] = Advice(
        done="Categories were merged into coarser ones, or called otherwise.",
        effect="Every record is as collected at the coarser level; differences inside a merged category "
        "cannot be seen.",
        remedy="Analyse at the coarser level, and merge the categories of other files in the same way "
        "before comparing.",
    )

    to: CategoryMap | None = param(
        default=None, help="new categories and the old ones they stand for, or a TOML file of them"
    )
    others: str = param(default="", help="what categories become that are not named (default: they stay)")

    calendar: str = calendar_unit()
    at: str = day_of_ages()

    def check(self) -> None:
        check_calendar(self.name, self.calendar, self.at)
        if self.calendar != "none" and (self.to is not None or self.others):
            raise ParameterError(f"{self.name}: calendar says what all days become. Leave the map out.")
        if self.to is None and not self.others and self.calendar == "none":
            raise ParameterError(
                f"{self.name}: to must say what categories become, such as {{alone = [divorced, widowed]}}."
            )
        if self.others.strip() != self.others:
            raise ParameterError(
                f"{self.name}: others must be a category, without spaces around it. Got {self.others!r}."
            )

    def targets(self, table: Table) -> tuple[str, ...]:
        if self.calendar != "none":
            check_days_are("ordinal", self.name, table, self.attributes)
        return super().targets(table)

    @property
    def households(self) -> Agreement:
        return "alike"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        schema = part.schema
        try:
            if self.to is not None:
                self.to.check_known(schema[name] for name in names)
            found = {name: self._recoded(schema[name]) for name in names}
        except (DataError, UnknownNameError) as error:
            raise DataError(f"{self.name}: {error}") from None
        columns = {name: lookup[part[name]] for name, (_, lookup) in found.items()}
        return part.replace(columns, [attribute for attribute, _ in found.values()])

    def _recoded(self, attribute: Attribute) -> tuple[Attribute, np.ndarray]:
        becomes = {} if self.to is None else self.to.targets(attribute)
        if self.calendar != "none":
            becomes = self._by_calendar(attribute)
        if self.others:
            becomes = {code: becomes.get(code, self.others) for code in range(attribute.domain_size)}
        _check_new(attribute, becomes)
        parts: dict[str, list[int]] = {}
        for code, category in enumerate(attribute.categories):
            parts.setdefault(becomes.get(code, category), []).append(code)
        if not becomes:
            return attribute, np.append(np.arange(attribute.domain_size), -1)
        return recoded(attribute, list(parts.items()), _hierarchy(attribute, list(parts.items())))

    def _by_calendar(self, attribute: Attribute) -> dict[int, str]:
        check_is_moment(self.name, attribute)
        try:
            days = as_numbers(pa.array(attribute.categories, pa.string()), attribute.storage).to_numpy()
        except pa.ArrowInvalid:
            raise DataError(
                f"column {attribute.name}: not all categories are days such as 1999-12-31, as the calendar needs them."
            ) from None
        places = periods(days, attribute.storage, self.calendar, self.at).tolist()
        return {code: period_name(place, self.calendar) for code, place in enumerate(places)}


def _check_new(attribute: Attribute, becomes: Mapping[int, str]) -> None:
    taken = taken_names(attribute)
    for new in becomes.values():
        if new in taken:
            raise DataError(
                f"column {attribute.name}: {new!r} is a category of its own, or a code for missing; call the new one "
                "otherwise, so that nobody takes it for what was collected."
            )


def _hierarchy(attribute: Attribute, parts: Sequence[Part]) -> Hierarchy | None:
    """Each new category below the ancestors that its members share; none where that is no hierarchy."""
    if attribute.hierarchy is None:
        return None
    paths = {row[0]: row for row in attribute.hierarchy.rows}
    try:
        attribute.hierarchy.check_covers(attribute.name, attribute.categories)
        return Hierarchy(
            tuple(_shared(new, [paths[attribute.categories[code]] for code in codes]) for new, codes in parts)
        )
    except DataError:
        return None


def _shared(new: str, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    above = (cells[0] if len(set(cells)) == 1 else new for cells in zip(*paths, strict=True))
    return (new, *list(above)[1:])
