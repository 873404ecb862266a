"""Analyst loss: how much worse off an analyst is with the release than with another sample of the same people."""

from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from sfumato.core import DataError, param, stream
from sfumato.data import Schema, Table
from sfumato.data.shared_terms import in_terms_of
from sfumato.measures._contract import Bound, Judged, Measure
from sfumato.measures._tracking import Tracker
from sfumato.measures.analyses.contract import Kind
from sfumato.measures.analyses.declared import declared_kind
from sfumato.measures.analyses.discriminator import Discriminator
from sfumato.measures.analyses.models import Models
from sfumato.measures.analyses.record_order import in_record_order
from sfumato.measures.analyses.regressions import Regressions, on_all_others
from sfumato.measures.analyses.scale import Group, scales
from sfumato.measures.analyses.subgroups import Subgroups, breakdowns
from sfumato.measures.analyses.table_tracker import TableTracker
from sfumato.measures.analyses.tables import Tables, pairs_and_triples

SMALLER = (0.5, 0.25, 0.125, 0.0625, 0.03125)  # shares of the records that other samples have
SMALLER_DRAWS = 2
LEAST_OUTSIDE = 30
MOST_PAIRS = 50
SLOW = ("discriminator", "models")  # kinds of analyses that learn trees
NOT_RELEASED = ("identifier", "household")


class AnalystLoss(Measure):
    """Mean over kinds of analyses of 100 · (e − e₀) / (e₁ − e₀), over all released columns.

    Analyses of five kinds are done on both files. d is how far one is from that of the original: of `tables` (of all
    pairs and of triples) the share of records in another cell; of `subgroups` (each column by groups of each other) the
    difference of means in standard deviations, or of shares; of `regressions` (each column on all others) what the
    confidence intervals of a coefficient do not share; and, where people outside are given, of the `discriminator`
    2 · AUC − 1 of trees that tell released records from them, and of `models` what squared error is added if trees that
    guess their values were trained on the release. Each kind has its file in `measures/analyses`.

    e is the sum over the analyses of a kind of what d is above its mean over bootstraps of the original: what is
    nearer than chance would have it makes up for nothing. **0** (e₀: the mean e of bootstraps and a standard
    deviation) is no worse than another sample of the same population. Such a sample varies, and so does the original:
    they are as far apart as the original and a bootstrap of half its records, which is what is drawn (for trees, of
    all records). **100** (e₁: the mean of files with each column in an order of its own, less a standard deviation) is
    columns that are unrelated. At 10, a tenth of what the file says about how its columns hang together is lost. A
    kind in which unrelated columns would lose nothing is left out; where that is so of all, tables are judged by
    the share of records in another cell. All is drawn from fixed streams, so a value is always the same.

    Judged are all columns but identifiers and household numbers, or the `attributes` named; of these, what is
    released. A release may have any number of records in any order. Analyses that the schema declares are
    a kind of their own, `analyses`, each told by its name. The other parts are the mean loss by column, and by pair
    of columns, the 50 worst pairs first; and `fewer_records`, how many percent fewer records another sample of the
    population must have for its tables to be as far off (at most 97). Numbers are grouped by quantiles of the original, and rare categories together. Missing
    values are a group of their own in tables and groups; in regressions they count as the mean. Of a recoded category a
    uniform draw is judged. A survey weight that is declared and released counts in subgroups and regressions; in
    tables it is a column like others. Large files: tables and subgroups count all records, models are of samples.

    It does not see which record is whose; what is within a group of values (all above the last tenth are one); relations of
    four and more columns but through trees; and without people outside, no more than the first three kinds.

    Source: ours, after Karr, Kohnen, Oganian, Reiter & Sanil (2006) for intervals, Woo, Reiter, Oganian & Karr (2009) for
    discriminators, and Raab, Nowok & Dibben (2021) for tables.

    >>> from sfumato.data import Attribute, Schema
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=1000)
    >>> columns = {"x": x, "y": x + rng.normal(size=1000)}
    >>> original = Table(Schema([Attribute(name=name, scale="numeric") for name in "xy"]), columns)
    >>> bound = AnalystLoss().bind(original)
    >>> bound.score(original.take(rng.integers(0, 1000, 1000))).value < 2
    True
    >>> bound.score(original.replace({"y": rng.permutation(original["y"])})).value > 98
    True
    """

    sense = "loss"
    joinable = False
    headline = True
    from_sample = True
    aligned = False
    outside = "useful"

    parts: str = param(
        default="all",
        choices=("all", "tables"),
        help="all kinds of analyses, or tables alone, which is quick",
    )
    weighted: bool = param(default=True, help="count each record by its survey weight, where one is declared")

    def fitting(self, original: Table) -> tuple[str, ...]:
        """Every column that can be released, or those of the scenario."""
        if self.scenario:
            return super().fitting(original)
        return tuple(a.name for a in original.schema if a.role not in NOT_RELEASED)

    def weighs(self, schema: Schema) -> bool:
        return self.weighted and bool(schema.weight)

    def check_masked(self, original: Schema, masked: Schema, columns: tuple[str, ...]) -> None:
        """Columns that were named must be there; of all columns, what is released is judged."""
        if not self.attributes:
            columns = tuple(name for name in columns if name in masked)
        super().check_masked(original, masked, columns)
        if not columns:
            raise DataError(f"{self.name}: the masked file has none of the columns of the original.")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return self.bound_beside(original, None, names)

    def bound_beside(self, original: Table, outside: Table | None, names: tuple[str, ...]) -> Bound:
        return BoundAnalystLoss(self, original, outside, names)

    def tracker(self, bound: Any, masked: Table) -> Tracker | None:
        return bound.tables_tracker(masked) if isinstance(bound, BoundAnalystLoss) else None


