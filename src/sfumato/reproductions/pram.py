"""Marés and Torra's evolved PRAM matrices: how far does the score fall from matrices with p = 0.5?"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sfumato import datasets, evolve_pram
from sfumato.core import param
from sfumato.jobs import Drawing, Findings, Line, Reproduction
from sfumato.jobs.evolve_pram import EvolvedPram
from sfumato.masking.matrices.markov_matrices import frequencies
from sfumato.parallel import Workers
from sfumato.reproductions._pram_invariance import Crossing, crossing_lines
from sfumato.reproductions._pram_scale import Scaled, scaled_course, scaled_lines

FILES = {"german": "German", "flare": "Flare", "housing": "Housing (generated)"}
ATTRIBUTES = {
    "german": ("EXISTACC", "PRESEMPLOY", "SAVINGS"),
    "flare": ("CLASS", "LARGSPOT", "SPOTDIST"),
    "housing": ("DEGREE", "BUILT", "GRADE1"),
}
TABLES = {"german": "Table 4.4", "flare": "Table 4.5", "housing": "Table 4.3"}

# loss, risk and score at the start and at the end: Tables 4.3 to 4.5
PUBLISHED = {
    "german": ((80.36, 25.63, 52.99), (38.39, 27.30, 32.84)),
    "flare": ((81.18, 26.49, 53.83), (34.91, 31.41, 33.16)),
    "housing": ((63.14, 31.08, 47.11), (53.77, 8.61, 31.20)),
}
FALLS = {"german": 38.0, "flare": 38.4, "housing": 33.8}  # percent of the score
FINAL_DEGREES = np.array([96, 171, 250, 181, 181, 81, 17, 23])  # Table 4.7

Job = tuple[str, str]


class Pram(Reproduction):
    """Three files, three attributes each: how far the mean of loss and risk falls, on files drawn afresh.

    Measures as they are here are percents, and those of the source are not; so the fall in percent of the score at
    the start is the bar for our own search, `fast`. The source's operators, `mares2014`, inform: with measures as
    they are here, German and Housing fall about as far with them and Flare half as far. Beside both stands a direct
    search along the gradient.

    The source does not tell how it scales its measures. By inference, its loss is (DBIL + ACTBIL + EBIL added over the
    attributes) / 3, with Flare taken as ordinal: the lines "printed scale" have that, and its own steps and nothing
    else. Loss, risk and score of the start then have to agree, and the score of the end has to come as low. It
    gets there otherwise: ours loses nearly all of its risk and a fifth of its loss, the source half of its loss alone on German
    and Flare.

    All of them end near a renaming of categories, as does the matrix that the source prints (Table 4.6):
    the measures take it for protection, and whoever knows the matrix does not. The lines "guessed right" tell.

    The second part holds matrices of DEGREE to invariance and to a diagonal from 0.55 to 0.75. Ratios of the
    initial matrix and of "only invariance" have to be those of the source, since frequencies are the same. The second
    come out to three decimals when R = P Q is mixed with the identity by one α for the whole matrix, 0.49, and
    the ratio is taken with its indices exchanged, as the source must have done; the lines without "as printed"
    have the ratio as it is defined. The invariant matrices that evolved under the same α have to keep tables better
    than the initial matrix, and on METRO than "only invariance"; on SCH they do so for four of six seeds, which is chance, and
    informs. Held row by row, which is ours, they change more values and keep tables worse than "only invariance".

    >>> Pram.quickly().generations
    15
    """

    source: ClassVar[str] = (
        "Marés & Torra, Information Sciences 278 (2014), Tables 3–7; Marés, thesis, §4.1, Tables 4.3–4.11"
    )
    data: ClassVar[tuple[str, ...]] = tuple(FILES)
    quick: ClassVar[Mapping[str, Any]] = {
        "generations": 15,
        "invariant_generations": 10,
        "fresh": 3,
        "starts": 1,
    }

    generations: int = param(default=1100, low=1, help="generations for each file")
    invariant_generations: int = param(default=250, low=1, help="generations for each invariant matrix")
    fresh: int = param(default=20, low=1, help="files that judge what was found")
    starts: int = param(default=6, low=1, help="starts of the direct search")

    def study(self, workers: int) -> Findings:
        jobs: list[Job | Crossing | Scaled] = [(f, preset) for preset in ("mares2014", "fast") for f in FILES]
        scaled = {f: Scaled(f, ATTRIBUTES[f], self.generations, self.fresh, self.seed) for f in FILES}
        jobs += [
            *scaled.values(),
            *(
                Crossing(crossed, self.invariant_generations, self.fresh, self.seed)
                for crossed in ("SCH", "METRO")
            ),
        ]
        with Workers(self, workers) as crew:
            done = dict(crew.run(_done, jobs))
        found = {job: done[i] for i, job in enumerate(jobs)}
        lines: list[Line] = []
        drawings: dict[str, Drawing] = {}
        for file in FILES:
            fast = found[file, "fast"]
            lines += _lines(file, fast, found[file, "mares2014"])
            course = found[scaled[file]]
            lines += scaled_lines(f"{TABLES[file]}, {FILES[file]}", course, PUBLISHED[file])
            drawings[f"{file}-printed-scores"] = course.run
            drawings[f"{file}-matrices"], drawings[f"{file}-scores"] = fast, fast.run
        lines += _degree_lines(found["housing", "fast"])
        for job, answer in found.items():
            if isinstance(job, Crossing):
                lines += answer
        return Findings(tuple(lines), drawings)

    def evolved(self, file: str, preset: str) -> EvolvedPram:
        found: EvolvedPram = evolve_pram(
            datasets.load(file),
            attributes=ATTRIBUTES[file],
            preset=preset,
            generations=self.generations,
            fresh=self.fresh,
            direct=self.starts if preset == "fast" else 0,
            seed=self.seed,
        )
        return found


def _done(study: Pram, job: Job | Crossing | Scaled) -> Any:
    """A function by name, so that worker processes can call it."""
    if isinstance(job, Scaled):
        return scaled_course(study, job)
    return crossing_lines(study, job) if isinstance(job, Crossing) else study.evolved(*job)


def _lines(file: str, fast: EvolvedPram, source: EvolvedPram) -> list[Line]:
    table = f"{TABLES[file]}, {FILES[file]}"
    lines = []
    for when, judged, published in zip(
        ("start", "end"), (fast.before, fast.after), PUBLISHED[file], strict=True
    ):
        values = (judged.loss, judged.risk, judged.score)
        lines += [
            Line.of(f"{table}, {when}: {name}", ours=value, published=theirs)
            for name, value, theirs in zip(("IL", "DR", "score"), values, published, strict=True)
        ]
    start, end = (score for _, _, score in PUBLISHED[file])
    fall = 100 * (1 - end / start)
    lines += [
        Line.of(f"{table}: fall of the score, %", ours=fast.fall, published=fall, bar=f">= {FALLS[file]}"),
        Line.of(f"{table}: fall with the source's operators, %", ours=source.fall, published=fall),
    ]
    if fast.direct is not None:
        direct = 100 * (1 - fast.direct.score / fast.before.score)
        lines.append(Line.of(f"{table}: fall by direct search, %", ours=direct))
    sides = {"start": fast.before, "end": fast.after}
    lines += [
        Line.of(f"{table}, {when}: guessed right by the matrices, %", ours=side.guessed)
        for when, side in sides.items()
    ]
    return [
        *lines,
        Line.of(f"{table}: seconds of the search", ours=fast.run.seconds),
        Line.of(f"{table}: seconds with the source's operators", ours=source.run.seconds),
    ]


def _degree_lines(found: EvolvedPram) -> list[Line]:
    """Tables 4.6 and 4.7: rows whose likeliest category is another one, and how far the frequencies moved."""
    P = found.after.matrices["DEGREE"]
    T = frequencies(found.original["DEGREE"], len(P))
    off = int(np.count_nonzero(P.argmax(axis=1) != np.arange(len(P))))
    moved = 50 * float(np.abs(T @ P - T).sum()) / T.sum()
    theirs = 50 * float(np.abs(FINAL_DEGREES - T).sum()) / T.sum()
    return [
        Line.of("Table 4.6, DEGREE: rows whose likeliest category is another", ours=off, published=8),
        Line.of("Table 4.7, DEGREE: frequencies that moved, %", ours=moved, published=theirs),
    ]
