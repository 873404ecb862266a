"""Global recoding: rare categories become one, or every category gives way to a coarser one."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param
from sfumato.data import Attribute, Table
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole
from sfumato.masking._recoding import lifted, merged

DEFAULT_P = 2


class GlobalRecoding(InParts):
    """The p least frequent categories are merged, or all move up to a level of their hierarchy.

    **By frequency** (`p`, which is 2 where neither is given). The p least frequent of the categories that
    occur become one new category; of equally frequent ones the later in the domain goes first. The most
    frequent one always stays, so an attribute with two categories stays as it is. Categories
    that do not occur are not counted, and stay in the domain, except ordinal ones that lie between merged
    ones and nothing else: they are merged along, so that the new category is an interval.

    - Ordinal, adjacent: the new category is called "first..last" and stands in their place.
    - Ordinal, not adjacent: it is called "other" and stands where the median of its records stood, so that
      the order of all other categories, and the middle of the merged ones, keep their meaning.
    - Nominal: it is called "other" and comes last.

    **By hierarchy** (`level`, 1 for the parents). Every category is replaced by its ancestor at that level;
    new categories come in the order in which the first of those they stand for came.

    The masked attribute declares its new domain, and `covers` tells which original categories each new one
    stands for. Nothing is drawn at random. Missing values stay missing. Strata play no part: an attribute
    has one domain for the whole file.

    Source: Hundepool et al. (1998), as in Marés, *thesis*, §2.3.5.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"region": ["north", "south", "south", "east", "west", "south"]}))
    >>> masked = GlobalRecoding(p=3).apply(people, np.random.default_rng(1))
    >>> masked.to_arrow()["region"].to_pylist()
    ['other', 'south', 'south', 'other', 'other', 'south']
    >>> masked.schema["region"].covers
    {'other': ('east', 'north', 'west')}
    """

    scales = ("ordinal", "nominal")
    only_coarsens = True
    stratified = False
    parted_by = "records"
    grid: ClassVar = {"p": (2, 3, 4, 5, 6, 7)}
    for_users: ClassVar[Advice] = Advice(
        done="Categories were merged into coarser ones.",
        effect="Every record is as collected at the coarser level; differences inside a merged category "
        "cannot be seen.",
        remedy="Analyse at the coarser level, and merge the categories of other files in the same way "
        "before comparing.",
    )

    p: int | None = param(
        default=None, low=2, help="how many of the least frequent categories to merge (2 if no level)"
    )
    level: int = param(default=0, low=0, help="level of the hierarchy to move up to (0: merge by frequency)")

    def check(self) -> None:
        if self.p is not None and self.level > 0:
            raise ParameterError(
                f"{self.name}: only one of p and level must be given. Got p = {self.p} and level = {self.level}."
            )

    @property
    def households(self) -> Agreement:
        return "alike"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        columns, attributes = {}, []
        for name in names:
            attribute, lookup = self._recoded(part.schema[name], whole)
            columns[name] = lookup[part[name]]
            attributes.append(attribute)
        return part.replace(columns, attributes)

    def _recoded(self, attribute: Attribute, whole: Whole) -> tuple[Attribute, np.ndarray]:
        if self.level > 0:
            return self._lifted(attribute)
        T = whole.frequencies(attribute.name)
        members, at = _least_frequent(T, self.p or DEFAULT_P, ordinal=attribute.scale == "ordinal")
        return merged(attribute, members, at=at)

    def _lifted(self, attribute: Attribute) -> tuple[Attribute, np.ndarray]:
        hierarchy = attribute.hierarchy
        if hierarchy is None:
            raise DataError(
                f"{self.name}: column {attribute.name} has no hierarchy to take level {self.level} of."
            )
        if self.level > hierarchy.depth:
            raise DataError(
                f"{self.name}: level must be at most {hierarchy.depth}, the depth of the hierarchy of column "
                f"{attribute.name}. Got {self.level}."
            )
        return lifted(attribute, hierarchy, self.level)


def _least_frequent(T: np.ndarray, p: int, *, ordinal: bool) -> tuple[list[int], int]:
    present = np.flatnonzero(T)
    rarest = sorted(present.tolist(), key=lambda code: (T[code], -code))
    members = sorted(rarest[: max(min(p, len(present) - 1), 0)])  # the most frequent one always stays
    if not ordinal or len(members) < 2:
        return members, len(T) - 1
    interval = list(range(members[0], members[-1] + 1))
    if T[interval].sum() == T[members].sum():  # only categories without records lie between
        return interval, members[0]
    half = np.cumsum(T[members]) * 2 >= T[members].sum()
    return members, members[int(np.argmax(half))]
