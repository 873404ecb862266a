"""Synthetic files as a problem of search: what the masking makes, with all that a search can do."""

import pickle

import numpy as np
import pytest

from sfumato.core import DataError, Key, ParameterError, progress, stream
from sfumato.core.errors import Cancelled
from sfumato.data import broken_rules
from sfumato.data.households import together
from sfumato.datasets import business_survey, household_survey
from sfumato.masking import CalibratedSynthesis
from sfumato.masking.synthesis.calibration import Calibration
from sfumato.masking.synthesis.columns import columns_of
from sfumato.masking.synthesis.targets import Targets
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.swap_calibration import SwapCalibration
from sfumato.search.problems import synthetic_files
from sfumato.search.problems.synthetic_files import Round, SyntheticFiles
from sfumato.search.stop import Ending, Stop

SURVEY, FIRMS = household_survey(150, seed=1), business_survey(60, seed=1)
PEOPLE = SURVEY.select(
    [a.name for a in SURVEY.schema if a.role != "household"]
)  # of whom none lives with another
QUICK = CalibratedSynthesis(proposals=8)
SEEDS = {"a number": 3, "a key": Key(bytes(range(32)))}


def problem(table=PEOPLE, seed=3, synthesis=QUICK):
    return SyntheticFiles(table, seed=seed, synthesis=synthesis)


def found(files, *, seed=3, starts=2, size=3, **effort):
    effort = {"stop": Stop.when_done(), **effort}
    return run(files, SwapCalibration(starts=starts, size=size), Effort(seed=seed, **effort))


def what_matters(files, result):
    """All that must not hang on who judged, and the bytes of the best file."""
    costs = [one.costs for one in result.population], [one.costs for one in result.start]
    history = [(one.generation, one.evaluations, one.best) for one in result.history]
    return costs, history, result.best.genome, result.operators, files.decode(result.best.genome).fingerprint


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(seed, id=name, marks=pytest.mark.slow if name == "a key" else [])
        for name, seed in SEEDS.items()
    ],
)
@pytest.mark.parametrize(
    ("table", "synthesis"),
    [
        (PEOPLE, QUICK),
        (PEOPLE, CalibratedSynthesis(proposals=5, coincidences=False)),
        (FIRMS, QUICK),
        (SURVEY, QUICK),
        (SURVEY, CalibratedSynthesis(proposals=5, coincidences=False)),
    ],
    ids=["people", "without coincidences", "firms", "households", "households without coincidences"],
)
def test_a_file_is_what_the_masking_makes_of_the_same_random_numbers(table, synthesis, seed):
    files = problem(table, seed, synthesis)
    result = found(files, seed=seed)
    for one in result.population:
        rng = stream(seed, "synthesis", *([table.digest] if isinstance(seed, Key) else []), one.genome.start)
        expected = synthesis.mask(table, synthesis.targets(table), rng)
        assert files.decode(one.genome).fingerprint == expected.fingerprint


def test_files_of_many_records_go_in_parts(monkeypatch):
    monkeypatch.setattr("sfumato.masking.synthesis.dealing.PART", 50)
    files = problem()
    assert len(files.parts) == 3
    result = found(files)
    assert len(result.best.genome.rounds) == 3
    rng = stream(3, "synthesis", result.best.genome.start)
    expected = QUICK.mask(PEOPLE, QUICK.targets(PEOPLE), rng)
    assert files.decode(result.best.genome).fingerprint == expected.fingerprint


def test_households_come_in_steps_whose_parts_are_their_own(monkeypatch):
    """What they share, reference persons, second members and others; each begins when the one before is done."""
    monkeypatch.setattr("sfumato.masking.synthesis.dealing.PART", 30)
    files = problem(SURVEY)
    sizes = files.plan.sizes
    assert len(sizes) >= 3 and len(files.parts) > len(sizes)
    assert sum(sizes[1:]) == SURVEY.n == files.source.n
    result = found(files)
    assert all(rounds == 3 for rounds in result.best.genome.rounds)  # of 3, 3 and the last 2 of 8 proposals
    assert result.history[-1].generation == 3 * len(sizes)
    expected = QUICK.mask(SURVEY, QUICK.targets(SURVEY), stream(3, "synthesis", result.best.genome.start))
    new = files.decode(result.best.genome)
    assert new.fingerprint == expected.fingerprint
    assert sorted(np.bincount(together(new))) == sorted(np.bincount(together(SURVEY)))