class BoundAnalystLoss(Bound):
    """The analyses of the original and of people outside; of fewer columns where fewer are released."""

    def __init__(
        self, measure: AnalystLoss, original: Table, outside: Table | None, names: tuple[str, ...]
    ) -> None:
        super().__init__(measure, original, names)
        self.tables_alone = measure.parts == "tables"
        self.weight = (original.schema.weight,) if measure.weighs(original.schema) else ()
        self.outside = outside
        self.known: dict[tuple[str, ...], Judgement] = {}
        self.judgement(names, self.weight)

    def judge(self, masked: Table) -> Judged:
        names = tuple(name for name in self.names if name in masked)
        weight = tuple(name for name in self.weight if name in masked)
        return self.judgement(names, weight).of(self._comparable(masked, names, weight))

    def at_least(self, masked: Table) -> float:
        """A value below which the loss cannot be, by the analyses that are quick: trees may only add to it."""
        names = tuple(name for name in self.names if name in masked)
        weight = tuple(name for name in self.weight if name in masked)
        return self.judgement(names, weight).at_least(self._comparable(masked, names, weight))

    def judgement(self, names: tuple[str, ...], weight: tuple[str, ...]) -> "Judgement":
        """The analyses of some columns, prepared when they are first asked for."""
        if (*names, "", *weight) not in self.known:
            original = self._comparable(self.original, names, weight)
            outside = self.outside
            if outside is not None:
                outside = None if outside.n < LEAST_OUTSIDE else self._comparable(outside, names, weight)
            kinds, declared = self._kinds(original, outside, names)
            self.known[*names, "", *weight] = Judgement(kinds, declared, original, names)
        return self.known[*names, "", *weight]

    def _comparable(self, table: Table, names: tuple[str, ...], weight: tuple[str, ...]) -> Table:
        """Columns in the terms of the original, in an order that does not depend on where records stand.

        A weight that does not count is a column like others.
        """
        carried = tuple(dict.fromkeys((*names, *weight)))
        rng = stream(0, "analyst_loss", "recoded categories")
        shared = in_terms_of(self.original.schema, in_record_order(table, carried), carried, rng)
        others = [name for name in shared.schema.with_role("weight") if name not in weight]
        return shared.with_schema(shared.schema.with_roles(dict.fromkeys(others, "other")))

    def _kinds(
        self, original: Table, outside: Table | None, names: tuple[str, ...]
    ) -> tuple[dict[str, Kind], dict[str, Kind]]:
        if original.n == 0:
            return {}, {}
        kinds: dict[str, Kind] = {"tables": Tables(original, pairs_and_triples(names))}
        if self.tables_alone:
            return kinds, {}
        declared = {label: declared_kind(one, original) for label, one in original.schema.analyses.items()}
        if len(names) > 1:
            kinds["subgroups"] = Subgroups(original, breakdowns(names))
            kinds["regressions"] = Regressions(original, on_all_others(names))
            if outside is not None:
                kinds["discriminator"] = Discriminator(original, outside, names)
                kinds["models"] = Models(original, outside, names)
        return kinds, declared

    def tables_tracker(self, masked: Table) -> Tracker | None:
        """Follows the tables, if they are all that is judged and the release has the domains of the original."""
        names = tuple(name for name in self.names if name in masked)
        recoded = any(masked.schema[n].categories != self.original.schema[n].categories for n in names)
        if not self.tables_alone or recoded or masked.n != self.original.n:
            return None
        judgement = self.judgement(names, tuple(name for name in self.weight if name in masked))
        tables = judgement.kinds["tables"]
        assert isinstance(tables, Tables)
        return TableTracker(tables, judgement.scales["tables"], self.original, masked)


