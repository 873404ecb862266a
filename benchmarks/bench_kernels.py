"""The kernels side by side: processor time by size, how it grows, and ratios to plain numpy and to other programs.

Kernels are warm, and one core counts as much as two. Records are generated: normal numbers, skewed categories. Figures of
other programs are those of `peers.toml`, of another machine and run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import plain_numpy
from benchmarks.bench_categorical import numpy_mondrian, numpy_pram, numpy_rank_swapping, numpy_suppression
from benchmarks.bench_mdav import normal, numpy_mdav
from benchmarks.bench_suda2 import survey
from benchmarks.peers import figures
from benchmarks.timing import Row, best_of, once
from sfumato.attacks import AssignmentLinkage
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import LocalSuppression, Masking, Mdav, Mondrian, Noise, Pram, RankSwapping, Shuffling
from sfumato.measures import DistanceLinkage, KAnonymity, LDiversity, Measure, Suda2, TCloseness

SIZES = (10_000, 30_000, 100_000)
CATEGORIES = (2, 3, 5, 7, 9, 12, 16, 25)
Work = Callable[[], Any]


@dataclass(frozen=True)
class Kernel:
    """Some work on n records, ours and in plain numpy, and why numpy is not left ten times behind where it is not."""

    name: str
    what: str
    ours: Callable[[int], Work]
    plain: Callable[[int], Work]
    sizes: tuple[int, ...] = SIZES
    beside: int = SIZES[0]  # the size at which numpy is measured, too
    why: str = ""


def masking(method: Masking, file: Callable[[int], Table]) -> Callable[[int], Work]:
    def work(n: int) -> Work:
        table = file(n)
        return lambda: method.apply(table, np.random.default_rng(1))

    return work


def measure(method: Measure, file: Callable[[int], Table]) -> Callable[[int], Work]:
    def work(n: int) -> Work:
        table = file(n)
        return lambda: method.bind(table).score(table)

    return work


def plain(function: Callable[..., Any], file: Callable[[int], Table], *more: Any) -> Callable[[int], Work]:
    def work(n: int) -> Work:
        X = matrix(file(n))
        return lambda: function(X, *more)

    return work


def of_table(
    function: Callable[..., Any], file: Callable[[int], Table], method: Masking
) -> Callable[[int], Work]:
    def work(n: int) -> Work:
        table = file(n)
        return lambda: function(table, method)

    return work


def with_secret(function: Callable[..., Any], least: float) -> Callable[[int], Work]:
    def work(n: int) -> Work:
        X = matrix(patients(n))
        return lambda: function(X[:, :-1], X[:, -1], least)

    return work


def numbers(n: int) -> Table:
    X = np.random.default_rng(0).normal(size=(n, 10)) @ np.triu(np.full((10, 10), 0.3)) + 100
    return _table({f"x{j}": column for j, column in enumerate(X.T)})


def independent(n: int) -> Table:
    return _table({f"x{j}": column for j, column in enumerate(normal(n, 10).T)})


def people(n: int, keys: int = 8) -> Table:
    rng = np.random.default_rng(0)
    columns = {
        f"c{j}": np.minimum((size * rng.beta(1.0, 1.5, n)).astype(np.int64), size - 1)
        for j, size in enumerate(CATEGORIES[-keys:])
    }
    return _table(columns)


def seven_keys(n: int) -> Table:
    """Keys of a survey, which depend on each other."""
    file = survey(n)
    return file.select([name for name in file.names if name != "weight"])


def four_keys(n: int) -> Table:
    return people(n, 4)


def patients(n: int) -> Table:
    """Seven keys and a confidential category."""
    file = people(n)
    return _table({name: file[name] for name in file.names}, secret="c7")


def pair(n: int, d: int = 8) -> tuple[Table, Table]:
    """Normal numbers, and the same with half as much noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    Y = X + 0.5 * rng.normal(size=X.shape)
    return tuple(_table({f"x{j}": column for j, column in enumerate(Z.T)}) for Z in (X, Y))  # type: ignore[return-value]


def linked(n: int) -> Work:
    original, released = pair(n)
    return lambda: DistanceLinkage().bind(original).score(released)


def linked_plainly(n: int) -> Work:
    original, released = map(matrix, pair(n))
    return lambda: plain_numpy.nearest_share(original, released)


def assigned(n: int) -> Work:
    original, released = pair(n, 13)
    attack = AssignmentLinkage()
    names = attack.targets(released, original)
    return lambda: attack.outcomes(released, original, names, np.random.default_rng(1))


def assigned_plainly(n: int) -> Work:
    original, released = map(matrix, pair(n, 13))
    return lambda: plain_numpy.assigned_share(original, released)


def matrix(table: Table) -> np.ndarray:
    return np.column_stack([table[name] for name in table.names])


