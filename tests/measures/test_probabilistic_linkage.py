import time
from itertools import permutations

import naive_linkage as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.attacks.linkage.fellegi_sunter import LARGEST_ASSIGNMENT, FellegiSunterLinker
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import business_survey
from sfumato.masking import Mdav, RankSwapping
from sfumato.measures import Change, ProbabilisticLinkage
from sfumato.parallel.threads import using_threads


def linked(original, masked, **parameters):
    return ProbabilisticLinkage(**parameters).bind(original).score(masked)


@pytest.mark.parametrize("tolerance", [0.0, 0.1, 0.5])
def test_against_all_pairs(tolerance):
    @settings(max_examples=60, deadline=None)
    @given(pairs())
    def check(pair):
        expected = naive.best_links(*pair, pair[0].names, tolerance)
        score = linked(*pair, tolerance=tolerance)
        assert score.value == pytest.approx(100 * np.mean(expected), abs=1e-9)

    check()


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_em_against_all_pairs(pair):
    original, masked = pair
    found = naive.patterns(original, masked, original.names)
    m, u, share = naive.em([p for row in found for p in row], original.n)
    linker = FellegiSunterLinker(original, original.names, 0.1)
    weights = linker.weights(linker.compare(masked).pairs)
    assert weights.m.tolist() == pytest.approx(m, abs=1e-9)
    assert weights.u.tolist() == pytest.approx(u, abs=1e-9)
    assert weights.share == pytest.approx(share, abs=1e-9)
    assert (weights.gains >= 1).all()


@settings(max_examples=40, deadline=None)
@given(pairs(least=2, columns=3))
def test_the_assignment_has_the_greatest_sum(pair):
    original, masked = (table.take(np.arange(min(table.n, 5))) for table in pair)
    linker = FellegiSunterLinker(original, original.names, 0.1)
    found = linker.compare(masked)
    weights = linker.weights(found.pairs)
    patterns = naive.patterns(original, masked, original.names)
    table = [[naive.weight(p, weights.m, weights.u) for p in row] for row in patterns]
    orders = list(permutations(range(original.n)))
    sums = [sum(table[r][s] for r, s in enumerate(order)) for order in orders]
    best = [order for order, total in zip(orders, sums, strict=True) if total == max(sums)]
    shares = linker.assigned_links(found, weights, np.random.default_rng(1))
    assert 0 <= shares.sum() <= original.n + 1e-9
    if len(best) == 1:
        assert shares.tolist() == [float(best[0][r] == r) for r in range(original.n)]


def test_agreement_of_rare_values_weighs_more():
    # the release agrees with record 3 in the rare town, and with others in the frequent sex
    original = keys(
        {"town": ("nominal", "abcdefgh"), "sex": ("nominal", "fm")},
        {"town": [0, 1, 2, 3, 4, 5, 6, 7], "sex": [0, 0, 0, 0, 1, 1, 1, 1]},
    )
    masked = original.replace({"sex": np.array([0, 0, 0, 1, 1, 1, 1, 0])})
    score = linked(original, masked)
    assert score.value == 100
    assert score.parts["u town"] < score.parts["u sex"]


def test_records_that_are_alike_share_their_link():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 0, 0, 1]})
    for link in ("best", "assignment"):
        assert linked(original, original, link=link).value == pytest.approx(50)  # 3 · 1/3 + 1 of 4


def test_numbers_agree_within_the_tolerance():
    original = keys({"x": "numeric"}, {"x": [0.0, 10.0, 20.0, 30.0]})  # standard deviation 11.18
    masked = original.replace({"x": original["x"] + 1.2})
    assert linked(original, masked, tolerance=0.11).value == 100
    assert linked(original, masked, tolerance=0.10).value == 25  # nothing agrees: one of four


def test_missing_agrees_with_missing_only():
    original = keys({"x": "numeric", "v": ("nominal", "ab")}, {"x": [1.0, np.nan, 2.0], "v": [0, 1, -1]})
    assert linked(original, original).value == 100
    gone = original.replace({"x": np.full(3, np.nan), "v": np.full(3, -1)})
    # everybody agrees with record 1 in x and with record 2 in v: they tie
    assert linked(original, gone).value == pytest.approx(100 / 3)


def test_a_recoded_category_agrees_with_all_it_covers():
    size = Attribute(name="v", scale="nominal", role="key", categories=("a", "b", "c"))
    outer = size.evolve(categories=("b", "ac"), covers={"ac": ("a", "c")})
    original = Table(Schema([size]), {"v": np.array([0, 1, 2])})
    masked = Table(Schema([outer]), {"v": np.array([1, 0, 1])})
    assert linked(original, masked).value == pytest.approx(200 / 3)


