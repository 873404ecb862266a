"""Which partition each record goes to: strata first, then cuts between neighbours, or ranges of ranks."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from sfumato.data import Schema, Table
from sfumato.masking import InParts, Whole, stratum_of
from sfumato.masking._contract import check_enough, naming
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.file_facts import FileFacts
from sfumato.masking.from_disk.partition_tree import Leaf, Node, leaf_of, learnt, learnt_within_shell

WINDOWS = 8  # how many times as far as the method reaches a range is long
LONGEST = 1 << 22  # records in a range, however far the method reaches


@dataclass(frozen=True)
class Neighbours:
    """The tree of cuts of each stratum, and the number of its first leaf.

    Large strata have leaves of their own. Small ones share a leaf with others, where they are told apart by
    the method. Leaves of one `home` may be joined.
    """

    masking: InParts
    names: tuple[str, ...]
    wholes: Mapping[Stratum, Whole]
    trees: Mapping[Stratum, tuple[int, Node]]
    homes: tuple[int, ...]

    def leaves(self, part: Table, rows: np.ndarray) -> np.ndarray:
        found = np.empty(part.n, np.int64)
        for _, at in part.strata():
            piece = part.take(at)
            first, tree = self.trees[stratum_of(piece)]
            if isinstance(tree, Leaf) and tree.pieces == 1:
                found[at] = first
            else:
                found[at] = first + leaf_of(
                    tree, placed(self.masking, piece, self.names, self.wholes), rows[at]
                )
        return found


def neighbours(
    masking: InParts,
    sample: Table,
    names: tuple[str, ...],
    *,
    facts: Mapping[Stratum, FileFacts],
    wholes: Mapping[Stratum, Whole],
    partition: int,
) -> Neighbours:
    """Learn the cuts from a sample, so that leaves hold about `partition` records."""
    sizes = {stratum: known.n for stratum, known in facts.items()}
    places, homes = allotted(sizes, {s: round(n / partition) for s, n in sizes.items()}, partition)
    rows = rows_by_stratum(sample)
    learn = learnt_within_shell if masking.far_together else learnt
    trees: dict[Stratum, tuple[int, Node]] = {}
    for stratum, (first, leaves) in places.items():
        at = rows.get(stratum, np.arange(0))
        seen = leaves > 1 and len(at) > 0
        X = placed(masking, sample.take(at), names, wholes) if seen else np.empty((0, len(names)))
        trees[stratum] = (first, learn(X, leaves))
    return Neighbours(masking, names, wholes, trees, homes)


def allotted(
    sizes: Mapping[Stratum, int], wanted: Mapping[Stratum, int], partition: int
) -> tuple[dict[Stratum, tuple[int, int]], tuple[int, ...]]:
    """The first leaf and the number of leaves of each stratum, and which leaves are of one home.

    Small strata, for which less than two leaves are wanted, share one as long as there is room.

    >>> allotted({(0,): 30, (1,): 4, (2,): 5, (3,): 3}, {(0,): 3, (1,): 0, (2,): 0, (3,): 0}, 10)
    ({(0,): (0, 3), (1,): (3, 1), (2,): (3, 1), (3,): (4, 1)}, (0, 0, 0, 1, 3))
    """
    places: dict[Stratum, tuple[int, int]] = {}
    homes: list[int] = []
    room = -1  # in the last leaf
    for home, (stratum, size) in enumerate(sizes.items()):
        leaves = max(wanted[stratum], 1)
        if leaves == 1 and size <= room:
            places[stratum] = (len(homes) - 1, 1)
            room -= size
            continue
        places[stratum] = (len(homes), leaves)
        homes += [home] * leaves
        room = partition - size if leaves == 1 else -1
    return places, tuple(homes)


def rows_by_stratum(sample: Table) -> dict[Stratum, np.ndarray]:
    return {stratum_of(sample.take(at[:1])): at for _, at in sample.strata()} if sample.n else {}


def placed(
    masking: InParts, part: Table, names: tuple[str, ...], wholes: Mapping[Stratum, Whole]
) -> np.ndarray:
    return masking.places(part, names, wholes[stratum_of(part) if masking.divides(part.schema) else ()])


def check_sizes(masking: InParts, schema: Schema, facts: Mapping[Stratum, FileFacts]) -> None:
    """Refuse a stratum that cannot be made k-anonymous, by name, before any work is done."""
    k = int(getattr(masking, "k", 1))
    for stratum, known in facts.items():
        if known.n < k:
            with naming(stratum_name(schema, stratum)):
                check_enough(masking.name, k, known.n)


def stratum_name(schema: Schema, stratum: Stratum) -> str:
    """What a stratum is called; nothing where the file is not divided."""
    names = schema.with_role("stratum")
    if not stratum:
        return ""
    alone = Table(schema.select(names), {name: [code] for name, code in zip(names, stratum, strict=True)})
    return alone.strata()[0][0]


def joined_leaves(counts: np.ndarray, homes: tuple[int, ...], least: int) -> list[tuple[int, int]]:
    """Partitions as ranges of leaves: those with too few records are joined with the next of their stratum.

    >>> joined_leaves(np.array([2, 9, 8, 3, 1, 7]), (0, 0, 0, 0, 1, 2), 5)
    [(0, 2), (2, 4), (4, 5), (5, 6)]
    """
    found: list[tuple[int, int]] = []
    for _, leaves in groupby(range(len(homes)), key=homes.__getitem__):
        found += _joined(counts, list(leaves), least)
    return found


def _joined(counts: np.ndarray, leaves: list[int], least: int) -> list[tuple[int, int]]:
    """The partitions of one home; the last takes what is too little for one more."""
    starts, held = [leaves[0]], 0
    for leaf in leaves:
        if held >= least:
            starts.append(leaf)
            held = 0
        held += int(counts[leaf])
    if held < least and len(starts) > 1:
        starts.pop()
    return list(pairwise([*starts, leaves[-1] + 1]))


@dataclass(frozen=True)
class Households:
    """So many leaves, each with whole households: all records with the same contents in some columns go to one of them."""

    names: tuple[str, ...]
    count: int

    @property
    def homes(self) -> tuple[int, ...]:
        return (0,) * self.count

    def leaves(self, part: Table, rows: np.ndarray) -> np.ndarray:
        """By a number made of the contents; who belongs to nobody goes by where the record stands."""
        alone = np.logical_or.reduce([part.missing(name) for name in self.names])
        mixed = np.zeros(part.n, np.uint64)
        for name in self.names:
            mixed = scattered(mixed + part[name].astype(np.float64).view(np.uint64))
        mixed = np.where(alone, scattered(rows.astype(np.uint64)), mixed)
        return (mixed % np.uint64(self.count)).astype(np.int64)


def scattered(numbers: np.ndarray) -> np.ndarray:
    """Numbers of 64 bits, of which near ones are far from each other (the finaliser of splitmix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))


