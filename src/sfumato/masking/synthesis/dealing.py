"""Dealing: the values of a table are dealt out to new records, part by part, and what others determine is made again."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
        n = deck.table.n
        parts = np.array_split(rng.permutation(n), part_count(n))
        *streams, repair = rng.spawn(len(parts) + 1)
        return cls(
            owner=owner,
            deck=deck,
            made=tuple(made),
            parts=tuple(np.sort(rows) for rows in parts),
            streams=tuple(streams),
            repair=repair,
            order=None if deck.given else rng.permutation(n),
        )

    def part(self, number: int) -> tuple[Deck, np.random.Generator]:
        """The deck of a part, and its stream from the beginning."""
        return self.deck.of(self.parts[number]), copy.deepcopy(self.streams[number])

    def legal(self, donors: np.ndarray) -> np.ndarray:
        """Donors of all records by which none breaks a declared rule.

        Those given are numbered by the records of the whole, and come part after part.
        """
        placed = np.empty_like(donors)
        placed[np.concatenate(self.parts)] = donors
        return RuleRepair(self.owner, self.deck, self.made).repaired(placed, copy.deepcopy(self.repair))

    def table(self, donors: np.ndarray) -> Table:
        """The released table, of donors as in `legal`."""
        legal = self.legal(donors)
        new = self.deck.dealt(legal if self.order is None else legal[self.order])
        return with_made(self.deck.table, new, self.made)


def part_count(n: int) -> int:
    """How many parts so many records are dealt out in."""
    return max(round(n / PART), 1)
