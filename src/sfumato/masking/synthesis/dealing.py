"""Dealing: the values of a table are dealt out to new records, part by part, and what others determine is made again."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.core import progress
from sfumato.data import Table
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.rule_repair import RuleRepair
from sfumato.masking.synthesis.totals import Made, with_made

PART = 50_000  # records that are drawn together at the most


@dataclass(frozen=True)
class Dealing:
    """A deck in parts, each with a random stream of its own.

    The parts of many records are as good as the whole, since the tables of the whole are their sums. `made` are the columns
    that are made from others, and `order` is that of the released records, where nothing stays in its place. `repair` is
    the stream of swaps that rules ask for, and `owner` who is named where they cannot be held.
    """

    owner: str
    deck: Deck
    made: tuple[Made, ...]
    parts: tuple[np.ndarray, ...]
    streams: tuple[np.random.Generator, ...]
    repair: np.random.Generator
    order: np.ndarray | None

    @classmethod
    def drawn(cls, owner: str, deck: Deck, made: Sequence[Made], rng: np.random.Generator) -> "Dealing":
        n, stays = deck.table.n, bool(deck.given) or deck.stage is not None
        parts = np.array_split(rng.permutation(n), part_count(n))
        *streams, repair = rng.spawn(len(parts) + 1)
        return cls(
            owner=owner,
            deck=deck,
            made=tuple(made),
            parts=tuple(np.sort(rows) for rows in parts),
            streams=tuple(streams),
            repair=repair,
            order=None if stays else rng.permutation(n),
        )

    def part(self, number: int) -> tuple[Deck, np.random.Generator]:
        """The deck of a part, and its stream from the beginning."""
        return self.deck.of(self.parts[number]), copy.deepcopy(self.streams[number])

    def legal(self, donors: np.ndarray) -> np.ndarray:
        """Donors of all records by which none breaks a declared rule, nor equals somebody unique if none may.

        Those given are numbered by the records of the whole, and come part after part.
        """
        placed = np.empty_like(donors)
        placed[np.concatenate(self.parts)] = donors
        repair = RuleRepair(self.owner, self.deck, self.made)
        legal, met = repair.repaired(placed, copy.deepcopy(self.repair))
        progress.counted(self.owner + ": {} records still equal those of unique people.", met)
        return legal

    def table(self, donors: np.ndarray) -> Table:
        """The table that is dealt out, of donors as in `legal`, and what is made from it."""
        legal = self.legal(donors)
        new = self.deck.dealt(legal if self.order is None else legal[self.order])
        return with_made(self.deck.table, new, self.made)


@dataclass(frozen=True)
class Step:
    """One dealing on the way to a file, and what the file is when it is dealt out."""

    dealing: Dealing
    put: Callable[[Table], Table]

    def filled(self, donors: np.ndarray) -> Table:
        """The file with what donors give, of all records part after part."""
        return self.put(self.dealing.table(donors))


class Deals(Protocol):
    """A file on its way, under random streams: it is dealt out in one step, or in several that know those before."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many records each step deals out to."""

    def step(self, number: int, new: Table) -> Step:
        """A step, where the file is what the steps before made of it; before the first it is the original."""

    def released(self, new: Table) -> Table:
        """The file that all steps made, as it is released."""


@dataclass(frozen=True)
class OneDeal:
    """All columns at once, of people of whom none lives with another."""

    dealing: Dealing

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.dealing.deck.table.n,)

    def step(self, number: int, new: Table) -> Step:
        return Step(self.dealing, lambda dealt: dealt)

    def released(self, new: Table) -> Table:
        return new


def part_count(n: int) -> int:
    """How many parts so many records are dealt out in."""
    return max(round(n / PART), 1)
