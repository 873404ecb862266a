"""Generalisation: whole columns go up their hierarchies, as little as k, l, t or a risk allow, and few records go."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, ParameterError, param, progress
from sfumato.data import Schema, Table
from sfumato.masking._class_losses import LOSSES
from sfumato.masking._class_rules import Rules
from sfumato.masking._contract import Agreement, check_enough, naming
from sfumato.masking._generalised_columns import GeneralisedColumns
from sfumato.masking._lattice import Lattice
from sfumato.masking._lattice_search import Found, Search
from sfumato.masking._local_levels import Descent
from sfumato.masking._locally_recoded import LocallyRecoded
from sfumato.masking._parts import DistinctRecords, InParts, Plan, Whole


@dataclass(frozen=True)
class Choice:
    """The levels that were chosen: 0 leaves a column as it is, and the last of so many leaves it blank or constant.

    `loss` is in percent, and no other choice loses less than the `bound`; so many of all nodes of the lattice were
    counted to know.
    """

    levels: dict[str, int]
    depths: dict[str, int]
    suppressed: int
    loss: float
    bound: float
    counted: int
    nodes: int


class Generalisation(InParts):
    """Full-domain generalisation: one level of its hierarchy for each column, and records that would be rare go blank.

    The levels of all columns together are a node of a lattice. At a node, records with equal keys are a class, and a
    class is released if it has

    - at least `k` records;
    - at least `l` different values in each `confidential` column, or with `variant="entropy"` an entropy of at
      least log2(l); and a distance of at most `t` between its values and those of all (see `l_diversity`, `t_closeness`);
    - records of an individual `risk` of at most so many percent, and that stand for at least so many `people`, by the
      survey weights if there are any (see `individual_risk`, `k_map`).

    The records of other classes are suppressed: all their keys become empty. That may be at most `suppress` percent of
    the records, and those who see the file see them as one more class, for which the same holds: where it is not so, the
    smallest of the other classes join it (one, then two more, then four, and so on). Of all nodes that can be released
    so, the one with the least `loss` is taken, by the formula of the measure of that name (of equal ones, a finest).
    Numbers, of which these measures see blanks at most, count as a domain of the values that occur.

    **Levels.** A column with a hierarchy has its levels. Else ordinal categories are merged with their neighbours by
    2, 4, 8 …; dates become days, months, quarters, years and decades; of nominal categories the rarer half, then the rarer
    three quarters, and so on, become "other"; and numbers are put into intervals of round widths. A number is released as the mean of those in its interval, with the declared
    decimals. Merged categories are told by `covers`. At the last level a column is blank.

    **The search is exact.** Classes of a node are added up from those of a finer one. If too many records must be
    suppressed at a node, so they must at every finer one; and what a node loses without suppression, every coarser one
    loses at least. Boxes of nodes to which neither applies are cut in two, until none is left. For t, and for l as an
    entropy, a class that fails proves only that part of its records must go at finer nodes, namely at least the share
    (D − t) / (D_max − t) or 1 − H / log2(l): the distance D of a mixture is at most the mean of those of its parts, and
    its entropy H at least. Where more than `nodes` nodes would have to be counted, the best that was found is taken,
    and a note says how far it can be from the best there is.

    **Local recoding.** With `local` each class of the best node then goes down its hierarchies by itself, as long as all
    that it falls into keep the rules: again and again the column that gains most granularity goes down one level, and rare
    values stay behind at the coarser one, with as many others as they need. So does the class of those suppressed. No
    record is coarser than without it, but one category may lie in another, which those who count must know.

    Missing values are a value of their own, and so is each code for one as long as the column is not generalised; a
    number or category and a missing value become alike only where the column is blank. With `missing="any"` a missing
    value is like any value, and k records must be like each before any is suppressed. With strata, records are
    compared within their stratum, the loss is the mean over strata, and all of them have the same levels. Nothing is drawn at random, and a file on disk,
    whose distinct records must fit into memory, is masked as one in memory.

    Source: Samarati (2001); El Emam et al. (2009), *A globally optimal k-anonymity method* (OLA); Kohlmayer,
    Prasser, Eckert, Kemper & Kuhn (2012), *Flash*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> ages = [21.0, 23.0, 24.0, 38.0, 37.0, 35.0]
    >>> people = table_from_frame(pa.table({"town": ["a", "a", "a", "b", "b", "c"], "age": ages}))
    >>> masked = Generalisation(k=3).apply(people, np.random.default_rng(1))
    >>> masked.to_arrow()["town"].to_pylist(), masked["age"].tolist()
    (['a', 'a', 'a', 'other', 'other', 'other'], [23.0, 23.0, 23.0, 37.0, 37.0, 37.0])
    >>> Generalisation(k=3).choice(people).levels
    {'town': 1, 'age': 1}
    """

    k_anonymous = True
    only_coarsens = True
    parted_by = "records"
    stratified = False  # it looks at the strata itself: an attribute has one domain for the whole file
    grid: ClassVar = {"k": (3, 5, 10), "suppress": (0.0, 2.0)}
    for_users: ClassVar[Advice] = Advice(
        done="Categories were merged into coarser ones and numbers replaced by the mean of an interval, in the same "
        "way for all records; all key values of a few rare records were removed.",
        effect="Every record that has values is as collected at the coarser level; differences inside a merged category "
        "or an interval cannot be seen, and the records without values were rare, and so not at random.",
        remedy="Analyse at the coarser level, merge the categories of other files in the same way before comparing, "
        "and expect small groups to be under-counted.",
    )

    k: int = param(default=5, low=1, help="smallest number of records in a class")
    suppress: float = param(
        default=0.0, low=0, high=100, help="largest share of the records to suppress, in percent"
    )
    loss: str = param(
        default="granularity", choices=tuple(LOSSES), help="the measure of what is lost, to be least"
    )
    l: float = param(default=1.0, low=1, help="least diversity of confidential values in a class")  # noqa: E741
    variant: str = param(default="distinct", choices=("distinct", "entropy"), help="how diversity is counted")
    t: float = param(
        default=1.0, low=0, high=1, help="largest distance of a class from all records in confidential values"
    )
    confidential: tuple[str, ...] = param(
        default=(), help="columns that l and t are about (default: those with the role confidential)"
    )
    risk: float = param(
        default=0.0, low=0, high=100, help="largest individual risk of a record, in percent (0: any)"
    )
    people: float = param(
        default=0.0, low=0, help="smallest number of people that a class stands for (k-map)"
    )
    weighted: bool = param(
        default=True, help="take a record for as many people as its survey weight says, if one is declared"
    )
    missing: str = param(
        default="category",
        choices=("category", "any"),
        help="what a missing value is like: a category of its own, or any value",
    )
    local: bool = param(
        default=False, help="let each class go down its hierarchies further by itself, where it can"
    )
    nodes: int = param(default=10_000, low=1, help="most nodes of the lattice to count")

    def check(self) -> None:
        if self.missing == "any" and (self._secretive or self.risk > 0 or self.people > 0):
            raise ParameterError(
                f"{self.name}: l, t, risk and people are about classes of records that are written alike. "
                "Got missing = any; set it to category."
            )
        if self.missing == "any" and self.local:
            raise ParameterError(
                f"{self.name}: local recoding is about classes of records that are written alike. Got missing = any; set "
                "it to category."
            )

    @property
    def least_alike(self) -> int | None:
        return None if self._secretive or self.risk > 0 or self.people > 0 else super().least_alike

    @property
    def households(self) -> Agreement:
        return "alike"

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        return whole.plan(self, names).applied(part)

    def choice(self, table: Table) -> Choice:
        """The levels of the columns, how many records are suppressed, and what is lost."""
        names = self.targets(table)
        search = self.search(DistinctRecords.of(table, *self.counted(table.schema, names)), names)
        lattice, found = search.lattice, self._found(search)
        gone = int(lattice.finest.counts[self._gone(lattice, found)].sum())
        levels = dict(zip(names, found.node, strict=True))
        depths = dict(zip(names, map(len, lattice.columns), strict=True))
        return Choice(levels, depths, gone, *found[1:])

    @property
    def needs_plan(self) -> bool:
        return True

    def counted(self, schema: Schema, names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        """The columns to mask, strata, confidential ones if l or t are asked for, and the survey weight for risks."""
        columns, _ = super().counted(schema, names)
        weight = schema.weight if self.weighted and (self.risk > 0 or self.people > 0) else ""
        known = weight and schema[weight].is_numeric
        return columns + self._secret(schema, names), weight if known else ""

    def planned(self, records: DistinctRecords, names: tuple[str, ...]) -> Plan:
        search = self.search(records, names)
        lattice, found = search.lattice, self._found(search)
        if self.local:
            descent = Descent(lattice, self.rules)
            return LocallyRecoded.of(lattice, descent.classes(found.node, self._gone(lattice, found)))
        return GeneralisedColumns.of(lattice, found.node, self._gone(lattice, found))

    def search(self, records: DistinctRecords, names: tuple[str, ...]) -> Search:
        """The search of the lattice of a file, before it is run."""
        schema = records.table.schema
        for stratum, rows in records.table.strata():
            with naming(stratum):
                check_enough(self.name, self.k, int(records.counts[rows].sum()))
        if np.isnan(records.weights).any():
            raise DataError(
                f"{self.name}: column {records.weight}: survey weights must be numbers of at least 0; give one to every "
                "record, or set weighted to false."
            )
        lattice = Lattice(records, names, secret=self._secret(schema, names), weighted=bool(records.weight))
        self._check_reachable(lattice)
        budget = int(self.suppress * lattice.n / 100 + 1e-9)
        least = 1 if self.missing == "any" else self.k
        loss = LOSSES[self.loss](lattice, budget=budget, least=least)
        return Search(lattice, self.rules, loss, budget=budget, nodes=self.nodes)

    @property
    def rules(self) -> Rules:
        """What each class must keep."""
        risk = self.risk / 100 if self.risk > 0 else 1.0
        return Rules(
            k=self.k,
            l=self.l,
            entropy=self.variant == "entropy",
            t=self.t,
            risk=risk,
            people=self.people,
            matches_any=self.missing == "any",
        )

    @property
    def _secretive(self) -> bool:
        return self.l > 1 or self.t < 1

    def _found(self, search: Search) -> Found:
        found = search.run()
        if found.bound < found.loss:
            progress.note(
                f"{self.name}: {found.counted:,} of {found.nodes:,} combinations of levels were counted. The best of "
                f"them loses {found.loss:.4g} % ({self.loss}); none can lose less than {found.bound:.4g} %."
            )
        return found

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        if not self._secretive:
            return ()
        secret = self.confidential or schema.with_role("confidential")
        for name in secret:
            schema[name]  # which raises where there is none
            if name in names:
                raise DataError(
                    f"{self.name}: column {name} is masked, and l and t take it for confidential; choose one."
                )
        if not secret:
            raise DataError(
                f"{self.name}: l and t are about confidential columns, and the table has none; name them."
            )
        return secret

    def _check_reachable(self, lattice: Lattice) -> None:
        """Refuse what not even all records of a stratum as one class would keep."""
        whole = lattice.coarser(lattice.finest, lattice.top)
        for what, rules in self._single_rules():
            for stratum in lattice.stratum[whole.first[rules.judged(lattice, whole) > 0]].tolist():
                with naming(lattice.strata[stratum]):
                    raise DataError(
                        f"{self.name}: {what} cannot be reached, not even where all {lattice.sizes[stratum]:,} "
                        "records are alike; ask for less."
                    )

    def _single_rules(self) -> Iterator[tuple[str, Rules]]:
        yield f"l = {self.l:g}", Rules(k=1, l=self.l, entropy=self.rules.entropy)
        yield f"risk = {self.risk:g} %", Rules(k=1, risk=self.rules.risk)
        yield f"people = {self.people:g}", Rules(k=1, people=self.people)

    def _gone(self, lattice: Lattice, found: Found) -> np.ndarray:
        """Which of the distinct records are suppressed at the node."""
        classes = lattice.coarser(lattice.finest, found.node)
        fails = self.rules.judged(lattice, classes) > 0
        if not fails.any():
            return np.zeros(len(lattice.finest), bool)
        blank = lattice.missing(classes, empty=True)
        gone = self.rules.suppressed(lattice, classes, fails, blank, lattice.n)
        assert gone is not None
        labels, _ = lattice.labelled(lattice.finest.first, found.node)
        rows: np.ndarray = gone[labels]
        return rows
