"""Codebooks: what may be published about the columns of a release, which is no more than the release shows.

The schema of a masked table remembers the original: categories that a masking removed, bounds, decimals, what a
recoded category stands for. Whoever reads it beside the release can tell what was there and is there no more.
A codebook declares what occurs in the release only; the full schema stays with those who hold the original.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.data.attribute import Attribute, as_number, free_name
from sfumato.data.blocks import Blocks
from sfumato.data.encoding import MISSING
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table

FEWEST = 10  # records of the original that a category must have to be named where no record shows it
LISTED = 4  # common members of a nominal set that its name lists
DECIMALS = range(7)


@dataclass(frozen=True)
class Originals:
    """How many records of the original have each category, by column, and the words that were public before.

    Those are the nodes of declared hierarchies. A category of fewer than `fewest` records is rare: what the codebook
    says of a release must not name it, unless a released record does.
    """

    counts: Mapping[str, Mapping[str, int]]
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fewest: int = FEWEST

    @classmethod
    def of(cls, original: Table | Blocks, release: Table | Blocks | None = None) -> "Originals":
        """Counted in the original; beside a release of the same records, only where a value was not suppressed."""
        schema = original.schema
        names = [a.name for a in schema if not a.is_numeric]
        counts = {name: np.zeros(schema[name].domain_size + 1, np.int64) for name in names}
        for before, after in _pairs(original, release, names):
            for name in names:
                codes = before[name].astype(np.int64)
                if after is not None and name in after:
                    codes = np.where(after.missing(name), MISSING, codes)
                counts[name] += np.bincount(codes + 1, minlength=len(counts[name]))
        return cls(
            {
                name: dict(zip(schema[name].categories, counts[name][1:].tolist(), strict=True))
                for name in names
            },
            {name: _words(schema[name].hierarchy) for name in names},
        )

    @classmethod
    def unread(cls) -> "Originals":
        """Of an original that nothing may be told of: what is declared of its columns is public, and nothing is rare."""
        return cls({}, fewest=0)

    def is_rare(self, column: str, category: str) -> bool:
        return self.counts.get(column, {}).get(category, 0) < self.fewest


def _pairs(
    original: Table | Blocks, release: Table | Blocks | None, names: Sequence[str]
) -> Iterable[tuple[Table, Table | None]]:
    before = _pieces(original, names)
    if release is None or release.n != original.n:
        return ((piece, None) for piece in before)
    return zip(before, _pieces(release, [name for name in names if name in release.names]), strict=True)


def _pieces(data: Table | Blocks, names: Sequence[str] = ()) -> Iterable[Table]:
    if isinstance(data, Blocks):
        return data.tables(names)
    return [data.select(names) if names else data]


def _words(hierarchy: Hierarchy | None) -> frozenset[str]:
    return frozenset() if hierarchy is None else frozenset(cell for row in hierarchy.rows for cell in row[1:])


@dataclass(frozen=True)
class Codebook:
    """The public `schema` of a release, and the `full` one by which its owner reads the same file.

    Both give categories the same names: where a name made by recoding tells of a rare category, both have a
    neutral one.

    >>> town = Attribute(name="town", scale="nominal", categories=("Soria", "Lleida", "Reus"))
    >>> before = Table(Schema([town]), {"town": [0] * 20 + [1] * 15 + [2]})
    >>> merged = town.evolve(categories=("Soria", "Lleida|Reus", "gone"), covers={"Lleida|Reus": ("Lleida", "Reus")})
    >>> book = Codebook.of(Table(Schema([merged]), {"town": [0] * 20 + [1] * 16}), Originals.of(before))
    >>> book.schema["town"].categories, book.schema["town"].covers
    (('Lleida|…', 'Soria'), {})
    >>> book.full["town"].covers
    {'Lleida|…': ('Lleida', 'Reus')}
    """

    schema: Schema
    full: Schema
    codes: Mapping[str, np.ndarray] = field(repr=False)  # from codes of the release to those of the codebook
    reasons: Mapping[str, np.ndarray] = field(repr=False)

    @classmethod
    def of(cls, release: Table | Blocks, originals: Originals, names: Sequence[str] = ()) -> "Codebook":
        """That of some columns of a release, or of all."""
        names = tuple(names) or release.names
        full = Schema(_neutral(release.schema[name], originals) for name in names)
        seen = {a.name: _Seen(a) for a in full}
        for table in _pieces(release, names):
            for name in full.names:
                seen[name].add(table, name)
        public, codes, reasons = [], {}, {}
        for attribute in full:
            found = seen[attribute.name]
            public.append(_published(attribute, found, originals))
            reasons[attribute.name] = found.new_reasons()
            if not attribute.is_numeric:
                codes[attribute.name] = _new_codes(attribute, public[-1])
        return cls(Schema(public), full, codes, reasons)

    def select(self, names: Iterable[str]) -> "Codebook":
        return replace(self, schema=self.schema.select(names), full=self.full.select(names))

    def applied(self, table: Table) -> Table:
        """The records of the release, or of one block of it, under the public schema."""
        columns = {
            name: self.codes[name][table[name]] if name in self.codes else table[name]
            for name in self.schema.names
        }
        known = {name: table.reasons(name) for name in self.schema.names}
        reasons = {name: self.reasons[name][found] for name, found in known.items() if found is not None}
        return Table(self.schema, columns, reasons=reasons)


class _Seen:
    """What occurs in a column, gathered table by table."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self.categories = np.zeros(attribute.domain_size + 1, bool)  # missing is last
        self.missing = np.zeros(len(attribute.missing) + 1, bool)  # an empty cell is first
        self.labelled: set[str] = set()
        self.decimals: int | None = 0

    def add(self, table: Table, name: str) -> None:
        values, reasons = table[name], table.reasons(name)
        if reasons is not None:
            self.missing[reasons] = True
        if not self.attribute.is_numeric:
            self.categories[values] = True
            return
        present = values[~np.isnan(values)]
        numbers = ((text, as_number(text)) for text in self.attribute.labels)
        self.labelled |= {
            text for text, number in numbers if number is not None and np.any(present == number)
        }
        found = _decimals(present)
        self.decimals = None if None in (found, self.decimals) else max(found or 0, self.decimals or 0)

    def codes(self) -> list[str]:
        """The missing codes in use, in the order in which they are declared."""
        return [code for code, used in zip(self.attribute.missing, self.missing[1:], strict=True) if used]

    def new_reasons(self) -> np.ndarray:
        used = np.concatenate([[False], self.missing[1:]])
        return np.where(used, np.cumsum(used), 0)


