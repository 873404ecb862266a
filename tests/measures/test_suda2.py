import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs, with_weights
from survey_tables import EDUCATION, RESIDENCE, guide

from sfumato.measures import IndividualRisk, Suda2
from sfumato.search.maskings.gates import Gate


def alike(table, names, i, j, missing):
    """Whether two records are the same in some columns, cell by cell."""
    for name in names:
        reasons = table.reasons(name)
        gaps = [bool(table.missing(name)[row]) for row in (i, j)]
        if missing == "any" and any(gaps):
            continue
        if any(gaps):
            codes = [0 if reasons is None else reasons[row] for row in (i, j)]
            if not all(gaps) or codes[0] != codes[1]:
                return False
        elif table[name][i] != table[name][j]:
            return False
    return True


def enumerated_scores(table, names, size, missing):
    """SUDA scores from the definition: every set, every record, every other record."""
    n, attributes = table.n, len(names)
    last = min(size, attributes - 1)
    scores = np.zeros(n)
    for i in range(n):
        unique = set()
        for m in range(1, min(size, attributes) + 1):
            for some in combinations(names, m):
                if any(alike(table, some, i, j, missing) for j in range(n) if j != i):
                    continue
                if not any(set(part) < set(some) for part in unique):
                    scores[i] += math.prod(attributes - x for x in range(m, last + 1))
                unique.add(some)
    return scores


@pytest.mark.parametrize("missing", ["category", "any"])
def test_against_enumeration(missing):
    @settings(max_examples=60, deadline=None)
    @given(pairs(), st.integers(1, 5))
    def check(pair, size):
        original, masked = pair
        bound = Suda2(size=size, missing=missing).bind(original)
        assert (
            bound.scores(masked).tolist() == enumerated_scores(masked, original.names, size, missing).tolist()
        )

    check()


def test_scores_of_the_practice_guide():
    assert Suda2(size=3).bind(guide()).scores(guide()).tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_dis_scores_by_hand():
    """Four uniques and three pairs, a hundredth of the population; four attributes, so that q = 1.2."""
    bound = Suda2(size=3, fraction=0.01).bind(guide())
    dis = 0.04 / (0.04 + 0.99 * 6)
    powers = np.array([6, 12, 6, 10]) ** 1.2
    expected = 1 / (1 + 4 * (1 / dis - 1) / (powers * np.sum(1 / powers)))
    found = bound.records(guide())
    assert found[[2, 4, 6, 7]] == pytest.approx(expected)
    assert found[[2, 4, 6, 7]] == pytest.approx(
        [0.0051, 0.0107, 0.0051, 0.0088], abs=8e-4
    )  # printed there, of scores counted otherwise
    score = bound.score(guide())
    assert score.value == pytest.approx(100 * expected.sum() / 10)
    assert score.parts["dis"] == pytest.approx(100 * dis)
    assert score.parts["largest"] == pytest.approx(100 * expected[1])
    assert score.parts["special_uniques"] == score.parts["sample_uniques"] == 40


def test_equal_scores_share_the_risk_of_the_file():
    file = keys({"u": ("nominal", "abcd")}, {"u": [0, 1, 2, 2]})
    bound = Suda2(fraction=0.1).bind(file)
    dis = 0.2 / (0.2 + 0.9 * 2)
    assert bound.records(file) == pytest.approx([dis, dis, 0, 0])


def test_contributions():
    """Of 34 points, education has a part in 6, 2 + 2, 6 and 6 + …; rural is worth 6 by itself."""
    bound = Suda2(size=3).bind(guide())
    parts = bound.score(guide()).parts
    sets = bound.minimal_uniques(guide())
    points = {1: 6, 2: 2, 3: 1}
    education = sum(points[len(places)] * len(rows) for places, rows in sets if 2 in places)
    assert parts[EDUCATION] == pytest.approx(100 * education / 34)
    shares = bound.contributions(guide()).percents
    assert shares[RESIDENCE]["r"] == pytest.approx(100 * 6 / 34)
    assert sum(shares[EDUCATION].values()) == pytest.approx(parts[EDUCATION])
    assert bound.contributions(guide()).to_frame().num_rows == sum(len(one) for one in shares.values())


def test_weights_give_the_fraction():
    file = guide()
    weighted, given_ = Suda2().bind(file), Suda2(fraction=10 / file["weight"].sum()).bind(file)
    assert weighted.score(file).value == given_.score(file).value
    assert Suda2(weighted=False).bind(file).score(file).value == 40  # the file is the population
    assert weighted.score(file).value < 40


def test_larger_sets_find_more():
    rng = np.random.default_rng(0)
    domains = dict.fromkeys("uvwxyz", ("nominal", "abcde"))
    file = keys(domains, {name: rng.integers(0, 5, 400) for name in domains})
    shares = [Suda2(size=size).bind(file).score(file).parts["special_uniques"] for size in (1, 3, 4, 6)]
    assert shares == sorted(shares) and shares[0] < shares[-1]
    assert shares[-1] == pytest.approx(IndividualRisk().bind(file).score(file).parts["sample_uniques"])


def test_it_can_be_a_gate():
    gate = Gate.parse("suda2(size=2, fraction=0.01).largest <= 5")
    assert (gate.measure, gate.part) == (Suda2(size=2, fraction=0.01), "largest")
    assert str(Gate.parse("suda2 <= 5")) == "suda2 <= 5"
    assert gate.holds({gate.label: gate.measure.bind(guide()).score(guide())})


def test_every_weight_counts_even_where_records_are_few():
    file = with_weights(keys({"u": ("nominal", "ab")}, {"u": [0]}), [40.0])
    assert Suda2().bind(file).score(file).parts["dis"] == 100  # no pair that could mislead
