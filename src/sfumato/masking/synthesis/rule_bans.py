"""Declared rules about two columns, as pairs of groups of values that must not meet while records swap theirs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sfumato.data.edit_rules import EditRule, Never, Sums
from sfumato.masking.synthesis.columns import Column
from sfumato.masking.synthesis.deck import Deck

Bans = dict[tuple[int, int], np.ndarray]


def banned_by_rules(deck: Deck, columns: Sequence[Column]) -> tuple[list[Column], Bans]:
    """The columns, with fine groups cut where a rule cuts values, and which of these must not meet.

    Groups are banned if all their values are: of an order of two numbers, some pairs of values of two groups may break it.
    Rules about more columns are seen to when records are repaired.
    """
    found, bans = list(columns), Bans()
    place = {name: j for j, name in enumerate(deck.names)}
    rules = [rule for rule in deck.table.schema.rules if len(rule.columns) == 2]
    rules = [rule for rule in rules if all(name in place for name in rule.columns)]
    for rule in rules:
        if isinstance(rule, Never):
            for name in rule.columns:
                j = place[name]
                found[j] = _cut(found[j], rule.of_column(name, deck.values(name), deck.table.schema))
    for rule in rules:
        for j, k, never in _banned(rule, deck, found, place):
            bans[j, k] = bans[j, k] | never if (j, k) in bans else never
    return found, bans


def _cut(column: Column, holds: np.ndarray) -> Column:
    """The column with its fine groups parted by whether a condition is true; their order is kept."""
    fine = np.unique(2 * column.fine.astype(np.int64) + holds, return_inverse=True)[1].ravel()
    return replace(column, fine=fine)


def _banned(
    rule: EditRule, deck: Deck, columns: Sequence[Column], place: dict[str, int]
) -> Iterator[tuple[int, int, np.ndarray]]:
    j, k = sorted(place[name] for name in rule.columns)
    if isinstance(rule, Never):
        yield j, k, _never_groups(rule, deck, columns, (j, k))
    elif isinstance(rule, Sums) and rule.sign != "=":
        yield j, k, _order_groups(rule, deck, columns, (j, k))


def _never_groups(rule: Never, deck: Deck, columns: Sequence[Column], pair: tuple[int, int]) -> np.ndarray:
    holds = [
        _in_all(columns[j], rule.of_column(deck.names[j], deck.values(deck.names[j]), deck.table.schema))
        for j in pair
    ]
    found: np.ndarray = holds[0][:, None] & holds[1][None, :]
    return found


def _in_all(column: Column, holds: np.ndarray) -> np.ndarray:
    """The fine groups of whose records all have it."""
    found: np.ndarray = np.bincount(column.fine, ~holds, column.fine_groups) == 0
    return found


def _order_groups(rule: Sums, deck: Deck, columns: Sequence[Column], pair: tuple[int, int]) -> np.ndarray:
    """Groups of two numbers where even the values that fit best break an order."""
    best = {}
    for j in pair:
        name, column = deck.names[j], columns[j]
        sign = sum(one for other, one in rule.terms if other == name)
        low = (sign > 0) == (rule.sign in ("<", "<="))
        values = deck.values(name)
        ends = np.full(column.fine_groups, np.inf if low else -np.inf)
        (np.fmin if low else np.fmax).at(ends, column.fine, values)
        missing = np.bincount(column.fine, np.isnan(values), column.fine_groups) > 0
        best[name] = np.where(missing | np.isinf(ends), np.nan, ends)
    grids = np.meshgrid(*(best[deck.names[j]] for j in pair), indexing="ij")
    ends_of = {deck.names[j]: grid for j, grid in zip(pair, grids, strict=True)}
    return rule.broken(ends_of, deck.table.schema)
