"""Assignment linkage: the intruder links all records at once, each known one to one released record."""

from typing import NamedTuple

import numpy as np
import scipy

from sfumato.attacks._distance_attack import ByDistance
from sfumato.attacks.linkage.distance_linker import DistanceLinker, Grove, View
from sfumato.attacks.linkage.record_space import Space
from sfumato.core import param
from sfumato.data import Table
from sfumato.kernels.distinct_records import Distinct, distinct
from sfumato.kernels.nearest_few import nearest_few, pair_distances
from sfumato.parallel.threads import in_blocks

EXACT = 1000
BLOCK = 5000
SEARCHED = 1024  # records looked for at once
FARTHEST = 1e6  # times the middle distance; more is as bad
UNIT = 2**20


class AssignmentLinkage(ByDistance):
    """The intruder knows that every record has exactly one partner, and makes the sum of all distances least.

    Where two released records are nearest to the same known one, only one of them can have it: what is certain
    about one record helps to find others. Distances are those of `distance_linkage`; with `euclidean` and
    `mahalanobis` they are squared, which makes the assignment the most likely one under normal noise. A value
    missing on one side only counts 2 (`euclidean`) or 1 (`gower`), and as the mean with `mahalanobis`.

    Up to 1000 records the assignment is the best of all. In larger files each released record may only be linked
    to its nearest `candidates` (more where many are alike) or, so that nobody is left over, to one more record.
    More than 5000 records are cut into blocks of neighbours: the known ones in the order of the tree by which
    neighbours are found, the released ones in that of their nearest known ones. Links are sought inside blocks,
    and true ones that lie elsewhere are missed, so that the rate is rather below what this intruder could reach.

    Records that are alike share their links evenly; where several assignments are equally good, one is drawn. A
    guess without the release finds one record of n.

    Source: one-to-one links as in Jaro (1989), and as for probabilistic linkage in Marés, *thesis*, §2.4.2, here
    with distances; sparse assignment by Jonker & Volgenant (1987).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> known = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> released = known.replace({"x": [1.4, 2.2, 8.2, 8.3]})  # two are nearest to the third
    >>> AssignmentLinkage().run(released, known, np.random.default_rng(0)).outcomes.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    candidates: int = param(
        default=30, low=1, high=1000, help="nearest known records that a released one may be linked to"
    )

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        if not known.n:
            return np.empty(0)
        linker = DistanceLinker(known, Space(known, names, self.distance))
        return assigned(linker, released, self.candidates, rng)


class Sides(NamedTuple):
    """The released records and the known ones as points, and the distinct ones among them."""

    Q: np.ndarray
    released: Distinct
    grove: Grove
    view: View


def assigned(
    linker: DistanceLinker, released: Table, candidates: int, rng: np.random.Generator
) -> np.ndarray:
    """The chance of each record to be linked with its own; records that are alike share their links evenly.

    The known records are laid out in the order of their tree, the released ones in that of their nearest known
    ones, and both are cut into blocks of the same size. Whatever is left open is drawn.
    """
    sides = _sides(linker, released)
    nearest = _searched(sides, np.arange(len(sides.Q)), 1, 0, len(sides.grove.X))[0][:, 0]
    q = sides.released.labels[_ordered(nearest[sides.released.labels], rng)]
    x = np.sort(sides.grove.own)
    links = np.empty(released.n, np.int64)
    for places in np.array_split(np.arange(released.n), -(-released.n // BLOCK)):
        links[places] = x[places][_matched(sides, q[places], x[places], candidates, rng)]
    return _shares(sides, q, links)


def _sides(linker: DistanceLinker, released: Table) -> Sides:
    assert linker.grove is not None
    view = linker.view(released.schema)
    points = linker.space.points(released, view.readings)
    records = distinct([*points.T] or [np.zeros(len(points))])
    return Sides(linker.space.placed(points[records.first]), records, linker.grove, view)


def _searched(sides: Sides, q: np.ndarray, few: int, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest kinds of known records, from low to high − 1, of some kinds of released ones; distances."""
    grove, view = sides.grove, sides.view
    Q = sides.Q[q]

    def block(start: int, end: int) -> np.ndarray:
        tree = grove.X, view.metric, view.sets, grove.nodes, grove.boxes
        return np.stack(nearest_few(Q[start:end], few, low, high, *tree), axis=1)

    found = in_blocks(block, len(Q), SEARCHED)
    return found[:, 0].astype(np.int64), found[:, 1]


