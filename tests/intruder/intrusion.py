"""The whole intruder: every way she has, on one release."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from intruder.guesses import Guess, by_codebook, by_order, without_the_program
from intruder.inversions import by_other_draws, by_seeds, by_the_same_command
from intruder.judgement import Gain, cells_of, gain
from intruder.releases import Public, Release
from sfumato.core import Seed


def intrusion(release: Release, names: Sequence[str], seeds: Iterable[Seed], *, halves: int = 0) -> Gain:
    """What she gains on masked columns; `halves` says which records she knows."""
    public = release.public
    return gain(
        release.truth(tuple(names)),
        cells_of(public.table, names),
        chain(without_the_program(public, names), by_other_draws(public, names)),
        every_way(public, names, seeds),
        seed=halves,
    )


def every_way(public: Public, names: Sequence[str], seeds: Iterable[Seed]) -> Iterator[Guess]:
    yield from by_order(public, names)
    yield from by_codebook(public, names)
    yield from by_the_same_command(public, names)
    yield from by_seeds(public, names, seeds)
