import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.data import Table
from sfumato.datasets import census_pair


def shares(table):
    counts = np.bincount(table["workplace"], minlength=table.schema["workplace"].domain_size)
    members = np.bincount(table["workplace"], weights=table["military"], minlength=len(counts))
    return members / np.maximum(counts, 1)


def test_planted_areas_hold_far_more_of_the_group_in_both_years():
    pair = census_pair(100_000, areas=50, planted=5, seed=3)
    planted = np.isin(pair.survey.schema["workplace"].categories, pair.planted)
    assert planted.sum() == 5
    for table in (pair.survey, pair.auxiliary):
        found = shares(table)
        assert found[planted].min() > 2 * found[~planted].max()
        assert found[~planted].mean() == pytest.approx(0.003, abs=0.0008)


def test_the_group_is_described_by_its_attributes_as_far_as_asked():
    for described, low, high in ((1.0, 0.4, 0.55), (0.5, 0.15, 0.35), (0.0, 0.0, 0.06)):
        table = census_pair(60_000, described=described, seed=2).survey
        walked = table.schema["transport"].categories.index("50")
        members = table["military"] == 1
        assert low < np.mean(table["transport"][members] == walked) < high


@given(n=st.integers(0, 40), areas=st.integers(1, 30), seed=st.integers(-9, 9))
def test_any_size_gives_legal_values(n, areas, seed):
    pair = census_pair(n, auxiliary_n=n // 2, areas=areas, planted=0, seed=seed)
    assert pair.survey.n == n and pair.auxiliary.n == n // 2
    for attribute in pair.survey.schema:
        if attribute.is_numeric:
            values = pair.survey[attribute.name]
            assert np.array_equal(attribute.conform(values), values)


def test_written_as_text_and_read_again_it_is_the_same():
    table = census_pair(500, seed=5).survey
    assert Table.from_arrow(table.to_arrow(text=True), table.schema).fingerprint == table.fingerprint


def test_the_seed_decides():
    one, two, other = (census_pair(300, seed=seed) for seed in (1, 1, 2))
    assert one.survey.fingerprint == two.survey.fingerprint
    assert one.survey.fingerprint != other.survey.fingerprint
    assert one.survey.fingerprint != one.auxiliary.fingerprint


def test_times_of_day_are_times():
    clock = census_pair(5000, seed=1).survey["departure"]
    assert np.all(clock % 100 < 60) and clock.max() <= 2359


def test_big_files_take_seconds():
    start = time.process_time()
    pair = census_pair(300_000, areas=1200, seed=1)
    assert time.process_time() - start < 20
    assert pair.survey.n == pair.auxiliary.n == 300_000


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"n": -1}, "n must be an integer of at least 0"),
        ({"n": 1, "areas": 0}, "areas must be"),
        ({"n": 1, "planted": 101}, "planted must be"),
        ({"n": 1, "share": 0.5}, "share must be"),
        ({"n": 1, "described": 2}, "described must be"),
    ],
)
def test_wrong_arguments_are_refused(wrong, complaint):
    with pytest.raises(ParameterError, match=complaint):
        census_pair(**wrong)
