"""Lines that studies tell of results made up here: what stands beside what, what was published, and which bar is asked.

`lines/` has a file for each kind of result. Where a formula or a bar is changed on purpose, write them anew, and read
what differs:

    python tests/reproductions/made_up_lines.py --write [BEGINNING OF NAMES]
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np

from recorded import number, write
from sfumato.datasets.arena import Submission
from sfumato.groups.adequacy import Adequacy
from sfumato.groups.outliers import Outliers
from sfumato.jobs import Line
from sfumato.jobs.graph.report import OverK
from sfumato.masking.matrices.markov_matrices import equal_matrix
from sfumato.reproductions import (
    _arena_lines,
    _clustering_curves,
    _evolution_lines,
    _front_lines,
    _grouping_lines,
    _groups_lines,
    _groups_tables,
    _marks,
    _microaggregation_choices,
    _microaggregation_rows,
    _pram_invariance,
    _pram_scale,
    _signed_evolution,
    clustering,
    pram,
    pram_equations,
    social,
)
from sfumato.reproductions._arena_yardsticks import ArenaScores, Coincidences
from sfumato.reproductions._grouping_searches import OURS, PRINTED, HandScores, Solved
from sfumato.reproductions._groups_swaps import Search, Swapped
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep
from sfumato.search.grouping.operator_comparison import OperatorComparison

FOLDER = Path(__file__).with_name("lines")
of = SimpleNamespace  # what lines are made of, and no more


def told(lines: Iterable[Line]) -> str:
    return "\n".join(map(_told, lines))


def _told(line: Line) -> str:
    published = "" if line.published is None else f", published {number(line.published)}"
    bar = "" if line.bar is None else f", asked {line.bar}: {line.verdict}"
    return f"{line.what}: {number(line.ours)}{published}{bar}"


# ---------------------------------------------------------------------------------------- searches of files


def course(start: float, end: float, *, seconds: float = 12.5, generations: int = 1000) -> Any:
    steps = [
        of(generation=at, best=best, mean=best + 5, worst=best + 20)
        for at, best in ((0, start), (generations // 2, (start + end) / 2), (generations, end))
    ]
    return of(run=of(history=steps, seconds=seconds), score=end, fall=start - end)


def evolutions() -> Iterator[Line]:
    jobs = [
        _evolution_lines.Job(*words) for words in (("census", "mean"), ("german", "mean"), ("flare", "max"))
    ]
    without = _evolution_lines.Job("flare", "max", 5.0)
    found = {
        job: {"mares2013": course(33, 31.5), "fast": course(33, 29, seconds=40)} for job in (*jobs, without)
    }
    for job in found:
        yield from _evolution_lines.evolution_lines(job, found)
    short = {jobs[2]: {"mares2013": course(33, 31.5, generations=30), "fast": course(33, 29)}}
    yield from _evolution_lines.evolution_lines(jobs[2], short)


def signed() -> Iterator[Line]:
    asked = _signed_evolution.executions(("tarragona", "german", "census"), 1000, 5)
    found = {one: of(run=course(21.5, 6 + one.number).run, pil=40.0) for one in asked}
    for one, held in found.items():
        yield from _signed_evolution.signed_lines(one, held)
    yield from _signed_evolution.figure_lines(found)
    few = _signed_evolution.executions(("diabetes",), 999, 5)[0]
    yield from _signed_evolution.signed_lines(few, of(run=course(21.5, 6).run, pil=40.0))


def signed_starts() -> str:
    starts = [_signed_evolution.signed_start(("a",), count) for count in (16, 50)]
    return "\n".join(str(masking) for start in starts for masking in start)


# ----------------------------------------------------------------------------------------------- groupings


def solved(score: float, groups: int, seconds: float = 10.0) -> Solved:
    nothing = OperatorAnalytics(steps=(), generations=(), children=0, judged=0)
    return Solved((score + 1, score - 2, score, score, groups), seconds, nothing, ())


def groupings() -> Iterator[Line]:
    by_k = {5: solved(12.0, 4), 25: solved(13.5, 3), 30: solved(14.0, 2)}
    for file in ("census", "water_treatment"):
        for how in (OURS, PRINTED):
            yield from _grouping_lines.found_lines(file, how, by_k)
        for k in (5, 25, 50, 30):
            names = {"all together": 16.0, "one by one": 24.8}
            hand = HandScores(
                names,
                {name: score - 1 for name, score in names.items()},
                {"all together": 15.0, "one by one": 23.0},
            )
            yield from _grouping_lines.compared_lines(file, k, hand)
            yield from _grouping_lines.margin_lines(file, OURS, k, solved(13.0, 3), names)
    yield from _grouping_lines.timing_lines(
        "census", by_k, {5: solved(12.3, 4, 4.0), 30: solved(15.0, 4, 12.0)}
    )


def operators() -> Iterator[Line]:
    best = {"combined": (20.0, 10.0), "crossover": (20.0, 12.5), "group_create": (20.0, 16.0)}
    zero = dict.fromkeys(("clones", "survived", "worsened", "mean_gain", "mean_loss", "worst_loss"), 0)
    steps = tuple(
        OperatorStep(
            generation=at,
            operator="crossover",
            children=10,
            unused=20.0 * at,
            lifetime=3.0 + at,
            improved=at,
            best_gain=5.0 / at,
            **zero,
        )
        for at in (1, 2)
    )
    held = tuple(GenerationStep(generation=at, best=20.0, mean_groups=2.0, best_groups=2) for at in (0, 1, 2))
    alone = OperatorAnalytics(steps=steps, generations=held, children=20, judged=10)
    yield from _grouping_lines.operator_lines(
        "census", 25, OperatorComparison(best=best), {"crossover": alone}
    )


# ------------------------------------------------------------------------------------------- the true front


def front_entry(name: str, *cuts: float) -> _front_lines.Entry:
    parts = (
        "loss",
        "found",
        "found_low",
        "guess",
        "nearness",
        "nearness_control",
        "tracing",
        "tracing_control",
    )
    parts = (
        *parts,
        "learned",
        "copies",
        "values",
        "values_outside",
        "information_loss",
        "disclosure_risk",
        "seconds",
    )
    found = [
        {part: cut + place * 5 % 7 / 8 for place, part in enumerate(parts)}
        | {f"own {part}": 2 * cut + place * 3 % 7 / 4 for place, part in enumerate((*parts[:8], "sought"))}
        for cut in cuts
    ]
    return _front_lines.Entry(name, tuple(found))


def front() -> Iterator[Line]:
    ours, theirs = front_entry("ours", 1.0, 2.0), front_entry("theirs", 0.5, 0.75)
    every = [ours, theirs, front_entry(_front_lines.RESAMPLE, 3.0), front_entry("far", 9.0)]
    for file, barred in (("census", True), ("german", False)):
        yield from _front_lines.default_lines(file, ours, every, barred=barred)
        yield from _front_lines.told_lines(file, theirs)
        yield from _front_lines.plain_lines(file, every[3])


def front_places() -> str:
    found = _front_lines.standing(
        "census", [front_entry("ours", 1.0, 2.0), front_entry("far", 9.0)], ["ours"]
    )
    rows = [
        f"{row['by']}, {row['file']}: {number(row['loss'])} {number(row['risk'])} {row['front']}"
        for row in found._rows()
    ]
    return "\n".join([found.title, *rows, *(f"{k}: {' / '.join(v)}" for k, v in found.labels.items())])


# ---------------------------------------------------------------------------------------------------- the arena


def submission(
    algorithm: str, k: float, epsilon: float | None = None, features: str = "industry-focused"
) -> Submission:
    return Submission(
        library="others",
        algorithm=algorithm,
        extract="ma2019",
        feature_set=features,
        features=9,
        epsilon=epsilon,
        variant="",
        k_marginal=k,
        uem=20.0,
        pmse=0.001,
    )


def arena() -> Iterator[Line]:
    names = ("k_marginal", "uem", "apparent_matches", "apparent_agreement", "pmse")
    scores = ArenaScores(
        **dict(zip(names, (960.0, 12.0, 3, 50.0, 0.002), strict=True)),
        impossible=0.2,
        features=("SEX",),
        records=100,
    )
    theirs = [
        submission("subsample_40pcnt", 941.0),
        submission("mst", 899.0, 1.0),
        submission("mst", 980.0, 10.0),
        submission("mst", 890.0, 1.0),
    ]
    features = next(iter(_arena_lines.FEATURE_SETS))
    outside = [Coincidences(inside=inside, outside=5.0) for inside in (6.5, 7.0)]
    for entry in (
        _arena_lines.Entry("ours", 9, scores, tuple(outside)),
        _arena_lines.Entry("ours", 8, scores),
        _arena_lines.Entry("ours", 9, None),
    ):
        for make in (_arena_lines.plain_lines, _arena_lines.apart_lines):
            yield from make(features, entry)
        for make in (_arena_lines.sample_lines, _arena_lines.best_lines, _arena_lines.formal_lines):
            yield from make(features, entry, theirs)
            yield from make(features, entry, [])


# -------------------------------------------------------------------------------------- matrices and equations


def scaled() -> Iterator[Line]:
    for file, published in pram.PUBLISHED.items():
        held = _pram_scale.ScaledCourse((60.0, 26.0), (40.0, 20.0), run=None)  # type: ignore[arg-type]
        yield from _pram_scale.scaled_lines(f"place of {file}", held, published)
        yield from _pram_scale.single_lines(f"place of {file}", "A", held)


def evolved_matrices() -> Iterator[Line]:
    before, after = (
        of(loss=50.0, risk=30.0, score=40.0, guessed=60.0),
        of(loss=30.0, risk=20.0, score=25.0, guessed=45.0),
    )
    for file in pram.FILES:
        fast = of(before=before, after=after, fall=37.5, direct=of(score=24.0), run=of(seconds=3.0))
        source = of(fall=20.0, run=of(seconds=5.0))
        yield from pram._lines(file, fast, source)  # type: ignore[arg-type]
        fast.direct = None
    yield from pram._lines("german", fast, source)  # type: ignore[arg-type]


def crossings() -> Iterator[Line]:
    counts = np.array([98, 173, 251, 195, 170, 80])
    start = equal_matrix(6, _pram_invariance.P)
    only = _pram_invariance.only_invariance(start, counts)
    names = (_pram_invariance.INITIAL, _pram_invariance.ONLY, *_pram_invariance.EVOLVED)
    matrices = {name: only if at else start for at, name in enumerate(names)}
    changes = {name: (5.0 + at, 30.0 - at) for at, name in enumerate(names)}
    for crossed in _pram_invariance.TABLES:
        asked = _pram_invariance.Crossing(crossed, generations=1, fresh=1, seed=0)
        yield from _pram_invariance._lines(asked, changes, matrices, counts)


def equations() -> Iterator[Line]:
    usual = [
        of(matrix=name, setting=f"p = {at}", loss=30.0 + at, risk=35.0 - at, guessed=70.0 + at)
        for at, name in enumerate(pram_equations.BASELINES)
    ]
    whats = (
        pram_equations.MAX,
        pram_equations.MEAN,
        pram_equations.FEW,
        pram_equations.HIDDEN,
        "GP max, depth 3",
    )
    matrix = {"A": np.array([[0.5, 0.5], [0.25, 0.75]])}
    for file in pram_equations.FILES:
        found: Any = {
            what: of(
                loss=20.0 + at,
                risk=25.0 - at,
                guessed=50.0 + at,
                baselines=usual,
                history=[of(best=40.0 - at)],
                formula="p",
                attributes=("A",),
                matrices=matrix,
            )
            for at, what in enumerate(whats)
        }
        yield from pram_equations._table_lines(file, found)
        yield from pram_equations._start_lines(file, found)
        yield from pram_equations._depth_lines(file, found)
        with patch.object(pram_equations, "matrix_by_hand", lambda *_: matrix["A"] + 1e-13):
            yield from pram_equations._bars(file, None, found)  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------- clusters


def clusters() -> Iterator[Line]:
    tried = [
        _clustering_curves.Tried(k, c, loss=10.0 + k - c / 10, risk=50.0 - k + c / 8)
        for k in (2, 5, 10)
        for c in (0, 8, 20)
        if (k, c) != (5, 20)
    ]
    for where in ("German", "Housing (generated)"):
        yield from _clustering_curves.trend_lines(where, tried)
        worse = [one._replace(loss=-one.loss, risk=-one.risk) for one in tried]
        yield from _clustering_curves.trend_lines(where, worse)
    yield from _clustering_curves.trend_lines("German", [one for one in tried if not one.clusters])


def balanced() -> Iterator[Line]:
    for (file, loss), published in clustering.PUBLISHED.items():
        tried = {
            method: [
                of(
                    masking=method,
                    scores={
                        "a": of(measure=loss, value=20.0 + at + more),
                        "b": of(measure="other", value=1.0),
                    },
                    risk=40.0 - 6 * at - more,
                )
                for more in (0.0, 0.5)
            ]
            for at, method in enumerate(clustering.METHODS)
        }
        asked = dict(zip(clustering.METHODS, published, strict=True))
        yield from clustering._lines(file, loss, tried, asked)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------- graphs and groups


def over_k(more: float) -> OverK:
    losses = {
        name: (0.1 + at * more, 0.2 + at * more, 0.4) for at, name in enumerate((*social.LOSSES, social.MEAN))
    }
    known = (*social.RANKED, social.TOPICS, "location", social.ALL)
    risks = {name: (0.9 - at / 10 - more, 0.5 - at / 20, 0.505 - at / 20) for at, name in enumerate(known)}
    return OverK(title="A graph", k=(2, 5, 10), losses=losses, risks=risks)


def graphs() -> Iterator[Line]:
    first, second = over_k(0.02), over_k(0.01)
    yield from social._graph_lines("small", first)
    yield from social._graph_lines("large", second)
    yield from social._compared(first, second)
    yield from social._compared(second, first)
    series = {"small": ((0.1, 0.2, 0.25), (0.5, 0.4, 0.45)), "large": ((0.05, 0.1, 0.2), (0.4, 0.3, 0.46))}
    for name, pair in series.items():
        for reading in social.READINGS:
            yield from social._microdata_lines(name, reading, (2, 5, 10), *pair)
    yield from social._microdata_compared(series)
    with patch.object(social, "shape_of", lambda graph: dict.fromkeys(social.STRUCTURE["small"], 10.0)):
        for name in social.GRAPHS:
            yield from social._structure_lines(name, None)  # type: ignore[arg-type]


def totals() -> Iterator[Line]:
    places = tuple(f"area {i}" for i in range(100))
    for title, table in _groups_lines.TABLES.values():
        for seen in (range(2, 12), range(8, 30)):
            judged = Adequacy(places=places, true=tuple(range(10)), found=tuple(seen))
            yield from _groups_lines._total_lines(title, judged, _groups_tables.total(table))


def swaps() -> Iterator[Line]:
    found = {
        Search("runs", "36", ("a", "b"), 10, seed, limit): Swapped(
            lists=10,
            distortions=distortions,
            swaps=7 + seed,
            before=None,  # type: ignore[arg-type]
            after=None,  # type: ignore[arg-type]
            found=Outliers(places=("a", "b", "c"), found=(1, 2), struck=(), alpha=0.05),
        )
        for seed, (limit, distortions) in enumerate(
            ((None, (100.0, 300.0)), (None, tuple(map(float, range(50, 60)))), (2.0, ()))
        )
    }
    yield from _groups_lines.protection_lines(found)
    yield from _groups_lines.protection_lines({})
    yield from _groups_lines.run_lines(found, 5000)


# ---------------------------------------------------------------------------------------- microaggregation


def rows(make: Callable[..., Iterator[Any]], *given: int) -> Callable[[], str]:
    """Rows beside a result that is a little worse than print: what is asked of which trial."""

    def made() -> str:
        return "\n".join(
            f"{' | '.join(map(str, row.trial))}: "
            + _told(row.line({row.value: 1.015 * (row.published or 1.0)}))
            for row in make(*given)
        )

    return made


def spared() -> Iterator[Line]:
    trials = {
        _microaggregation_rows.of_three(file, method, v): {"loss": v + at / 4, "distances": 100.0 / (1 + at)}
        for file in ("tarragona", "census")
        for at, method in enumerate(("kward", "kwd", "kwr", "kwdr"))
        for v in range(1, 14)
    }
    yield from _microaggregation_rows.kward_lines(trials)  # type: ignore[arg-type]
    yield from _microaggregation_rows.score_lines()
    yield from _microaggregation_choices.emad_lines()
    yield from _microaggregation_choices.survey_lines()


# ------------------------------------------------------------------------------------------------------ marks


def marks() -> Iterator[Line]:
    whys = [
        _marks.Why("chance", "a draw"),
        _marks.Why("lost", "a page", wrong=True),
        _marks.Why("rough", "cut", digits=0),
    ]
    yield from _marks.marked(
        [
            Line.of(what, ours=ours, published=theirs, bar="<= published")
            for what in ("IL", "IL by chance", "IL lost", "rough IL", "fall", "IL by chance against others")
            for ours, theirs in ((100.9, 100.0), (101.1, 100.0), (98.9, 100.0), (0.4, 0.0), (0.004, 0.0))
        ],
        whys,
    )


def _lines(make: Callable[[], Iterable[Line]]) -> Callable[[], str]:
    return lambda: told(make())


CASES: Mapping[str, Callable[[], str]] = {
    "arena": _lines(arena),
    "clustering-balanced": _lines(balanced),
    "clustering-trends": _lines(clusters),
    "evolution": _lines(evolutions),
    "evolution-signed": _lines(signed),
    "evolution-signed-start": signed_starts,
    "front": _lines(front),
    "front-places": front_places,
    "grouping": _lines(groupings),
    "grouping-operators": _lines(operators),
    "groups-swaps": _lines(swaps),
    "groups-totals": _lines(totals),
    "marks": _lines(marks),
    "microaggregation-emad": rows(_microaggregation_choices.emad_rows, 4),
    "microaggregation-iamat": rows(_microaggregation_rows.iamat_rows),
    "microaggregation-iamat-simulated": rows(_microaggregation_rows.iamat_simulated_rows, 10_000),
    "microaggregation-kward": rows(_microaggregation_rows.kward_rows),
    "microaggregation-omma": rows(_microaggregation_rows.omma_rows),
    "microaggregation-omma-simulated": rows(_microaggregation_rows.omma_simulated_rows),
    "microaggregation-scores": rows(_microaggregation_rows.score_rows),
    "microaggregation-survey": rows(_microaggregation_choices.survey_rows),
    "microaggregation-told": _lines(spared),
    "pram": _lines(evolved_matrices),
    "pram-crossed": _lines(crossings),
    "pram-equations": _lines(equations),
    "pram-printed-scale": _lines(scaled),
    "social": _lines(graphs),
}


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word != "--write"]
    if "--write" in sys.argv:
        write(FOLDER, CASES, *options)
