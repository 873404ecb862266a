"""Work by hand: a file after each step that was taken, with what intruders still see in it and what analysts lose."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np

from sfumato.core import DataError, Result, UnknownNameError, another
from sfumato.data import Table
from sfumato.exports import Script, Step, exported
from sfumato.jobs._combinations import combination_profile
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._words import percent
from sfumato.masking import ByHand, Masking, traced_with
from sfumato.measures import Bound
from sfumato.measures.analyst_loss import AnalystLoss
from sfumato.measures.individual_risk import IndividualRisk
from sfumato.measures.risky_combinations import RiskyCombinations

COLLECTED = "as collected"
HEADINGS = (
    ">",
    "Step",
    ">Alone",
    ">Fewer than 3",
    ">Fewer than 5",
    ">Smallest group",
    ">Stand out",
    ">Expected found",
    ">Analysts lose",
)
EXPLAINED = (
    "In percent of the records: alone, or with fewer than 3 or 5 alike, in all keys that are left; rare (fewer than 3) in "
    "one or two keys; expected to be found in the population; and what analysts lose beside another sample."
)


class Effect(Result):
    """What a file gives away in its keys, and what analysts lose by it, all in percent but the smallest group.

    `alone`, `below_3` and `below_5` are the records that share all their key values with nobody, or with fewer than 3 or
    5 counting themselves; `standing_out` those that are rare in one or two keys; `found` those that an intruder is
    expected to find in the population; `loss` is what analysts lose.
    """

    alone: float
    below_3: float
    below_5: float
    smallest: int
    standing_out: float
    found: float
    loss: float

    def cells(self) -> tuple[str, ...]:
        shares = (self.alone, self.below_3, self.below_5)
        risks = (self.standing_out, self.found, self.loss)
        return (*map(percent, shares), str(self.smallest), *map(percent, risks))


class State(Result):
    """A file as a step left it; the first one is as it was collected, and no step made it."""

    step: Masking | None
    effect: Effect
    table: Table = field(repr=False)
    rows: np.ndarray = field(repr=False)  # of the original that are still there

    @property
    def title(self) -> str:
        return COLLECTED if self.step is None else self.step.plain()

    def to_dict(self) -> dict[str, Any]:
        return {"step": None if self.step is None else self.step.plain(), **self.effect.to_dict()}


class HandWork(Outcome):
    """Steps that were taken by hand, and the file after each. Every change gives a new value; this one stays.

    >>> import sfumato
    >>> work = sfumato.steps(sfumato.datasets.household_survey(200, seed=1))
    >>> work = work.then("intervals(cuts=[18, 30, 45, 65], attributes=[age])").then("removal(attributes=[region])")
    >>> work.risk().alone < work.undo().risk().alone < work.undo().undo().risk().alone
    True
    >>> work.undo().redo().table.fingerprint == work.table.fingerprint
    True
    """

    by_hand: ByHand = field(repr=False)
    states: tuple[State, ...]
    records: int
    judge: "Judge" = field(repr=False)

    @property
    def original(self) -> Table:
        return self.states[0].table

    @property
    def table(self) -> Table:
        """The file after the last step."""
        return self.states[-1].table

    @property
    def masking(self) -> Masking | None:
        """All steps as one masking, for `mask` and `protect`; none where there is no step."""
        return self.by_hand.masking

    @property
    def settings(self) -> dict[str, list[str]]:
        """The options by which `protect` goes on from here: `sfumato.protect(survey, **work.settings)`."""
        return {name: one for name, one in self.by_hand.settings().items() if name != "undone"}

    def risk(self) -> Effect:
        """What the file gives away after the last step."""
        return self.states[-1].effect

    def loss(self) -> float:
        """What analysts lose by all steps, in percent."""
        return self.states[-1].effect.loss

    def then(self, *steps: Any) -> Self:
        """One more step, or several: a text such as "rounding(base=5, attributes=[age])", a method, or a spec."""
        hand = self.by_hand
        for step in steps:
            hand = hand.added(step)
        return self.with_hand(hand)

    def undo(self) -> Self:
        """Without the last step."""
        return self.with_hand(self.by_hand.undo())

    def redo(self) -> Self:
        """With the step that was undone last."""
        return self.with_hand(self.by_hand.redo())

    def fix(self, *columns: str) -> Self:
        """With columns that nothing may change."""
        return self.with_hand(self.by_hand.fixing(columns))

    def free(self, *columns: str) -> Self:
        """With columns that may be changed again."""
        return self.with_hand(self.by_hand.freeing(columns))

    def with_hand(self, hand: ByHand) -> Self:
        """The same file under other steps; those that both begin with are not done again."""
        job = None if self.job is None else self.job.with_(by_hand=hand)
        states = self.judge.states(hand, known=self.states)
        return dataclasses.replace(self, job=job, by_hand=hand, states=states)

    def save(self, path: str | Path) -> None:
        """Keep the steps in a study, with which `sfumato steps` goes on and `sfumato run` lets the search do the rest."""
        job: Any = self.job
        text = job.study_text(Path(path), self.by_hand)
        Path(path).write_text(text, encoding="utf-8", newline="\n")

    def export(self, path: str | Path) -> None:
        """Write the steps as Python (.py), as R with sdcMicro (.R) or as Stata's commands (.do)."""
        Path(path).write_text(exported(Path(path), self.script(Path(path))), encoding="utf-8", newline="\n")

    def script(self, path: Path) -> Script:
        """What is exported; paths in it start in the folder of the file that it is written to."""
        job: Any = self.job
        steps = [
            Step(after.step, before.table, after.table)
            for before, after in zip(self.states, self.states[1:], strict=False)
            if after.step is not None
        ]
        return Script(
            steps=tuple(steps),
            original=self.original,
            whole=self.records == self.original.n,
            **job.script_facts(path.parent, self.by_hand),
        )

    def contents(self) -> Mapping[Any, Content]:
        job: Any = self.job
        targets = job.targets()
        found: dict[Any, Content] = {}
        if "into" in targets:
            found["into"] = job.study_text(targets["into"], self.by_hand)
        if "export" in targets:
            found["export"] = exported(targets["export"], self.script(targets["export"]))
        return found

    def told(self) -> Iterator[str | Listing]:
        part = f", of which {self.original.n} are looked at" if self.records > self.original.n else ""
        keys = ", ".join(self.original.schema.with_role("key"))
        yield Listing(
            f"{self.records} records{part}; keys: {keys}", HEADINGS, [list(row) for row in self._cells()]
        )
        yield EXPLAINED
        if self.by_hand.fixed:
            yield f"Nothing may change: {', '.join(self.by_hand.fixed)}."
        for step in self.by_hand.undone[:1]:
            yield f"Undone last, and done again with --redo: {step.plain()}"
        job: Any = self.job
        yield from job.written_told()

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for number, state in enumerate(self.states):
            yield (str(number or ""), state.title, *state.effect.cells())

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "records": self.records,
            "looked_at": self.original.n,
            "states": [state.to_dict() for state in self.states],
            **self.by_hand.settings(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [{"number": number, **state.to_dict()} for number, state in enumerate(self.states)]

    def __str__(self) -> str:
        rows = [[heading.removeprefix(">") for heading in HEADINGS], *map(list, self._cells())]
        widths = [max(len(row[j]) for row in rows) for j in range(len(HEADINGS))]
        lines = ("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        heads = "".join(f"<th>{escape(heading.removeprefix('>'))}</th>" for heading in HEADINGS)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._cells())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table><p>{escape(EXPLAINED)}</p>"
        )


@dataclasses.dataclass(frozen=True)
class Judge:
    """The original, by which the file after each step is judged; measures are bound to it once."""

    original: Table
    seed: int

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        return _bound(self.original)

    def effect(self, table: Table, rows: np.ndarray) -> Effect:
        """What a table shows, beside those records of the original that are in it."""
        keys = combination_profile(table, table.schema.with_role("key"))
        bounds = self.bounds if len(rows) == self.original.n else _bound(self.original.take(rows))
        standing_out, found, loss = (bound.score(table).value for bound in bounds)
        return Effect(
            alone=keys.uniques,
            below_3=keys.below_3,
            below_5=keys.below_5,
            smallest=keys.smallest,
            standing_out=standing_out,
            found=found,
            loss=loss,
        )

    def states(self, hand: ByHand, known: tuple[State, ...] = ()) -> tuple[State, ...]:
        """The file as it was and after each step; those that are known, and made by the same steps, are taken over."""
        hand.check(self.original)
        found = list(known[:1]) or [self._state(None, self.original, np.arange(self.original.n))]
        for number, step in enumerate(hand.first, start=1):
            if len(found) == number and number < len(known) and known[number].step == step:
                found.append(known[number])
            else:
                known = ()  # whatever comes after a new step is new
                found.append(self._after(step, number, found[-1]))
        return tuple(found)

    def _after(self, step: Masking, number: int, before: State) -> State:
        try:
            table, stayed = traced_with(step, before.table, seed=another(self.seed, "step", number))
        except (DataError, UnknownNameError) as error:
            raise DataError(f"Step {number}: {error}") from None
        return self._state(step, table, before.rows[stayed])

    def _state(self, step: Masking | None, table: Table, rows: np.ndarray) -> State:
        return State(step=step, effect=self.effect(table, rows), table=table, rows=rows)


def _bound(original: Table) -> tuple[Bound, ...]:
    return tuple(measure.bind(original) for measure in (RiskyCombinations(), IndividualRisk(), AnalystLoss()))
