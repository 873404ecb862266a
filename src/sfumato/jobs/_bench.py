"""The bench: what candidates are judged on after the search, with measures bound and people held out once for all."""

from dataclasses import replace
from typing import TypeVar

from sfumato.core import Seed
from sfumato.data import Table
from sfumato.jobs._rehearsal import FEWEST, FOLDS, rehearsals
from sfumato.jobs._verdict import NOT_JUDGED, People, Verdict, score_of, verdict
from sfumato.masking import Masking, masked_with, traced_with
from sfumato.measures import Bound, Measure, Score
from sfumato.measures.analyst_loss import AnalystLoss, BoundAnalystLoss

LOSS = AnalystLoss()
MOST_CELLS = 20_000_000  # of files that are kept, since they are asked for again


class Bench:
    """A table, people held out of it, and measures that learned both.

    What a masking makes of the table is its release; what it makes of those inside is its rehearsal, as for any verdict.
    """

    def __init__(self, table: Table, *, seed: Seed, rehearsals: int) -> None:
        self.table, self.seed, self.rehearsals = table, seed, rehearsals
        self.judged = tuple(a.name for a in table.schema if a.role not in NOT_JUDGED)
        self._bounds: dict[tuple[str, str, str], Bound] = {}
        self._released: dict[str, tuple[Table, Table]] = {}
        self._people: dict[str, People] = {}
        self._scores: dict[tuple[str, str], Score | None] = {}
        self._least: dict[str, float] = {}
        self._surer: set[str] = set()  # that were rehearsed with all people outside in turn
        self._cells = table.n * len(table.names)

    def bind(self, measure: Measure, original: Table, outside: Table | None = None) -> Bound:
        """The measure that knows these tables, learned when it is first asked for."""
        key = measure.plain(), original.fingerprint, "" if outside is None else outside.fingerprint
        if key not in self._bounds:
            self._bounds[key] = measure.bind(original, outside)
        return self._bounds[key]

    def release(self, masking: Masking) -> tuple[Table, Table]:
        """The original records that stay, and what becomes of them."""
        key = masking.plain()
        if key not in self._released:
            kept = self.table
            if masking.keeps_records:
                made = masked_with(masking, self.table, seed=self.seed)
            else:
                made, rows = traced_with(masking, self.table, seed=self.seed)
                kept = self.table.take(rows)
            _keep(self._released, key, (kept, made), self._cells)
        return self._released[key]

    def people(self, masking: Masking) -> People:
        """Its rehearsals; none where too few people are there, or none were asked for."""
        key = masking.plain()
        if key not in self._people:
            _keep(self._people, key, self._rehearsed(masking, self.rehearsals), self._cells)
        return self._people[key]

    def _rehearsed(self, masking: Masking, count: int, first: People | None = None) -> People:
        first = first or People()
        made = rehearsals(
            self.table,
            lambda inside, again: masked_with(masking, inside, seed=again),
            seed=self.seed,
            count=count,
            done=len(first.releases),
        )
        return People((*first.releases, *made), is_rehearsed=True)

    def surer(self, measure: Measure, masking: Masking) -> Score | None:
        """What a measure says with each fifth of the people outside in turn; the verdict tells the same from then on."""
        if not 0 < self.rehearsals < FOLDS:
            return None
        people = self._rehearsed(masking, FOLDS, self.people(masking))
        if len(people.releases) < FOLDS:
            return None
        found = people.within(self.judged).score(measure, self.bind)
        self._scores[measure.plain(), masking.plain()] = found
        self._surer.add(masking.plain())
        return found

    def score(self, measure: Measure, masking: Masking) -> Score | None:
        """What a measure says of a masking, as a verdict would have it."""
        key = measure.plain(), masking.plain()
        if key not in self._scores:
            people = self.people(masking) if measure.outside != "unused" else People()
            if people.releases:
                self._scores[key] = people.within(self.judged).score(measure, self.bind)
            else:
                before, after = (one.select(self.judged) for one in self.release(masking))
                self._scores[key] = score_of(measure, before, after, people, self.bind)
        return self._scores[key]

    def loss(self, masking: Masking) -> float:
        """Analyst loss, as the verdict tells it."""
        found = self.score(LOSS, masking)
        assert found is not None
        return found.value

    def loss_at_least(self, masking: Masking) -> float:
        """What the loss cannot be below, by analyses that are quick."""
        key = masking.plain()
        if key not in self._least:
            self._least[key] = self._at_least(masking)
        return self._least[key]

    def _at_least(self, masking: Masking) -> float:
        people = self.people(masking).within(self.judged)
        if not people.releases:
            return self.loss(masking)  # which is quick without people outside
        found = []
        for one in people.releases:
            bound = self.bind(LOSS, one.inside, one.outside)
            assert isinstance(bound, BoundAnalystLoss)
            found.append(bound.at_least(one.released))
        return sum(found) / len(found)

    def verdict(self, masking: Masking) -> Verdict:
        before, after = self.release(masking)
        found = verdict(
            before,
            after,
            people=self.people(masking),
            belongs=masking.of_people,
            score=lambda measure: self.score(measure, masking),
        )
        return replace(found, rehearsals=FOLDS) if masking.plain() in self._surer else found

    def can_judge(self, masking: Masking) -> bool:
        """Whether it can be rehearsed as often as asked, where anything can; why not is noted."""
        few = self.table.n < FOLDS * FEWEST
        return few or len(self.people(masking).releases) >= self.rehearsals


Kept = TypeVar("Kept")


def _keep(kept: dict[str, Kept], key: str, value: Kept, cells: int) -> None:
    """Add a file to those that are kept, of which the oldest go where they are too many."""
    while kept and len(kept) * cells >= MOST_CELLS:
        del kept[next(iter(kept))]
    kept[key] = value
