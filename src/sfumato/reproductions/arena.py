"""NIST's public arena: our files and 322 archived ones, on the same extracts, by the same yardsticks."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar, NamedTuple

from sfumato.core import DataError, MissingExtraError, ParameterError, param, progress
from sfumato.data import Schema, Table
from sfumato.data.held_out import held_out
from sfumato.data.routing import found_rules
from sfumato.datasets import arena
from sfumato.jobs import Drawing, Findings, Line, Reproduction, all_found
from sfumato.masking import Chain, Masking, make_masking, masked_with
from sfumato.parallel import Workers
from sfumato.reproductions._arena_features import FEATURE_SETS
from sfumato.reproductions._arena_lines import (
    Entry,
    apart_lines,
    best_lines,
    formal_lines,
    plain_lines,
    sample_lines,
    standing,
    submitted,
)
from sfumato.reproductions._arena_yardsticks import ArenaScores, Coincidences, arena_scores, coincidences

FIFTHS = 5
SAMPLE = "sampling(fraction=0.4)"


class Task(NamedTuple):
    """A masking to be judged on some features: of the whole file, or of four fifths of it."""

    features: str
    text: str
    fifth: int | None
    seed: int


class Arena(Reproduction):
    """An extract of the American Community Survey, protected on each feature set and judged as NIST judges.

    **k-marginal**: 1000·(1 − mean total variation distance) of the tables of all pairs of features, joined with the
    area where that is one. **UEM**: the percent of unique people whose record stands in the release. **pMSE** of a
    tree of depth 6 that tells the files apart, and **impossible records**, such as married children. Records with an
    empty cell and features with a code of our own making count as nothing. NIST draws 100 pairs and averages over
    areas, we take all pairs and areas by their size: a sample of 40 % of the records, which is in the archive, comes
    within 2 points of its k-marginal, and the study asks for that first.

    What has to hold: `best` has a k-marginal above every submission of the set; of the unique people inside at most
    2 points more stand in the release than of those outside, where fifths of the file are held out (both unique in the
    whole file, both sought in the release of the other four fifths); pMSE and impossible records are few. `apart`
    shows no unique person; `formal` is above MST and Genetic SD at ε = 1 on each set they were run on, two of which are
    sets of their own. `others` inform. In the arena a weight is a feature like others, and every method masks
    all features of the set whose scale it takes: a line says where that is not all of them.

    >>> Arena.quickly().sets
    ('demographic',)
    """

    source: ClassVar[str] = "NIST, Collaborative Research Cycle, archive of submissions and their reports"
    data: ClassVar[tuple[str, ...]] = ("massachusetts",)
    quick: ClassVar[Mapping[str, Any]] = {
        "sets": ("demographic",),
        "best": "rank_swapping",
        "apart": "",
        "formal": "",
        "others": ("shuffling",),
        "fifths": 1,
    }

    extract: str = param(default="ma2019", help="which extract: the name of its file, such as tx2019")
    sets: tuple[str, ...] = param(
        default=tuple(FEATURE_SETS), choices=tuple(FEATURE_SETS), help="the feature sets"
    )
    best: str = param(default="calibrated_synthesis", help="the masking that has to win")
    apart: str = param(
        default="calibrated_synthesis(coincidences=false)",
        help="the masking that must show no unique person; empty: none",
    )
    formal: str = param(
        default="calibrated_synthesis(epsilon=1)", help="the masking with a formal promise; empty: none"
    )
    others: tuple[str, ...] = param(
        default=("mdav_generic(k=5)", "shuffling", "tree_synthesis"), help="maskings that inform"
    )
    fifths: int = param(
        default=FIFTHS,
        low=0,
        high=FIFTHS,
        help="how often a fifth of the file is held out for the masking that has to win; with all, everybody was outside once",
    )

    def check(self) -> None:
        if not self.sets or not self.best:
            raise ParameterError(f"{self.name}: sets and best must not be empty.")

    @property
    def texts(self) -> tuple[str, ...]:
        """All maskings that are run, each once, as they were asked for."""
        return tuple(
            text for text in dict.fromkeys((SAMPLE, self.best, self.apart, self.formal, *self.others)) if text
        )

    def study(self, workers: int) -> Findings:
        for text in self.texts:
            make_masking(text)  # a wrong name is refused before anything is done
        known = arena.published()
        lines: list[Line] = []
        drawings: dict[str, Drawing] = {}
        for features, entries in self._found(workers).items():
            theirs = submitted(known, self.extract, features)
            for entry in entries:
                lines += self._lines(features, entry, theirs)
            outside = next((one.outside for one in entries if one.coincidences), None)
            drawings[features.replace("_", "-")] = standing(self.extract, features, known, entries, outside)
        return Findings(tuple(lines), drawings)

    def _found(self, workers: int) -> dict[str, list[Entry]]:
        table = as_features(arena.extract(self.extract))
        tasks = [
            Task(features, text, fifth, self.seed)
            for features in self.sets
            for text in self.texts
            for fifth in (None, *range(self.fifths if text == self.best else 0))
        ]
        with Workers(table, workers) as crew:
            found = dict(zip(tasks, all_found(crew, _judged, tasks, label="Judging"), strict=True))
        return {features: self._entries(table.schema, features, found) for features in self.sets}

    def _entries(
        self, schema: Schema, features: str, found: "Mapping[Task, ArenaScores | Coincidences | str]"
    ) -> list[Entry]:
        here = {task: one for task, one in found.items() if task.features == features}
        for task, one in here.items():
            if isinstance(one, str):
                progress.note(f"{features}: {task.text} was left out: {one}")
        schema = schema.select(FEATURE_SETS[features].features)
        return [
            Entry(
                text=text,
                covered=_covered(make_masking(text), schema),
                scores=_whole(here, text),
                coincidences=tuple(
                    one for task, one in here.items() if task.text == text and isinstance(one, Coincidences)
                ),
            )
            for text in self.texts
        ]

    def _lines(self, features: str, entry: Entry, theirs: Sequence[arena.Submission]) -> Iterator[Line]:
        if entry.text == SAMPLE:
            return sample_lines(features, entry, theirs)
        if entry.text == self.best:
            return best_lines(features, entry, theirs)
        if entry.text == self.apart:
            return apart_lines(features, entry)
        if entry.text == self.formal:
            return formal_lines(features, entry, theirs)
        return plain_lines(features, entry)


def as_features(table: Table) -> Table:
    """The file as the arena sees it: no column is a weight, each record counts once."""
    weights = table.schema.with_role("weight")
    return table.with_schema(table.schema.with_roles(dict.fromkeys(weights, "other")))


def covering(masking: Masking, schema: Schema) -> Masking:
    """The masking on every column whose scale it takes, unless it names its own or draws whole records."""
    if len(masking.sequence) > 1:
        return Chain(covering(step, schema) for step in masking.sequence)
    if masking.named or not masking.keeps_records:
        return masking
    names = tuple(a.name for a in schema if a.scale in masking.taken)
    return dataclasses.replace(masking, attributes=names)


def _covered(masking: Masking, schema: Schema) -> int:
    """How many columns are masked, or leave with the records that are not drawn."""
    return len(covering(masking, schema).named) if masking.keeps_records else len(schema)


def _judged(table: Table, task: Task) -> ArenaScores | Coincidences | str:
    """How a masking fares; a sentence where it cannot be applied."""
    table = table.select(FEATURE_SETS[task.features].features)
    masking = covering(make_masking(task.text), table.schema)
    said = task.fifth is not None or task.text == SAMPLE  # of which the user knows all there is to say
    try:
        with progress.without_notes() if said else nullcontext():
            return _scores(masking, table, task)
    except (DataError, MissingExtraError) as error:
        return str(error)


def _scores(masking: Masking, table: Table, task: Task) -> ArenaScores | Coincidences:
    names = table.names
    if task.fifth is None:
        return arena_scores(table, _released(masking, table, task.seed), names)
    inside, outside = held_out(table, task.seed, fold=task.fifth, folds=FIFTHS)
    return coincidences(inside, outside, _released(masking, inside, task.seed), names)


def _released(masking: Masking, table: Table, seed: int) -> Table:
    """What `protect` makes of a file with this masking: under the rules that it finds, unless there is a formal promise."""
    rules = table.schema.rules if masking.promise is not None else found_rules(table)
    return masked_with(masking, table.with_schema(table.schema.with_rules(rules)), seed=seed)


def _whole(here: "Mapping[Task, ArenaScores | Coincidences | str]", text: str) -> ArenaScores | None:
    for task, one in here.items():
        if task.text == text and isinstance(one, ArenaScores):
            return one
    return None
