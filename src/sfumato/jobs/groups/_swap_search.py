"""How long a search for swaps goes on where nothing is said, and which of its lists is taken."""

from itertools import chain

import numpy as np

from sfumato.core import GateError, progress
from sfumato.groups.swaps import SwapList
from sfumato.jobs.groups._quiet_swaps import quieted
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.run_record import Run

ROWS = 6_000_000  # of lists that a search makes in all
FEWEST_GENERATIONS = 20
MENDED = 5  # of the best lists, where none is quiet
SECONDS_PER_ROW, SECONDS_PER_RECORD = 4e-6, 2e-4  # about, on the machine where it was measured


def generations_for(problem: GroupSwaps, population: int) -> int:
    """How many generations are usual: long lists begin near to the best, and each generation takes longer."""
    return max(FEWEST_GENERATIONS, ROWS // (population * problem.target.surplus))


def tell_time(problem: GroupSwaps, population: int, records: int) -> None:
    rows = population * problem.target.surplus * generations_for(problem, population)
    minutes = round((rows * SECONDS_PER_ROW + records * SECONDS_PER_RECORD) / 60)
    long = (
        "less than a minute"
        if minutes < 1
        else "about a minute"
        if minutes == 1
        else f"about {minutes} minutes"
    )
    swaps = problem.target.surplus
    progress.note(f"about {swaps} swaps are needed; the search and the verdict take {long}.")


def chosen_list(problem: GroupSwaps, found: Run, rng: np.random.Generator) -> tuple[SwapList, float]:
    """The best list that hides all named places, and the percentage of lists that do.

    One after which no attacker sees an outlier where there was none comes before all others. Where the search found
    none, the best are mended.
    """
    ranked = sorted([found.best, *found.population], key=lambda one: problem.score(one.costs))
    lists = [*{one.genome.key: one.genome for one in ranked}.values()]
    valid = [one for one in lists if problem.is_valid(one)]
    percent = 100 * sum(problem.is_valid(one.genome) for one in found.population) / len(found.population)
    mended = (quieted(problem, one, rng) for one in (valid or lists)[:MENDED])
    quiet = next((one for one in chain(valid, mended) if not problem.unrest(one)), None)
    if quiet is None and not valid:
        raise GateError(
            f"None of {len(found.population)} lists of swaps hides all named places after "
            f"{found.history[-1].generation} generations: allow more of them, or a higher limit; "
            "nothing was written."
        )
    return valid[0] if quiet is None else quiet, percent
