"""What an intruder does with the program: she repeats the random choices of a seed and turns the masking round."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache

import numpy as np

from intruder.guesses import Guess, in_this_order
from intruder.judgement import Cells, cells_of
from intruder.releases import Public
from sfumato.core import DataError, Key, Seed, stream
from sfumato.data import Table
from sfumato.masking import Chain, DataSwapping, Masking, Noise, Pram, RankSwapping, Resampling

OWN = tuple(Key(bytes([number]) * 32) for number in range(101, 105))
ROUNDS = 6  # of getting nearer to what gives the release

Fresh = Callable[[], np.random.Generator]
"""The generator of a masking, at its start."""


def by_other_draws(public: Public, names: Sequence[str]) -> Iterator[Guess]:
    """The method turned round with draws of her own: what anybody can do who has read how it works.

    A value that was swapped away is nearer to where it was when it is swapped once more, whoever draws. That is what
    the method gives away, and not its random numbers: the gain of a seed begins beyond it.
    """
    for key in OWN:
        yield from by_seeds(public, names, [key])


def by_the_same_command(public: Public, names: Sequence[str]) -> Iterator[Guess]:
    """The command again, on what came out of it: what swaps twice is back where it was."""
    if public.again is not None:
        try:
            again = public.again(public.table)
        except DataError:
            return
        if again.n == public.table.n:
            yield "the same command", _readable(again, names)


def by_many_seeds(public: Public, names: Sequence[str], seeds: Iterable[Seed]) -> Iterator[Guess]:
    """The way that serves best against a single masking, of each seed: some hundred thousand are tried in minutes."""
    (masking,) = public.maskings
    way, turn = QUICK.get(type(masking), ("again", _again))
    for seed in seeds:
        found = turn(masking, public.table, fresh_stream(masking, seed))
        yield f"{way}, seed {seed}", _readable(found, names)


def by_seeds(public: Public, names: Sequence[str], seeds: Iterable[Seed]) -> Iterator[Guess]:
    """What each seed would have done, undone: the order first, then the masking.

    A masking that draws nothing is tried once.
    """
    drawing = [masking for masking in public.maskings if draws(masking, public.table)]
    for number, seed in enumerate(seeds):
        for order in orders_of(seed, public):
            table = public.table if order is None else public.table.take(np.argsort(order))
            for masking in drawing if number else public.maskings:
                for way, found in undone(masking, table, fresh_stream(masking, seed)):
                    yield f"{way}, seed {seed}", _back(_readable(found, names), order)
            if order is not None:
                for way, cells in in_this_order(cells_of(table, names)):
                    yield f"{way} in the order of seed {seed}", _back(cells, order)


def _back(cells: Cells, order: np.ndarray | None) -> Cells:
    """What is known of records in their first order, for the records as they were released."""
    return cells if order is None else {name: values[order] for name, values in cells.items()}


def fresh_stream(masking: Masking, seed: Seed) -> Fresh:
    keyed = json.dumps(masking.keyed_by(), sort_keys=True)
    return lambda: stream(seed, "masking", keyed)


def orders_of(seed: Seed, public: Public) -> Iterator[np.ndarray | None]:
    """The orders in which a release of this seed may be: as it was, as its stream says, or as has leaked."""
    yield None
    if public.is_shuffled:
        yield stream(seed, "order", "").permutation(public.table.n)
    if public.order is not None:
        yield public.order


@cache
def draws(masking: Masking, table: Table) -> bool:
    """Whether a method makes random choices at all."""
    try:
        first, second = (masking.apply(table, fresh_stream(masking, seed)()) for seed in (1, 2))
    except DataError:
        return True
    return first.n < table.n or any(
        not np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f")
        for name in first.names
    )


def undone(masking: Masking, table: Table, fresh: Fresh) -> Iterator[tuple[str, Table]]:
    """Guesses of what a masking was applied to, if it drew its numbers from this generator."""
    steps = masking.steps if isinstance(masking, Chain) else (masking,)
    if len(steps) == 1:
        yield from _step_undone(steps[0], table, fresh)
        return
    generators = [lambda i=i: fresh().spawn(len(steps))[i] for i in range(len(steps))]
    for place in reversed(range(len(steps))):  # the first guess of each step, and so on back to the first
        found = dict(_step_undone(steps[place], table, generators[place]))
        if found:
            table = found.get(BEST.get(type(steps[place]), "again"), next(iter(found.values())))
    yield "step by step", table


def _step_undone(masking: Masking, table: Table, fresh: Fresh) -> Iterator[tuple[str, Table]]:
    special = SPECIAL.get(type(masking))
    for way, turn in (("again", _again), ("nearer", _nearer), *([special] if special else [])):
        try:
            found = turn(masking, table, fresh)
        except DataError:  # what came out cannot go in again
            continue
        if found.n == table.n:
            yield way, found


@lru_cache(maxsize=1)  # more than one way begins with it
def _applied(masking: Masking, table: Table, fresh: Fresh) -> Table:
    return masking.apply(table, fresh())


def _again(masking: Masking, table: Table, fresh: Fresh) -> Table:
    """Swaps undo themselves."""
    return _applied(masking, table, fresh)


def _nearer(masking: Masking, table: Table, fresh: Fresh) -> Table:
    """Numbers that give the release, found step by step: what is too much afterwards was too much before."""
    names = [name for name in masking.targets(table) if table.schema[name].is_numeric]
    guess, off = table, np.inf
    for _ in range(ROUNDS if names else 0):
        after = _applied(masking, guess, fresh)
        if after.n < table.n:
            break
        wrong = table.numbers(names) - after.numbers(names)
        before, off = off, float(np.nanmean(np.abs(wrong / np.nanstd(table.numbers(names), axis=0))))
        if not off < before / 2:  # it leads nowhere
            break
        guess = guess.replace({name: guess[name] + wrong[:, j] for j, name in enumerate(names)})
    return guess


def _once_nearer(masking: Masking, table: Table, fresh: Fresh) -> Table:
    """The first of these steps: as much is taken off as the release would get."""
    after = masking.apply(table, fresh())
    return table.replace({name: 2 * table[name] - after[name] for name in masking.targets(table)})


def _swapped_ranks(masking: RankSwapping, table: Table, fresh: Fresh) -> Table:
    """The same values in growing order are swapped alike: each value is traced to the rank it came from."""
    names = masking.targets(table)
    present = {name: np.flatnonzero(~table.missing(name)) for name in names}
    ordered = {}
    for name, rows in present.items():
        ordered[name] = table[name].copy()
        ordered[name][rows] = np.sort(table[name][rows])
    after = masking.apply(table.replace(ordered), fresh())
    guess = {}
    for name, rows in present.items():
        came_from = ordered[name][rows][np.argsort(after[name][rows], kind="stable")]
        guess[name] = table[name].copy()
        guess[name][rows[np.argsort(table[name][rows], kind="stable")]] = came_from
    return table.replace(guess)


def _drawn_back(masking: Pram, table: Table, fresh: Fresh) -> Table:
    """Of the categories that these draws would have made what was released, the most frequent one."""
    rng, guess = fresh(), {}
    for name in masking.targets(table):
        P, counts = _matrix(masking, table, name)
        upper = np.cumsum(P, axis=1)
        upper /= upper[:, -1:]
        uniform, released = rng.random(table.n), table[name]
        possible = np.stack([np.searchsorted(row, uniform, side="right") == released for row in upper])
        likely = np.where(possible, counts[:, None] + 1e-9, 0.0)
        guess[name] = np.where(possible.any(axis=0), likely.argmax(axis=0), released).astype(released.dtype)
    return table.replace(guess)


@cache
def _matrix(masking: Pram, table: Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the original frequencies, so far as the released ones tell them."""
    size = table.schema[name].domain_size
    released = np.bincount(table[name][table[name] >= 0], minlength=size).astype(float)
    counts, column = released, table.select([name])
    for _ in range(ROUNDS):
        codes = np.repeat(np.arange(size), np.round(counts).astype(int)).astype(table[name].dtype)
        rows = np.zeros(len(codes), np.int64)
        P = masking.matrices(column.take(rows).replace({name: codes}))[name]
        counts = np.clip(released @ np.linalg.pinv(P), 0, None)
    return P, counts


