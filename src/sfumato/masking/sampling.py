"""Random sampling: only some of the records are released."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param, progress
from sfumato.data import MISSING, Attribute, Table
from sfumato.data.households import together
from sfumato.masking._contract import Agreement, Masking


class Sampling(Masking):
    """A simple random sample without replacement; the records that stay are not changed, and keep their order.

    `fraction` or `size` says how much stays: round(fraction·n) records, at least one, or exactly `size`.
    Where an attribute has the role household, households are drawn whole, and are what is counted.

    Where an attribute has the role stratum, the sample is `balanced`: stratum h of N_h among N gets
    size·N_h / N, rounded by largest remainders so that the total fits, and never nothing; strata of equal
    remainder are served in their order. A sample smaller than the number of strata is refused.

    The survey weights of those who stay are multiplied by what makes them add up to the sum of all weights
    again, in each stratum if balanced. Weights with declared decimals are rounded by largest remainders, so
    that the sum is kept. Without an attribute of the role weight none is added. The domains of identifiers
    and households lose those who were not drawn: they would say who else was there.

    Sampling hides who is in the file, not what the file says of them: who knows that a person was drawn
    finds them as before, and loss and risk are judged on those who stayed. Use it before other methods.
    Missing values stay missing; a missing weight counts as nothing, a missing household as one of its own,
    a missing stratum as one more.

    Source: Willenborg & de Waal (2001), *Elements of Statistical Disclosure Control*; the largest remainders
    are Hamilton's.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [20, 30, 40, 50], "weight": [10.0, 20.0, 10.0, 20.0]}))
    >>> sample = Sampling(size=2).apply(people, np.random.default_rng(1))
    >>> sample["age"].tolist(), sample["weight"].tolist()
    ([30.0, 40.0], [40.0, 20.0])
    """

    stratified = False  # strata are drawn together, so that their sizes add up
    keeps_records = False
    only_coarsens = True
    for_users: ClassVar[Advice] = Advice(
        done="Only a random sample of the records, or of whole households, is in the file.",
        effect="The records that are there keep their values; results have the sampling error of a "
        "smaller file.",
        remedy="Use the weights of the file, if there are any, for totals; without them scale up to a "
        "known total, and take households as the sampling unit where they are.",
    )

    fraction: float = param(default=0.0, low=0, high=1, help="share to keep, above 0 (0: give size)")
    size: int = param(default=0, low=0, help="number to keep (0: give fraction)")
    balanced: bool = param(default=True, help="draw from each stratum in proportion to its size")

    def check(self) -> None:
        if (self.fraction > 0) == (self.size > 0):
            raise ParameterError(
                f"{self.name}: one of fraction and size must be above 0. "
                f"Got fraction = {self.fraction:g} and size = {self.size}."
            )
        if self.attributes:
            raise ParameterError(
                f"{self.name}: attributes must be empty, since records are drawn whole. "
                f"Got {', '.join(self.attributes)}."
            )

    @property
    def households(self) -> Agreement:
        return "own"

    def targets(self, table: Table) -> tuple[str, ...]:
        """The columns that change: survey weights, and the domains that list people or households."""
        listing = table.schema.with_role("identifier", "household")
        return table.schema.with_role("weight") + tuple(n for n in listing if not table.schema[n].is_numeric)

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        return self.traced(table, rng)[0]

    def traced(self, table: Table, rng: np.random.Generator) -> tuple[Table, np.ndarray]:
        strata = self._strata(table)
        rows = self._rows(table, strata, rng)
        weights = table.schema.with_role("weight")
        if not weights and len(rows) < table.n:
            progress.note(
                f"{self.name}: no attribute has the role weight and none is added: "
                f"each of the {len(rows)} records stands for {table.n / len(rows):.4g}."
            )
        sample, changed = table.take(rows), {}
        for name in self.targets(table):
            if name in weights:
                changed[name] = _with_room(table.schema[name], self._raised(table, name, rows, strata))
            else:
                changed[name] = _only_used(table.schema[name], sample[name])
        columns = {name: values for name, (_, values) in changed.items()}
        return sample.replace(columns, [attribute for attribute, _ in changed.values()]), rows

    def _strata(self, table: Table) -> np.ndarray:
        strata = np.zeros(table.n, np.int64)
        for number, (_, rows) in enumerate(table.strata() if self.balanced else []):
            strata[rows] = number
        return strata

    def _rows(self, table: Table, strata: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        households = together(table)
        first = np.unique(households, return_index=True)[1]
        torn = len(np.unique(households[strata != strata[first][households]]))
        if torn:
            raise DataError(
                f"{self.name}: the stratum must be the same for all members of a household. "
                f"Got {torn} households in several strata; set balanced to false to draw from the whole file."
            )
        counts = np.bincount(strata[first])
        sizes = allocation(counts, self._size(len(first), len(counts), whole=len(first) == table.n))
        stay = np.zeros(len(first), bool)
        for these, size in zip(_parts(strata[first]), sizes.tolist(), strict=True):
            stay[these[rng.choice(len(these), size, replace=False)]] = True
        return np.flatnonzero(stay[households])

    def _size(self, n: int, strata: int, *, whole: bool) -> int:
        units = "records" if whole else "households"
        if self.size > n > 0:
            raise DataError(f"{self.name}: size must be at most the {n} {units} there are. Got {self.size}.")
        size = min(self.size or max(round(self.fraction * n), 1), n)
        if size < strata:
            raise DataError(
                f"{self.name}: a sample of {size} {units} cannot hold one of each of the {strata} strata; "
                "draw more, or set balanced to false."
            )
        return size

    def _raised(self, table: Table, name: str, rows: np.ndarray, strata: np.ndarray) -> np.ndarray:
        """The weights of the records that stay, with the sum of each stratum that all had."""
        weights, decimals = table.numbers([name])[:, 0], table.schema[name].decimals
        counted = np.nan_to_num(weights)
        if (counted < 0).any():
            raise DataError(f"{self.name}: column {name}: weights must not be negative.")
        before = np.bincount(strata, counted)
        after = np.bincount(strata[rows], counted[rows], minlength=len(before))
        if ((after == 0) & (before > 0)).any():
            raise DataError(
                f"{self.name}: column {name}: no record that stays has a weight above 0; draw more."
            )
        factors = np.divide(before, after, out=np.ones(len(before)), where=after > 0)
        raised: np.ndarray = weights[rows] * factors[strata[rows]]
        if decimals is not None:
            present = np.flatnonzero(~np.isnan(raised))
            for here in _parts(strata[rows][present]):
                raised[present[here]] = rounded_with_sum(raised[present[here]], decimals)
        return raised


def _parts(labels: np.ndarray) -> list[np.ndarray]:
    """The positions of each label that occurs, by growing label."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    return np.split(order, starts[1:]) if len(order) else []