def _decimals(values: np.ndarray) -> int | None:
    for decimals in DECIMALS:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers near the largest there are
            rounded = np.round(values, decimals)
        if np.array_equal(rounded, values):
            return decimals
    return None


def _published(attribute: Attribute, seen: _Seen, originals: Originals) -> Attribute:
    missing = seen.codes()
    if attribute.is_numeric:
        kept = {*missing, *seen.labelled}
        return attribute.evolve(
            low=None,
            high=None,
            decimals=seen.decimals,
            missing=tuple(missing),
            structural=tuple(code for code in attribute.structural if code in missing),
            labels={text: label for text, label in attribute.labels.items() if text in kept},
            hierarchy=None,
        )
    occurring = [c for c, used in zip(attribute.categories, seen.categories[:-1], strict=True) if used]
    categories = _in_order(attribute, occurring, originals)
    covers = {c: attribute.covers[c] for c in categories if c in attribute.covers}
    return attribute.evolve(
        categories=tuple(categories),
        covers={c: o for c, o in covers.items() if not _has_rare(attribute.name, o, originals)},
        missing=tuple(missing),
        structural=tuple(code for code in attribute.structural if code in missing),
        labels={text: label for text, label in attribute.labels.items() if text in {*missing, *categories}},
        hierarchy=_pruned(attribute.hierarchy, categories),
    )


