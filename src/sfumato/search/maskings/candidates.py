"""Candidates: ways to mask a table, each judged by its information loss and disclosure risk."""

import json
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from sfumato.core import DataError, Result, SfumatoError, progress, stream
from sfumato.data import Table
from sfumato.masking import Masking
from sfumato.measures import Bound, Measure, Score
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.parallel import Workers
from sfumato.parallel.cluster import Cluster
from sfumato.search.maskings.short_names import in_short


class Candidate(Result):
    """One way to mask a table and how it was judged."""

    masking: Masking
    scores: dict[str, Score]
    seconds: float

    @property
    def loss(self) -> float:
        """Information loss in percent."""
        return self.scores["information_loss"].value

    @property
    def risk(self) -> float:
        """Disclosure risk in percent."""
        return self.scores["disclosure_risk"].value

    def score(self, how: str = "max") -> float:
        """Both in one number: the larger of the two, or their mean."""
        return max(self.loss, self.risk) if how == "max" else (self.loss + self.risk) / 2

    def to_dict(self) -> dict[str, Any]:
        """The method, its scores by measure and part, and the time it took."""
        scores = {name: {"value": s.value, "parts": dict(s.parts)} for name, s in self.scores.items()}
        return {"masking": self.masking.spec(), "scores": scores, "seconds": self.seconds}


class Judge:
    """The original, and the measures that judge maskings of it. Cheap to send; binds when first used."""

    def __init__(self, original: Table, *, seed: int, measures: Sequence[Measure] = ()) -> None:
        self.original, self.seed = original, seed
        wanted = [InformationLoss(), DisclosureRisk(), *measures]
        self.measures = {measure.name: measure for measure in wanted}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "bounds"}

    @cached_property
    def bounds(self) -> dict[str, Bound]:
        """Each measure with what it learnt of the original."""
        return {name: measure.bind(self.original) for name, measure in self.measures.items()}

    def judge(self, masking: Masking) -> Candidate:
        """Mask the original and score the outcome."""
        start = time.perf_counter()
        masked = masked_with(masking, self.original, seed=self.seed)
        scores = {name: bound.score(masked) for name, bound in self.bounds.items()}
        return Candidate(masking=masking, scores=scores, seconds=time.perf_counter() - start)


def masked_with(masking: Masking, table: Table, *, seed: int) -> Table:
    """The table a masking makes under a seed: the same one wherever and whenever it is made."""
    return traced_with(masking, table, seed=seed)[0]


def traced_with(masking: Masking, table: Table, *, seed: int) -> tuple[Table, np.ndarray]:
    """That table, and for each of its records the row it had in the original."""
    return masking.traced(table, stream(seed, "masking", json.dumps(masking.keyed_by(), sort_keys=True)))


def judged(table: Table, masking: Masking, *, seed: int, measures: Sequence[Measure] = ()) -> Candidate:
    """One masking as a candidate; where it cannot be applied, the error says why."""
    if not table.schema.with_role("key"):
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
    with progress.task("Trying the masking", 1) as work:
        found = Judge(table, seed=seed, measures=measures).judge(masking)
        progress.found("candidate", _point("all", found))
        work.advance()
    return found


Judges = Workers[dict[str, Judge]] | Cluster[dict[str, Judge]]
"""Workers who all see the judges, by the part of the keys that each looks at."""


class Memory(Protocol):
    """Where judgements are kept, so that a search that was cut off can go on."""

    def recall(self, part: str, masking: Masking) -> Candidate | str | None:
        """The judgement of a masking; nothing if there is none yet."""

    def keep(self, part: str, masking: Masking, outcome: Candidate | str) -> None:
        """Keep a judgement: a candidate, or why there is none."""


def evaluate_candidates(
    workers: Judges,
    part: str,
    maskings: Sequence[Masking],
    *,
    label: str = "Trying maskings",
    memory: Memory | None = None,
) -> list[Candidate]:
    """Let one of the workers' judges score many maskings; those it cannot apply are left out with a note.

    What the memory holds is not judged again. The listener is told of every candidate when it is found.
    """
    outcomes: dict[int, Candidate | str] = {}
    with progress.task(label, len(maskings)) as work:
        for position, outcome in _outcomes(workers, part, maskings, memory):
            outcomes[position] = outcome
            if isinstance(outcome, Candidate):
                progress.found("candidate", _point(part, outcome))
            work.advance()
    return list(_successes(outcomes))


def _outcomes(
    workers: Judges,
    part: str,
    maskings: Sequence[Masking],
    memory: Memory | None,
) -> Iterator[tuple[int, Candidate | str]]:
    new = []
    for position, masking in enumerate(maskings):
        known = memory.recall(part, masking) if memory is not None else None
        if known is None:
            new.append(position)
        else:
            yield position, known
    for number, outcome in workers.run(_outcome, [(part, maskings[position]) for position in new]):
        if memory is not None:
            memory.keep(part, maskings[new[number]], outcome)
        yield new[number], outcome


def _point(part: str, candidate: Candidate) -> dict[str, Any]:
    """A candidate as a point of the risk-utility map; `part` says of which keys."""
    return {
        "label": in_short(candidate.masking),
        "part": part,
        "loss": candidate.loss,
        "risk": candidate.risk,
        "score": candidate.score(),
        "spec": candidate.masking.spec(),
    }


def _outcome(judges: dict[str, Judge], job: tuple[str, Masking]) -> Candidate | str:
    part, masking = job
    try:
        return judges[part].judge(masking)
    except SfumatoError as error:
        return f"{masking} was left out: {error}"


def _successes(outcomes: dict[int, Candidate | str]) -> Iterator[Candidate]:
    for position in sorted(outcomes):
        outcome = outcomes[position]
        if isinstance(outcome, str):
            progress.note(outcome)
        else:
            yield outcome
