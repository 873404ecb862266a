"""Searching a portfolio of maskings: the candidates it holds, and the run that judged them."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from sfumato.core import Cancelled, Result, registry
from sfumato.data import Table
from sfumato.masking import NOTHING, ByHand
from sfumato.measures import Measure
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_search import grouped_candidates
from sfumato.search.loop import run
from sfumato.search.maskings.candidates import Candidate, check_keys
from sfumato.search.maskings.gates import Gate
from sfumato.search.maskings.steps_before import free_keys, left_to_search
from sfumato.search.maskings.warm_up import warm_up
from sfumato.search.optimizers.portfolio import Portfolio
from sfumato.search.problems.key_maskings import ALL, KeyMaskings
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending


class PortfolioSearch(Result):
    """The candidates in the order of the portfolio, those that could be applied and were judged on all keys."""

    candidates: tuple[Candidate, ...]
    run: Run = field(repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether all was tried, and neither a rule nor the user ended it before."""
        return self.run.ended is Ending.NOTHING_LEFT


def search_portfolio(
    table: Table,
    effort: Effort,
    *,
    methods: Sequence[str] = (),
    measures: Sequence[Measure] = (),
    grouped: Sequence[int] = (),
    whole: bool = False,
    by_hand: ByHand = NOTHING,
    require: Sequence[Gate] = (),
    **settings: Any,
) -> PortfolioSearch:
    """Judge a portfolio of maskings of the key attributes (see the optimiser `portfolio`).

    `settings` are those of the optimiser; methods that are named may leave keys as they are. For each k of `grouped` the numeric keys are also microaggregated in the groups of attributes that a search
    of its own finds. An interrupt keeps what was tried on all keys; it is passed on where there is none yet, or
    only the `whole` is of use. What was done `by_hand` comes first in every candidate, and is one by itself.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.search.stop import Stop
    >>> found = search_portfolio(business_survey(40), Effort(stop=Stop.when_done()), methods=["mdav"])
    >>> found.is_whole, str(found.candidates[0].masking)[:12]
    (True, 'mdav (k = 2,')
    """
    check_keys(table)
    left = left_to_search(table, by_hand.on(table), effort.seed)
    numeric = [name for name in free_keys(left, by_hand) if left.schema[name].is_numeric]
    groups = grouped_candidates(left, grouped, effort, names=numeric) if len(numeric) > 1 else []
    problem = KeyMaskings(
        table, seed=effort.seed, measures=measures, grouped=groups, by_hand=by_hand, require=require
    )
    tried = {
        "methods": tuple(methods) or registry.names("masking"),
        "partly": bool(methods),
        "require": tuple(require),
    }
    optimizer = Portfolio(**{**tried, **settings})
    options = optimizer.options(problem)
    with effort.crew(problem) as crew:
        warm_up(crew, [masking for some in options.values() for masking in some])
        found = run(problem, optimizer, effort, crew=crew, label="Trying maskings")
        if whole and found.ended is Ending.BY_USER:  # here, so that nobody waits for the workers
            raise Cancelled("Stopped while maskings were tried; nothing was written.")
    candidates = [one.genome for one in found.population]
    if problem.by_hand.masking is not None:  # which may be enough
        candidates.append(problem.judges[ALL].judge(problem.by_hand.masking))
    return PortfolioSearch(candidates=tuple(candidates), run=found)