def test_more_than_twenty_attributes():
    domains = {f"v{j}": ("nominal", "ab") for j in range(22)}
    original = keys(domains, {name: [0, 1, 1] for name in domains})
    assert len(ProbabilisticLinkage().bind(original).names) == 20
    with pytest.raises(DataError, match="at most 20 attributes"):
        ProbabilisticLinkage(attributes=tuple(domains)).bind(original)


def test_many_records_are_not_assigned():
    original = keys({"x": "numeric"}, {"x": np.arange(LARGEST_ASSIGNMENT + 1.0)})
    with pytest.raises(DataError, match="use link = best"):
        linked(original, original, link="assignment")


def test_k_anonymous_files_are_linked_with_one_in_k_at_most():
    firms = business_survey(300, seed=3)
    masked = Mdav(k=5).apply(firms, np.random.default_rng(0))
    assert linked(firms, masked, tolerance=0.05).value <= 20


def test_threads_give_the_same_bits():
    firms = business_survey(1500, seed=2)
    masked = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    scores = []
    for threads in (1, 2, 3):
        with using_threads(threads):
            scores.append(linked(firms, masked))
    assert scores[0].value == scores[1].value == scores[2].value
    assert scores[0].parts == scores[1].parts == scores[2].parts


def test_weights_count_the_records_that_are_linked():
    w = Attribute(name="w", scale="numeric", role="weight")
    v = Attribute(name="v", scale="nominal", role="key", categories=("a", "b", "c"))
    original = Table(Schema([v, w]), {"v": np.array([0, 1, 2]), "w": [1.0, 1.0, 8.0]})
    masked = original.replace({"v": np.array([0, 1, 1])})
    assert linked(original, masked).value == pytest.approx(200 / 3)
    assert linked(original, masked, weighted=True).value == pytest.approx(20)


def test_tracked_values_are_the_judged_ones_to_the_last_bit():
    firms = business_survey(200, seed=5)
    masked = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    bound = ProbabilisticLinkage().bind(firms)
    tracker, rng = bound.track(masked), np.random.default_rng(1)
    columns = {name: masked[name].copy() for name in masked.names}
    for _ in range(60):
        row, name = int(rng.integers(200)), str(rng.choice(firms.names))
        value = float(firms[name][rng.integers(200)])
        tracker.try_(Change.cell(row, name, value))
        tracker.accept()
        columns[name][row] = value
    assert tracker.value == bound.score(masked.replace(columns)).value


def test_lists_of_records_that_grow_stay_apart():
    firms = business_survey(30, seed=5)
    tracker, rng = ProbabilisticLinkage().bind(firms).track(firms), np.random.default_rng(1)
    kept = {}
    for size in (1, 3, 8, 20, 31, 45, 70, 110, 170, 260, 400, 3):
        for row in rng.permutation(30).tolist():
            kept[row] = rng.integers(0, 1000, (2, size + row % 2))
            tracker._store(row, *kept[row])
        for row, (patterns, tallies) in kept.items():
            own = slice(tracker.starts[row], tracker.ends[row])
            assert tracker.patterns[own].tolist() == patterns.tolist()
            assert tracker.tallies[own].tolist() == tallies.tolist()


def test_two_thresholds():
    # independent attributes of which one in ten was changed: what the model assumes
    rng = np.random.default_rng(1)
    domains = {f"v{j}": ("nominal", "abcdefgh") for j in range(8)}
    original = keys(domains, {name: rng.integers(0, 8, 200) for name in domains})
    masked = original.replace(
        {name: np.where(rng.random(200) < 0.1, rng.integers(0, 8, 200), original[name]) for name in domains}
    )
    linker = FellegiSunterLinker(original, original.names, 0.1)
    found = linker.classify(masked, false_matches=1e-4, false_non_matches=0.01)
    assert sum(found.pairs.values()) == 200**2
    assert sum(found.matches.values()) == 200
    assert found.lower < found.upper
    assert found.pairs["linked"] - found.matches["linked"] <= 3 * 1e-4 * 200**2
    assert found.matches["not linked"] <= 3 * 0.01 * 200
    assert found.matches["linked"] > 150
    everything = linker.classify(masked, false_matches=1.0)
    assert everything.pairs == {"linked": 200**2, "clerical": 0, "not linked": 0}
    nothing = linker.classify(masked, false_matches=0.0, false_non_matches=1.0)
    assert nothing.pairs["not linked"] == 200**2
    assert found.to_frame().num_rows == 3
    score = linked(original, masked, link="classified", false_non_matches=0.01)
    assert score.value == 100 * found.matches["linked"] / 200 == score.parts["matches linked"]
    assert score.parts["pairs clerical"] == 100 * found.pairs["clerical"] / 200**2
    assert sum(score.parts.values()) == pytest.approx(200)


def test_ten_thousand_records():
    firms = business_survey(10_000, seed=1)
    firms = firms.select(firms.names[:8])
    masked = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    bound = ProbabilisticLinkage().bind(firms)
    start = time.process_time()
    bound.score(masked)
    assert time.process_time() - start < 10
