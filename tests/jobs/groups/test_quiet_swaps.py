import numpy as np
import pytest
from swapping import small_files, small_problem, small_table

from sfumato.groups.outliers import mttt
from sfumato.groups.swaps import SwapList
from sfumato.jobs.groups._quiet_swaps import quieted


def crowded(problem):
    """Drum's surplus all goes to Essex, which comes to stand out."""
    members, others = problem.files.members.at(0), problem.files.others.at(1)
    return SwapList.of([[0, members[i], 1, others[i]] for i in range(problem.target.surplus)])


@pytest.mark.parametrize("seed", range(3))
def test_what_came_to_stand_out_is_ordinary_again(seed):
    problem = small_problem(seed=seed)
    files, swaps = problem.files, crowded(problem)
    assert 1 in mttt(swaps.quantity(files))
    assert 1 in problem.loud(swaps)
    found = quieted(problem, swaps, np.random.default_rng(seed))
    found.check(files)
    assert set(mttt(found.quantity(files))) <= set(mttt(files.quantity)) - {0}
    assert problem.unrest(found) == 0 < problem.unrest(swaps)
    table = small_table(seed=seed)
    after = found.applied(table, ["place"])
    assert (small_files(after).records == files.records).all()


def test_a_list_that_cannot_be_mended_stays_as_it_was():
    problem = small_problem()
    nothing = SwapList.of([])
    assert 0 in problem.loud(nothing)
    assert quieted(problem, nothing, np.random.default_rng(0)) is nothing


def test_a_quiet_list_stays_as_it_was():
    problem = small_problem()
    mended = quieted(problem, crowded(problem), np.random.default_rng(1))
    assert quieted(problem, mended, np.random.default_rng(2)) is mended
