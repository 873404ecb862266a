import pickle
from itertools import pairwise

import numpy as np
import pytest
from swapping import METRIC, small_files, small_problem, small_table

from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.groups.influential_metric import distances
from sfumato.groups.outliers import mttt
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList
from sfumato.groups.views import View, Views
from sfumato.groups.wanted_signal import WantedSignal, target
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.memetic import Memetic, linearly_scaled
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.stop import Stop

TABLE = small_table()
FILES = small_files(TABLE)
QUICK = Memetic(population=30)


def found_by(problem, optimizer=QUICK, *, seed=0, generations=40, workers=1):
    return run(problem, optimizer, Effort(stop=Stop(generations=generations), seed=seed, workers=workers))


def test_costs_are_those_of_the_formula():
    problem = small_problem(limit=5)
    members, others = FILES.members.at(0), FILES.others.at(1)
    surplus = FILES.quantity[0] - 5
    assert problem.target.surplus == surplus
    for count in (1, surplus, surplus + 2):
        swaps = SwapList.of([[0, members[i], 1, others[i]] for i in range(count)])
        apart = distances(swaps.rows, METRIC.points(TABLE), METRIC).sum()
        after = swaps.quantity(FILES)
        corners = problem.target.wanted.corners
        degree = problem.target.wanted.degree(after)
        beyond = max(count - surplus, 0) / (surplus + 1)
        distortion, conspicuousness, length = problem.judge(swaps).costs
        assert distortion == pytest.approx(100 * apart / (METRIC.greatest * 2 * surplus))
        assert conspicuousness == pytest.approx(100 * (1 - degree))
        assert length == pytest.approx(100 * beyond)
        fitness = (1 - distortion / 100) * degree * (1 - beyond)
        assert problem.score((distortion, conspicuousness, length)) == pytest.approx(100 * (1 - fitness))
        assert degree < 1 if after[0] > corners[0, 2] else after[0] <= 5


def test_a_list_is_valid_if_the_attack_sees_the_named_place_no_more():
    problem = small_problem()
    assert 0 in mttt(FILES.quantity)
    assert not problem.is_valid(SwapList.of([]))
    best = found_by(problem).best.genome
    assert problem.is_valid(best)
    assert 0 not in mttt(best.quantity(FILES))


def test_grades_decide_what_is_valid_where_they_are_given():
    aim = target(FILES, ["Drum"])
    nothing = GroupSwaps(
        FILES,
        METRIC.points(TABLE),
        METRIC,
        aim,
        views=Views((View(name="nobody", amounts=np.zeros(FILES.n)),)),
    )
    assert nothing.is_valid(SwapList.of([]))


def test_the_search_hides_the_place_for_little_and_breaks_no_rule():
    problem = small_problem()
    found = found_by(problem)
    for one in found.population:
        one.genome.check(FILES)
        assert one.costs == problem.judge(one.genome).costs
    best = found.best.genome
    assert problem.target.wanted.degree(best.quantity(FILES)) == 1.0
    assert len(best) == problem.target.surplus
    random = [one.genome for one in found.start if len(one.genome) >= len(best)]
    assert problem.distortion(best) < min(problem.distortion(swaps) for swaps in random)
    assert sum(problem.is_valid(one.genome) for one in found.population) >= 0.95 * len(found.population)


@pytest.mark.parametrize("optimizer", [QUICK, Memetic(population=11, selection="proportional", thorough=1.0)])
def test_one_seed_gives_one_result_on_any_number_of_workers(optimizer):
    one, two = (found_by(small_problem(), optimizer, seed=5, generations=3, workers=w) for w in (1, 2))
    assert [i.genome.key for i in one.population] == [i.genome.key for i in two.population]
    other = found_by(small_problem(), optimizer, seed=6, generations=3)
    assert [i.genome.key for i in one.population] != [i.genome.key for i in other.population]


def test_the_best_is_never_lost():
    steps = found_by(small_problem(), Memetic(population=6, tournament=1)).history
    assert all(later.best <= earlier.best for earlier, later in pairwise(steps))


def test_a_problem_travels_to_workers_and_knows_itself():
    problem = small_problem()
    problem.nearby  # noqa: B018 -- what it learnt stays behind
    again = pickle.loads(pickle.dumps(problem))
    assert "nearby" not in vars(again)
    assert again.identity() == problem.identity()
    assert again.identity() != small_problem(limit=3).identity()
    assert again.identity() != small_problem(seed=1).identity()


def test_named_places_become_ordinary_and_no_other_gets_too_many():
    aim = target(FILES, ["Drum"])
    a, b, c, d = aim.wanted.corners[0]
    assert a < b <= c < FILES.quantity[0] < d
    assert aim.givers.tolist() == [0]
    assert 0 not in aim.takers
    assert (aim.wanted.corners[aim.takers, 2] >= FILES.quantity[aim.takers]).all()
    floors = aim.wanted.corners[aim.takers, 1]
    assert (floors <= aim.wanted.corners[aim.takers, 2]).all()


