"""How close released variables are to the original ones, in bands so coarse that nothing of the original follows.

Bands have no sign save for spreads, shares of changed values are told to five points, and nothing is told of fewer
than a hundred values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.data import Table
from sfumato.data.graph import Graph
from sfumato.jobs import Pair

FEWEST = 100  # values of a variable, or records, of which anything is told
MOST_RECORDS = 10_000  # that relations are looked at in
MOST_PARTNERS = 40  # variables that one is related to
LARGEST_DOMAIN = 50  # categories of a variable that is related to others
PERCENT = (1, 5, 10, 25, 50)
POINTS = (2, 5, 10, 20)
RELATION = (0.02, 0.05, 0.1, 0.2)
NOTHING = "too few values to tell"


@dataclass(frozen=True)
class Quality:
    """A variable in words: how many values changed, how far its centre and spread moved, and its relations."""

    changed: str
    centre: str = ""
    spread: str = ""
    relations: str = ""


def qualities(pair: Pair, names: Sequence[str], *, relations: bool) -> dict[str, Quality]:
    """The quality of some variables; none where there are few records."""
    if pair.after.n < FEWEST:
        return {}
    related = _relations(pair, names) if relations else {}
    return {name: _quality(pair, name, related.get(name, "")) for name in names}


def links_in_words(before: Graph, after: Graph) -> str:
    """How many of the links are not what they were, and how far their number is off."""
    if before.n < FEWEST or before.m < FEWEST:
        return ""
    keys = [graph.edges @ np.array([graph.n, 1]) for graph in (before, after)]
    gone = float(np.mean(~np.isin(keys[0], keys[1])))
    off = _within(100 * abs(after.m / before.m - 1), PERCENT, "{} %")
    number = "exact" if before.m == after.m else f"{off} of what it was"
    return f"{changed_in_words(gone)} of those collected are not in the file; their number is {number}"


def changed_in_words(share: float) -> str:
    """A share to five points, of which neither none nor all can be told.

    >>> changed_in_words(0.0), changed_in_words(0.333), changed_in_words(1.0)
    ('under 5 %', 'about 35 %', 'over 95 %')
    """
    points = 5 * round(20 * share)
    return "under 5 %" if points < 5 else "over 95 %" if points > 95 else f"about {points} %"


def _quality(pair: Pair, name: str, relations: str) -> Quality:
    before, after = (table[name][~table.missing(name)] for table in pair)
    if min(len(before), len(after)) < FEWEST:
        return Quality(NOTHING)
    changed = changed_in_words(_changed(pair, name))
    if pair.before.schema[name].is_numeric:
        return Quality(changed, _centre(before, after), _spread(before, after), relations)
    return Quality(changed, _shares(pair, name), "", relations)


def _changed(pair: Pair, name: str) -> float:
    before, after = pair.before[name], pair.after[name]
    both = pair.before.missing(name) & pair.after.missing(name)
    if pair.before.schema[name].is_numeric:
        return float(np.mean((before != after) & ~both))
    known = {category: code for code, category in enumerate(pair.before.schema[name].categories)}
    codes = np.array([*(known.get(c, -2) for c in pair.after.schema[name].categories), -1])
    return float(np.mean(before != codes[after]))


def _centre(before: np.ndarray, after: np.ndarray) -> str:
    spread = float(before.std())
    moved = abs(float(after.mean()) - float(before.mean()))
    if not spread:
        return ""
    return f"mean {_within(100 * moved / spread, PERCENT, '{} % of a standard deviation')}"


def _spread(before: np.ndarray, after: np.ndarray) -> str:
    spread = float(before.std())
    if not spread:
        return ""
    ratio = float(after.std()) / spread
    step = _level(100 * abs(ratio - 1), PERCENT)
    if step is not None and step <= PERCENT[1]:
        return f"within {step} %"
    side = "larger" if ratio > 1 else "smaller"
    return f"over {PERCENT[-1]} % {side}" if step is None else f"up to {step} % {side}"


def _shares(pair: Pair, name: str) -> str:
    """How far the share of any category moved, where the categories are still those of the original."""
    if _is_coarser(pair, name):
        return "coarser categories"
    old = pair.before.schema[name].categories
    counts = [dict(zip(table.schema[name].categories, _counts(table, name), strict=True)) for table in pair]
    totals = [max(sum(found.values()), 1) for found in counts]
    moved = 100 * max(abs(counts[0][c] / totals[0] - counts[1].get(c, 0) / totals[1]) for c in old)
    return f"shares {_within(moved, POINTS, '{} points')}"


def _is_coarser(pair: Pair, name: str) -> bool:
    """Whether released values are sets of original ones: new categories, or places that hold the former ones."""
    old, new = (table.schema[name].categories for table in pair)
    if set(new) - set(old):
        return True
    tree = pair.before.schema[name].hierarchy
    if tree is None:
        return False
    above = {row[level]: set(row[level:]) for row in tree.rows for level in range(len(row))}
    values = np.column_stack([table[name] for table in pair])
    moved = {
        (old[a], new[b]) for a, b in np.unique(values[(values >= 0).all(axis=1)], axis=0) if old[a] != new[b]
    }
    return bool(moved) and all(after in above.get(before, ()) for before, after in moved)


def _counts(table: Table, name: str) -> list[int]:
    codes = table[name]
    counts: list[int] = np.bincount(codes[codes >= 0], minlength=table.schema[name].domain_size).tolist()
    return counts


def _relations(pair: Pair, names: Sequence[str]) -> dict[str, str]:
    """For each variable the largest change of its relation to any other one."""
    rows = np.unique(np.linspace(0, pair.after.n - 1, min(pair.after.n, MOST_RECORDS)).astype(int))
    before, after = (table.take(rows) for table in pair)
    able = [name for name in before.names if _is_related(before, name) and _is_related(after, name)]
    partners = [*(n for n in names if n in able), *(n for n in able if n not in names)][:MOST_PARTNERS]
    moved: dict[str, float] = {}
    for one, other in combinations(partners, 2):
        if one not in names and other not in names:
            continue
        found = [relation(table, one, other) for table in (before, after)]
        known = [strength for strength in found if strength is not None]
        if len(known) == 2:
            for name in (one, other):
                moved[name] = max(moved.get(name, 0.0), abs(known[1] - known[0]))
    levels = {name: _level(moved[name], RELATION) for name in names if name in moved}
    return {
        name: f"over {RELATION[-1]}" if level is None else f"at most {level}"
        for name, level in levels.items()
    }


def _is_related(table: Table, name: str) -> bool:
    attribute = table.schema[name]
    if attribute.role in ("identifier", "household", "weight"):
        return False
    return attribute.is_numeric or 1 < attribute.domain_size <= LARGEST_DOMAIN


def relation(table: Table, one: str, other: str) -> float | None:
    """The correlation of two numbers, Cramér's V of two sets of categories, the correlation ratio of one of each.

    Nothing where few records have both values, or one of them does not vary.
    """
    rows = ~(table.missing(one) | table.missing(other))
    if np.count_nonzero(rows) < FEWEST:
        return None
    numbers = [table.schema[name].is_numeric for name in (one, other)]
    x, y = table[one][rows], table[other][rows]
    if all(numbers):
        return float(np.corrcoef(x, y)[0, 1]) if x.std() and y.std() else None
    if any(numbers):
        values, codes = (x, y) if numbers[0] else (y, x)
        return _correlation_ratio(values, codes)
    return _cramers_v(x, y)


def _correlation_ratio(values: np.ndarray, codes: np.ndarray) -> float | None:
    counts = np.bincount(codes)
    sums = np.bincount(codes, values - values.mean())
    total = float(((values - values.mean()) ** 2).sum())
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    return float(np.sqrt(min(between / total, 1.0))) if total else None


def _cramers_v(x: np.ndarray, y: np.ndarray) -> float | None:
    width = int(y.max()) + 1
    cells = np.bincount(x.astype(np.int64) * width + y, minlength=(int(x.max()) + 1) * width)
    counts = cells.reshape(-1, width)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    least = min(counts.shape) - 1
    if not least:
        return None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(chi_square / (counts.sum() * least)))


def _within(value: float, levels: Iterable[float], unit: str) -> str:
    """A band in words.

    >>> _within(3.2, PERCENT, "{} %"), _within(77, PERCENT, "{} %")
    ('within 5 %', 'off by more than 50 %')
    """
    levels = tuple(levels)
    step = _level(value, levels)
    return f"off by more than {unit.format(levels[-1])}" if step is None else f"within {unit.format(step)}"


def _level(value: float, levels: Sequence[float]) -> float | None:
    """The first level that a value does not pass; none beyond the last."""
    return next((level for level in levels if value <= level), None)