class Judgement:
    """The analyses of some columns of the original, with their scales."""

    def __init__(
        self, kinds: dict[str, Kind], declared: dict[str, Kind], original: Table, names: tuple[str, ...]
    ) -> None:
        self.kinds, self.declared, self.original = kinds, declared, original
        self.groups: list[Group] = [(), *((name,) for name in names), *combinations(names, 2)]
        self.scales = scales(kinds, original, self.groups)
        self.declared_scales = scales(declared, original, [()]) if declared else {}

    def of(self, table: Table) -> Judged:
        """The mean over kinds of analyses, those declared being one; and where it was lost."""
        found = {name: kind.distances(table) for name, kind in self.kinds.items()}
        losses = {name: self.scales[name].losses(found[name]) for name in self.kinds}
        parts = {name: float(loss[0]) for name, loss in losses.items() if not np.isnan(loss[0])}
        if not parts and found:
            parts["tables"] = self.scales["tables"].loss(found["tables"])
        labels = {
            label: self.declared_scales[label].loss(kind.distances(table))
            for label, kind in self.declared.items()
        }
        if labels:
            parts["analyses"] = float(np.mean(list(labels.values())))
        value = float(np.mean(list(parts.values()))) if parts else 0.0
        details = labels | self._by_columns(list(losses.values()))
        if table.n and not np.isnan(losses["tables"][0]):
            details["fewer_records"] = self.fewer_records(parts["tables"])
        return value, parts | {name: loss for name, loss in details.items() if name not in parts}

    def at_least(self, table: Table) -> float:
        """The mean over all kinds, as if those that are slow lost nothing."""
        told = {name: kind for name, kind in self.kinds.items() if self.scales[name].told[0]}
        if not told:
            return 0.0
        quick = [
            float(self.scales[name].losses(kind.distances(table))[0])
            for name, kind in told.items()
            if name not in SLOW
        ]
        labels = [
            self.declared_scales[label].loss(kind.distances(table)) for label, kind in self.declared.items()
        ]
        quick += [float(np.mean(labels))] if labels else []
        return sum(quick) / (len(told) + bool(labels))

    def fewer_records(self, loss: float) -> float:
        """How many percent fewer records another sample must have for its tables to lose as much."""
        losses = np.maximum.accumulate([of_sample for _, of_sample in self._smaller_samples])
        shares = np.log([share for share, _ in self._smaller_samples])
        return float(100 * (1 - np.exp(np.interp(loss, losses + 1e-9 * np.arange(len(losses)), shares))))

    @cached_property
    def _smaller_samples(self) -> list[tuple[float, float]]:
        """What tables of smaller samples lose, the largest sample first.

        A sample of m records is as far from the original, of n, as a bootstrap of 1 / (1 / m + 1 / n) records: both
        vary. One as large as the original loses nothing.
        """
        tables, scale, n = self.kinds["tables"], self.scales["tables"], self.original.n
        found = [(1.0, 0.0)]
        for share in SMALLER:
            size = max(round(n / (1 + 1 / share)), 1)
            drawn = [
                self.original.take(stream(0, "analyst_loss", "smaller", size, draw).integers(0, n, size))
                for draw in range(SMALLER_DRAWS)
            ]
            losses = [scale.losses(tables.distances(table))[0] for table in drawn]
            found.append((share, float(np.mean(losses))))
        return found

    def _by_columns(self, losses: list[np.ndarray]) -> dict[str, float]:
        """The mean over the kinds that tell of a column, and of the pairs that lose most."""
        told = np.array(losses).reshape(len(losses), len(self.groups))
        counts = (~np.isnan(told)).sum(axis=0)
        means = np.nansum(told, axis=0) / np.maximum(counts, 1)
        columns = [at for at, group in enumerate(self.groups) if len(group) == 1 and counts[at]]
        pairs = [at for at, group in enumerate(self.groups) if len(group) == 2 and counts[at]]
        worst = sorted(pairs, key=lambda at: -means[at])[:MOST_PAIRS]
        return {" × ".join(self.groups[at]): float(means[at]) for at in [*columns, *worst]}