def seen_by_two(attacker=True):
    """The soldiers, and an attacker who takes the young of Essex for such."""
    rng = np.random.default_rng(4)
    looks = rng.random(FILES.n) < 0.1
    looks[FILES.others.at(1)[:15]] = True
    second = View(name="young", amounts=0.5 * looks, look=looks, attacker=attacker)
    views = Views((View(name="count", amounts=FILES.member.astype(float), whole=True), second))
    return views, Submicrofiles(FILES.places, views.telling, ~views.telling)


def test_what_any_attacker_sees_is_hidden_and_judged():
    views, files = seen_by_two()
    aim = target(files, ["Drum", "Essex"], views=views)
    problem = GroupSwaps(files, METRIC.points(TABLE), METRIC, aim, views=views)
    assert aim.corners.shape == (len(files.names), 2, 4)
    assert not problem.is_valid(SwapList.of([]))
    movers, givers = problem.drawn_movers(np.random.default_rng(0))
    left = problem.signals.copy()
    for mover, giver in zip(movers, givers, strict=True):
        left[giver] -= views.amounts[mover]
    assert (left[aim.givers] <= aim.corners[aim.givers, :, 2]).all()
    best = found_by(problem).best.genome
    best.check(files)
    moved, seen = best.moved(files.place), set()
    for at, view in enumerate(views.listed):
        counted = [view.amounts[moved == place].sum() for place in range(len(files.names))]
        assert problem.after(best)[:, at] == pytest.approx(counted)
        seen |= set(mttt(np.array(counted)))
    assert problem.is_valid(best) == (not {0, 1} & seen)


def test_a_view_that_is_no_attacker_s_guides_but_does_not_forbid():
    views, files = seen_by_two(attacker=False)
    aim = target(files, ["Drum"], views=views)
    problem = GroupSwaps(files, METRIC.points(TABLE), METRIC, aim, views=views)
    members = FILES.members.at(0)[: aim.surplus + 2]
    hidden = SwapList.of(
        [[0, row, 2, other] for row, other in zip(members, files.others.at(2), strict=False)]
    )
    seen = set(mttt(problem.after(hidden)[:, 0]))
    assert problem.is_valid(hidden) == (0 not in seen)


def test_places_take_while_they_have_room():
    problem = small_problem()
    deck = problem.drawn_deck(10, np.random.default_rng(0))
    assert len(deck) == 10
    assert set(deck) <= set(problem.target.takers)
    now = np.bincount(deck, minlength=len(FILES.names)) + FILES.quantity
    room = problem.target.wanted.corners[problem.target.takers, 2]
    assert (now[problem.target.takers] <= np.ceil(room) + 1).all()


def test_a_limit_is_the_source_s_way():
    aim = target(FILES, ["Drum"], limit=2)
    assert aim.wanted.corners[0, :3].tolist() == [-np.inf, -np.inf, 2]
    assert aim.surplus == FILES.quantity[0] - 2


def test_of_a_concentration_large_places_may_have_more():
    aim = target(FILES, ["Drum"], kind="concentration")
    ceilings = aim.wanted.corners[aim.takers, 2]
    order = np.argsort(FILES.records[aim.takers])
    free = ceilings[order] > FILES.quantity[aim.takers][order]
    assert (np.diff(ceilings[order][free]) >= 0).all()


def test_single_places_can_be_overruled():
    aim = target(FILES, ["Drum"], wanted={"Essex": (1, 2, 3, 4)})
    assert aim.wanted.corners[1].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("named", "given", "error", "sentence"),
    [
        ([], {}, DataError, "No place is named"),
        (["Atlantis"], {}, UnknownNameError, "Unknown place"),
        (["Drum"], {"limit": 1000}, DataError, "nothing to protect"),
        (list(FILES.names), {}, DataError, "No place is left"),
        (["Drum"], {"wanted": {"Drum": (3, 2, 1, 0)}}, ParameterError, "do not fall"),
    ],
)
def test_what_cannot_be_wanted_is_refused(named, given, error, sentence):
    with pytest.raises(error, match=sentence):
        target(FILES, named, **given)


def test_memberships_of_a_trapezoid():
    wanted = WantedSignal(np.array([[0.0, 4.0, 6.0, 8.0]] * 6))
    assert wanted.memberships(np.array([0, 1, 4, 6, 7, 8])).tolist() == [0, 0.25, 1, 1, 0.5, 0]
    edge = WantedSignal(np.array([[2.0, 2.0, 3.0, 3.0]] * 4))
    assert edge.memberships(np.array([1, 2, 3, 4])).tolist() == [0, 1, 1, 0]


def test_linear_scaling_keeps_mean_and_order():
    rng = np.random.default_rng(0)
    for _ in range(20):
        fitness = rng.random(12)
        scaled = linearly_scaled(fitness)
        assert scaled.mean() == pytest.approx(fitness.mean())
        assert (np.argsort(scaled, kind="stable") == np.argsort(fitness, kind="stable")).all()
        assert scaled.min() >= 0
        assert scaled.max() <= 2 * fitness.mean() + 1e-9
    assert linearly_scaled(np.full(3, 0.4)).tolist() == [1, 1, 1]
