"""The portfolio: every method over a grid of its parameters, for each kind of key attribute and together."""

import itertools
from collections.abc import Sequence

import numpy as np

from sfumato.core import DataError, param, progress, registry
from sfumato.masking import Chain, Masking
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Trial
from sfumato.search.maskings.candidates import Candidate, best_spread
from sfumato.search.maskings.demands import demands, over_all_keys
from sfumato.search.maskings.gates import Gate
from sfumato.search.maskings.options import (
    part_options,
    record_options,
    suppressed_options,
    whole_options,
)
from sfumato.search.problems.key_maskings import ALL, Attempt, KeyMaskings

Tried = list[tuple[str, Candidate]]
"""Candidates, each with the part of the keys it was judged on."""


class Portfolio(Optimizer[Candidate, Attempt]):
    """Tries each setting of each method once, and ends when nothing is left to try.

    Numeric and categorical keys are first tried apart; where a table has both, the best `kept` of each kind are
    then tried together, so that the work grows with the sum of the two lists and not with their product.
    Methods that take every scale are also tried on all keys at once: only they can make a mixed table
    k-anonymous over all of them, and where that is required nothing else is tried if there is such a method. So are
    chains that recode each key and then suppress, and methods that mask whole records on every column. A method that
    takes only some of the keys of a kind is left out unless it may mask them `partly`. The population is what was
    tried on all keys, in the order of the list.

    >>> Portfolio(methods=("mdav", "pram")).spec()
    {'method': 'portfolio', 'methods': ['mdav', 'pram']}
    """

    methods: tuple[str, ...] = param(default=(), help="masking methods to try (default: all)")
    require: tuple[Gate, ...] = param(
        default=(), help="what is required: methods that take k, l or t are tried with what it names"
    )
    partly: bool = param(default=False, help="try methods, too, that leave some of the keys as they are")
    only_coarsen: bool = param(default=False, help="try methods only that change no value")
    coincidences: bool = param(
        default=True, help="let synthetic records coincide with those of unique people by chance"
    )
    kept: int = param(default=8, low=1, help="maskings of each kind of keys that are tried together")
    batch: int = param(default=32, low=1, help="maskings tried before rules are asked whether to stop")

    def options(self, problem: KeyMaskings) -> dict[str, list[Masking]]:
        """What there is to try on the numeric keys, on the categorical ones, and on all at once."""
        methods = self._accepted(self.methods or registry.names("masking"))
        asked = demands(self.require)
        options: dict[str, list[Masking]] = {
            part: part_options(problem.table, names, methods, asked=asked, partly=self.partly)
            for part, names in problem.parts.items()
        }
        options["numeric"] += problem.grouped
        both = all(problem.parts.values())
        whole = whole_options(problem.table, problem.keys, methods, asked=asked) if both else []
        if not problem.by_hand.fixed:  # else a record would be of somebody after all
            whole += record_options(problem.table, methods, coincidences=self.coincidences)
        whole += suppressed_options(problem.table, problem.keys, methods, asked=asked)
        if both and whole and over_all_keys(self.require):
            options = {part: [] for part in options}
        if not both:  # what was listed for the keys of one kind is not tried again
            whole = [one for one in whole if not any(one in some for some in options.values())]
        return {**options, ALL: whole}

    def _accepted(self, methods: Sequence[str]) -> tuple[str, ...]:
        """Those that change no value, where nothing else may be tried."""
        if not self.only_coarsen:
            return tuple(methods)
        known: dict[str, type[Masking]] = {name: registry.load("masking", name) for name in methods}
        return tuple(name for name, method in known.items() if method.only_coarsens)

    def search(self, problem: KeyMaskings, rng: np.random.Generator) -> Asking[Candidate, Attempt, None]:
        """Yield what there is to try, the parts at once and then all keys batch by batch."""
        options = self.options(problem)
        apart = {part: options[part] for part in problem.parts}
        tried = 0
        if all(apart.values()):
            attempts = [Attempt(part, masking) for part in apart for masking in apart[part]]
            tried, most = len(attempts), len(options[ALL]) + self.kept**2
            found = yield from _tried(problem, attempts, (), total=tried + most)
            kept = [best_spread([c for p, c in found if p == part], self.kept) for part in apart]
            together = [Chain((a.masking, b.masking)) for a, b in itertools.product(*kept)]
            last = [*together, *options[ALL]]
        else:
            last = [*(options["numeric"] or options["categorical"]), *options[ALL]]
        total = tried + len(last)
        candidates: list[Candidate] = []
        for first in range(0, len(last), self.batch):
            attempts = [Attempt(ALL, masking) for masking in last[first : first + self.batch]]
            found = yield from _tried(problem, attempts, candidates, total=total)
            candidates += [candidate for _, candidate in found]
        if not candidates:
            raise DataError("No method of the portfolio could be applied to this table; see the notes.")
        yield Generation(_population(candidates), (), total=total)


def _tried(
    problem: KeyMaskings, attempts: Sequence[Attempt], population: Sequence[Candidate], *, total: int
) -> Asking[Candidate, Attempt, Tried]:
    """The candidates that attempts came to; those that cannot be applied are left out with a note."""
    trials = [Trial(attempt, attempt.part) for attempt in attempts]
    outcomes = yield Generation(_population(population), trials, total=total)
    found: Tried = []
    for attempt, outcome in zip(attempts, outcomes, strict=True):
        candidate = problem.candidate(attempt, outcome)
        if isinstance(candidate, str):
            progress.note(candidate)
        else:
            found.append((attempt.part, candidate))
    return found


def _population(candidates: Sequence[Candidate]) -> tuple[Individual[Candidate], ...]:
    return tuple(Individual(one, (one.loss, one.risk), str(one.masking)) for one in candidates)