def test_what_has_not_begun_is_as_it_was_at_the_start():
    """A search of households that is ended early has whole files to release."""
    result = found(problem(SURVEY), stop=Stop(generations=1))
    assert [one.genome.rounds[0] for one in result.population] == [1, 1]
    assert not any(one.genome.rounds[-1] for one in result.population)
    for one in (*result.start, *result.population):
        new = problem(SURVEY).decode(one.genome)
        assert new.n == SURVEY.n and not any(broken_rules(new).values())


def test_a_step_that_was_lost_is_made_again():
    files = problem(SURVEY)
    whole = files.judge(Round(0, 2, 2, 3, (3, 3)))
    for before in ((0, 0), (3, 3)):
        elsewhere = problem(SURVEY)
        for rounds in range(2):
            elsewhere.judge(Round(0, 2, rounds, 3, before))
        again = elsewhere.judge(Round(0, 2, 2, 3, before))
        assert (again.costs == whole.costs) == (before == (3, 3))


def test_what_nobody_can_move_is_done():
    """A person's region is the area, which stays; there is nothing else."""
    schema = SURVEY.schema
    names = [name for name in SURVEY.names if schema[name].role == "household" or name in ("age", "region")]
    moved = SURVEY.select(names)
    region = np.random.default_rng(0).integers(0, schema["region"].domain_size, SURVEY.n)
    files = problem(
        moved.replace({"region": region}), synthesis=QUICK.from_parameters({"attributes": ("region",)})
    )
    assert found(files).ended is Ending.NOTHING_LEFT


def test_gaps_that_were_followed_are_those_of_the_file():
    names = FIRMS.names
    synthesis = CalibratedSynthesis(single=True, proposals=40)
    files = SyntheticFiles(FIRMS, seed=1, synthesis=synthesis)
    assert files.names == names and not files.plan.made
    for rounds in (0, 1, 4):
        costs = files.judge(Round(0, 0, rounds, 2)).costs
        donors = files._taken(Round(0, 0, rounds, 2), rounds).deal.donors
        anew = Calibration.begun(Targets(columns_of(FIRMS, names), synthesis.least), donors, {})
        assert costs == pytest.approx((anew.table_gap, anew.product_gap), rel=1e-9)
        assert files.score(costs) == pytest.approx(max(costs[0] / 0.1, costs[1] / 0.001))


def test_every_distribution_is_exact():
    files = problem(FIRMS, synthesis=CalibratedSynthesis(single=True, proposals=5))
    result = found(files)
    for one in (*result.start, *result.population):
        new = files.decode(one.genome)
        for name in FIRMS.names:
            assert np.array_equal(np.sort(new[name]), np.sort(FIRMS[name]), equal_nan=True)


def test_what_was_lost_is_made_again():
    files = problem()
    course = [files.judge(Round(1, 0, rounds, 3)).costs for rounds in range(3)]
    assert course[2] < course[1] < course[0]
    elsewhere = pickle.loads(pickle.dumps(files))
    assert elsewhere.judge(Round(1, 0, 2, 3)).costs == course[2]
    assert [elsewhere.judge(Round(1, 0, rounds, 3)).costs for rounds in (0, 2, 1)] == [
        course[i] for i in (0, 2, 1)
    ]


def test_a_problem_travels_without_what_it_keeps():
    files = problem()
    before = len(pickle.dumps(files))
    files.judge(Round(0, 0, 1, 3))
    assert len(pickle.dumps(files)) <= before + 100


@pytest.mark.parametrize(
    "table",
    [pytest.param(PEOPLE, id="people", marks=pytest.mark.slow), pytest.param(SURVEY, id="households")],
)
def test_workers_change_nothing(table):
    seed = SEEDS["a key"]
    one, two = problem(table, seed=seed), problem(table, seed=seed)
    assert what_matters(one, found(one, seed=seed)) == what_matters(two, found(two, seed=seed, workers=2))


@pytest.mark.slow
@pytest.mark.parametrize("table", [PEOPLE, SURVEY], ids=["people", "households"])
def test_a_cluster_changes_nothing(table):
    pytest.importorskip("distributed")
    one, two = problem(table), problem(table)
    assert what_matters(one, found(one)) == what_matters(two, found(two, workers=2, cluster="local"))


