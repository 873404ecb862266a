"""How long a search for swaps goes on where nothing is said, and which of its lists is taken."""

from sfumato.core import GateError, progress
from sfumato.groups.swaps import SwapList
from sfumato.search.contracts import Individual
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.run_record import Run

ROWS = 6_000_000  # of lists that a search makes in all
FEWEST_GENERATIONS = 20
SECONDS_PER_ROW, SECONDS_PER_RECORD = 4e-6, 2e-4  # about, on the machine where it was measured


def generations_for(problem: GroupSwaps, population: int) -> int:
    """How many generations are usual: long lists begin near to the best, and each generation takes longer."""
    return max(FEWEST_GENERATIONS, ROWS // (population * problem.target.surplus))


def tell_time(problem: GroupSwaps, population: int, records: int) -> None:
    rows = population * problem.target.surplus * generations_for(problem, population)
    minutes = (rows * SECONDS_PER_ROW + records * SECONDS_PER_RECORD) / 60
    swaps = problem.target.surplus
    progress.note(
        f"about {swaps} swaps are needed; the search and the verdict take about {minutes:.0f} minutes."
    )


def chosen_list(problem: GroupSwaps, found: Run) -> tuple[Individual[SwapList], float]:
    """The best list that hides all named places, and the percentage of lists that do.

    One after which no attacker sees an outlier where there was none comes before all others.
    """
    flags = [problem.is_valid(one.genome) for one in found.population]
    valid = [one for one, flag in zip(found.population, flags, strict=True) if flag]
    if problem.is_valid(found.best.genome):
        valid.append(found.best)
    if not valid:
        raise GateError(
            f"None of {len(found.population)} lists of swaps hides all named places after "
            f"{found.history[-1].generation} generations: allow more of them, or a higher limit; "
            "nothing was written."
        )
    quiet = [one for one in valid if problem.is_quiet(one.genome)]
    best = min(quiet or valid, key=lambda one: problem.score(one.costs))
    return best, 100 * sum(flags) / len(flags)
