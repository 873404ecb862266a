"""What a protection did and why, in words that a board reads: what had to be met, what was done, and what else would do."""

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from sfumato.jobs._words import percent

if TYPE_CHECKING:
    from sfumato.jobs._protection import Protection  # which tells it


def explained(p: "Protection") -> Iterator[str]:
    """All of it, a line each."""
    yield from required(p)
    yield from done(p)
    yield from reasons(p)
    yield from nearest(p)
    yield from unchanged(p)


def required(p: "Protection") -> Iterator[str]:
    """What had to be met, by whose word."""
    origins = p.terms.origins
    for origin in dict.fromkeys(origins.values()):
        words = "; ".join(gate.in_words for gate, whose in origins.items() if whose == origin)
        yield f"By {_named(p, origin)}: {words}."


def _named(p: "Protection", origin: str) -> str:
    if origin.startswith("policy"):
        return f"the {origin} ({p.terms.policy.title.lower()})"
    return "what was required" if origin == "required" else f"the {origin}"


def done(p: "Protection") -> Iterator[str]:
    """What the methods did, in kind."""
    if p.searched and not p.is_evolved:
        yield " ".join(["What was done:", *dict.fromkeys(one.advice.done for one in p.applied())])


def reasons(p: "Protection") -> Iterator[str]:
    """Why this candidate and no other."""
    choice = p.choice
    if isnan(choice.loss) or not p.searched or p.is_evolved:
        return
    others = choice.asked - 1
    failed = (
        f"; {others} that would lose less {'was' if others == 1 else 'were'} asked for the rest, and "
        f"{'does' if others == 1 else 'do'} not meet it"
        if others > 0
        else ""
    )
    if choice.eligible:
        yield (
            f"Of {len(p.candidates)} candidates {choice.eligible} may meet it by what is read of each{failed}."
        )
    yield f"Of those that meet everything, this is the one by which analysts lose least ({percent(choice.loss)})."


def nearest(p: "Protection") -> Iterator[str]:
    """What else meets everything."""
    for one in p.alternatives:
        kind = ", which changes no value" if one.candidate.masking.only_coarsens else ""
        yield f"Also possible{kind}: {one.in_words}."
    if p.alternatives or isnan(p.choice.loss) or p.whole is not None:
        return
    if p.searched and not p.is_evolved and p.terms.leads:
        yield "None of the next candidates that were asked meets everything."


def unchanged(p: "Protection") -> Iterator[str]:
    """Keys that an intruder finds as she knows them."""
    if p.unchanged_keys:
        yield f"Keys that are released as they were: {', '.join(p.unchanged_keys)}."
