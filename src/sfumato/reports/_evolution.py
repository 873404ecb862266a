"""What the report says of an evolution: its drawings, its aim in words, and what others say of its outcome."""

from collections.abc import Sequence
from typing import Any

from sfumato.jobs import Evolved
from sfumato.measures import Measure, title
from sfumato.reports._page import svg
from sfumato.search.fitness import Fitness, Yardstick
from sfumato.search.maskings.short_names import without_columns

USUAL = {"information_loss", "disclosure_risk"}  # what the report shows first


def evolution_context(evolved: Evolved) -> dict[str, Any]:
    """All that the template of an evolution needs beside the evolution."""
    measures = evolved.fitness.measures
    return {
        "attributes": evolved.original.schema.with_role("key"),
        "losses": _listed([measure for measure in measures if measure.sense == "loss"]),
        "risks": _listed([measure for measure in measures if measure.sense == "risk"]),
        "differs": {str(measure) for measure in measures} != USUAL,
        "aim": aim_in_words(evolved.fitness),
        "best_start": without_columns(evolved.best_start.origin),
        "origin": without_columns(evolved.chosen.origin),
        "titles": {one.name: title(one.name) for one in evolved.honesty.measures},
        "figures": _figures(evolved),
    }


def aim_in_words(fitness: Yardstick) -> str:
    """What a search lowered.

    >>> aim_in_words(Fitness(how="mean"))
    'the mean of loss (information_loss) and risk (disclosure_risk)'
    """
    if not isinstance(fitness, Fitness):
        return f"all of {_listed(fitness.measures)} at once"
    both = f"loss ({_listed(fitness.losses)}) and risk ({_listed(fitness.risks)})"
    if fitness.how == "weighted":
        return f"{fitness.weight:g} · loss + {1 - fitness.weight:g} · risk, with {both}"
    return f"the {'larger' if fitness.how == 'max' else 'mean'} of {both}"


def _listed(measures: Sequence[Measure]) -> str:
    return ", ".join(map(str, measures))


def _figures(e: Evolved) -> dict[str, Any]:
    """The drawings; matplotlib is slow to import, so only here."""
    from sfumato.plots.honesty import honesty
    from sfumato.plots.operators import operators
    from sfumato.plots.population import population
    from sfumato.plots.score_evolution import score_evolution

    return {
        "population": svg(population(e), "population", "Loss and risk of all files at the start and the end"),
        "score": svg(score_evolution(e.run), "evolution", "Best, mean and worst score by generation"),
        "operators": svg(operators(e.run), "operators", "Operators: tried, kept and gained")
        if e.run.operators
        else None,
        "honesty": svg(honesty(e.honesty), "honesty", "The fitness beside measures that were not in it"),
    }