def _in_order(attribute: Attribute, occurring: Sequence[str], originals: Originals) -> list[str]:
    """Nominal categories by name; ordinal ones by the middle of the common categories they stand for.

    Were rare ones counted in, the place of a category would tell where an open interval ends.
    """
    if attribute.scale != "ordinal":
        return sorted(occurring)
    places = {c: place for place, c in enumerate(originals.counts.get(attribute.name, attribute.categories))}

    def middle(category: str) -> tuple[float, int]:
        members = attribute.covers.get(category, (category,))
        common = [m for m in members if not originals.is_rare(attribute.name, m)] or [category]
        known = [places[member] for member in common if member in places]
        return ((min(known) + max(known)) / 2, min(known)) if known else (len(places), 0)

    return sorted(occurring, key=middle)


def _has_rare(column: str, members: Iterable[str], originals: Originals) -> bool:
    # a list without its rare members would name them by what it lacks: such a list is not published at all
    return any(originals.is_rare(column, member) for member in members)


def _pruned(hierarchy: Hierarchy | None, categories: Sequence[str]) -> Hierarchy | None:
    """The paths of what occurs; none where one is missing."""
    if hierarchy is None or not categories or not set(categories) <= set(hierarchy.leaves):
        return None
    return Hierarchy(tuple(row for row in hierarchy.rows if row[0] in set(categories)))


def _new_codes(before: Attribute, after: Attribute) -> np.ndarray:
    position = {category: code for code, category in enumerate(after.categories)}
    return np.array([*(position.get(category, MISSING) for category in before.categories), MISSING])


def _neutral(attribute: Attribute, originals: Originals) -> Attribute:
    """The attribute without names that show a rare category among others it was merged with."""
    public = originals.words.get(attribute.name, frozenset())
    telling = [c for c in attribute.covers if c not in public and _tells(attribute, c, originals)]
    if not telling:
        return attribute
    taken = {*attribute.categories, *attribute.missing, *originals.counts.get(attribute.name, {})} - set(
        telling
    )
    renamed: dict[str, str] = {}
    for category in telling:
        renamed[category] = free_name(_neutral_name(attribute, category, originals), taken)
        taken.add(renamed[category])
    return attribute.evolve(
        categories=tuple(renamed.get(c, c) for c in attribute.categories),
        covers={renamed.get(c, c): members for c, members in attribute.covers.items()},
        labels={renamed.get(c, c): label for c, label in attribute.labels.items()},
        hierarchy=_renamed_hierarchy(attribute.hierarchy, renamed),
    )


def _tells(attribute: Attribute, category: str, originals: Originals) -> bool:
    """Whether a reader finds a rare category in the name of the one that it was merged into."""
    return any(
        re.search(rf"(^|\||\.\.){re.escape(member)}($|\||\.\.| #?\d+$)", category)
        for member in attribute.covers[category]
        if originals.is_rare(attribute.name, member)
    )


def _neutral_name(attribute: Attribute, category: str, originals: Originals) -> str:
    """An interval open where its end is rare; a set by its common members; else "other"."""
    members = attribute.covers[category]
    common = [member for member in members if not originals.is_rare(attribute.name, member)]
    if attribute.scale != "ordinal":
        return "|".join([*common[:LISTED], "…"]) if common else "other"
    first, last = (end if end in common else "" for end in (members[0], members[-1]))
    is_run = members == _run(list(originals.counts.get(attribute.name, {})), members)
    return f"{first}..{last}" if is_run and (first or last) else "other"


def _run(domain: Sequence[str], members: Sequence[str]) -> tuple[str, ...]:
    """As many categories of the domain, from the first of these on."""
    start = domain.index(members[0]) if members[0] in domain else len(domain)
    return tuple(domain[start : start + len(members)])


def _renamed_hierarchy(hierarchy: Hierarchy | None, renamed: Mapping[str, str]) -> Hierarchy | None:
    if hierarchy is None:
        return None
    return Hierarchy(tuple(tuple(renamed.get(cell, cell) for cell in row) for row in hierarchy.rows))
