import pytest
from evolving import NAMES, evolved, small_table

from sfumato import datasets
from sfumato.core import UnknownNameError
from sfumato.measures import DisclosureRisk, InformationLoss
from sfumato.search.file_evolution.presets import DEFAULT, PRESETS, preset
from sfumato.search.file_evolution.starts import masked_start
from sfumato.search.problems.masked_files import Fitness, MaskedFiles

PUBLISHED = Fitness((InformationLoss(numeric="pil"),), (DisclosureRisk(linkage="both"),), "mean")


def problem_of(table, names, start, fitness):
    return MaskedFiles(table, names, fitness, masked_start(table, start, seed=1))


def test_the_default_is_ours_and_the_other_is_the_source():
    assert DEFAULT == "fast" and set(PRESETS) == {"fast", "mares2013"}
    source = preset("mares2013").optimizer
    assert (source.crossover, source.leaders, source.selection) == (0.5, 2, "observed")
    assert (source.mutations, source.crossovers) == (("gray_mutation",), ("two_point_crossover",))
    assert (source.walk, source.batch, source.sizes, source.focus, source.adaptive) == (1, 1, (1,), 0, False)


def test_unknown_presets_are_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="mares2013"):
        preset("mares2012")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_evolve_mixed_tables(name):
    table = small_table(60)
    problem = problem_of(table, NAMES, preset(name).start(table, NAMES)[::6], Fitness(how="max"))
    found = evolved(problem, 6 if name == "fast" else 20, optimizer=preset(name).optimizer)
    assert found.score <= found.history[0].best
    released = problem.decode(found.best.genome)
    assert released.names == table.names and released.n == table.n


@pytest.mark.parametrize("how", ["max", pytest.param("mean", marks=pytest.mark.slow)])
def test_fast_ends_lower_than_the_source_with_no_more_evaluations(how):
    table = datasets.business_survey(60, seed=1)
    keys = table.schema.with_role("key")
    fitness = Fitness(PUBLISHED.losses, PUBLISHED.risks, how)
    problem = problem_of(table, keys, preset("mares2013").start(table, keys), fitness)
    fast = evolved(problem, 3, optimizer=preset("fast").optimizer)
    source = evolved(problem, 700, optimizer=preset("mares2013").optimizer)
    assert fast.evaluations <= source.evaluations
    assert fast.score < source.score - 1
