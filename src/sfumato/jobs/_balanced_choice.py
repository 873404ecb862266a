"""Choosing by the balance of loss and risk: the literature's way, and what the verdict makes of the best of it."""

from collections.abc import Iterator

from sfumato.core import progress
from sfumato.jobs._choice import Choice, Contest, Finalist
from sfumato.jobs._exceeded import exceeded
from sfumato.jobs._finalists import loss_of

FINALISTS = 4  # candidates that the verdict is asked of at the most
AS_GOOD_AS_ANOTHER_SAMPLE = 2.0  # analyst loss, in percent, below which none better is looked for


def balanced(contest: Contest, score: str, *, with_verdict: bool) -> Choice | list[Finalist]:
    """The best balanced candidate that meets the gates; or, if there is none, all that were asked.

    Where the verdict decides, the best finalists are judged one after the other, until one gives no more away than a
    guess and loses hardly more than another sample would; of those that give no more away the one that loses least is
    taken.
    """
    asked: list[Finalist] = []
    order = _in_turn(contest, score, asked)
    if score != "verdict" or not with_verdict:
        return next(order, asked)
    tried: list[Choice] = []
    for one in order:
        verdict = contest.bench.verdict(one.candidate.masking)
        tried.append(Choice(one.candidate, one.gates, verdict=verdict))
        if len(tried) == FINALISTS or (
            not exceeded(verdict) and loss_of(verdict) <= AS_GOOD_AS_ANOTHER_SAMPLE
        ):
            break
    if not tried:
        return asked
    best = min(tried, key=_rank)
    if _rank(best)[0]:
        progress.note(f"of the best {len(tried)} candidates none gives away as little as a guess would.")
    return best


def _in_turn(contest: Contest, score: str, asked: list[Finalist]) -> Iterator[Choice]:
    """Those that meet what is required, the most promising first; all that were asked are written down."""
    for finalist in contest.by_balance(score):
        asked.append(finalist)
        if finalist.meets:
            yield Choice(finalist.candidate, finalist.gates)


def _rank(one: Choice) -> tuple[int, float]:
    assert one.verdict is not None
    return len(exceeded(one.verdict)), loss_of(one.verdict)
