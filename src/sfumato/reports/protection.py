"""The report: one self-contained HTML page about a release, for the person who answers for it."""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core import DataError, parameters, progress, registry
from sfumato.data import Table
from sfumato.jobs import Evolved, Job, Protection, ReleasedFile, Verdict, targets_of
from sfumato.jobs.evaluate import Evaluation
from sfumato.masking import GroupingAccount, Microaggregation, generator_for
from sfumato.measures import (
    Measure,
    estimate_in_words,
    explanation,
    is_bounded,
    is_percentage,
)
from sfumato.measures.listings import RiskyRecord, riskiest
from sfumato.reports._cautions import cautions, treatments, unique_shares
from sfumato.reports._page import page, svg
from sfumato.reports._weighted_totals import weighted_totals
from sfumato.reports.repetition import repeat_command, repeat_script
from sfumato.search.fitness import Aim, Fitness, Nearness
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.short_names import in_short, plain_value, without_columns
from sfumato.version import __version__

BEST_SHOWN = 12
RISKIEST = 10  # records that are listed with the reason
LEAST_RISK = 10.0  # percent; those that are found less often are not listed
USUAL = {"information_loss", "disclosure_risk"}  # what the report shows first
PANELS_PER_PAGE = {True: 15, False: 10}  # five rows: three columns where all are numeric, otherwise two


def protection(release: ReleasedFile, job: Job | None) -> str:
    """The report as the text of an HTML file: inline styles and drawings, no scripts, no outside requests.

    The same release gives the same bytes. Nothing in it leads back to a record: distributions are binned, axes end
    at rounded 1st and 99th percentiles, and original cells of fewer than five records are hidden.
    """
    searched = isinstance(release, Protection)
    evolution = release.evolution if isinstance(release, Protection) else release
    judged = release if isinstance(release, Protection) else release.evaluation
    file, output = getattr(job, "file", None), getattr(job, "output", None)
    kind = "Protection" if searched else "Evolution"
    before, after = unique_shares(release)
    return page(
        "protection.html.j2" if searched else "evolved.html.j2",
        p=release,
        e=evolution,
        title=f"{kind} report: {output.name}" if output is not None else f"{kind} report",
        source=file.name if file is not None else "",
        literature=_literature(judged),
        verdict=None if release.verdict is None else verdict_context(release.verdict),
        promise=release.promise_told(),
        unique_before=before,
        unique_after=after,
        cautions=cautions(release),
        measures=_measures(release),
        risky=_risky(release),
        totals=weighted_totals(release),
        columns=_columns(release),
        figures=_figures(release),
        evolution=evolution_context(evolution) if evolution is not None else {},
        command=repeat_command(release),
        script=repeat_script(release),
        seed=getattr(job, "seed", None),
        versions={"sfumato": __version__, "Python": platform.python_version()},
        **_size(release),
        **(_portfolio_context(release) if isinstance(release, Protection) else {}),
    )


def _literature(judged: Protection | Evaluation) -> tuple[float, float] | None:
    """The literature's loss and risk; none where there is no key to judge them by."""
    if isinstance(judged, Evaluation) and not {"information_loss", "disclosure_risk"} <= judged.scores.keys():
        return None
    return judged.loss, judged.risk


def _size(release: ReleasedFile) -> dict[str, Any]:
    """How large the whole file is, what names it, and from how many records the drawings are if not from all."""
    if isinstance(release, Protection):
        found = {"records": release.records, "fingerprints": release.fingerprints}
        if release.whole is None:
            return {**found, "sampled": 0, "tries": ()}
        sampled = release.original.n if release.original.n < release.records else 0
        return {**found, "sampled": sampled, "tries": release.whole.tries}
    fingerprints = release.original.fingerprint, release.release.fingerprint
    return {"records": release.aligned.n, "fingerprints": fingerprints, "sampled": 0}


def verdict_context(found: Verdict) -> dict[str, Any]:
    """The verdict as the template shows it: tiles, sentences, a drawing, and how it was come by."""
    from sfumato.plots.verdict import verdict  # matplotlib is slow to import, so only here

    sentences = list(found.sentences())
    return {
        "tiles": list(verdict_tiles(found)),
        "sentences": sentences,
        "notes": [line for line in found.told() if isinstance(line, str) and line not in sentences],
        "figure": svg(verdict(found), "verdict", "What analysts lose and what intruders get"),
    }


