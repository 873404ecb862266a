"""A vocabulary from the data: words at the quantiles of numbers, one word for each frequent category."""

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Table
from sfumato.groups.fuzzy_sets import FuzzySet
from sfumato.groups.linguistic_variables import LinguisticVariable, Vocabulary, Word

NAMES = {2: ("low", "high"), 3: ("low", "medium", "high"), 5: ("lowest", "low", "medium", "high", "highest")}
RAREST = 0.005  # share of the records that a category needs for a word of its own


def propose_vocabulary(
    table: Table, names: Sequence[str], *, words: int = 3, others: Sequence[Table] = ()
) -> Vocabulary:
    """Words for these attributes, from the values they take.

    A number has so many trapezoids, which cross at 0.5 between quantiles of equal shares; an ordinal attribute
    has crisp words of about equal shares; a nominal one has a word for each category that at least one record
    in 200 takes. Attributes that do not vary have no words. The first and the last word of a number reach to the
    ends of the `others` too: who is older than all in the table is old.

    >>> from sfumato.datasets import census_pair
    >>> people = census_pair(1000, areas=5, planted=1, seed=1).survey
    >>> [word.name for word in propose_vocabulary(people, ["income"]).variables[0].words]
    ['low', 'medium', 'high']
    """
    if words not in NAMES:
        raise ParameterError(f"vocabulary: words must be one of {', '.join(map(str, NAMES))}. Got {words!r}.")
    variables = []
    for name in names:
        attribute, values = table.schema[name], table[name][~table.missing(name)]
        found = _words(attribute, values, words, [*_numbers(name, others)])
        if len(found) > 1:
            variables.append(LinguisticVariable(name, tuple(found)))
    if not variables:
        raise DataError("vocabulary: none of the attributes varies, so there is nothing to make words of.")
    return Vocabulary(tuple(variables))


def _numbers(name: str, others: Sequence[Table]) -> Iterator[np.ndarray]:
    """What other files hold under this name, as far as it is numbers."""
    for other in others:
        if other.schema[name].is_numeric and not np.all(other.missing(name)):
            yield other[name][~other.missing(name)]


def _words(attribute: Attribute, values: np.ndarray, count: int, beyond: Sequence[np.ndarray]) -> list[Word]:
    if not len(values):
        return []
    if attribute.is_numeric:
        return _trapezoids(values, count, beyond)
    counts = np.bincount(values, minlength=attribute.domain_size)
    if attribute.scale == "ordinal" and np.count_nonzero(counts) > count:
        return _steps(attribute, counts, count)
    frequent = np.flatnonzero(counts >= max(RAREST * len(values), 1))
    return [_crisp(attribute, [int(code)]) for code in frequent]


def _trapezoids(values: np.ndarray, count: int, beyond: Sequence[np.ndarray]) -> list[Word]:
    """Neighbouring words overlap from the middle of one share to the middle of the next."""
    distinct = np.unique(values)
    if len(distinct) <= count:
        shown = [f"{number:.12g}" for number in distinct.tolist()]
        return [Word(name=text, meaning=FuzzySet("set", (text,))) for text in shown]
    low, high = float(distinct[0]), float(distinct[-1])
    edges = np.quantile(values, np.arange(1, count) / count).tolist()
    spread = np.diff([low, *edges, high]).min() / 4
    low, high = (float(end([end(part) for part in (distinct, *beyond)])) for end in (np.min, np.max))
    found = []
    for place, name in enumerate(NAMES[count]):
        left = (low, low) if place == 0 else (edges[place - 1] - spread, edges[place - 1] + spread)
        right = (high, high) if place == count - 1 else (edges[place] - spread, edges[place] + spread)
        found.append(Word(name=name, meaning=FuzzySet("trapezoid", (*left, *right))))
    return found


def _steps(attribute: Attribute, counts: np.ndarray, count: int) -> list[Word]:
    """Categories in a row, each share to the word that its middle falls into."""
    middles = (np.cumsum(counts) - counts / 2) / counts.sum()
    word_of = np.minimum((middles * count).astype(int), count - 1)
    found = []
    for place, name in enumerate(NAMES[count]):
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
