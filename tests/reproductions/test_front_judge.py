"""The independent judge: what it says of files of which one knows what is to be said."""

import ast
from pathlib import Path

import numpy as np
import pytest

from sfumato.data.held_out import held_out
from sfumato.datasets import household_survey
from sfumato.reproductions import _front_judge
from sfumato.reproductions._front_judge import IndependentJudge, _area, _fitted, _log_shares, _to_nearest


@pytest.fixture(scope="module")
def cut():
    names = ("region", "age", "sex", "marital", "education", "employment", "hours", "income", "wealth")
    return held_out(household_survey(1000, seed=3).select(names), 1)


@pytest.fixture(scope="module")
def judge(cut):
    return IndependentJudge(cut.inside, cut.outside, cut.inside.schema.with_role("key"))


def unrelated(table, seed=0):
    rng = np.random.default_rng(seed)
    return table.replace({name: rng.permutation(table[name]) for name in table.names})


def test_it_shares_no_code_with_what_it_judges():
    tree = ast.parse(Path(_front_judge.__file__).read_text())
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    ours = {name for name in named if name.startswith("sfumato")}
    assert ours == {"sfumato.data", "sfumato.data.shared_terms", "sfumato.kernels.single_thread"}


class TestLoss:
    def test_the_original_loses_nothing(self, judge, cut):
        found = judge.judged(cut.inside)
        assert [found[part] for part in ("loss", "models", "tables", "interactions")] == [0, 0, 0, 0]

    def test_unrelated_columns_lose_all(self, judge, cut):
        found = judge.judged(unrelated(cut.inside))
        for part in ("loss", "models", "tables", "interactions"):
            assert 80 < found[part] < 120, part

    def test_half_of_the_relations_are_in_between(self, judge, cut):
        half = [*cut.inside.names][::2]
        rng = np.random.default_rng(0)
        order = rng.permutation(cut.inside.n)
        moved = cut.inside.replace({name: cut.inside[name][order] for name in half})
        assert 10 < judge.judged(moved)["loss"] < judge.judged(unrelated(cut.inside))["loss"]

    def test_the_order_of_records_does_not_matter_to_tables_and_regressions(self, judge, cut):
        rows = np.random.default_rng(0).permutation(cut.inside.n)
        found = judge.judged(cut.inside.take(rows))
        assert found["tables"] == pytest.approx(0) and found["interactions"] == pytest.approx(0, abs=1e-6)
        assert found["models"] < 5

    def test_an_interaction_is_found(self):
        rng = np.random.default_rng(0)
        a, b, noise = rng.normal(size=(3, 5000))
        coefficients, errors = _fitted(np.stack([a - 2 * b + 3 * a * b + noise, a, b]), 0, 1, 2)
        assert coefficients == pytest.approx([1, -2, 3], abs=0.1)
        assert errors == pytest.approx(np.full(3, 1 / np.sqrt(5000)), rel=0.1)


class TestAttackers:
    def test_a_copied_file_is_found_by_all(self, judge, cut):
        found = judge.judged(cut.inside)
        assert found["found"] > 30  # people who share their keys share the success
        assert found["nearness"] > 90
        assert found["tracing"] > found["tracing_control"] + 3

    def test_unrelated_columns_give_nobody_away(self, judge, cut):
        found = judge.judged(unrelated(cut.inside))
        assert found["found"] < 2
        assert abs(found["nearness"] - 50) < 8
        assert found["tracing"] < judge.judged(cut.inside)["tracing"] - 3

    def test_people_outside_are_no_members(self, judge, cut):
        assert judge.judged(cut.outside.take(np.arange(cut.inside.n) % cut.outside.n))["nearness"] < 20

    def test_the_nearest_is_found_by_hand(self):
        people, records = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [3.0, 4.0], [0.0, 3.0]])
        assert _to_nearest(people, records) == pytest.approx([1, 0])
        assert _to_nearest(people, records, np.array([0, 1])) == pytest.approx([3, np.sqrt(10)])

    def test_shares_by_hand(self):
        cells = np.array([2, 2, 5])
        assert np.exp(_log_shares(cells)[[2, 5, 0]]) == pytest.approx([2.5 / 4, 1.5 / 4, 0.5 / 4])
        assert np.exp(_log_shares(cells, less=1)[[2, 5, 0]]) == pytest.approx([1.5 / 3, 0.5 / 3, 0.5 / 3])

    def test_areas_are_what_comparing_all_gives(self):
        rng = np.random.default_rng(0)
        inside, outside = rng.integers(0, 9, 40).astype(float), rng.integers(0, 7, 30).astype(float)
        by_hand = np.mean([(a > b) + (a == b) / 2 for a in inside for b in outside])
        assert _area(inside, outside) == pytest.approx(by_hand)