def verdict_tiles(found: Verdict) -> Iterator[dict[str, Any]]:
    """The headline numbers of a verdict, each with its scale."""
    if found.loss is not None:
        scale = "0: as another sample of the same population. 100: the columns are unrelated."
        yield {
            "name": "Analyses lose",
            "sense": "loss",
            "value": found.loss.value,
            "unit": "",
            "scale": scale,
        }
    if "people_found" in found.risks:
        score = found.risks["people_found"]
        scale = f"of the people looked for; a guess finds {score.parts.get('guess', 0.0):.2g} %."
        yield {"name": "People found", "sense": "risk", "value": score.value, "unit": "%", "scale": scale}
    elif "learned" in found.risks:
        scale = "points better inferred for people in the file than for people outside."
        value = found.risks["learned"].value
        yield {"name": "Learned", "sense": "risk", "value": value, "unit": "", "scale": scale}


def _portfolio_context(p: Protection) -> dict[str, Any]:
    drawing = svg(p.plot(), "map", "Loss and risk of all candidates, with the chosen one marked")
    return {
        "steps": _steps(p),
        "groups": _groups(p),
        "best": _best(p),
        "map": drawing,
        "explained": list(p.explained()),
        "by_loss": p.score == "verdict" and p.terms.leads,
    }


def _steps(p: Protection) -> list[dict[str, Any]]:
    return [
        {
            "method": step.name,
            "summary": registry.summary("masking", step.name)
            if step.name in registry.names("masking")
            else "",
            "parameters": {
                n: plain_value(getattr(step, n)) for n in parameters(type(step)) if n != "attributes"
            },
            "columns": targets_of(step, p.original.schema),
        }
        for step in p.chosen.masking.sequence
    ]


def _groups(p: Protection) -> tuple[tuple[str, str], ...]:
    """How the groups were made, if the chosen masking is one that makes groups, and makes the same ones again."""
    masking = p.chosen.masking
    timed = getattr(masking, "seconds", 0) or getattr(masking, "refine_seconds", 0)
    if not isinstance(masking, Microaggregation) or not isinstance(p.original, Table) or p.whole or timed:
        return ()
    rng = generator_for(masking, p.original, seed=p.randomness)
    try:
        with progress.without_notes():
            return tuple(GroupingAccount.of(masking, p.original, rng).facts())
    except DataError:  # groups of households are grouped again by person
        return ()


def _best(p: Protection) -> list[dict[str, Any]]:
    """The unbeaten candidates with the best scores, and always the chosen one."""
    ranked = sorted(p.front, key=lambda c: (c is not p.chosen, c.score(p.balance)))
    others = [candidate for candidate in ranked if candidate is not p.chosen]
    return [
        {
            "name": in_short(c.masking),
            "loss": c.loss,
            "risk": c.risk,
            "score": c.score(p.balance),
            "meets": _meets(p, c),
            "chosen": c is p.chosen,
        }
        for c in [p.chosen, *others][:BEST_SHOWN]
    ]


def _meets(p: Protection, candidate: Candidate) -> str:
    """Whether a candidate meets what is required, as far as it was asked."""
    if candidate.fails(p.terms.gates):
        return "not met"
    known = [p.chosen, *(one.candidate for one in p.alternatives)]
    return "met" if not p.terms.dear or any(candidate is one for one in known) else "not asked"


def _measures(p: ReleasedFile) -> dict[str, list[dict[str, Any]]]:
    told: dict[str, list[dict[str, Any]]] = {"loss": [], "risk": []}
    for name, score in p.evaluation.scores.items():
        parts = [
            {"name": part, "value": value, "unit": " %" if is_percentage(name, part) else ""}
            for part, value in score.parts.items()
        ]
        told[p.evaluation.senses[name]].append(
            {
                "name": name,
                "value": score.value,
                "parts": parts,
                "about": explanation(name),
                "bounded": is_bounded(name),
                "estimate": estimate_in_words(score),
            }
        )
    return told


def _risky(p: ReleasedFile) -> tuple[RiskyRecord, ...]:
    """The records that are found most easily in the release, and why; none of a file that stays on disk."""
    whole = isinstance(p, Protection) and p.whole is not None
    keys = tuple(name for name in p.original.schema.with_role("key") if name in p.aligned)
    nobody = isinstance(p, Evolved) and p.synthesis is not None  # whose records could be found
    if whole or nobody or not keys or p.original.n != p.aligned.n:
        return ()
    found = riskiest(p.original, p.aligned, count=RISKIEST, attributes=keys).records
    return tuple(one for one in found if one.individual_risk >= LEAST_RISK)