def _ordered(keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Records by their key, in an order that is drawn where keys are equal."""
    drawn = rng.permutation(len(keys))
    return drawn[np.argsort(keys[drawn], kind="stable")]


def _matched(sides: Sides, q: np.ndarray, x: np.ndarray, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """The place of the known record of a block, given by kinds, that each released one of it is linked to."""
    n = len(q)
    if n <= EXACT:
        return _best(sides, q, x)
    rows, columns, apart = _candidates(sides, q, x, wanted, rng)
    # a pair for everybody, so that nobody is left over
    far = pair_distances(sides.Q, sides.grove.X, q, x, sides.view.metric, sides.view.sets)
    rows, columns = np.append(rows, np.arange(n)), np.append(columns, np.arange(n))
    apart = np.append(apart, far)
    _, once = np.unique(rows * n + columns, return_index=True)
    unit = np.median(apart[apart > 0]) if (apart > 0).any() else 1.0
    # whole numbers: rounded sums could keep the solver from ending; none is 0, which would be no pair
    costs = 1 + np.rint(UNIT * np.minimum(apart[once] / unit, FARTHEST))
    ends = rows[once].astype(np.int32), columns[once].astype(np.int32)  # older solvers take no longer numbers
    graph = scipy.sparse.csr_array((costs, ends), shape=(n, n))
    return scipy.sparse.csgraph.min_weight_full_bipartite_matching(graph)[1]


def _best(sides: Sides, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The same from all pairs, which costs less than to look for near ones."""
    n = len(q)
    pairs = np.repeat(q, n), np.tile(x, n)
    apart = pair_distances(sides.Q, sides.grove.X, *pairs, sides.view.metric, sides.view.sets).reshape(n, n)
    unit = np.median(apart[apart > 0]) if (apart > 0).any() else 1.0
    matched: np.ndarray = scipy.optimize.linear_sum_assignment(np.minimum(apart / unit, FARTHEST))[1]
    return matched


def _candidates(
    sides: Sides, q: np.ndarray, x: np.ndarray, wanted: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of a released record of a block and one of its nearest known ones, by place, and their distances.

    Many may be alike: kinds of known records are taken until there are enough for twice the released ones that
    are alike, and of each kind at most `wanted`, from a place that is drawn.
    """
    low, high = int(x[0]), int(x[-1]) + 1
    own, labels, alike = np.unique(q, return_inverse=True, return_counts=True)
    near, apart = _searched(sides, own, min(wanted, high - low), low, high)
    first = np.searchsorted(x, np.arange(low, high + 1))
    copies = np.diff(first)
    before = np.cumsum(copies[near - low], axis=1) - copies[near - low]
    query, rank = np.nonzero(before < np.maximum(wanted, 2 * alike)[:, None])
    starts = np.searchsorted(query, np.arange(len(own) + 1))
    record, pair = _spread(starts[labels], starts[labels + 1])
    kind, distance = near[query[pair], rank[pair]] - low, apart[query[pair], rank[pair]]
    start = rng.integers(0, copies[kind])
    at, turn = _spread(start, start + np.minimum(copies[kind], wanted))
    return record[at], first[kind[at]] + turn % copies[kind[at]], distance[at]


def _spread(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges start … end − 1: which range each of their positions is in, and the positions."""
    lengths = ends - starts
    repeat = np.repeat(np.arange(len(lengths)), lengths)
    return repeat, np.arange(len(repeat)) - np.repeat(np.cumsum(lengths) - lengths - starts, lengths)


def _shares(sides: Sides, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """How much of each record's link is its own, from the kinds of records that were linked."""
    width = len(sides.grove.X)
    links, counts = np.unique(q * width + x, return_counts=True)
    own = sides.released.labels * width + sides.grove.own
    place = np.minimum(np.searchsorted(links, own), len(links) - 1)
    found = np.where(links[place] == own, counts[place], 0)
    shares: np.ndarray = found / (
        sides.released.counts[sides.released.labels] * sides.grove.counts[sides.grove.own]
    )
    return shares
