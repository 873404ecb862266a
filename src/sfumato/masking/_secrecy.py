"""Groups that keep confidential values secret: l of them differ in each, and none is far from the whole file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from sfumato.core import DataError, ParameterError, param
from sfumato.data import Schema, Table
from sfumato.kernels.coarser_classes import earth_moved
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._aggregates import group_means
from sfumato.masking._contract import Parts
from sfumato.masking._missing_values import blank
from sfumato.masking._parts import InParts, Whole

ROUNDING = 1e-12  # a distance this little above its limit is at the limit
SHORT = 1e-9  # 2^H of equal frequencies may be a digit short
LIKE_OTHERS = ("any", "best")  # readings by which a missing value may be like another
NEAR = 8  # groups beside one that fails, of which it joins the nearest with which it does not


class Secretive(InParts):
    """A method that makes records alike, in groups whose confidential values must not be told by their keys.

    With `l`, each group has at least so many different values in each `confidential` column (with `variant="entropy"`,
    an entropy of at least log2(l)); with `t`, the distance of its values from those of all records is at most so
    large. These are the measures `l_diversity` and `t_closeness`. A group that fails joins the nearest one with which
    it does not, of a few that are near, or the nearest of all, until none fails. With t, a file must fit into memory.
    """

    l: float = param(default=1.0, low=1, help="least diversity of confidential values in a group")  # noqa: E741
    variant: str = param(default="distinct", choices=("distinct", "entropy"), help="how diversity is counted")
    t: float = param(
        default=1.0, low=0, high=1, help="largest distance of a group from all records in confidential values"
    )
    confidential: tuple[str, ...] = param(
        default=(), help="columns that l and t are about (default: those with the role confidential)"
    )

    def check(self) -> None:
        super().check()
        if self.is_secretive and getattr(self, "missing", "category") == "any":
            raise ParameterError(
                f"{self.name}: l and t are about groups of records that are written alike. Got missing = any; set it "
                "to category."
            )

    @property
    def is_secretive(self) -> bool:
        return self.l > 1 or self.t < 1

    @property
    def least_alike(self) -> int | None:
        return None if self.is_secretive else super().least_alike

    @property
    def parted(self) -> Parts:
        """How all values are distributed must be known at once."""
        return "none" if self.t < 1 else super().parted

    def beside(self, schema: Schema) -> tuple[str, ...]:
        if not self.is_secretive:
            return super().beside(schema)
        return (*super().beside(schema), *(self.confidential or schema.with_role("confidential")))

    def secret_columns(self, schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
        found = self.confidential or schema.with_role("confidential")
        for name in found:
            schema[name]  # which raises where there is none
            if name in names:
                raise DataError(
                    f"{self.name}: column {name} is masked, and l and t take it for confidential; choose one."
                )
        if not found:
            raise DataError(
                f"{self.name}: l and t are about confidential columns, and the table has none; name them."
            )
        return found

    def kept_secret(
        self, labels: np.ndarray, X: np.ndarray, part: Table, names: Sequence[str], whole: Whole
    ) -> np.ndarray:
        """Groups of records that stand at X, joined until each keeps l and t."""
        return self._secrets(part, names, whole).merged(labels, X) if self.is_secretive else labels

    def without_telling_classes(self, part: Table, names: Sequence[str], whole: Whole) -> Table:
        """The part, in which all masked cells are empty of records that are alike and do not keep l and t."""
        if not self.is_secretive:
            return part
        classes = distinct(part.shown(names))
        empty = np.logical_and.reduce([part.missing(name) for name in names])
        for name in names:
            codes = part.reasons(name)
            empty &= np.True_ if codes is None else codes == 0
        gone = self._secrets(part, names, whole).blanked(classes.labels, empty[classes.first])
        return blank(part, names, gone[classes.labels])

    def of_households(self) -> "Secretive":
        """Households are grouped by what they share, as it is written; l and t are about the people."""
        written: dict[str, Any] = (
            {"missing": "category"} if getattr(self, "missing", "") in LIKE_OTHERS else {}
        )
        return replace(self, l=1.0, t=1.0, **written)

    def telling(self, people: Table, names: Sequence[str], labels: np.ndarray) -> np.ndarray:
        if not self.is_secretive:
            return super().telling(people, names, labels)
        none = np.zeros(int(labels.max(initial=-1)) + 1, bool)
        return self._secrets(people, names, Whole.of(people)).blanked(labels, none)

    def _secrets(self, part: Table, names: Sequence[str], whole: Whole) -> "Secrets":
        columns = [
            SecretColumn.of(part, name, whole if self.t < 1 else Whole.of(part))
            for name in self.secret_columns(part.schema, names)
        ]
        return Secrets(self.name, tuple(columns), self.l, self.variant == "entropy", self.t)


@dataclass(frozen=True)
class SecretColumn:
    """The place of each record's value among those of the whole file, −1 where it is missing, and how many come up to
    each place."""

    places: np.ndarray
    upto: np.ndarray
    ordered: bool

    @classmethod
    def of(cls, part: Table, name: str, whole: Whole) -> "SecretColumn":
        values, counts = whole.distribution(name)
        places = np.where(part.missing(name), -1, np.searchsorted(values, part[name]))
        return cls(places, np.cumsum(counts), part.schema[name].scale != "nominal")


@dataclass(frozen=True)
class Secrets:
    """What each group of records must keep."""

    owner: str
    columns: tuple[SecretColumn, ...]
    l: float  # noqa: E741 -- the field's name
    entropy: bool
    t: float

    def fails(self, labels: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Which groups do not keep l or t; `labels` are those of some `rows`, or of all records."""
        groups = int(labels.max(initial=-1)) + 1
        found = np.zeros(groups, bool)
        for column in self.columns:
            places = column.places if rows is None else column.places[rows]
            values = _counted(labels, places)
            sizes = np.bincount(values[:, 0], values[:, 2], groups).astype(np.int64)
            found |= self._too_alike(values, sizes)
            if self.t < 1 and len(column.upto):
                ends = np.tile(np.array([0, len(column.upto)]), (groups, 1))
                found |= earth_moved(values, sizes, ends, column.upto, column.ordered) > self.t + ROUNDING
        return found

    def _too_alike(self, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """A group without any value tells nothing."""
        if self.entropy:
            p = values[:, 2] / sizes[values[:, 0]]
            attained = 2.0 ** np.bincount(values[:, 0], -p * np.log2(p), len(sizes))
        else:
            attained = np.bincount(values[:, 0], minlength=len(sizes)).astype(float)
        found: np.ndarray = (attained < self.l - SHORT) & (sizes > 0)
        return found

    def merged(self, labels: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Groups that keep all, of which none is part of one that was whole before."""
        while True:
            labels = np.unique(labels, return_inverse=True)[1].ravel()
            fails = self.fails(labels)
            if not fails.any():
                return labels
            if len(fails) == 1:
                raise self.unreachable(len(labels))
            labels = self._joined(labels, group_means(X, labels), np.flatnonzero(fails))[labels]

    def _joined(self, labels: np.ndarray, centres: np.ndarray, failing: np.ndarray) -> np.ndarray:
        """For each group the one it is part of now: failing ones joined others, each at most one."""
        found = scipy.spatial.cKDTree(centres).query(centres[failing], k=min(NEAR + 1, len(centres)))
        distance, near = np.asarray(found[0]), np.asarray(found[1])
        apart = np.where(near == failing[:, None], np.inf, distance)  # itself
        mended = ~self._fail_together(labels, failing, near)
        best = np.lexsort((apart, ~mended | np.isinf(apart)))[:, 0]
        line = np.arange(len(failing))
        order = np.lexsort((apart[line, best], ~mended[line, best]))
        to = np.arange(len(centres))
        joined = np.zeros(len(centres), bool)
        for i in order:
            a, b = failing[i], near[i, best[i]]
            if not joined[a] and not joined[b]:
                joined[[a, b]] = True
                to[a] = b
        return to

    def _fail_together(self, labels: np.ndarray, failing: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Whether each failing group would still fail with each of those near to it."""
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        starts = np.cumsum(sizes) - sizes
        pairs = np.arange(near.size)
        both = np.stack([np.repeat(failing, near.shape[1]), near.ravel()])
        rows, of = [], []
        for groups in both:
            counts = sizes[groups]
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            rows.append(order[np.repeat(starts[groups], counts) + within])
            of.append(np.repeat(pairs, counts))
        found = self.fails(np.concatenate(of), np.concatenate(rows))
        return found.reshape(near.shape)

    def blanked(self, labels: np.ndarray, empty: np.ndarray) -> np.ndarray:
        """Which groups must show nothing: those that fail, and so many small ones that together they do not.

        `empty` ones show nothing anyway.
        """
        sizes = np.bincount(labels)
        gone: np.ndarray = self.fails(labels) & ~empty
        more = 1
        while True:
            hidden = (gone | empty)[labels]
            if not hidden.any() or not self.fails(np.zeros(int(hidden.sum()), np.int64), hidden)[0]:
                return gone
            left = np.flatnonzero(~gone & ~empty)
            if not len(left):
                raise self.unreachable(len(labels))
            gone[left[np.argsort(sizes[left], kind="stable")[:more]]] = True
            more *= 2

    def unreachable(self, n: int) -> DataError:
        return DataError(
            f"{self.owner}: l = {self.l:g} and t = {self.t:g} cannot be reached, not even where all {n:,} records are "
            "alike; ask for less."
        )


def _counted(labels: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Rows of group, place and how many records of the group have it, sorted; missing values are left out."""
    present = np.flatnonzero(places >= 0)
    found = distinct([labels[present], places[present]])
    at = present[found.first]
    return np.column_stack([labels[at], places[at], found.counts]).astype(np.int64)
