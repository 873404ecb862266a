"""Evolutions of masked files beside the published ones: lines, drawings, and a word on what differs."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from sfumato.core import Result
from sfumato.jobs import Bar, Drawing, Line
from sfumato.reproductions._evolution_tables import (
    CATEGORICAL_SECONDS,
    END,
    NUMERIC,
    PUBLISHED,
    ROBUST,
    SECONDS,
    START,
    fall,
    where,
)
from sfumato.reproductions._marks import Why
from sfumato.search.contracts import Individual
from sfumato.search.fitness import Fitness
from sfumato.search.run_record import Run
from sfumato.search.trade_off import How

SOURCE, OURS = "mares2013", "fast"
LIMIT = 30  # seconds for what took the source 57 hours
WHOLE = 1000
# ends that the printed algorithm reaches where it draws files by 1 / score
CATEGORICAL = {("flare", "max"): {"best": "<= 31.8", "mean": "<= 38.5", "worst": "<= 53"}}
PIL = "PIL as its authors define it cannot fall; with signs that cancel it does (--signed)"
START_FILES = "the 16 or 50 files of the start are not listed in print"
RUN = "one random run"
WHYS = (
    Why("start", START_FILES),
    Why("signs cancel", f"{RUN}; the start is ours"),
    Why(f"Table 3.2.*{SOURCE}", PIL),
    Why("Table 3.2.*fall", PIL),
    Why("without the best", RUN),
    Why("seconds", "other machines"),
    Why(f"Figure.*{SOURCE}", RUN),
)
PARTS = {"best": "best score", "mean": "mean score", "worst": "worst score"}


class Job(NamedTuple):
    """A file to evolve, by which score, and how many percent of the best of the start are left out."""

    file: str
    how: How
    drop_best: float = 0.0


class Course(Result):
    """The populations that an evolution began and ended with, as in Figures 3.2, 3.6 and 3.8."""

    drawn_by: ClassVar[str] = "population"

    run: Run
    fitness: Fitness

    @property
    def chosen(self) -> Individual[Any]:
        return self.run.best

    @property
    def score(self) -> float:
        return self.run.score

    @property
    def fall(self) -> float:
        return self.run.history[0].best - self.run.score


Courses = Mapping[str, Course]


def evolution_lines(job: Job, found: Mapping[Job, Courses]) -> Iterator[Line]:
    if job.drop_best:
        yield from _robustness(job, found)
        return
    courses, here = found[job], _here(job)
    theirs = PUBLISHED[job.how][job.file]
    yield from _population(f"{here}, start", courses[SOURCE].run, 0, theirs[START])
    bars = CATEGORICAL.get((job.file, job.how), {}) if _whole(courses[SOURCE].run) else {}
    yield from _population(f"{here}, {SOURCE}", courses[SOURCE].run, -1, theirs[END], bars)
    numeric = job.file in NUMERIC
    yield Line.of(
        f"{here}, {OURS}: best score",
        ours=courses[OURS].score,
        published=theirs[END].best,
        bar="<= published" if numeric else "",
    )
    yield _against(here, courses)
    least = fall(job.file, job.how)
    yield Line.of(f"{here}, {SOURCE}: fall of the best score", ours=courses[SOURCE].fall, published=least)
    yield Line.of(
        f"{here}, {OURS}: fall of the best score",
        ours=courses[OURS].fall,
        published=least,
        bar="" if numeric else ">= published",
    )
    yield from _times(job, courses)


def evolution_drawings(job: Job, courses: Courses) -> dict[str, Drawing]:
    """Start and end populations by both presets, and how the scores fell (Figures 3.3, 3.7, 3.9, 3.12, 3.13)."""
    name = f"{job.file}-{job.how}" + (f"-without-{job.drop_best:g}" if job.drop_best else "")
    return {
        f"{name}-{SOURCE}": courses[SOURCE],
        f"{name}-{SOURCE}-scores": courses[SOURCE].run,
        f"{name}-{OURS}": courses[OURS],
        f"{name}-{OURS}-scores": courses[OURS].run,
    }


def explanation(found: Mapping[Job, Courses]) -> str:
    """What to say where the preset of the source does not reach what was published; nothing where it does."""
    short = [
        f"{where(job.file, job.how)} ({courses[SOURCE].score:.2f} against {published:.2f})"
        for job, courses in found.items()
        if job.file in NUMERIC
        and (published := PUBLISHED[job.how][job.file][END].best or 0.0) < courses[SOURCE].score
    ]
    if not short:
        return ""
    return (
        f"{SOURCE} does not reach the published ends: {', '.join(short)}. The measure that differs is PIL: rank "
        "swappings, the best files of the start, have exact means, variances and quantiles and have lost their "
        "covariances and correlations for sure; crossing them with other files makes the exact ones inexact and does "
        "not bring the lost ones back. With signs that cancel the scores fall as published: see --signed, and "
        "sfumato.search.file_evolution.presets for the readings that were tried."
    )


def _here(job: Job) -> str:
    return where(job.file, job.how) + ("" if job.file in NUMERIC else f", {job.how}")


def _population(
    what: str,
    run: Run,
    at: int,
    published: tuple[float | None, ...],
    bars: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Line]:
    for (part, words), theirs in zip(PARTS.items(), published, strict=True):
        if theirs is not None or part == "best":
            ours = getattr(run.history[at], part)
            yield Line.of(f"{what}: {words}", ours=ours, published=theirs, bar=bars.get(part, ""))


def _whole(run: Run) -> bool:
    """Whether it has as many generations as the source's."""
    return run.history[-1].generation >= WHOLE


def _against(here: str, courses: Courses) -> Line:
    return Line.of(
        f"{here}, {OURS} against {SOURCE}: best score",
        ours=courses[OURS].score,
        bar=Bar(comparison="<", limit=courses[SOURCE].score),
    )


def _times(job: Job, courses: Courses) -> Iterator[Line]:
    """Table 3.3 tells what a generation took; here is what all of them took."""
    for name, course in courses.items():
        generations = course.run.history[-1].generation
        is_source = name == SOURCE
        yield Line.of(
            f"{_here(job).replace('Table 3.2', 'Table 3.3')}, {name}: seconds of the search",
            ours=course.run.seconds,
            published=SECONDS.get(job.file, CATEGORICAL_SECONDS)
            if is_source and generations == 1000
            else None,
            bar=f"<= {LIMIT}" if is_source and job.file == "census" else "",
        )


def _robustness(job: Job, found: Mapping[Job, Courses]) -> Iterator[Line]:
    """What it costs to miss the best of the start: the end without them, and how much it is worse."""
    whole = found.get(job._replace(drop_best=0.0), {})
    here = f"{_here(job)}, without the best {job.drop_best:g} %".replace("Figure 3.9", "§3.5")
    published = ROBUST[job.drop_best]
    complete = PUBLISHED[job.how][job.file][END].best or 0.0
    for name, course in found[job].items():
        yield Line.of(f"{here}, {name}: best score", ours=course.score, published=published)
        if name not in whole:  # the study was stopped before
            continue
        yield Line.of(
            f"{here}, {name}: worse than with them",
            ours=course.score - whole[name].score,
            published=round(published - complete, 2),
            bar="<= published" if name == OURS else "",
        )
