"""Local suppression: cells of risky records become missing until k records share every combination."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Advice, DataError, param
from sfumato.data import MISSING, Table
from sfumato.kernels.distinct_records import Distinct, distinct
from sfumato.masking._contract import check_enough
from sfumato.masking._parts import Whole
from sfumato.masking._secrecy import Secretive
from sfumato.masking._suppressed_classes import cell_states, emptied

LARGEST_NUMBER_OF_SETS = 1024  # of attributes, each of which is one pass over the records
LARGEST_NUMBER_OF_PATTERNS = 64  # of missing values that are compared pair by pair


class LocalSuppression(Secretive):
    """Few cells are made missing, so that every record is like at least k, counting itself.

    A record is risky if fewer than k are like it. Finding the fewest cells is hard; this is greedy. Sets of
    attributes are tried from the least important on (by default from the smallest on): risky records lose these
    attributes where that helps them. At the latest the set of all attributes does.

    By default missing is a value like others: records are alike if all their cells are written alike. Risky
    records that are equal in all other attributes lose the set if they are then k, with those that look so
    anyway. Where they are fewer, the largest safe class that is equal to them in the others lends some of its
    records, or all if too few would stay: at first at most as many as they are themselves, when all sets were tried
    as many as cost no more than losing everything, and at last whatever it takes. A code for missing that has to go
    becomes an empty cell.

    With `missing="any"` a missing value is like any value: two records are alike if they are equal wherever neither
    is missing, as is usual after local suppression. Suppressing cells only makes records more alike then, and far
    fewer go; but those who see the file can tell which records have empty cells. Risky records that share all other
    values with k records in all lose the set, the rarest combinations first, and only until the others of them
    have k records like them.

    `importance` holds a number for each masked attribute in their order; sets are tried by increasing sum.
    A cell of importance 5 goes only where no set of cells with a smaller sum helps.

    What members of a household share goes for all of them, and where they would still be recognised by how many they are,
    or by the values of all of them in the columns `members`, the household's number goes.

    Missing values stay missing, and a file that is k-anonymous stays as it is. Numbers are alike only if equal; round or recode those with many values first. Nothing is drawn at random. With
    strata, records must be like k of their stratum.

    Source: Hundepool et al. (1998), the method of μ-Argus; Samarati (2001).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"sex": ["f", "f", "f", "m", "m"], "town": ["a", "a", "b", "c", "c"]})
    >>> masked = LocalSuppression(k=2, missing="any").apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist()
    ['a', 'a', None, 'c', 'c']
    >>> masked = LocalSuppression(k=2).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist()
    [None, None, None, 'c', 'c']
    """

    k_anonymous = True
    only_coarsens = True
    parted_by = "neighbours"
    grid: ClassVar = {"k": (2, 3, 5, 10)}
    for_users: ClassVar[Advice] = Advice(
        done="Single values of rare combinations were made missing.",
        effect="The values that are there are as collected; those removed are missing because they are "
        "rare, and so not at random.",
        remedy="Do not analyse complete records alone without thought: impute, or let the model use "
        "these variables for missingness, and expect small groups to be under-counted.",
    )

    k: int = param(default=5, low=1, help="smallest number of records that are alike")
    importance: tuple[float, ...] = param(
        default=(), low=0, help="how much each attribute counts (default: all the same)"
    )
    missing: str = param(
        default="category",
        choices=("category", "any"),
        help="what a missing value is like: a category of its own, or any value",
    )

    members: tuple[str, ...] = param(
        default=(), help="columns known of all members of a household, which must not single it out"
    )

    @property
    def known_of_members(self) -> tuple[str, ...]:
        return self.members

    @classmethod
    def settings(cls, *, numeric: bool) -> Iterator[dict[str, Any]]:
        """Only for categories: numbers are mostly unique, and all would go."""
        return iter(()) if numeric else super().settings(numeric=numeric)

    def of_columns(self, names: tuple[str, ...], chosen: tuple[str, ...]) -> "LocalSuppression":
        if len(self.importance) != len(names):
            return self
        return replace(self, importance=tuple(self.importance[names.index(name)] for name in chosen))

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        check_enough(self.name, self.k, part.n)
        importance = self.importance or (1.0,) * len(names)
        if len(importance) != len(names):
            raise DataError(
                f"{self.name}: importance must hold one number for each of the {len(names)} masked columns. "
                f"Got {len(importance)}."
            )
        gone = self._suppressed(part, names, importance)
        columns, reasons = {}, {}
        for j, name in enumerate(names):
            columns[name] = part[name].copy()
            columns[name][gone[:, j]] = np.nan if part.schema[name].is_numeric else MISSING
            before = part.reasons(name)
            reasons[name] = None if before is None else np.where(gone[:, j], 0, before)
        return self.without_telling_classes(part.replace(columns, reasons=reasons), names, whole)

    def _suppressed(self, part: Table, names: tuple[str, ...], importance: Sequence[float]) -> np.ndarray:
        """Records by attributes: which cells are made empty, or are so already."""
        missing = np.column_stack([part.missing(name) for name in names])
        if self.missing == "any":
            return cells_to_suppress([part[name] for name in names], missing, self.k, importance)
        columns = [cell_states(part[n], missing[:, j], part.reasons(n)) for j, n in enumerate(names)]
        return emptied(columns, self.k, list(attribute_sets(columns, importance)), importance)


def cells_to_suppress(
    columns: Sequence[np.ndarray], missing: np.ndarray, k: int, importance: Sequence[float]
) -> np.ndarray:
    """Records by attributes: True where a cell must go. `missing` tells which ones are missing already."""
    classes = distinct(columns)
    values = [column[classes.first] for column in columns]
    hidden = np.zeros((len(classes.first), len(columns)), bool)
    risky = occurrences(values, missing[classes.first], classes, k) < k
    for chosen in attribute_sets(values, importance):
        if not risky.any():
            break
        kept = [values[j] for j in range(len(values)) if j not in chosen]
        gone = _prefixes(kept, classes.counts, risky, k)
        hidden[gone[:, None], list(chosen)] = True
    found: np.ndarray = hidden[classes.labels] & ~missing
    return found


def attribute_sets(values: Sequence[np.ndarray], importance: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Sets of attributes, the least important first; among equals those with more different values.

    All of them for up to ten attributes; for more, the small ones, and then ever more of the least important.
    """
    d = len(values)
    richness = [len(distinct([v]).first) for v in values]

    def cost(chosen: tuple[int, ...]) -> tuple[float, int, float, tuple[int, ...]]:
        return (
            sum(importance[j] for j in chosen),
            len(chosen),
            -float(np.prod([float(richness[j]) for j in chosen])),
            chosen,
        )

    size, total = 0, 0
    while size < d and total + comb(d, size + 1) <= LARGEST_NUMBER_OF_SETS:
        size += 1
        total += comb(d, size)
    sets = [chosen for s in range(1, max(size, 1) + 1) for chosen in combinations(range(d), s)]
    yield from sorted(sets, key=cost)
    least = sorted(range(d), key=lambda j: cost((j,)))
    for s in range(size + 1, d + 1):
        yield tuple(sorted(least[:s]))


