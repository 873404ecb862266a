"""A column before and after: what changed, and the binned shares that may be drawn.

Nothing here leads back to a record: axes end at rounded percentiles, the end bins hold all values beyond,
and original bins or categories of fewer than five records are left out or pooled.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.data import Table

SMALLEST_CELL = 5
MOST_BINS = 40
CATEGORIES_SHOWN = 12
TAIL = 0.01  # share cut off at each end of an axis
SKEWED = 8.0  # from this ratio of the upper end to the median on, an axis is logarithmic
SMALLEST_LOGGED = 1e-300  # below it there are no steps to divide by


class BeforeAfter(Protocol):
    """A table before and after masking; a `Protection` is one."""

    @property
    def original(self) -> Table: ...
    @property
    def aligned(self) -> Table: ...


@dataclass(frozen=True)
class Bins:
    """Shares in percent per bin."""

    edges: np.ndarray
    original: np.ndarray
    release: np.ndarray
    log: bool


@dataclass(frozen=True)
class CategoryRow:
    """One category of the release, with the shares of the original categories it stands for."""

    label: str
    original: tuple[float, ...]  # one share per original category; the rare ones make one share together
    release: float
    members: int


def changed_share(original: Table, release: Table, name: str) -> float:
    """Percent of records whose value in a column is another one after masking."""
    before, after = original[name], release[name]
    if original.schema[name].is_numeric:
        same = (before == after) | (np.isnan(before) & np.isnan(after))
    else:
        texts = [np.array(["", *t.schema[name].categories], dtype=object) for t in (original, release)]
        missing = (before < 0) & (after < 0)
        same = missing | ((texts[0][before + 1] == texts[1][after + 1]) & (before >= 0) & (after >= 0))
    return 100 * float(np.mean(~same)) if len(same) else 0.0


def drawn_names(pair: BeforeAfter) -> tuple[str, ...]:
    """The columns worth drawing: keys, and whatever else changed; never identifiers."""
    schema = pair.original.schema
    released = [a.name for a in schema if a.name in pair.aligned and a.role != "identifier"]
    keys = [name for name in released if schema[name].role == "key"]
    others = [name for name in released if name not in keys]
    return (*keys, *(name for name in others if changed_share(pair.original, pair.aligned, name) > 0))


def bins(pair: BeforeAfter, name: str) -> Bins | None:
    """Shares of a numeric column in common bins; nothing where no record has a value."""
    before, after = (t[name][~t.missing(name)] for t in (pair.original, pair.aligned))
    if len(before) == 0 or len(after) == 0:
        return None
    both = np.concatenate([before, after])
    low, median, high = np.quantile(both, [TAIL, 0.5, 1 - TAIL])
    log = bool(low > SMALLEST_LOGGED and high > SKEWED * median)
    edges = _edges(both, low, high, log)
    counts = np.histogram(np.clip(before, edges[0], edges[-1]), edges)[0]
    safe = np.where(counts < SMALLEST_CELL, 0, counts)
    masked = np.histogram(np.clip(after, edges[0], edges[-1]), edges)[0]
    return Bins(edges, 100 * safe / len(before), 100 * masked / len(after), log)


def _edges(values: np.ndarray, low: float, high: float, log: bool) -> np.ndarray:
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        half = 0.5 if abs(low) < 1e-300 else abs(low) / 2  # half of the smallest numbers is nothing
        return np.array([low - half, low + half])
    whole = bool(np.all(values == np.floor(values)))
    if whole and high - low < MOST_BINS:
        return np.arange(np.floor(low), np.ceil(high) + 2) - 0.5
    count = int(np.clip(np.sqrt(len(values) / 2), 8, MOST_BINS))
    if log:
        return np.geomspace(_rounded(low, low, np.floor), _rounded(high, high, np.ceil), count + 1)
    low, high = _rounded(low, high - low, np.floor), _rounded(high, high - low, np.ceil)
    if whole:  # bins of whole width, or some would hold more numbers than others
        width, top = np.ceil((high - low) / count), min(high, values.max())
        return np.arange(low, top + width + 1, width) - 0.5
    return np.linspace(low, high, count + 1)


def _rounded(value: float, size: float, towards: np.ufunc) -> float:
    step = 10 ** (np.floor(np.log10(size)) - 1)
    return float(towards(value / step) * step)


def category_rows(pair: BeforeAfter, name: str) -> list[CategoryRow]:
    """Shares of a categorical column by category of the release, by labels where it has any; small and rare ones pooled
    at the end."""
    before, after = _counts(pair.original, name), _counts(pair.aligned, name)
    members = _members(pair, name, before)
    total = {label: sum(before[c] for c in categories) for label, categories in members.items()}
    occurring = [label for label in members if total[label] or after.get(label, 0)]
    shown = _most_frequent(occurring, total, after)
    rest = [label for label in occurring if label not in shown]
    groups = [(label, [label], members[label]) for label in occurring if label in shown]
    if rest:
        groups.append(("1 other" if len(rest) == 1 else f"{len(rest)} others", rest, []))
    rows, called = [], {**pair.original.schema[name].labels, **pair.aligned.schema[name].labels}
    for title, labels, parts in groups:
        counts = _safe_counts([before[c] for c in parts] or [sum(total[x] for x in labels)])
        shares = tuple(100 * count / max(pair.original.n, 1) for count in counts)
        released = 100 * sum(after.get(x, 0) for x in labels) / max(pair.aligned.n, 1)
        rows.append(CategoryRow(called.get(title, title), shares, released, len(parts)))
    return rows


def _most_frequent(labels: list[str], total: dict[str, int], after: dict[str, int]) -> set[str]:
    large = [label for label in labels if not 0 < total[label] < SMALLEST_CELL]
    ranked = sorted(large, key=lambda label: -max(total[label], after.get(label, 0)))
    return set(ranked[:CATEGORIES_SHOWN])


def _safe_counts(counts: list[int]) -> list[int]:
    """Counts with the small ones pooled, and the pool hidden where it is still small."""
    large = [count for count in counts if count >= SMALLEST_CELL]
    pooled = sum(counts) - sum(large)
    return [*large, pooled] if pooled >= SMALLEST_CELL else large


def _counts(table: Table, name: str) -> dict[str, int]:
    categories, codes = table.schema[name].categories, table[name]
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    return dict(zip(categories, counts.tolist(), strict=True))


def _members(pair: BeforeAfter, name: str, before: dict[str, int]) -> dict[str, list[str]]:
    """For each category of the release the original ones it stands for, in the order to draw them.

    An original category that is neither kept nor covered stands for itself.
    """
    attribute = pair.aligned.schema[name]
    recoded = {old: new for new, olds in attribute.covers.items() for old in olds}
    members: dict[str, list[str]] = {label: [] for label in attribute.categories}
    for category in before:
        home = category if category in attribute.categories else recoded.get(category, category)
        members.setdefault(home, []).append(category)
    position = {category: place for place, category in enumerate(before)}

    def rank(label: str) -> int:
        if attribute.scale == "nominal":
            return -sum(before[c] for c in members[label])
        return min((position[c] for c in members[label]), default=len(position))

    return {label: members[label] for label in sorted(members, key=rank)}