def _table(columns: Any, secret: str = "") -> Table:
    attributes = []
    for name, values in columns.items():
        role = "confidential" if name == secret else "key"
        if values.dtype.kind == "f":
            attributes.append(Attribute(name=name, scale="numeric", role=role))
        else:
            domain = tuple(map(str, range(int(values.max()) + 1)))
            attributes.append(Attribute(name=name, scale="nominal", role=role, categories=domain))
    return Table(Schema(attributes), dict(columns))


PRAM, SWAPPING = Pram(p=0.8), RankSwapping(p=10.0)
KERNELS = (
    Kernel("mdav", "k = 5, 10 numbers", masking(Mdav(k=5), independent), plain(numpy_mdav, independent, 5)),
    Kernel(
        "mondrian",
        "k = 5, 8 categories",
        masking(Mondrian(k=5), people),
        plain(lambda X: numpy_mondrian(X, 5), people),
        sizes=(3_000, 30_000, 100_000),
        beside=100_000,
        why="half of the records of a part are found by sorting a column, which numpy does in compiled code; only parts of a few "
        "dozens of records, where it pays for calls, cost it more.",
    ),
    Kernel(
        "rank_swapping",
        "p = 10, 10 numbers",
        masking(SWAPPING, numbers),
        of_table(numpy_rank_swapping, numbers, SWAPPING),
    ),
    Kernel(
        "noise",
        "correlated, 10 numbers",
        masking(Noise(kind="correlated"), numbers),
        plain(plain_numpy.noise, numbers),
        beside=100_000,
        why="nearly all of it is drawing normal numbers and two products of matrices, which numpy does in compiled code, too; "
        "ours looks for missing values and keeps declared decimals and bounds besides.",
    ),
    Kernel(
        "shuffling",
        "5 of 10 numbers, given the others",
        masking(Shuffling(attributes=tuple(f"x{j}" for j in range(5))), numbers),
        plain(plain_numpy.shuffled, numbers, 5),
        beside=100_000,
        why="it is sorting, column by column, and numpy's sort is compiled and vectorised; what is left to gain is sorting less often.",
    ),
    Kernel(
        "pram",
        "4 categories",
        masking(PRAM, four_keys),
        of_table(numpy_pram, four_keys, PRAM),
        beside=100_000,
        why="the twin draws all records of a category at once, in compiled code; ours reads each record once instead of once for "
        "each category, and more than that there is not to gain.",
    ),
    Kernel(
        "local_suppression",
        "k = 3, 7 categories, an empty cell matches all",
        masking(LocalSuppression(k=3, missing="any"), seven_keys),
        plain(numpy_suppression, seven_keys, 3),
        beside=100_000,
    ),
    Kernel(
        "k_anonymity", "8 categories", measure(KAnonymity(), people), plain(plain_numpy.rare_share, people, 5)
    ),
    Kernel(
        "l_diversity",
        "7 categories and a secret",
        measure(LDiversity(l=2), patients),
        with_secret(plain_numpy.not_diverse_share, 2),
        beside=100_000,
        why="nearly all of it is telling the classes apart, for which the twin sorts the records once, in compiled code.",
    ),
    Kernel(
        "t_closeness",
        "7 categories and a secret",
        measure(TCloseness(t=0.2), patients),
        with_secret(plain_numpy.not_close_share, 0.2),
        beside=100_000,
        why="nearly all of it is telling the classes apart, for which the twin sorts the records once, in compiled code.",
    ),
    Kernel(
        "suda2",
        "7 categories, all sizes",
        measure(Suda2(size=7), seven_keys),
        plain(plain_numpy.minimal_uniques, seven_keys),
    ),
    Kernel(
        "distance_linkage",
        "8 numbers",
        linked,
        linked_plainly,
        beside=30_000,
    ),
    Kernel(
        "assignment_linkage",
        "13 numbers, one to one",
        assigned,
        assigned_plainly,
        sizes=(1_000, 1_080, 3_000, 10_000),
        beside=1_000,
        why="up to 1,000 records both leave it to the same compiled solver, which takes the least part of it: ours pays for distances "
        "that allow for missing values and categories, and for the tree that the order of links is drawn from. More records are "
        "linked by near pairs, which costs more as long as there is room for n² distances, and goes on where there is none.",
    ),
)


def rows() -> Iterator[Row]:
    for kernel in KERNELS:
        kernel.ours(1_000)()  # compiles
        yield from measured(kernel)


def measured(kernel: Kernel) -> Iterator[Row]:
    """A row for each size; the one where numpy is measured has the ratio to it, and the last one how time grows."""
    seconds: list[float] = []
    for n in kernel.sizes:
        seconds.append(best_of(kernel.ours(n), cpu=True))
        twin = once(kernel.plain(n), cpu=True) if n == kernel.beside else None
        growth = (
            float(np.polyfit(np.log(kernel.sizes), np.log(seconds), 1)[0]) if n == kernel.sizes[-1] else None
        )
        peers = figures(kernel.name, n)
        yield Row(
            f"kernel {kernel.name}, {n:,} records",
            seconds[-1],
            twin=twin,
            growth=growth,
            peer=peers[0].seconds if peers else None,
        )
