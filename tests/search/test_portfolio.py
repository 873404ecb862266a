import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import DataError, UnknownNameError, progress, registry
from sfumato.masking import Chain, Mdav, MdavGeneric
from sfumato.measures import KAnonymity, Score
from sfumato.search.maskings.candidates import Candidate, Judge, masked_with
from sfumato.search.maskings.portfolio import beaten, best_spread, portfolio


def candidate(loss, risk):
    def score(value):
        return Score(measure="", value=value, parts={}, seconds=0.0)

    return Candidate(
        masking=Mdav(), scores={"information_loss": score(loss), "disclosure_risk": score(risk)}, seconds=0.0
    )


points = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)


@given(points)
def test_the_unbeaten_are_those_no_other_point_dominates(pairs):
    candidates = [candidate(*pair) for pair in pairs]
    for one, pair in zip(candidates, pairs, strict=True):
        dominated = any(a <= pair[0] and b <= pair[1] and (a, b) != pair for a, b in pairs)
        assert beaten(one, candidates) is dominated


@given(points, st.integers(1, 5))
def test_the_best_spread_holds_unbeaten_ones_first(pairs, kept):
    candidates = [candidate(*pair) for pair in pairs]
    best = best_spread(candidates, kept)
    assert len(best) <= min(kept, len(candidates))
    assert not beaten(best[0], candidates)
    left_out = [c for c in candidates if not beaten(c, candidates) and c not in best]
    assert (
        not left_out
        or len(best) == kept
        or all(any((c.loss, c.risk) == (b.loss, b.risk) for b in best) for c in left_out)
    )


def test_numeric_tables_try_every_setting_of_every_numeric_method():
    found = portfolio(datasets.business_survey(150, seed=1), seed=1)
    tried = {c.masking.name for c in found}
    methods = [registry.load("masking", name) for name in registry.names("masking")]
    assert tried == {m.name for m in methods if "numeric" in m.scales and list(m.settings(numeric=True))}
    assert {"mdav", "rank_swapping", "top_bottom_coding"} <= tried
    assert [c.masking.k for c in found if c.masking.name == "mdav"] == list(Mdav.grid["k"])


def test_mixed_tables_try_the_best_of_each_kind_together():
    table = datasets.household_survey(200, seed=1)
    found = portfolio(table, seed=1, methods=["mdav", "pram"])
    assert all(isinstance(c.masking, Chain) and len(c.masking.steps) == 2 for c in found)
    for c in found:
        masked = {name for step in c.masking.steps for name in step.attributes}
        assert masked == set(table.schema.with_role("key"))


def test_methods_of_every_scale_are_tried_on_all_keys_at_once():
    table = datasets.household_survey(200, seed=1)
    keys = table.schema.with_role("key")
    found = portfolio(table, seed=1, methods=["mdav", "pram", "mdav_generic"], measures=[KAnonymity()])
    whole = [c for c in found if not isinstance(c.masking, Chain)]
    assert [(c.masking.name, c.masking.k) for c in whole] == [
        ("mdav_generic", k) for k in MdavGeneric.grid["k"]
    ]
    for c in whole:
        assert c.masking.attributes == keys
        assert c.scores["k_anonymity"].parts["smallest"] >= c.masking.k
    chains = [c for c in found if isinstance(c.masking, Chain)]
    assert chains and found == [*chains, *whole]
    numeric = datasets.business_survey(60, seed=1)
    alone = portfolio(numeric, methods=["mdav_generic"])
    assert [c.masking.k for c in alone] == list(MdavGeneric.grid["k"])  # once, not twice


@pytest.mark.parametrize("name", ["household_survey", "business_survey", "housing"])
def test_the_number_of_workers_changes_nothing(name):
    table = datasets.load(name, n=120, seed=3)
    methods = ["mdav", "pram", "rank_swapping"]
    here, there = (portfolio(table, seed=5, methods=methods, workers=workers) for workers in (1, 2))
    assert [c.to_dict()["masking"] for c in here] == [c.to_dict()["masking"] for c in there]
    assert [(c.loss, c.risk) for c in here] == [(c.loss, c.risk) for c in there]


def test_settings_that_do_not_fit_are_left_out_with_a_note():
    class Diary:
        notes = ()

        def started(self, task): ...
        def advanced(self, task): ...
        def finished(self, task): ...
        def found(self, what, values): ...
        def noted(self, message):
            self.notes += (message,)

    diary = Diary()
    with progress.listening(diary):
        found = portfolio(datasets.business_survey(12, seed=1), methods=["mdav"])
    assert [c.masking.k for c in found] == [k for k in Mdav.grid["k"] if k <= 12]
    assert len(diary.notes) == sum(k > 12 for k in Mdav.grid["k"])
    assert "needs at least 15 records. Got 12." in diary.notes[0]


def test_extra_measures_are_scored_too():
    found = portfolio(datasets.business_survey(60, seed=1), methods=["mdav"], measures=[KAnonymity()])
    assert all(c.scores["k_anonymity"].parts["smallest"] >= c.masking.k for c in found)


def test_a_table_without_keys_is_refused():
    table = datasets.business_survey(20)
    roles = dict.fromkeys(table.names, "other")
    with pytest.raises(DataError, match="No attribute has the role key"):
        portfolio(table.with_schema(table.schema.with_roles(roles)))


def test_an_unknown_method_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean mdav"):
        portfolio(datasets.business_survey(20), methods=["mdaw"])


def test_a_masking_gives_the_same_table_wherever_it_is_made():
    table = datasets.household_survey(100, seed=1)
    masking = registry.make("masking", {"method": "pram", "p": 0.4})
    one, other = masked_with(masking, table, seed=1), masked_with(masking, table, seed=1)
    assert one.fingerprint == other.fingerprint != masked_with(masking, table, seed=2).fingerprint


def test_a_judge_sends_no_bound_measures():
    judge = Judge(datasets.business_survey(30), seed=1)
    judge.judge(Mdav(k=3))
    assert "bounds" in vars(judge)
    assert "bounds" not in judge.__getstate__()


def test_scores_agree_with_the_table_the_candidate_makes():
    table = datasets.business_survey(80, seed=2)
    judge = Judge(table, seed=4)
    found = judge.judge(Mdav(k=4))
    masked = masked_with(Mdav(k=4), table, seed=4)
    assert found.loss == judge.bounds["information_loss"].score(masked).value
    assert found.score("max") == max(found.loss, found.risk)
    assert np.isclose(found.score("mean"), (found.loss + found.risk) / 2)


def test_groups_of_attributes_are_candidates_where_asked_for():
    table = datasets.business_survey(60, seed=2)
    found = portfolio(table, methods=["mdav"], grouped=[5], seed=1)
    chains = [candidate for candidate in found if isinstance(candidate.masking, Chain)]
    assert chains
    together = {name for step in chains[0].masking.steps for name in step.attributes}
    assert together == {name for name in table.schema.with_role("key") if table.schema[name].is_numeric}
