import os
import pickle
import signal
from dataclasses import replace

import numpy as np
from evolving import evolved, small_problem, what_matters
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.measures import DisclosureRisk, InformationLoss
from sfumato.parallel.cluster import Cluster
from sfumato.search.effort import Effort
from sfumato.search.file_evolution import genomes
from sfumato.search.file_evolution.genomes import Light
from sfumato.search.file_evolution.operator_choice import Choice
from sfumato.search.loop import judge, run
from sfumato.search.optimizers.evolution import Evolution
from sfumato.search.problems import masked_files
from sfumato.search.problems.masked_files import Descent, Fitness, Walk
from sfumato.search.stop import Stop

MUTATIONS = ("mending_swaps", "mending_trades", "redraw_values", "swap_values", "towards_original")
DESCENDING = Evolution(
    crossover=0.3,
    mutations=MUTATIONS,
    walk=5,
    sizes=(1, 8),
    focus=4,
    batch=4,
    adaptive=True,
    legs=3,
    budget=400,
)
PROBLEM = small_problem()
WIDE = small_problem(fitness=Fitness((InformationLoss(numeric="pil"),), (DisclosureRisk(),), "mean"), n=400)


def descent(problem, *, file=0, seed=1, legs=4, budget=600):
    genome = problem.start[file][1]
    score = problem.score(problem.judge(Walk(genome)).costs)
    return Descent(genome, score, Choice(MUTATIONS, (1, 8), adaptive=True), legs, 5, budget, seed)


def elsewhere(problem):
    """The problem as a worker process gets it."""
    return pickle.loads(pickle.dumps(problem))


def sent(candidate):
    return pickle.loads(pickle.dumps(candidate))


@settings(max_examples=15)
@given(seed=st.integers(0, 100_000), file=st.integers(0, 5), legs=st.integers(1, 6))
def test_a_descent_is_the_same_wherever_it_is_judged(seed, file, legs):
    candidate = descent(PROBLEM, file=file, seed=seed, legs=legs)
    outcome = PROBLEM.judge(candidate)
    assert elsewhere(PROBLEM).judge(sent(candidate)) == outcome == PROBLEM.judge(candidate)
    assert len(outcome.legs) == legs
    assert outcome.legs[-1].costs == outcome.costs
    assert sum(leg.kept for leg in outcome.legs) == len(outcome.kept) == len(outcome.found)
    assert PROBLEM.score(outcome.costs) <= candidate.score
    genome = PROBLEM.walked(candidate, outcome)
    assert elsewhere(PROBLEM).judge(Walk(genome)).costs == outcome.costs


@settings(max_examples=15)
@given(seed=st.integers(0, 100_000), file=st.integers(0, 5))
def test_steps_are_made_again_from_the_numbers_of_those_kept(seed, file):
    candidate = descent(PROBLEM, file=file, seed=seed)
    outcome = PROBLEM.judge(candidate)
    known = PROBLEM.walked(candidate, outcome)
    assert elsewhere(PROBLEM).walked(candidate, replace(outcome, found=None)).key == known.key


def test_a_leg_ends_when_its_budget_is_spent():
    candidate = descent(WIDE, legs=12, budget=1000)
    outcome = WIDE.judge(candidate)
    largest = WIDE.step + 16
    assert all(1000 - largest < leg.work <= 1000 for leg in outcome.legs)
    assert {leg.size for leg in outcome.legs} == {1, 8}
    assert {leg.operator for leg in outcome.legs} > {"swap_values", "mending_swaps"}
    one = WIDE.judge(descent(WIDE, legs=2, budget=1))
    assert [leg.tried for leg in one.legs] == [1, 1]  # a leg takes one step at least


def test_where_nothing_can_be_changed_a_descent_ends():
    table = PROBLEM.source.replace({"wage": np.full(40, np.nan)})
    problem = masked_files.MaskedFiles(table, ("wage",), Fitness(), [("itself", table)])
    genome = problem.start[0][1]
    candidate = Descent(genome, 0.0, Choice(("swap_values",), (1,), adaptive=True), 3, 5, 100, 1)
    outcome = problem.judge(candidate)
    assert [leg.tried for leg in outcome.legs] == [0, 0, 0]
    assert problem.walked(candidate, outcome) is genome


def test_a_light_candidate_leaves_its_base_behind():
    candidate = descent(WIDE)
    light = WIDE.light(candidate)
    assert WIDE.knows(light) and WIDE.judge(light) == WIDE.judge(candidate)
    assert len(pickle.dumps(light)) < len(pickle.dumps(candidate)) / 3
    there = elsewhere(WIDE)
    assert not there.knows(sent(light)) and judge(there, sent(light)) is None
    there.judge(sent(Walk(candidate.genome)))
    assert judge(there, sent(light)) == WIDE.judge(candidate)


def test_a_light_genome_is_made_whole_from_its_base_and_changes():
    candidate = descent(WIDE)
    genome = WIDE.walked(candidate, WIDE.judge(candidate))
    there = pickle.loads(pickle.dumps(Light(genome)))
    assert genome.changes and there.whole() is None
    assert there.whole(genome.base).key == genomes.Genome(genome.base, genome.changes).key == genome.key


def test_a_start_travels_whole():
    first = Walk(PROBLEM.start[0][1])
    assert PROBLEM.light(first) is first


def test_runs_that_descend_are_resumed_where_they_were(tmp_path):
    whole = what_matters(PROBLEM, evolved(PROBLEM, 12, optimizer=DESCENDING))
    for generations in (1, 5, 12):
        pieces = evolved(small_problem(), generations, optimizer=DESCENDING, folder=tmp_path)
    assert pieces.resumed == 6
    assert what_matters(PROBLEM, pieces) == whole


def test_workers_that_forget_everything_change_nothing(monkeypatch):
    whole = what_matters(PROBLEM, evolved(PROBLEM, 8, optimizer=DESCENDING))
    assert what_matters(PROBLEM, evolved(PROBLEM, 8, optimizer=DESCENDING, workers=2)) == whole

    class Forgetful:
        """Judges every candidate in a process that knows no other, as far as it can tell."""

        refused = 0

        def run(self, function, jobs, things=None):
            for position, job in enumerate(jobs):
                outcome = function(elsewhere(PROBLEM), sent(job))
                self.refused += outcome is None
                yield position, sent(outcome)

    crew = Forgetful()
    found = run(PROBLEM, DESCENDING, Effort(stop=Stop(generations=8), seed=1), crew=crew)
    assert what_matters(PROBLEM, found) == whole
    assert crew.refused > 8


def test_workers_of_a_cluster_that_are_killed_cost_no_result():
    whole = what_matters(PROBLEM, evolved(PROBLEM, 15, optimizer=DESCENDING))
    seen = []
    with Cluster(PROBLEM, workers=2) as cluster:
        nannies = list(cluster._client.cluster.workers.values())

        def killing(asked, outcomes, population):
            seen.append(len(outcomes))
            for nanny in {4: nannies[:1], 8: nannies}.get(len(seen), []):  # one of them, then all
                os.kill(nanny.pid, signal.SIGKILL)

        found = run(
            PROBLEM, DESCENDING, Effort(stop=Stop(generations=15), seed=1), crew=cluster, watch=killing
        )
    assert len(seen) == 16
    assert what_matters(PROBLEM, found) == whole
