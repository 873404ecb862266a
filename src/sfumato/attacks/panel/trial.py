"""A trial: the whole panel on a sample of people, and the best attacker's rate without the luck of being picked."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from sfumato.attacks._contract import shuffled
from sfumato.attacks.panel.assignment import assignment
from sfumato.attacks.panel.case import Case, record_keys
from sfumato.attacks.panel.certain import certain
from sfumato.attacks.panel.compatible import compatible
from sfumato.attacks.panel.learned_pairs import boosted, boosted_one_to_one, logistic
from sfumato.attacks.panel.masking_error import masking_error, masking_error_released
from sfumato.attacks.panel.nearest import nearest, nearest_ranks, nearest_ranks_released, nearest_released
from sfumato.attacks.panel.probabilistic import probabilistic
from sfumato.attacks.panel.rank_window import rank_window
from sfumato.core import stream
from sfumato.data import Table

Attacker = Callable[[Case], np.ndarray]
"""The success on each of the people of a case, from 0 to 1; its name is that of the attacker."""

ALL = 5000  # records up to which all people are tried
MOST_PEOPLE, LEAST_PEOPLE = 2000, 500
SPLITS = 100
GUESSED, LEAST_GUESSED = (
    500,
    100,
)  # people on whom the guess is tried, fewer in large files, where it finds nobody
MOST_PAIRS = 500_000_000  # of people tried and records, beyond which fewer people are tried

PLAIN = (nearest, nearest_released, nearest_ranks, nearest_ranks_released, compatible, probabilistic)
TAUGHT = (masking_error, rank_window, logistic, boosted, boosted_one_to_one)
RELEASED = frozenset({"nearest_released", "nearest_ranks_released", "masking_error_released"})
"""The attackers who start from released records and look for the person."""


class Trial(NamedTuple):
    """The people tried, in an order that was drawn, and each attacker's success on them, from 0 to 1.

    `certain` says who is found for certain; it is not asked where only some attackers are.
    """

    people: np.ndarray
    outcomes: dict[str, np.ndarray]
    certain: np.ndarray | None = None

    def best(self, among: Collection[str] | None = None) -> np.ndarray:
        """The success on each person of the attacker who finds most of other people.

        The people are halved many times; whoever is best on one half is tried on the other. So nobody's success is
        counted who was picked for it.
        """
        names = [name for name in self.outcomes if among is None or name in among]
        outcomes = np.array([self.outcomes[name] for name in names])
        found: np.ndarray = (outcomes * _turns(outcomes)).sum(axis=0) / SPLITS
        return found

    def picked(self) -> frozenset[str]:
        """All who are best on some half."""
        turns = _turns(np.array([*self.outcomes.values()]))
        return frozenset(name for name, tried in zip(self.outcomes, turns, strict=True) if tried.any())


def _turns(outcomes: np.ndarray) -> np.ndarray:
    """How often each attacker (row) is tried on each person: was the best, or the first of several, on others."""
    attackers, people = outcomes.shape
    halves = stream(0, "halves").permuted(np.tile(np.arange(people) % 2.0, (SPLITS, 1)), axis=1)
    turns = np.zeros(outcomes.shape)
    for picking, tried in ((halves, 1 - halves), (1 - halves, halves)):
        best = np.einsum("ap,sp->as", outcomes, picking).argmax(axis=0)
        turns += np.einsum("as,sp->ap", (best == np.arange(attackers)[:, None]).astype(float), tried)
    return turns


def sample_size(n: int) -> int:
    """How many people are tried, of so many records."""
    return n if n <= ALL else min(MOST_PEOPLE, max(MOST_PAIRS // n, LEAST_PEOPLE))


def guess_size(n: int) -> int:
    """How many people the guess is tried on, of so many records."""
    return max(LEAST_GUESSED, min(GUESSED, MOST_PAIRS // 5 // max(n, 1)))


class PanelTrial(NamedTuple):
    """A trial, and one of the attackers picked in it on a release in which no record is anybody's."""

    trial: Trial
    guess: Trial


def tried_panel(
    released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
) -> PanelTrial:
    """Try the panel on a release, and those who were picked on the release with each column shuffled."""
    seed = int(rng.integers(2**62))
    found = trial(released, known, names, stream(seed, "attack"))
    parted = shuffled(released, names, stream(seed, "shuffle"))
    guess = trial(
        parted, known, names, stream(seed, "control"), most=guess_size(known.n), attackers=found.picked()
    )
    return PanelTrial(found, guess)


def trial(
    released: Table,
    known: Table,
    names: tuple[str, ...],
    rng: np.random.Generator,
    *,
    most: int = ALL,
    attackers: Collection[str] | None = None,
) -> Trial:
    """Try the panel, or some of it, on a random sample of people."""
    seed = int(rng.integers(2**62))
    order = _order(known, released, names)
    drawn = order[stream(seed, "people").permutation(known.n)[: min(sample_size(known.n), most)]]
    if known.n <= ALL:  # of more records, a copy would be large
        known, released = known.take(order), released.take(order)
        case = Case(known, released, names, np.argsort(order)[drawn], seed)
    else:
        case = Case(known, released, names, drawn, seed)
    wanted = [one for one in panel(case) if attackers is None or one.__name__ in attackers]
    outcomes = {one.__name__: one(case) for one in wanted}
    return Trial(drawn, outcomes, certain(case) if attackers is None else None)


def panel(case: Case) -> list[Attacker]:
    """Who can try a case: some need people to learn from, and some are too slow for large files."""
    plain: list[Attacker] = [*PLAIN]
    taught: list[Attacker] = [*TAUGHT]
    if case.n <= ALL:
        plain.append(assignment)
        taught.append(masking_error_released)
    return plain + taught if case.can_learn else plain


def _order(known: Table, released: Table, names: tuple[str, ...]) -> np.ndarray:
    """Records in an order that is theirs and not the file's, so that what is drawn does not depend on it."""
    columns = (
        np.where(table.missing(name), np.nan, table[name].astype(float))
        for table in (known, released)
        for name in names
    )
    return np.argsort(record_keys(columns, known.n), kind="stable")
