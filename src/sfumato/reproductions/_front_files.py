"""The files of the front: what is made of one cut of a classic file, and how both judges find it."""

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

import sfumato.data
from sfumato import datasets
from sfumato.core import SfumatoError, parameters, progress, registry, stream
from sfumato.data import Schema, Table
from sfumato.data.declarations import known_columns
from sfumato.data.held_out import held_out
from sfumato.jobs import Work
from sfumato.jobs.evolve import Evolve
from sfumato.masking import Chain, Masking, make_masking, masked_with
from sfumato.measures import HEADLINE_LOSS, HEADLINE_RISKS, Bound, Estimate, Measure, Score
from sfumato.reproductions._front_judge import IndependentJudge

ORIGINAL, RESAMPLE = "original", "resample"
EVOLVED = "evolve "  # and the name of a preset
HONEST = "honest"  # the preset that has to reach what synthesis reaches, where it is there
SEEDS_SCORES = ("information_loss", "disclosure_risk")
FILES = {
    "census": "Census",
    "tarragona": "Tarragona",
    "diabetes": "Diabetes",
    "german": "German",
    "adult_5000": "Adult 5,000",
    "adult": "Adult whole",
}
DRAWN = 5_000  # records of Adult
WARM = 200  # records on which a method is tried before its time is taken: what is compiled is compiled once

Found = Mapping[str, float]


def classic(file: str) -> Table:
    """A file of the front, as its loader declares it; of Adult also a sample that is always the same."""
    table = datasets.load(file.partition("_")[0])
    if file != "adult_5000":
        return table
    return table.take(np.sort(stream(0, "front", "adult").permutation(table.n)[:DRAWN]))


def presets() -> tuple[str, ...]:
    """The ways of evolving that are compared: ours; that of the source is a study of its own."""
    offered = parameters(Evolve)["preset"].choices or ()
    return tuple(name for name in ("fast", HONEST) if name in offered)


class Bench:
    """One cut of a table: people inside, people outside, and the judges, each of whom is asked for all files."""

    def __init__(self, table: Table, seed: int, *, generations: int = 40) -> None:
        self.inside, self.outside = held_out(table, seed)
        self.seed, self.generations = seed, generations

    @cached_property
    def bounds(self) -> dict[str, Bound]:
        """The measures of the verdict, with the people outside where they know what to do with them."""
        measures: list[Measure] = [
            registry.make("measures", name) for name in (HEADLINE_LOSS, *HEADLINE_RISKS, *SEEDS_SCORES)
        ]
        return {
            one.name: one.bind(self.inside, self.outside)
            if one.outside != "unused"
            else one.bind(self.inside)
            for one in measures
        }

    @cached_property
    def independent(self) -> IndependentJudge:
        return IndependentJudge(self.inside, self.outside, known_columns(self.inside.schema), self.seed)

    def judged(self, name: str) -> dict[str, float] | str:
        """What both judges say of a file, and the processor time it took to make it; a sentence where it cannot be made."""
        try:
            with progress.without_notes():
                released, seconds = self._timed(name)
        except SfumatoError as error:
            return str(error)
        found = dict(self._verdict(released)) | {"seconds": seconds}
        return found | {f"own {part}": value for part, value in self.independent.judged(released).items()}

    def _timed(self, name: str) -> tuple[Table, float]:
        few = self.inside.take(np.arange(min(WARM, self.inside.n)))
        if name not in (ORIGINAL, RESAMPLE):
            made_of(few, name, self.seed, generations=1)
        start = time.process_time()
        released = made_of(self.inside, name, self.seed, generations=self.generations)
        return released, time.process_time() - start

    def _verdict(self, released: Table) -> Iterator[tuple[str, float]]:
        scores = {name: bound.score(released) for name, bound in self.bounds.items()}
        yield from _people_found(scores["people_found"], self.inside.n)
        yield "loss", scores[HEADLINE_LOSS].value
        yield "learned", _learned(self.inside.schema, scores["learned"])
        for part in ("nearness", "nearness_control", "tracing", "tracing_control"):
            yield part, scores["membership"].parts[part]
        yield "copies", scores["copies"].value
        for part in ("values", "values_outside"):
            yield part, scores["copies"].parts[part]
        for name in SEEDS_SCORES:
            yield name, scores[name].value