def _columns(p: ReleasedFile) -> list[dict[str, Any]]:
    from sfumato.plots import changed_share

    steps = treatments(p)
    told = {one.name: f"{one.kind}: {one.because}" for one in p.treated.columns}
    rows = []
    for attribute in p.original.schema:
        name, released = attribute.name, attribute.name in p.aligned
        by = [method for method, targets in steps if name in targets]
        rows.append(
            {
                "attribute": attribute,
                "after": p.aligned.schema[name] if released else None,
                "missing": 100 * float(p.original.missing(name).mean()),
                "missing_after": 100 * float(p.aligned.missing(name).mean()) if released else None,
                "done": f"masked by {', '.join(by)}" if released and by else told[name],
                "changed": changed_share(p.original, p.aligned, name) if released else None,
            }
        )
    return rows


@dataclass(frozen=True)
class _Columns:
    """Some columns before and after, so that each drawing fits on a page."""

    original: Table
    aligned: Table


def _figures(p: ReleasedFile) -> dict[str, Any]:
    """The drawings as SVG elements; matplotlib is slow to import, so only here."""
    from sfumato.plots import drawn_names
    from sfumato.plots.correlations import correlated_names, correlations
    from sfumato.plots.distributions import distributions

    names = drawn_names(p)
    length = PANELS_PER_PAGE[all(p.original.schema[name].is_numeric for name in names)]
    pages = [names[at : at + length] for at in range(0, len(names), length)]
    return {
        "distributions": [
            svg(
                distributions(_Columns(p.original.select(page), p.aligned.select(page))),
                f"distributions{number}",
                f"Distributions before and after masking of {', '.join(page)}",
            )
            for number, page in enumerate(pages, start=1)
        ],
        "correlations": svg(correlations(p), "correlations", "Correlations before and after masking")
        if len(correlated_names(p)) > 1
        else None,
    }


def evolution_context(evolved: Evolved) -> dict[str, Any]:
    """All that the template of an evolution needs beside the evolution."""
    measures = evolved.fitness.measures
    return {
        "attributes": evolved.masked,
        "losses": _measure_names([measure for measure in measures if measure.sense == "loss"]),
        "risks": _measure_names([measure for measure in measures if measure.sense == "risk"]),
        "differs": evolved.synthesis is None and {str(measure) for measure in measures} != USUAL,
        "aim": aim_in_words(evolved.fitness),
        "best_start": without_columns(evolved.best_start.origin),
        "origin": without_columns(evolved.chosen.origin),
        "figures": _evolution_figures(evolved),
    }


def aim_in_words(fitness: Aim) -> str:
    """What a search lowered.

    >>> aim_in_words(Fitness(how="mean"))
    'the mean of loss (information_loss) and risk (disclosure_risk)'
    """
    if isinstance(fitness, Nearness):
        return "the gaps to tables and products of the original, each over what is near enough"
    if not isinstance(fitness, Fitness):
        return f"all of {_measure_names(fitness.measures)} at once"
    both = f"loss ({_measure_names(fitness.losses)}) and risk ({_measure_names(fitness.risks)})"
    if fitness.how == "weighted":
        return f"{fitness.weight:g} · loss + {1 - fitness.weight:g} · risk, with {both}"
    return f"the {'larger' if fitness.how == 'max' else 'mean'} of {both}"


def _measure_names(measures: Sequence[Measure]) -> str:
    return ", ".join(map(str, measures))


def _evolution_figures(e: Evolved) -> dict[str, Any]:
    """The drawings; matplotlib is slow to import, so only here."""
    from sfumato.plots.operators import operators
    from sfumato.plots.population import population
    from sfumato.plots.score_evolution import score_evolution
    from sfumato.plots.verdict import verdict

    return {
        "population": svg(population(e), "population", "Loss and risk of all files at the start and the end"),
        "score": svg(score_evolution(e.run), "evolution", "Best, mean and worst score by generation"),
        "operators": svg(operators(e.run), "operators", "Operators: tried, kept and gained")
        if e.run.operators
        else None,
        "verdict": None
        if e.verdict is None
        else svg(
            verdict(e.verdict, start=e.start_verdict),
            "verdicts",
            "The verdict on the release and on its start",
        ),
    }