def allocation(counts: np.ndarray, size: int) -> np.ndarray:
    """Share a sample out in proportion to counts, by largest remainders, with at least one for each.

    >>> allocation(np.array([50, 30, 20]), 7).tolist(), allocation(np.array([97, 2, 1]), 5).tolist()
    ([4, 2, 1], [3, 1, 1])
    """
    total = max(int(counts.sum()), 1)
    sizes = size * counts // total
    largest = np.argsort(-(size * counts % total), kind="stable")
    sizes[largest[: size - sizes.sum()]] += 1
    for empty in np.flatnonzero(sizes == 0):
        over = np.where(sizes > 1, sizes * total - size * counts, -np.inf)
        sizes[np.argmax(over)] -= 1
        sizes[empty] = 1
    return sizes


def rounded_with_sum(values: np.ndarray, decimals: int) -> np.ndarray:
    """Round numbers down or up, those with the largest remainders up, so that their sum is rounded too.

    >>> rounded_with_sum(np.array([2.5, 2.5, 2.5, 2.5]), 0).tolist()
    [3.0, 3.0, 2.0, 2.0]
    """
    scaled = np.round(values * 10.0**decimals, 6)  # what is whole but for the last digits is whole
    down = np.floor(scaled)
    largest = np.argsort(down - scaled, kind="stable")
    down[largest[: round(float((scaled - down).sum()))]] += 1
    return np.round(down / 10.0**decimals, decimals)


def _with_room(attribute: Attribute, weights: np.ndarray) -> tuple[Attribute, np.ndarray]:
    """The attribute without its upper bound, where raised weights are above it; none is a missing code."""
    if attribute.high is not None and (weights > attribute.high).any():
        attribute = attribute.evolve(high=None)
    return attribute, attribute.conform(weights)


def _only_used(attribute: Attribute, codes: np.ndarray) -> tuple[Attribute, np.ndarray]:
    """The attribute without the names that nobody who stays has."""
    used, new = np.unique(codes[codes >= 0], return_inverse=True)
    if len(used) == attribute.domain_size:
        return attribute, codes
    names = tuple(attribute.categories[code] for code in used)
    kept = np.full(len(codes), MISSING, np.int64)
    kept[codes >= 0] = new
    labels = {name: label for name, label in attribute.labels.items() if name in names}
    return attribute.evolve(categories=names, labels=labels, covers={}, hierarchy=None), kept