@lru_cache(maxsize=1)
def bench_of(file: str, seed: int, generations: int) -> Bench:
    """The bench of a cut; the last one is kept, for the next file that is judged at it."""
    return Bench(classic(file), seed, generations=generations)


def made_of(inside: Table, name: str, seed: int, *, generations: int) -> Table:
    """A file by its name, record by record beside the people inside."""
    if name == ORIGINAL:
        return inside
    if name == RESAMPLE:
        return inside.take(resampled(inside.n, stream(seed, "front", RESAMPLE)))
    if name.startswith(EVOLVED):
        return _evolved(inside, name.removeprefix(EVOLVED), seed, generations)
    return masked_with(covering(make_masking(name), inside.schema), inside, seed=seed)


def resampled(n: int, rng: np.random.Generator) -> np.ndarray:
    """Records drawn with replacement; whoever was drawn stands in the own place, so that she can be looked for there.

    >>> rows = resampled(6, np.random.default_rng(0))
    >>> [int(row) for row in rows], [i for i, row in enumerate(rows) if row == i]
    ([0, 1, 1, 3, 3, 5], [0, 1, 3, 5])
    """
    drawn = np.sort(rng.integers(0, n, n))
    is_first = np.diff(drawn, prepend=-1) > 0
    rows = np.full(n, -1)
    rows[drawn[is_first]] = drawn[is_first]
    rows[rows < 0] = rng.permutation(drawn[~is_first])
    return rows


def covering(masking: Masking, schema: Schema) -> Masking:
    """The masking on all columns but the confidential; in a chain each goes to the first step that takes it."""
    left = [a.name for a in schema if a.role not in ("confidential", "identifier", "household")]
    steps = []
    for step in masking.sequence:
        if step.takes_all or step.named:
            steps.append(step)
            continue
        names = tuple(name for name in left if schema[name].scale in step.taken)
        left = [name for name in left if name not in names]
        if names:
            steps.append(dataclasses.replace(step, attributes=names))
    return steps[0] if len(steps) == 1 else Chain(steps)


def same_files(names: Sequence[str], schema: Schema) -> list[str]:
    """The names of files without those that another masking of this table gives as well, or that mask nothing."""
    found: dict[object, str] = {}
    for name in names:
        is_masking = name not in (ORIGINAL, RESAMPLE) and not name.startswith(EVOLVED)
        found.setdefault(covering(make_masking(name), schema) if is_masking else name, name)
    return list(found.values())


def _evolved(inside: Table, preset: str, seed: int, generations: int) -> Table:
    settings = {"preset": preset, "seed": seed, "with_verdict": False, "rehearsals": 0, "workers": 1}
    job = Evolve.from_settings({**settings, "generations": generations})
    return job.run(sfumato.data.open(inside), work=Work(workers=1)).aligned


def _people_found(score: Score, n: int) -> Iterator[tuple[str, float]]:
    """The rate, the lower end of its interval, and a guess, of which chance may have shown none."""
    yield "found", score.value
    yield "found_low", score.low if isinstance(score, Estimate) else score.value
    yield "guess", max(score.parts.get("guess", 0.0), 100 / n)


def _learned(schema: Schema, score: Score) -> float:
    """Of the worst confidential column, or the mean of all; below 0 where chance made it so, so that means of cuts are fair."""
    confidential = [score.parts[name] for name in schema.with_role("confidential") if name in score.parts]
    return max(confidential) if confidential else score.parts["mean"]
