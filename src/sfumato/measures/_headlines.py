"""Headlines: the few measures a release is judged by in the end, in sentences that a board understands."""

from collections.abc import Callable, Sequence

from sfumato.measures._scores import Estimate, Score

HEADLINE_LOSS = "analyst_loss"
HEADLINE_RISKS = ("people_found", "learned", "membership", "copies")


def headline(name: str, score: Score, *, known: Sequence[str] = ()) -> str:
    """What one of the headline measures says, with what it is compared with.

    >>> found = Estimate(measure="people_found", value=0.31, parts={"guess": 0.1}, seconds=0, low=0.1, high=0.9, sample=1)
    >>> headline("people_found", found, known=["age", "sex"])
    'An intruder who knows 2 things about each person (age, sex) finds about 3 people in 1,000 (at most 9); guessing finds 1.'
    """
    return _SENTENCES[name](score, known)


def _people_found(score: Score, known: Sequence[str]) -> str:
    unit = _unit(max(score.value, _high(score)))
    things = f"{len(known)} thing{'' if len(known) == 1 else 's'}" if known else "what is asked for"
    listed = f" ({', '.join(known)})" if 0 < len(known) <= 8 else ""
    return (
        f"An intruder who knows {things} about each person{listed} finds about {_people(score.value, unit)} in "
        f"{unit:,}{_at_most(score, unit)}; guessing finds {_count(score.parts.get('guess', 0.0), unit)}."
    )


def _learned(score: Score, known: Sequence[str]) -> str:
    columns = {part: value for part, value in score.parts.items() if part != "mean"}
    worst = max(columns, key=lambda part: columns[part]) if columns else ""
    of = f" (most of {worst})" if worst and score.value > 0 else ""
    return (
        f"What is inferred about people in the file is right {score.value:.1f} points more often than about people "
        f"outside it{_points(score)}{of}; 0 is what a file gives away that tells nothing of single people."
    )


def _membership(score: Score, known: Sequence[str]) -> str:
    return (
        f"Telling who was in the survey from who was not succeeds {score.value:.1f} points above its control"
        f"{_points(score)}; a guess has 0, a copy of the file up to 50."
    )


def _copies(score: Score, known: Sequence[str]) -> str:
    return (
        f"Of what only one person has, whole records or single numbers, {score.value:.1f} % stand in the release more "
        "than chance brings about for people outside it."
    )


def _analyst_loss(score: Score, known: Sequence[str]) -> str:
    fewer = score.parts.get("fewer_records", 0.0)
    as_if = (
        f"; tables are as far off as if the survey had had {fewer:.0f} % fewer records" if fewer >= 1 else ""
    )
    return (
        f"Analyses lose {score.value:.1f} on a scale from 0, no more than with another sample of the same population, to "
        f"100, columns that are unrelated{as_if}."
    )


_SENTENCES: dict[str, Callable[[Score, Sequence[str]], str]] = {
    "people_found": _people_found,
    "learned": _learned,
    "membership": _membership,
    "copies": _copies,
    "analyst_loss": _analyst_loss,
}


def _unit(rate: float) -> int:
    """Of how many people to speak, so that whole numbers tell a rate in percent."""
    return 100 if rate >= 10 else 1_000 if rate >= 0.5 else 10_000


def _count(rate: float, unit: int) -> str:
    count = round(rate * unit / 100)
    return f"{count:,}" if count or not rate else "fewer than 1"


def _people(rate: float, unit: int) -> str:
    count = round(rate * unit / 100)
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _high(score: Score) -> float:
    return score.high if isinstance(score, Estimate) else score.value


def _at_most(score: Score, unit: int) -> str:
    return f" (at most {_count(score.high, unit)})" if isinstance(score, Estimate) else ""


def _points(score: Score) -> str:
    return f" (95 % interval {score.low:.1f} to {score.high:.1f})" if isinstance(score, Estimate) else ""
