"""Repair: records that break a declared rule, or equal that of a unique person, swap values with others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.data.edit_rules import RecordRule, Sums
from sfumato.masking.synthesis.deck import Deck, taken
from sfumato.masking.synthesis.derived import Derived
from sfumato.masking.synthesis.groups import value_ranks
from sfumato.masking.synthesis.people_met import PeopleMet
from sfumato.masking.synthesis.totals import Made, Total

ROUNDS = 500
WITHOUT_GAIN = 100  # rounds after which swaps are given up
TRIED = 4096  # swaps that are looked at in a round, of all records together
MOST_TRIED = 64  # for each record
SOUGHT = 2000  # records that are looked at first for one to give its values


@dataclass(frozen=True)
class Looked:
    """A column whose value goes with the donor of a free one: that one itself, or what is told by it."""

    at: int
    values: np.ndarray


class RuleRepair:
    """The rules that records of a deck have to obey, as far as it deals out columns they are about.

    That nobody who is unique is met, where that is asked for, is one more of them: it is the last, and about all columns.
    """

    def __init__(self, owner: str, deck: Deck, made: Sequence[Made]) -> None:
        self.owner, self.deck, self.schema = owner, deck, deck.table.schema
        self.looked = _looked(deck, made)
        self.totals = {one.name: one for one in (_as_total(one) for one in made) if one is not None}
        self.rules = [rule for rule in self._all_rules(made) if self._reaches(rule)]
        self.reach = [np.array(self._reached(rule.columns), np.int64) for rule in self.rules]
        self.met: PeopleMet | None = None
        if deck.known is not None and deck.free:
            self.met = PeopleMet(deck, deck.known, self.totals, self._value)
            self.reach.append(np.arange(len(deck.free)))

    def _all_rules(self, made: Sequence[Made]) -> list[RecordRule]:
        """Those that are declared, and that sums which were found in the data are legal values."""
        declared = [rule for rule in self.schema.rules if isinstance(rule, RecordRule)]
        found = [
            self.totals[one.name] for one in made if isinstance(one, Derived) and one.name in self.totals
        ]
        return [*declared, *(_as_rule(one) for one in found if _is_bounded(self.deck.table, one))]

    def _reaches(self, rule: RecordRule) -> bool:
        """Whether all its columns are at hand, and one of them can be dealt out otherwise."""
        return all(self._is_known(name) for name in rule.columns) and bool(self._reached(rule.columns))

    def _is_known(self, name: str) -> bool:
        return name in self.looked or name in self.totals or name in self.deck.given

    def _reached(self, names: Sequence[str]) -> list[int]:
        """The free columns that some columns hang on."""
        found: set[int] = set()
        for name in names:
            if name in self.totals:
                found |= set(self._reached(self.totals[name].sources))
            elif name in self.looked:
                found.add(self.looked[name].at)
        return sorted(found)

    def _value(self, name: str, rows: np.ndarray, donors: np.ndarray) -> np.ndarray:
        """A column of some new records that had these donors."""
        if name in self.totals:
            total = self.totals[name]
            parts = {part: self._value(part, rows, donors) for part in total.sources}
            looked = self.looked.get(name)
            dealt = None if looked is None else taken(looked.values, donors[:, looked.at])
            return total.value(self.deck.table, parts, dealt)
        if name in self.looked:
            return taken(self.looked[name].values, donors[:, self.looked[name].at])
        return np.asarray(self.deck.standing(name)[rows])

    def broken(self, rows: np.ndarray, donors: np.ndarray) -> np.ndarray:
        """Which rule, one row each, which of some new records would break with these donors."""
        found = self._declared(rows, donors)
        return found if self.met is None else np.vstack([found, self.met.broken(rows, donors)])

    def _declared(self, rows: np.ndarray, donors: np.ndarray) -> np.ndarray:
        """The same of declared rules alone."""
        names = {name for rule in self.rules for name in rule.columns}
        values = {name: self._value(name, rows, donors) for name in names}
        found = [rule.broken(values, self.schema) for rule in self.rules]
        return np.array(found, bool).reshape(len(self.rules), len(rows))

    def repaired(self, donors: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """Donors by which no new record breaks a declared rule, and how many still equal somebody unique."""
        if not self.reach:
            return donors, 0
        donors = donors.copy()
        broken = self.broken(np.arange(len(donors)), donors)
        last = np.inf
        idle = 0
        for _ in range(ROUNDS):
            bad = np.flatnonzero(broken.any(axis=0))
            if len(bad) == 0 or idle > WITHOUT_GAIN:
                break
            self._swap(bad, donors, broken, rng)
            now = int(np.count_nonzero(broken))
            idle, last = (0 if now < last else idle + 1), min(now, last)
        declared = broken[: len(self.rules)]
        for row in np.flatnonzero(declared.any(axis=0)):
            donors[row] = self._given(int(row), donors[row], declared[:, row], rng)
            broken[:, row] = self.broken(np.array([row]), donors[row][None, :])[:, 0]
        return donors, 0 if self.met is None else int(np.count_nonzero(broken[-1]))

    def _swap(
        self, bad: np.ndarray, donors: np.ndarray, broken: np.ndarray, rng: np.random.Generator
    ) -> None:
        """Each record that breaks a rule tries some swaps in a column of it, and takes the one that mends most.

        Where none mends anything, one by which as many rules are broken may open the way for another.
        """
        tries = int(np.clip(TRIED // len(bad), 1, MOST_TRIED))
        a = np.repeat(bad, tries)
        b, at = self._partners(a, rng), self._columns(broken[:, a], rng)
        of_a, of_b = donors[a], donors[b]
        line = np.arange(len(a))
        of_a[line, at], of_b[line, at] = donors[b, at], donors[a, at]
        after_a, after_b = self.broken(a, of_a), self.broken(b, of_b)
        before = broken[:, a].sum(axis=0) + broken[:, b].sum(axis=0)
        gain = np.where(a == b, -1, before - after_a.sum(axis=0) - after_b.sum(axis=0))
        far = np.abs(self._ranks[donors[a, at], at] - self._ranks[donors[b, at], at])
        best = np.lexsort((np.where(gain > 0, far, rng.random(len(far))), -gain, a))
        used = np.zeros(len(donors), bool)
        for i in best[gain[best] >= 0]:
            if not used[a[i]] and not used[b[i]]:
                used[[a[i], b[i]]] = True
                donors[a[i]], donors[b[i]] = of_a[i], of_b[i]
                broken[:, a[i]], broken[:, b[i]] = after_a[:, i], after_b[:, i]

    def _columns(self, broken: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each try a free column of one of the rules that are broken."""
        rule = np.argmax(broken * rng.random(broken.shape), axis=0)
        sizes = np.array([len(reach) for reach in self.reach])
        padded = np.zeros((len(self.reach), sizes.max()), np.int64)
        for i, reach in enumerate(self.reach):
            padded[i, : len(reach)] = reach
        found: np.ndarray = padded[rule, (rng.random(len(rule)) * sizes[rule]).astype(np.int64)]
        return found

    def _partners(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each try another record, of the same block."""
        if self.deck.blocks is None:
            return rng.integers(0, self.deck.table.n, len(rows))
        order = np.argsort(self.deck.blocks, kind="stable")
        size = np.bincount(self.deck.blocks)
        block = self.deck.blocks[rows]
        found: np.ndarray = order[
            (np.cumsum(size) - size)[block] + (rng.random(len(rows)) * size[block]).astype(int)
        ]
        return found

    @cached_property
    def _ranks(self) -> np.ndarray:
        """Where the values that each record gives stand among all, from 0 to 1."""
        ranks = [value_ranks(self.deck.table, name)[0] for name in self.deck.free]
        return np.column_stack([one / max(int(one.max()), 1) for one in ranks])

    def _given(self, row: int, old: np.ndarray, broken: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Donors of a record that no swap mends: one record gives all that the rules are about, else some of it is missing.

        It may equal somebody unique only if nothing else holds the rules.
        """
        at = self._together(np.flatnonzero(broken))
        for judge in (self.broken, self._declared) if self.met is not None else (self._declared,):
            for new in self._offers(old, at, rng):
                fits = np.flatnonzero(~judge(np.full(len(new), row), new).any(axis=0))
                if len(fits):
                    return np.asarray(new[fits[0]])
        text = self.rules[int(np.argmax(broken))].text
        raise DataError(
            f"{self.owner}: rule {text!r} cannot be held together with the others; correct or drop it."
        )

    def _offers(self, old: np.ndarray, at: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Donors to choose from that differ from those of a record in some columns: one for all of these, or none for some."""
        n = self.deck.table.n
        for size in (min(SOUGHT, n), n):
            new = np.repeat(old[None, :], size, axis=0)
            new[:, at] = rng.choice(n, size, replace=False)[:, None]
            yield new
        new = np.repeat(old[None, :], len(at) + 1, axis=0)
        new[np.arange(len(at)), at] = -1
        new[-1, at] = -1
        yield new

    def _together(self, rules: np.ndarray) -> np.ndarray:
        """The free columns that some rules hang on, and those of all rules that share one with them."""
        found = {int(j) for i in rules for j in self.reach[i]}
        while True:
            shared = [reach for reach in self.reach[: len(self.rules)] if found & set(reach.tolist())]
            more = {int(j) for reach in shared for j in reach}
            if more <= found:
                return np.array(sorted(found))
            found |= more

    def any_fits(self) -> bool:
        """Whether at least one record, as its values are released, obeys all declared rules."""
        own = np.repeat(np.arange(self.deck.table.n)[:, None], len(self.deck.free), axis=1)
        return bool((~self._declared(np.arange(len(own)), own).any(axis=0)).any())


def _looked(deck: Deck, made: Sequence[Made]) -> dict[str, Looked]:
    """The columns that go with a donor, with what each donor gives."""
    found = {name: Looked(j, deck.values(name)) for j, name in enumerate(deck.free)}
    released = deck.table.replace(dict(deck.numbers))
    for one in made:
        if isinstance(one, Derived) and len(one.sources) == 1 and one.sources[0] in found:
            values, reasons = one.made(deck.table, released)
            released = released.replace({one.name: values}, reasons={one.name: reasons})
            found[one.name] = Looked(found[one.sources[0]].at, values)
    return found


def _as_total(one: Made) -> Total | None:
    if isinstance(one, Total):
        return one
    return Total(one.name, tuple((name, 1) for name in one.sources), True) if len(one.sources) > 1 else None


def _as_rule(total: Total) -> Sums:
    terms = ((total.name, 1), *((name, -sign) for name, sign in total.terms))
    return Sums(f"{total.name} = {' + '.join(total.sources)}", terms, "=")


def _is_bounded(table: Table, total: Total) -> bool:
    """Whether a sum can be illegal."""
    attribute = table.schema[total.name]
    return attribute.low is not None or attribute.high is not None or bool(attribute.missing_numbers)
