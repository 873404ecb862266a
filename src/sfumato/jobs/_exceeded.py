"""What a release may give away: no more than a guess would, as far as a verdict can tell."""

from collections.abc import Iterator

from sfumato.jobs._verdict import Verdict
from sfumato.measures import Estimate, Score, title

ABOVE_OTHERS = 3.0  # points by which people inside may stand out from people outside


def exceeded(verdict: Verdict) -> tuple[str, ...]:
    """The risks that are surely too high: people found above a guess, or more told of people inside than of others.

    Each is judged by the lower end of its interval, so that chance alone condemns no release.
    """
    return tuple(_exceeded(verdict))


def _exceeded(verdict: Verdict) -> Iterator[str]:
    for name, score in verdict.risks.items():
        limit = score.parts.get("guess", 0.0) if name == "people_found" else ABOVE_OTHERS
        if _at_least(score) > limit:
            yield name


def _at_least(score: Score) -> float:
    return score.low if isinstance(score, Estimate) else score.value


def shortfall(verdict: Verdict) -> str:
    """In words what a verdict exceeds; empty if nothing."""
    names = ", ".join(title(name).lower() for name in exceeded(verdict))
    return f"more is given away than a guess would give ({names})" if names else ""
