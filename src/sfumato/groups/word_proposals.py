"""A vocabulary from the data: words where the share of the group changes, one word for each frequent category."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Table
from sfumato.groups.fuzzy_sets import FuzzySet
from sfumato.groups.linguistic_variables import LinguisticVariable, Vocabulary, Word
from sfumato.groups.telling_cuts import telling_cuts, tells

NAMES = {2: ("low", "high"), 3: ("low", "medium", "high"), 5: ("lowest", "low", "medium", "high", "highest")}
BY_COUNT = {**NAMES, 4: ("lowest", "low", "high", "highest")}
RAREST = 0.005  # share of the records, or of the group, that a category needs for a word of its own
SOFT = 0.25  # of the narrower of two neighbouring words: so far they overlap, to either side


def propose_vocabulary(
    table: Table,
    names: Sequence[str],
    *,
    words: int = 3,
    others: Sequence[Table] = (),
    member: np.ndarray | None = None,
) -> Vocabulary:
    """Words for these attributes, from the values they take.

    A number has so many trapezoids, which cross at 0.5 between quantiles of equal shares; an ordinal attribute
    has crisp words of about equal shares; a nominal one has a word for each category that at least one record
    in 200 takes. Attributes that do not vary have no words. The first and the last word of a number reach to the
    ends of the `others` too: who is older than all in the table is old.

    Where it is known who is a `member` of a group, the words of an ordered attribute, at most so many, meet where the share
    of the group changes beyond chance (`telling_cuts`): who is young is told by the group. Only where it changes nowhere
    are they made as above. A category that one member in 200 has gets a word too. Attributes that tell nothing of the
    group have no words, unless none of them does.

    >>> from sfumato.datasets import census_pair
    >>> people = census_pair(1000, areas=5, planted=1, seed=1).survey
    >>> [word.name for word in propose_vocabulary(people, ["income"]).variables[0].words]
    ['low', 'medium', 'high']
    """
    if words not in NAMES:
        raise ParameterError(f"vocabulary: words must be one of {', '.join(map(str, NAMES))}. Got {words!r}.")
    variables, telling = [], []
    for name in names:
        there = ~table.missing(name)
        column = _Column(table.schema[name], table[name][there], None if member is None else member[there])
        found = _words(column, words, [*_numbers(name, others)])
        if len(found) > 1:
            variables.append(LinguisticVariable(name, tuple(found)))
            telling += variables[-1:] if column.tells else []
    if not variables:
        raise DataError("vocabulary: none of the attributes varies, so there is nothing to make words of.")
    return Vocabulary(tuple(telling or variables))


def _numbers(name: str, others: Sequence[Table]) -> Iterator[np.ndarray]:
    """What other files hold under this name, as far as it is numbers."""
    for other in others:
        if other.schema[name].is_numeric and not np.all(other.missing(name)):
            yield other[name][~other.missing(name)]


@dataclass(frozen=True)
class _Column:
    """An attribute, its values without those that are missing, and who of them belongs to the group."""

    attribute: Attribute
    values: np.ndarray
    member: np.ndarray | None

    def cuts(self, codes: np.ndarray, size: int, most: int) -> list[int]:
        """Where the share of the group changes most along the codes; nowhere if nobody knows the group."""
        return [] if self.member is None else telling_cuts(*self._counts(codes, size), most)

    @property
    def tells(self) -> bool:
        """Whether it says anything of who belongs."""
        if self.member is None:
            return False
        codes = np.unique(self.values, return_inverse=True)[1]
        counts = self._counts(codes, int(codes.max(initial=-1)) + 1)
        return tells(*counts) if self.attribute.scale == "nominal" else bool(telling_cuts(*counts, 1))

    def _counts(self, codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """The records of the group with each code, and all of them."""
        weights = None if self.member is None else self.member.astype(float)
        return np.bincount(codes, weights, minlength=size), np.bincount(codes, minlength=size)


def _words(column: _Column, count: int, beyond: Sequence[np.ndarray]) -> list[Word]:
    attribute, values = column.attribute, column.values
    if not len(values):
        return []
    if attribute.is_numeric:
        return _trapezoids(column, count, beyond)
    counts = np.bincount(values, minlength=attribute.domain_size)
    if attribute.scale == "ordinal" and np.count_nonzero(counts) > count:
        return _steps(column, counts, count)
    frequent = counts >= max(RAREST * len(values), 1)
    if column.member is not None and column.member.any():
        of_group = np.bincount(values[column.member], minlength=attribute.domain_size)
        frequent |= of_group >= max(RAREST * column.member.sum(), 1)
    return [_crisp(attribute, [code]) for code in np.flatnonzero(frequent).tolist()]


def _trapezoids(column: _Column, count: int, beyond: Sequence[np.ndarray]) -> list[Word]:
    """Neighbouring words cross in the middle of where they overlap."""
    distinct, codes = np.unique(column.values, return_inverse=True)
    if len(distinct) <= count:
        shown = [f"{number:.12g}" for number in distinct.tolist()]
        return [Word(name=text, meaning=FuzzySet("set", (text,))) for text in shown]
    low, high = float(distinct[0]), float(distinct[-1])
    cuts = np.array(column.cuts(codes, len(distinct), count - 1), np.int64)
    shares = np.arange(1, count) / count
    edges = (distinct[cuts - 1] + distinct[cuts]) / 2 if len(cuts) else np.quantile(column.values, shares)
    widths = np.diff([low, *edges.tolist(), high])
    spread = SOFT * (np.minimum(widths[:-1], widths[1:]) if len(cuts) else np.full(len(edges), widths.min()))
    low, high = (float(end([end(part) for part in (distinct, *beyond)])) for end in (np.min, np.max))
    begins = [(low, low), *np.column_stack([edges - spread, edges + spread]).tolist()]
    ends = [*begins[1:], (high, high)]
    return [
        Word(name=name, meaning=FuzzySet("trapezoid", (*left, *right)))
        for name, left, right in zip(BY_COUNT[len(ends)], begins, ends, strict=True)
    ]


def _steps(column: _Column, counts: np.ndarray, count: int) -> list[Word]:
    """Categories in a row: each share to the word that its middle falls into, unless the group tells better."""
    attribute = column.attribute
    cuts = column.cuts(column.values, attribute.domain_size, count - 1)
    middles = (np.cumsum(counts) - counts / 2) / counts.sum()
    word_of = np.minimum((middles * count).astype(int), count - 1)
    if cuts:
        word_of, count = np.searchsorted(cuts, np.arange(len(counts)), side="right"), len(cuts) + 1
    found = []
    for place, name in enumerate(BY_COUNT[count]):
        codes = np.flatnonzero(word_of == place)
        if counts[codes].sum():
            listed = tuple(attribute.categories[code] for code in codes)
            found.append(Word(name=name, meaning=FuzzySet("set", listed)))
    return found


def _crisp(attribute: Attribute, codes: list[int]) -> Word:
    listed = tuple(attribute.categories[code] for code in codes)
    shown = attribute.labels.get(listed[0], "")
    phrase = f"{attribute.name} {shown or listed[0]}"
    return Word(name=listed[0], meaning=FuzzySet("set", listed), phrase=phrase)