class Interrupt:
    """Stops the work at a generation."""

    def __init__(self, generation):
        self.words = f"generation {generation},"

    def started(self, task): ...
    def finished(self, task): ...
    def noted(self, message): ...
    def found(self, what, values): ...
    def honoured(self): ...
    def advanced(self, task):
        if task.status.startswith(self.words):
            raise Cancelled("Stopped.")


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("table", "at"), [(PEOPLE, 1), (SURVEY, 1), (SURVEY, 5)])
def test_a_run_that_was_cut_off_goes_on_to_the_same_file(tmp_path, table, at, workers):
    whole, cut, again = problem(table), problem(table), problem(table)
    with progress.listening(Interrupt(at)):
        ended = found(cut, folder=tmp_path / "run", workers=workers)
    assert ended.ended is Ending.BY_USER
    assert cut.decode(ended.best.genome).n == table.n
    resumed = found(again, folder=tmp_path / "run", workers=workers)
    assert resumed.resumed == at + 1 and resumed.ended is Ending.NOTHING_LEFT
    assert what_matters(again, resumed) == what_matters(whole, found(whole))
    replayed = problem(table)  # of which the journal knows the end, and nobody the file
    assert what_matters(replayed, found(replayed, folder=tmp_path / "run")) == what_matters(again, resumed)


def test_a_journal_of_another_synthesis_is_refused(tmp_path):
    found(problem(), folder=tmp_path / "run", stop=Stop(generations=1))
    with pytest.raises(Exception, match="holds a run with another synthesis"):
        found(problem(synthesis=CalibratedSynthesis(least=30)), folder=tmp_path / "run")


@pytest.mark.parametrize(
    ("rule", "ended"),
    [
        ({"generations": 2}, Ending.BY_RULE),
        ({"target": 1e9}, Ending.BY_RULE),
        ({"seconds": 1e-6}, Ending.BY_RULE),
        ({"stagnation": 50}, Ending.NOTHING_LEFT),
        ({}, Ending.NOTHING_LEFT),
    ],
    ids=["generations", "target", "seconds", "stagnation", "none"],
)
def test_every_rule_ends_it_and_so_does_its_own_end(rule, ended):
    result = found(problem(), stop=Stop.when_done(**rule))
    assert result.ended is ended
    swaps = [one.evaluations for one in result.history]
    assert swaps == sorted(swaps)
    if ended is Ending.NOTHING_LEFT:
        assert result.history[-1].generation == 3  # of 3, 3 and the last 2 of 8 proposals
        assert result.operators["swaps"].tried == 2 * 8 * PEOPLE.n * movable(problem())


def movable(files):
    """All columns that are not made of others, but the one that areas are told by."""
    return len(files._taken(Round(0, 0, 0, 1), 0).deal.movable)


def test_files_that_are_near_enough_are_left_alone():
    easy = CalibratedSynthesis(near=10.0, proposals=500)
    files = SyntheticFiles(PEOPLE.select(["age", "sex", "income"]), seed=1, synthesis=easy)
    result = found(files, size=2)
    assert result.ended is Ending.NOTHING_LEFT
    assert all(files.score(one.costs) <= 1 for one in result.population)
    tried = [
        files.judge(Round(one.genome.start, 0, one.genome.rounds[0], 2)).facts for one in result.population
    ]
    assert all(0 < one < 500 for one in tried)


def test_memory_has_bounds(monkeypatch):
    cells = PEOPLE.n * len(problem().names)
    monkeypatch.setattr(synthetic_files, "MOST_CELLS", cells)
    assert len(found(problem(), starts=5, stop=Stop(generations=1)).population) == 1
    monkeypatch.setattr(synthetic_files, "MOST_CELLS", cells - 1)
    with pytest.raises(
        DataError, match="more than a search of synthetic files holds in memory: use mask or protect"
    ):
        problem()


def test_what_cannot_be_searched_is_refused():
    with pytest.raises(ParameterError, match="a formal promise allows no search"):
        problem(synthesis=CalibratedSynthesis(epsilon=1.0))
    with pytest.raises(DataError, match="holds no record"):
        problem(PEOPLE.take([]))
