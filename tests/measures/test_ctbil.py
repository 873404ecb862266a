import time

import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import Ctbil, Measure


def test_one_way_table_by_hand():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 0, 1, -1]})
    masked = original.replace({"v": np.array([0, 1, 1, 1])})
    score = Ctbil(dimension=1).bind(original).score(masked)
    assert score.parts["raw"] == 1 + 2 + 1  # a: 2 → 1, b: 1 → 3, missing: 1 → 0
    assert score.value == score.parts["v"] == 100 * 4 / (2 * 4)
    assert score.parts["actbil"] == 4 / 4  # three categories and missing


def test_all_tables_up_to_the_dimension_are_counted():
    domains = dict.fromkeys("wxyz", ("nominal", "ab"))
    original = keys(domains, {name: [0, 1, 0, 1] for name in "wxyz"})
    masked = original.replace({"w": np.array([1, 1, 0, 0])})
    # whatever w is crossed with, half of the four records move; its own table stays
    for dimension, crossed, tables in ((1, 0, 4), (2, 3, 10), (3, 6, 14), (4, 7, 15)):
        score = Ctbil(dimension=dimension).bind(original).score(masked)
        assert score.value == pytest.approx(100 * crossed * 4 / (2 * 4 * tables))


def test_recoded_records_are_spread_over_what_they_cover():
    original = keys({"v": ("nominal", "abcd")}, {"v": [0, 0, 1, 2]})
    wide = original.schema["v"].evolve(categories=("ab", "c"), covers={"ab": ("a", "b")})
    masked = original.replace({"v": np.array([0, 0, 0, 1])}, [wide])
    assert Ctbil().bind(original).score(masked).parts["raw"] == pytest.approx(
        0.5 + 0.5
    )  # 1.5 and 1.5 for 2 and 1


def test_large_domains_are_never_written_down():
    rng = np.random.default_rng(1)
    labels = [str(i) for i in range(30_000)]
    names = [f"v{j}" for j in range(4)]
    original = keys(
        dict.fromkeys(names, ("nominal", labels)), {n: rng.integers(0, 30_000, 2000) for n in names}
    )
    masked = original.replace({n: rng.permutation(original[n]) for n in names})
    start = time.process_time()
    score = Ctbil(dimension=4).bind(original).score(masked)
    assert all(score.parts[n] == 0 for n in names)
    assert score.value == pytest.approx(100 * 11 / 15, abs=0.5)
    assert time.process_time() - start < 5


def test_actbil_is_the_records_that_differ_in_a_cell():
    """Equation 2.11, by the name that the source has for it."""
    domains = {"sex": ("nominal", "fm"), "town": ("nominal", "ab")}
    original = keys(domains, {"sex": [0, 0, 1, 1], "town": [0, 1, 0, 1]})
    masked = original.replace({"town": np.array([0, 0, 1, 0])})
    plain, per_cell = (Measure.convert(name).bind(original).score(masked) for name in ("ctbil", "ACTBIL"))
    assert per_cell.value == per_cell.parts["actbil"] == plain.parts["actbil"] > 0