def occurrences(values: Sequence[np.ndarray], holes: np.ndarray, classes: Distinct, k: int) -> np.ndarray:
    """In how many records the combination of each class occurs; where it is in k anyway, only its own.

    Classes are compared by patterns of missing values. Where there are very many, only equal classes count,
    which finds too few and never too many.
    """
    found = classes.counts.copy()
    pattern = distinct([*holes.T])
    if len(pattern.first) > LARGEST_NUMBER_OF_PATTERNS:
        return found
    risky = found < k
    groups = [np.flatnonzero(pattern.labels == g) for g in range(len(pattern.first))]
    for members in groups:
        here = members[risky[members]]
        for there in groups if len(here) else ():
            gaps = holes[members[0]] | holes[there[0]]
            if not gaps.any():
                continue  # complete classes are like themselves only
            rows = np.concatenate([here, there])
            shared = [values[j][rows] for j in np.flatnonzero(~gaps).tolist()]
            same = distinct(shared).labels if shared else np.zeros(len(rows), np.int64)
            totals = np.bincount(same[len(here) :], weights=classes.counts[there], minlength=same.max() + 1)
            found[here] += totals[same[: len(here)]].astype(np.int64)
            if there is members:
                found[here] -= classes.counts[here]  # they were there already
    return found


def _prefixes(kept: list[np.ndarray], counts: np.ndarray, risky: np.ndarray, k: int) -> np.ndarray:
    """Which risky classes lose the attributes that are not kept; those that are helped are risky no more.

    Classes that are equal in what is kept, k records in all, are compatible with those of them that lose the
    rest. So the smallest lose it, until the next one has with them k records.
    """
    labels = distinct(kept).labels if kept else np.zeros(len(counts), np.int64)
    enough = np.bincount(labels, weights=counts) >= k
    helped = np.flatnonzero(risky & enough[labels])
    helped = helped[np.lexsort((counts[helped], labels[helped]))]
    risky[helped] = False
    before = np.cumsum(counts[helped]) - counts[helped]
    starts = np.searchsorted(labels[helped], labels[helped])
    before = before - before[starts]
    gone: np.ndarray = helped[counts[helped] + before < k]
    return gone
