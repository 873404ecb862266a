import naive_linkage as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.datasets import business_survey
from sfumato.masking import Mdav, RankSwapping
from sfumato.measures import DistanceLinkage, RankSwappingLinkage
from sfumato.parallel.threads import using_threads


def linked(original, masked, p, **parameters):
    return RankSwappingLinkage(p=p, **parameters).bind(original).score(masked).value


@pytest.mark.parametrize("p", [0, 10, 25, 60])
def test_against_all_pairs(p):
    @settings(max_examples=60, deadline=None)
    @given(pairs(("numeric", "ordinal")))
    def check(pair):
        expected = naive.rank_swapping_linkage(*pair, pair[0].names, p)
        assert linked(*pair, p) == pytest.approx(100 * np.mean(expected), abs=1e-9)

    check()


def test_it_unmasks_rank_swapping_better_than_distances_do():
    firms = business_survey(1000, seed=1)
    masked = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    by_distance = DistanceLinkage().bind(firms).score(masked).value
    assert linked(firms, masked, 5) > 90
    assert linked(firms, masked, 5) > by_distance


@pytest.mark.parametrize("p", [0, 2.3, 10, 40])
@pytest.mark.parametrize("seed", range(3))
def test_the_own_record_is_always_a_candidate_of_a_swapped_one(p, seed):
    rng = np.random.default_rng(seed)
    columns = {
        "x": np.where(rng.random(97) < 0.1, np.nan, rng.integers(0, 30, 97)),
        "u": rng.integers(-1, 4, 97),
    }
    original = keys({"x": "numeric", "u": ("ordinal", "abcd")}, columns)
    masked = RankSwapping(p=p).apply(original, rng)
    bound = RankSwappingLinkage(p=p).bind(original)
    assert (bound.track(masked).outcomes > 0).all()


def test_a_wrong_guess_of_p_misses_records():
    firms = business_survey(500, seed=1)
    masked = RankSwapping(p=20).apply(firms, np.random.default_rng(0))
    assert linked(firms, masked, 2) < linked(firms, masked, 20)


def test_the_whole_range_links_by_chance():
    firms = business_survey(50, seed=1)
    assert linked(firms, Mdav(k=3).apply(firms, np.random.default_rng(0)), 100) == pytest.approx(2)


def test_threads_give_the_same_bits():
    firms = business_survey(3000, seed=2)
    masked = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    values = []
    for threads in (1, 2):
        with using_threads(threads):
            values.append(linked(firms, masked, 5))
    assert values[0] == values[1]
