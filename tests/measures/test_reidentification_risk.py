import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import pairs, with_weights
from survey_tables import guide
from test_categorical_trackers import walk

from sfumato.core import DataError, registry
from sfumato.measures import IndividualRisk, KAnonymity, KMap, ReidentificationRisk

F_SAMPLE = np.array([2, 2, 1, 2, 1, 2, 1, 1, 2, 2])
F_PEOPLE = np.array([360, 360, 215, 152, 186, 152, 180, 215, 262, 262])


def test_three_intruders_by_hand():
    """Seven combinations among ten records."""
    scores = {
        intruder: ReidentificationRisk(intruder=intruder, threshold=0.5).bind(guide()).score(guide())
        for intruder in ("prosecutor", "journalist", "marketer")
    }
    classes = [0, 2, 3, 4, 6, 7, 8]
    marketer = np.mean(1 / F_PEOPLE)
    assert scores["prosecutor"].value == pytest.approx(70)
    assert scores["marketer"].value == pytest.approx(100 * marketer)
    assert scores["journalist"].value == pytest.approx(100 * max(7 / F_PEOPLE[classes].sum(), marketer))
    assert scores["prosecutor"].parts["highest"] == scores["prosecutor"].parts["at_risk"] == 100
    assert scores["journalist"].parts["highest"] == pytest.approx(100 / 152)
    assert scores["journalist"].parts["at_risk"] == 100 * np.mean(1 / F_PEOPLE > 0.005)


def test_names_that_people_look_for():
    assert registry.make("measures", "journalist(threshold=5)") == ReidentificationRisk(
        intruder="journalist", threshold=5.0
    )


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_without_weights_all_find_the_same(pair):
    original, masked = pair
    values = [
        ReidentificationRisk(intruder=one).bind(original).score(masked).value
        for one in ("prosecutor", "journalist", "marketer")
    ]
    assert values == pytest.approx([IndividualRisk().bind(original).score(masked).value] * 3)


@pytest.mark.parametrize("measure", ["prosecutor", "marketer", "journalist", "k_map(k=3)"])
def test_trackers(measure):
    @settings(max_examples=25, deadline=None)
    @given(pairs(), st.integers(0, 2**32))
    def check(pair, seed):
        rng = np.random.default_rng(seed)
        original, masked = (with_weights(table, rng.choice([0.5, 1.0, 3.5], table.n)) for table in pair)
        walk(registry.make("measures", measure).bind(original), masked, rng)

    check()


def test_k_map_counts_people():
    score = KMap(k=200).bind(guide()).score(guide())
    assert score.value == pytest.approx(100 * np.mean(F_PEOPLE < 200))
    assert score.parts == {"smallest": 152, "uniques": 0, "unweighted": 100}
    assert (
        KMap(k=2, weighted=False).bind(guide()).score(guide()).value
        == KAnonymity(k=2).bind(guide()).score(guide()).value
    )


def test_k_map_in_a_table_of_the_population():
    file = guide()
    rows = np.concatenate([np.arange(10), np.arange(10), [4, 4, 4]])
    score = KMap(k=3).among(file, file.take(rows)).score(file)
    assert score.value == pytest.approx(30)  # three of the four uniques have one double
    assert score.parts["smallest"] == 2
    other = file.schema["work"].evolve(categories=("e", "n", "other"))
    with pytest.raises(
        DataError, match="column work of the population is not declared as in the masked file"
    ):
        KMap().among(file, file.replace({}, [other])).score(file)