class Cuts(NamedTuple):
    """Where ranges end: after a record with this value in this row; equal values come in file order."""

    first: int  # the leaf of the first range
    values: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class Ranges:
    """The ranges of one attribute in each stratum. Missing values have no rank, and stay."""

    name: str
    cuts: Mapping[Stratum, Cuts]
    homes: tuple[int, ...]

    def leaves(self, part: Table, rows: np.ndarray) -> np.ndarray:
        found = np.empty(part.n, np.int64)
        for _, at in part.strata():
            cuts = self.cuts[stratum_of(part.take(at[:1]))]
            found[at] = cuts.first + ranges_of(part[self.name][at], rows[at], cuts)
        found[part.missing(self.name)] = -1
        return found


def ranges(
    masking: InParts,
    sample: Table,
    rows: np.ndarray,
    name: str,
    *,
    facts: Mapping[Stratum, FileFacts],
    partition: int,
) -> Ranges:
    """Learn from a sample where ranges end, so that each is several times as long as the method reaches."""
    present = {stratum: known.present(name) for stratum, known in facts.items()}
    wanted = {
        stratum: round(n / min(max(partition, WINDOWS * masking.reach(n)), LONGEST))
        for stratum, n in present.items()
    }
    places, homes = allotted(present, wanted, partition)
    by_stratum = rows_by_stratum(sample)
    cuts = {}
    for stratum, (first, pieces) in places.items():
        at = by_stratum.get(stratum, np.arange(0))
        at = at[~sample.missing(name)[at]]
        values, row = sample[name][at], rows[at]
        order = np.lexsort((row, values))
        ends = order[len(order) * np.arange(1, pieces) // pieces] if len(order) else order
        cuts[stratum] = Cuts(first, values[ends], row[ends])
    return Ranges(name, cuts, homes)


def ranges_of(values: np.ndarray, rows: np.ndarray, cuts: Cuts) -> np.ndarray:
    """In which range each value is; of those equal to where a range ends, later rows are in the next.

    >>> cuts = Cuts(0, np.array([3.0, 3.0, 5.0]), np.array([2, 7, 1]))
    >>> ranges_of(np.array([1.0, 3.0, 3.0, 3.0, 5.0, 9.0]), np.array([0, 2, 3, 8, 4, 5]), cuts).tolist()
    [0, 0, 1, 2, 3, 3]
    """
    found = np.searchsorted(cuts.values, values, side="left")
    for value in np.unique(cuts.values):
        here = np.flatnonzero(values == value)
        ends = cuts.rows[cuts.values == value]
        found[here] += np.searchsorted(ends, rows[here], side="left")
    return found
