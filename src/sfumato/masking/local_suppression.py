"""Local suppression: cells of risky records become missing until k records share every combination."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param
from sfumato.data import MISSING, Schema, Table
from sfumato.masking._contract import check_enough
from sfumato.masking._covering_blanks import SortedRecords, covered
from sfumato.masking._enough_records import EnoughRecords, whole_people
from sfumato.masking._parts import Whole
from sfumato.masking._restored_cells import restored
from sfumato.masking._secrecy import Secretive
from sfumato.masking._suppressed_classes import suppressed
from sfumato.masking._suppression_demand import SuppressionDemand, cell_states
from sfumato.masking._suppression_exchange import reblanked, regrouped

APART = (
    1000.0  # how far columns that are never suppressed are stretched, so that a file is cut across them first
)


class LocalSuppression(Secretive):
    """Few cells are made missing, so that every record is like at least k, counting itself.

    **What an empty cell is like** is the question that decides what a suppressed file protects from.

    - `missing="category"`: an empty cell is a value like others, and records are alike if all their cells are written
      alike. The file is k-anonymous to whoever reads it. A code for missing that has to go becomes an empty cell.
    - `missing="best"` is against an intruder who knows the values of one person, looks at the records that contradict
      none of them, and prefers those with the fewest empty cells. At least k records, the person's own among them,
      contradict nothing she knows and have no more empty cells than the person's own has; so she is right at most once
      in k. (A value that the file never had she knows no better than the file.)
    - `missing="any"`: an empty cell is like any value, and two records are alike if they are equal wherever neither is
      empty: the count that is usual after local suppression. It is a weak promise. A record without any value is like
      everybody, so that k − 1 of those make a whole file k-anonymous in this sense, and the fewest cells that suffice are
      about as few; those who are unique in what is left can still be told apart from empty records at a glance.

    Each reading is stricter than the next one: what is enough for the first is so for all.

    **The fewest cells** are hard to find. Greedy first: sets of attributes are tried from the cheapest on, and risky
    records that are equal in all others lose the set if they are then k, with those that look so anyway and, if need be,
    some of the largest safe class that is equal to them there. (With `any`: those records lose cells that help most
    others for their cost, or k − 1 lose all, and what was not needed comes back.) Then records that lost cells are
    exchanged between neighbouring groups, or single cells for others, by simulated annealing in blocks of some thirty
    records, and the best that was met is kept. Up to that size a table gets the fewest cells there are or nearly so;
    larger ones lose a few percent less than by the greedy steps.

    - `importance` holds a number for each masked attribute in their order: the sum over cells is what is made small.
    - Cells of `never` columns stay; where records cannot be made alike without them, that is refused.
    - `sets` are the columns that count together, each a scenario of the schema or names joined by a plus
      (`sets=[neighbour, sex+town]`), and `combinations=3` means all sets of three columns, as μ-Argus has it; each of them
      is made k-anonymous by itself, and all masked columns together are not. Without either, all columns are one set.
    - `risk` is the largest individual risk in percent of a record, by survey weights if there are any (see
      `individual_risk`); it holds beside `k`, and with k = 1 in place of it.
    - A ghost has no values where its key has none: `ghosts=[age=birth_year]` empties `birth_year` wherever `age` is empty.

    What members of a household share goes for all of them, and where they would still be recognised by how many they are,
    or by the values of all of them in the columns `members`, the household's number goes.

    Missing values stay missing, and a file that is k-anonymous stays as it is. Numbers are alike only if equal; round or
    recode those with many values first. Nothing is drawn at random. With strata, records must be like k of their
    stratum. A file on disk is masked in parts of near records, each by itself; more than 62 columns are masked
    greedily.

    Source: Hundepool et al. (1998), the method of μ-Argus; Samarati (2001); Meyerson & Williams (2004), *On the
    complexity of optimal k-anonymity*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"sex": ["f", "f", "f", "m", "m"], "town": ["a", "a", "b", "c", "c"]})
    >>> masked = LocalSuppression(k=2, missing="any").apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist()
    ['a', 'a', None, 'c', 'c']
    >>> masked = LocalSuppression(k=2).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist()
    [None, None, None, 'c', 'c']
    """

    k_anonymous = True
    only_coarsens = True
    parted_by = "neighbours"
    grid: ClassVar = {"k": (2, 3, 5, 10)}
    for_users: ClassVar[Advice] = Advice(
        done="Single values of rare combinations were made missing.",
        effect="The values that are there are as collected; those removed are missing because they are "
        "rare, and so not at random.",
        remedy="Do not analyse complete records alone without thought: impute, or let the model use "
        "these variables for missingness, and expect small groups to be under-counted.",
    )

    k: int = param(default=5, low=1, help="smallest number of records that are alike")
    importance: tuple[float, ...] = param(
        default=(), low=0, help="how much each attribute counts (default: all the same)"
    )
    missing: str = param(
        default="category",
        choices=("category", "best", "any"),
        help="what a missing value is like: a category of its own, what the best-matching intruder sees, or any value",
    )
    never: tuple[str, ...] = param(default=(), help="columns to mask of which no cell may go")
    sets: tuple[str, ...] = param(
        default=(), help="columns that count together, as scenario or name+name (default: all as one set)"
    )
    combinations: int = param(
        default=0, low=0, help="let every set of so many of the columns count together (0: none)"
    )
    risk: float = param(
        default=0.0, low=0, high=100, help="largest individual risk of a record, in percent (0: any)"
    )
    weighted: bool = param(
        default=True, help="take a record for as many people as its survey weight says, if one is declared"
    )
    ghosts: tuple[str, ...] = param(default=(), help="columns that are empty where a key is, as key=column")
    members: tuple[str, ...] = param(
        default=(), help="columns known of all members of a household, which must not single it out"
    )

    @property
    def known_of_members(self) -> tuple[str, ...]:
        return self.members

    @classmethod
    def settings(cls, *, numeric: bool) -> Iterator[dict[str, Any]]:
        """Only for categories: numbers are mostly unique, and all would go."""
        return iter(()) if numeric else super().settings(numeric=numeric)

    def check(self) -> None:
        super().check()
        if self.never and self.is_secretive:
            raise ParameterError(
                f"{self.name}: where l or t is asked for, all cells of a class may have to go. Got never = "
                f"{', '.join(self.never)}; leave out one of them."
            )

    def of_columns(self, names: tuple[str, ...], chosen: tuple[str, ...]) -> "LocalSuppression":
        names = self._keys(names)
        if len(self.importance) != len(names):
            return self
        return replace(
            self, importance=tuple(self.importance[names.index(name)] for name in self._keys(chosen))
        )

    def targets(self, table: Table) -> tuple[str, ...]:
        """The keys, and their ghosts."""
        keys = super().targets(table)
        self._check_named(table.schema, keys)
        return (*keys, *dict.fromkeys(ghost for _, ghost in self._ghosts(keys)))

    def beside(self, schema: Schema) -> tuple[str, ...]:
        weight = self._weight(schema)
        return (*super().beside(schema), *([weight] if weight else []))

    def places(self, part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        """Near are records with the same values in what is never suppressed; ghosts are not looked at."""
        keys = self._keys(names)
        places = super().places(part, keys, whole)
        places[:, [name in self.never for name in keys]] *= APART
        return places

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        check_enough(self.name, self.k, part.n)
        keys = self._keys(names)
        demand = self._demand(part.schema, keys)
        states, people = self._states(part, keys), self._people(part)
        self._check_possible(states, people, demand, keys)
        gone = dict(zip(keys, (self._emptied(states, people, demand) & (states >= 0)).T, strict=True))
        for key, ghost in self._ghosts(keys):
            gone[ghost] = gone.get(ghost, False) | gone[key] | part.missing(key)
        return self.without_telling_classes(_without(part, gone), keys, whole)

    def _emptied(self, states: np.ndarray, people: np.ndarray, demand: SuppressionDemand) -> np.ndarray:
        """Which cells are empty in the end."""
        used = sorted({j for columns in demand.sets for j in columns})
        part, among = states[:, used], demand.among(used)
        if self.missing == "any":
            after = covered(part, people, among)
        else:
            after = suppressed(part, people, among)
            fewer = regrouped if among.is_single else restored
            after = fewer(part, after, people, among)
        if self.missing != "category" or not among.is_single:
            after = reblanked(part, after, people, among, self.missing)
        found = states < 0
        found[:, used] = after < 0
        return found

    def _states(self, part: Table, keys: tuple[str, ...]) -> np.ndarray:
        """Cells as numbers; the codes of missing values are values of their own only where missing is a category."""
        columns = []
        for name in keys:
            reasons = part.reasons(name) if self.missing == "category" else None
            columns.append(cell_states(part[name], part.missing(name), reasons))
        return np.column_stack(columns).astype(np.int32)

    def _people(self, part: Table) -> np.ndarray:
        weight = self._weight(part.schema)
        weights = part[weight] if weight else np.ones(part.n)
        if np.isnan(weights).any() or (weights < 0).any():
            raise DataError(
                f"{self.name}: column {weight}: survey weights must be numbers of at least 0; give one to every "
                "record, or set weighted to false."
            )
        return whole_people(weights)

    def _weight(self, schema: Schema) -> str:
        weight = schema.weight if self.risk > 0 and self.weighted else ""
        return weight if weight and schema[weight].is_numeric else ""

    def _keys(self, names: tuple[str, ...]) -> tuple[str, ...]:
        ghosts = {text.partition("=")[2].strip() for text in self.ghosts}
        return tuple(name for name in names if name not in ghosts)

    def _ghosts(self, keys: tuple[str, ...]) -> list[tuple[str, str]]:
        """Those of the keys that have one, and the columns that go with them."""
        pairs = (text.partition("=") for text in self.ghosts)
        return [(key.strip(), ghost.strip()) for key, _, ghost in pairs if key.strip() in keys]

    def _demand(self, schema: Schema, keys: tuple[str, ...]) -> SuppressionDemand:
        importance = self.importance or (1.0,) * len(keys)
        if len(importance) != len(keys):
            raise DataError(
                f"{self.name}: importance must hold one number for each of the {len(keys)} masked columns. "
                f"Got {len(importance)}."
            )
        never = tuple(keys.index(name) for name in self.never if name in keys)
        enough = EnoughRecords(self.k, self.risk / 100)
        return SuppressionDemand(enough, tuple(map(float, importance)), self._sets(schema, keys), never)

    def _sets(self, schema: Schema, keys: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        """Where some keys are masked before the others, as those of households are, each set is what it has of these."""
        named = [self._set(text, schema) for text in self.sets]
        found = [tuple(sorted({keys.index(name) for name in names if name in keys})) for names in named]
        most = min(self.combinations, len(keys))
        if most:
            # to the best-matching intruder fewer columns are another question; else more of them are stricter
            sizes = range(1, most + 1) if self.missing == "best" else [most]
            found += [chosen for size in sizes for chosen in combinations(range(len(keys)), size)]
        return tuple(dict.fromkeys(one for one in found if one)) or (tuple(range(len(keys))),)

    def _set(self, text: str, schema: Schema) -> Sequence[str]:
        scenario = schema.scenarios.get(text)
        return scenario.knows if scenario else [piece.strip() for piece in text.split("+")]

    def _check_named(self, schema: Schema, keys: tuple[str, ...]) -> None:
        """Refuse parameters that name columns which are not masked."""
        named = {
            "never": self.never,
            "sets": [name for text in self.sets for name in self._set(text, schema)],
        }
        for where, names in named.items():
            for name in names:
                if name not in keys:
                    raise DataError(
                        f"{self.name}: {where} names {name}, which is none of the masked columns: {', '.join(keys)}."
                    )
        if self.combinations > len(keys):
            raise DataError(
                f"{self.name}: combinations = {self.combinations} needs as many masked columns. Got {len(keys)}."
            )
        for text in self.ghosts:
            key, equals, ghost = (piece.strip() for piece in text.partition("="))
            if not equals or key not in keys:
                raise DataError(
                    f"{self.name}: a ghost is written key=column, with a column that is masked before the sign. "
                    f"Got {text!r}."
                )
            schema[ghost]  # which raises where there is none
            if ghost in keys:
                raise DataError(f"{self.name}: column {ghost} is masked itself, and cannot be a ghost too.")

    def _check_possible(
        self, states: np.ndarray, people: np.ndarray, demand: SuppressionDemand, keys: tuple[str, ...]
    ) -> None:
        """Refuse what cannot be had by emptying all that may be."""
        for columns in demand.sets:
            fixed = [j for j in columns if j in demand.never]
            records = SortedRecords.of(states[:, fixed], np.ones(len(states)))
            together = np.bincount(records.labels, people)
            if self.missing == "any" and fixed:
                records = SortedRecords.of(states[:, fixed], people)
                like, together = records.compatible(records.rows)
            else:
                like = records.counts
            rare = ~demand.enough.safe(like, together)
            if rare.any():
                raise DataError(self._impossible(int(records.counts[rare].sum()), [keys[j] for j in fixed]))

    def _impossible(self, number: int, fixed: list[str]) -> str:
        wish = f"k = {self.k}" + (f" with a risk of {self.risk:g} %" if self.risk > 0 else "")
        if not fixed:
            return (
                f"{self.name}: {wish} cannot be reached, not even where all records are alike; ask for less."
            )
        return (
            f"{self.name}: {wish} cannot be reached while {' and '.join(fixed)} must stay: {number:,} records share their "
            "values there with too few others. Let one of them go, or recode it first."
        )


def _without(part: Table, gone: dict[str, np.ndarray]) -> Table:
    """The table with some cells empty."""
    columns, reasons = {}, {}
    for name, cells in gone.items():
        columns[name] = part[name].copy()
        columns[name][cells] = np.nan if part.schema[name].is_numeric else MISSING
        before = part.reasons(name)
        reasons[name] = None if before is None else np.where(cells, 0, before)
    return part.replace(columns, reasons=reasons)