def _sampled_ranks(masking: Resampling, table: Table, fresh: Fresh) -> Table:
    """Which ranks each released value is the mean of is known: linear equations for the originals."""
    rng, guess = fresh(), {}
    for name in masking.targets(table):
        rows = rng.permutation(np.flatnonzero(~table.missing(name)))
        n = len(rows)
        by_rank = rows[np.argsort(table[name][rows], kind="stable")]
        released = table[name][by_rank]
        drawn = np.stack(
            [
                np.repeat(np.arange(n), np.bincount(rng.integers(0, n, n), minlength=n))
                for _ in range(masking.t)
            ]
        )
        times = np.maximum(np.bincount(drawn.ravel(), minlength=n) / masking.t, 1)
        ordered = released.copy()
        for _ in range(5 * ROUNDS):
            wrong = released - ordered[drawn].mean(axis=0)
            ordered += np.bincount(drawn.ravel(), np.tile(wrong, masking.t), n) / masking.t / times
        guess[name] = table[name].copy()
        guess[name][by_rank] = ordered
    return table.replace(guess)


SPECIAL = {
    Pram: ("drawn back", _drawn_back),
    RankSwapping: ("swapped ranks", _swapped_ranks),
    Resampling: ("sampled ranks", _sampled_ranks),
}
QUICK = {**SPECIAL, Noise: ("once nearer", _once_nearer)}
BEST = {**{kind: way for kind, (way, _) in SPECIAL.items()}, DataSwapping: "again"}


def _readable(table: Table, names: Sequence[str]) -> Cells:
    return cells_of(table, [name for name in names if name in table])
