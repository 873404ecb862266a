"""Steps by hand in a job that protects: what they go together with, and the columns they take."""

from collections.abc import Iterable
from typing import Any

from sfumato.core import ParameterError, param
from sfumato.data import Table
from sfumato.masking import NOTHING, ByHand, Masking


def steps_by_hand() -> Any:
    """Declare the steps that come before a search, and the columns that nothing may change."""
    return param(default=NOTHING, help="steps by hand", spread=True)


def check_by_hand(job: Any) -> None:
    """Refuse what would change columns again that a steward has settled, or what looks at none of them."""
    if not job.by_hand:
        return
    if job.evolve is not None:
        raise ParameterError(
            f"{job.name}: evolving changes every key, also what steps by hand have settled: leave out evolve, or first and "
            "fixed."
        )
    if job.is_formal:
        raise ParameterError(
            f"{job.name}: under a formal promise nothing is chosen by looking at the original: leave out first and fixed."
        )


def taken_by_hand(hand: ByHand, names: Iterable[str], table: Table) -> tuple[str, ...]:
    """The columns that are masked: those of steps, and what else is, but for fixed ones."""
    stepped = [name for step in hand.first for name in step.targets(table)]
    return tuple(name for name in dict.fromkeys([*names, *stepped]) if name not in hand.fixed)


def then_given(hand: ByHand, masking: Masking, table: Table) -> Masking:
    """The steps and then a masking that was given, which must leave fixed columns alone."""
    hand.check(table)
    hand.check_untouched(masking, table)
    return hand.on(table).then(masking)
