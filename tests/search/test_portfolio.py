import itertools
import shutil
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import Cancelled, DataError, FileError, SfumatoError, UnknownNameError, progress, registry
from sfumato.masking import Chain, Mdav, MdavGeneric, masked_with
from sfumato.measures import DistanceLinkage, KAnonymity, Score
from sfumato.search import loop
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_search import grouped_candidates
from sfumato.search.maskings.candidates import Candidate, Judge, beaten, best_spread, judged
from sfumato.search.maskings.options import part_options, record_options, suppressed_options, whole_options
from sfumato.search.maskings.portfolio_search import search_portfolio
from sfumato.search.problems.key_maskings import only_keys
from sfumato.search.stop import Ending, Stop


class Diary:
    """Hears what is found; cuts the work off after so many candidates."""

    def __init__(self, cut_after=None, cut_with=KeyboardInterrupt):
        self.points, self.notes, self.cut_after, self.cut_with = [], [], cut_after, cut_with
        self.honours = 0

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def noted(self, message):
        self.notes.append(message)

    def found(self, what, values):
        if what == "candidate":
            self.points.append(values)
            if len(self.points) == self.cut_after:
                raise self.cut_with

    def honoured(self):
        self.honours += 1


def searched(table, *, stop=None, seed=0, workers=1, folder=None, **given):
    effort = Effort(stop=stop or Stop.when_done(), seed=seed, workers=workers, folder=folder)
    return search_portfolio(table, effort, **given)


def portfolio(table, **given):
    return list(searched(table, **given).candidates)


def candidate(loss, risk):
    def score(value):
        return Score(measure="", value=value, parts={}, seconds=0.0)

    return Candidate(
        masking=Mdav(), scores={"information_loss": score(loss), "disclosure_risk": score(risk)}, seconds=0.0
    )


def facts(candidate):
    """All of a candidate but the times."""
    scores = {name: (score.value, score.parts) for name, score in candidate.scores.items()}
    return candidate.masking, scores


def one_by_one(table, *, seed, methods=(), measures=(), grouped=()):
    """The slow and obvious portfolio: each masking is judged by itself, one after the other."""
    partly, methods = bool(methods), tuple(methods) or registry.names("masking")
    keys = table.schema.with_role("key")
    numeric = tuple(name for name in keys if table.schema[name].is_numeric)
    categorical = tuple(name for name in keys if name not in numeric)

    def all_judged(maskings, keys_too=keys, measures=()):
        judge, found = Judge(only_keys(table, keys_too), seed=seed, measures=measures), []
        for masking in maskings:
            try:
                found.append(judge.judge(masking))
            except SfumatoError:
                continue
        return found

    options = [part_options(table, names, methods, partly=partly) for names in (numeric, categorical)]
    if len(numeric) > 1:
        effort = Effort(stop=Stop.when_done(), seed=seed)
        options[0] += grouped_candidates(table, grouped, effort, names=numeric)
    if not all(options):
        few = options[0] or options[1]
        also = [one for one in suppressed_options(table, keys, methods) if one not in few]
        return all_judged([*few, *record_options(table, methods), *also], measures=measures)
    best = [
        best_spread(all_judged(some, names), 8)
        for some, names in zip(options, (numeric, categorical), strict=True)
    ]
    pairs = [Chain((one.masking, other.masking)) for one, other in itertools.product(*best)]
    whole = [*whole_options(table, keys, methods), *record_options(table, methods)]
    whole += suppressed_options(table, keys, methods)
    return all_judged([*pairs, *whole], measures=measures)


def with_only(table, *, numeric):
    others = [name for name in table.schema.with_role("key") if table.schema[name].is_numeric is not numeric]
    return table.with_schema(table.schema.with_roles(dict.fromkeys(others, "other")))


HOUSEHOLDS, FIRMS = datasets.household_survey(50, seed=1), datasets.business_survey(40, seed=2)
NUMERIC = ["mdav", "noise", "rank_swapping", "individual_ranking", "top_bottom_coding", "rounding"]
MIXED = ["calibrated_synthesis", "global_recoding", "mdav", "mdav_generic", "mondrian", "noise", "pram"]


@pytest.fixture(autouse=True)
def few_generations(monkeypatch):
    """A search for groups of attributes makes a hundred, each like the others."""
    monkeypatch.setitem(grouped_candidates.__kwdefaults__, "generations", 8)


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        (HOUSEHOLDS, {"seed": 3, "methods": MIXED, "measures": [KAnonymity(), DistanceLinkage()]}),
        (FIRMS, {"seed": 4, "methods": [*NUMERIC, "tree_synthesis"], "measures": [KAnonymity()]}),
        (HOUSEHOLDS, {"seed": 2, "methods": ["mdav", "pram", "mdav_generic"], "grouped": [4]}),
        (FIRMS, {"seed": 2, "methods": ["rank_swapping", "mdav"], "grouped": [5]}),
        (with_only(HOUSEHOLDS, numeric=True), {"seed": 1}),
        (with_only(HOUSEHOLDS, numeric=False), {"seed": 1}),
        (HOUSEHOLDS, {"seed": 1, "methods": ["mdav"], "measures": [KAnonymity()]}),
        (HOUSEHOLDS, {"seed": 1, "methods": ["pram"]}),
    ],
    ids=["mixed", "numbers", "groups", "groups of numbers", "numeric", "categorical", "mdav", "pram"],
)
def test_the_candidates_are_those_of_judging_one_by_one(table, asked):
    found, slow = portfolio(table, **asked), one_by_one(table, **asked)
    assert [facts(c) for c in found] == [facts(c) for c in slow]
    assert found


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
    found = portfolio(datasets.business_survey(60, seed=1), seed=1)
    tried = {c.masking.name for c in found}
    methods = [registry.load("masking", name) for name in registry.names("masking")]
    able = {m.name for m in methods if "numeric" in m.scales and list(m.settings(numeric=True))}
    assert tried == able | {"local_suppression", "chain"}  # what is rare is suppressed, as it is or recoded
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


@pytest.mark.parametrize(
    "name",
    ["household_survey", *(pytest.param(n, marks=pytest.mark.slow) for n in ("business_survey", "housing"))],
)
def test_the_number_of_workers_changes_nothing(name):
    table = datasets.load(name, n=60, seed=3)
    methods = ["mdav", "pram", "rank_swapping"]
    here, there = (portfolio(table, seed=5, methods=methods, workers=workers) for workers in (1, 2))
    assert [facts(c) for c in here] == [facts(c) for c in there]


def test_settings_that_do_not_fit_are_left_out_with_a_note():
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


@pytest.mark.parametrize(("methods", "n"), [(["pram"], 30), (["mondrian"], 1)])
def test_a_portfolio_of_which_nothing_fits_is_refused(methods, n):
    with pytest.raises(DataError, match="No method of the portfolio could be applied to this table"):
        portfolio(datasets.business_survey(n), methods=methods)


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


@pytest.fixture(scope="module")
def firms():
    return datasets.business_survey(60, seed=1)


def test_every_candidate_is_told_when_it_is_found(firms):
    diary = Diary()
    with progress.listening(diary):
        found = portfolio(firms, methods=["mdav", "rank_swapping"], seed=2)
    assert [point["spec"] for point in diary.points] == [c.masking.spec() for c in found]
    for point, candidate in zip(diary.points, found, strict=True):
        assert (point["loss"], point["risk"]) == (candidate.loss, candidate.risk)
        assert point["score"] == max(candidate.loss, candidate.risk) and point["part"] == "all"
        assert point["label"].startswith(candidate.masking.name) and "attributes" not in point["label"]


def test_candidates_of_one_kind_of_keys_say_so():
    diary = Diary()
    with progress.listening(diary):
        portfolio(datasets.household_survey(80, seed=1), methods=["mdav", "pram"])
    assert {point["part"] for point in diary.points} == {"numeric", "categorical", "all"}


ASKED = {"methods": ["mdav", "pram"], "seed": 3, "measures": [KAnonymity()]}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_portfolio_that_was_cut_off_does_not_start_over(tmp_path, workers):
    table = datasets.household_survey(80, seed=1)
    with progress.listening(Diary(cut_after=9)), pytest.raises(KeyboardInterrupt):
        portfolio(table, **ASKED, folder=tmp_path / "run")
    base = sqlite3.connect(tmp_path / "run" / loop.JOURNAL)
    assert base.execute("SELECT count(*) FROM generations").fetchone() == (0,)
    assert base.execute("SELECT count(*) FROM parts").fetchone() == (1,)
    base.close()
    diary = Diary()
    with progress.listening(diary):
        resumed = portfolio(table, **ASKED, folder=tmp_path / "run", workers=workers)
    whole = Diary()
    with progress.listening(whole):
        assert [facts(c) for c in resumed] == [facts(c) for c in portfolio(table, **ASKED)]
    told = [sorted(str(point) for point in heard.points) for heard in (diary, whole)]
    assert told[0] == told[1]  # those that were kept are told again


def test_a_kill_in_the_midst_of_a_generation_loses_no_candidate_that_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "AT_RISK", 0.0)
    table, copied = datasets.household_survey(80, seed=1), tmp_path / "copy"
    judging, judged_masks = Judge.judge, []

    class Copying(Diary):
        def found(self, what, values):
            super().found(what, values)
            if len(self.points) == 9:  # what is on disk at this moment is what a kill would leave
                shutil.copytree(tmp_path / "run", copied)

    def counted(self, masking):
        judged_masks.append(masking)
        return judging(self, masking)

    monkeypatch.setattr(Judge, "judge", counted)
    with progress.listening(Copying()):
        whole = portfolio(table, **ASKED, folder=tmp_path / "run")
    before, after = len(judged_masks), portfolio(table, **ASKED, folder=copied)
    assert [facts(c) for c in after] == [facts(c) for c in whole]
    assert len(judged_masks) - before == before - 9


def test_a_portfolio_that_is_done_is_not_judged_again(firms, tmp_path, monkeypatch):
    first = portfolio(firms, methods=["mdav"], folder=tmp_path)
    monkeypatch.delattr(Judge, "judge")
    again = portfolio(firms, methods=["mdav"], folder=tmp_path)
    assert [(*facts(c), c.seconds) for c in again] == [(*facts(c), c.seconds) for c in first]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"seed": 2}, "another seed"),
        ({"measures": [KAnonymity()]}, "other measures"),
        ({"table": datasets.business_survey(50, seed=1)}, "another file"),
        ({"methods": ["pram", "mdav"]}, "another optimiser or other parameters of it"),
        ({"grouped": [5]}, "other groups of attributes"),
    ],
)
def test_another_search_in_the_same_folder_is_refused(firms, tmp_path, other, named):
    given = {"table": firms, "seed": 1, "methods": ["mdav"], "folder": tmp_path}
    searched(**given)
    with pytest.raises(FileError, match=f"holds a run with {named}"):
        searched(**{**given, **other})


@pytest.mark.parametrize("cut_with", [KeyboardInterrupt, Cancelled("stop")])
def test_an_interrupt_keeps_what_was_tried_unless_only_the_whole_is_of_use(firms, cut_with):
    everything = portfolio(firms, seed=2, methods=NUMERIC)
    diary = Diary(cut_after=40, cut_with=cut_with)
    with progress.listening(diary):
        found = searched(firms, seed=2, methods=NUMERIC)
    assert found.run.ended is Ending.BY_USER and not found.is_whole and diary.honours == 1
    assert [facts(c) for c in found.candidates] == [facts(c) for c in everything[:32]]  # one batch
    with progress.listening(Diary(40, cut_with)), pytest.raises(Cancelled, match="nothing was written"):
        searched(firms, seed=2, methods=NUMERIC, whole=True)


def test_an_interrupt_while_attributes_are_grouped_leaves_what_can_be_resumed(firms, tmp_path):
    class Impatient(Diary):
        def advanced(self, task):
            if task.status.startswith("generation 3,"):
                raise KeyboardInterrupt

    asked = {"methods": ["mdav"], "grouped": [5], "folder": tmp_path}
    with progress.listening(Impatient()), pytest.raises(Cancelled, match="while attributes were grouped"):
        searched(firms, **asked)
    resumed, whole = portfolio(firms, **asked), portfolio(firms, **{**asked, "folder": None})
    assert [facts(c) for c in resumed] == [facts(c) for c in whole]


def test_an_interrupt_after_the_last_candidate_changes_nothing(firms):
    class Late(Diary):
        def advanced(self, task):
            if task.done == task.total and "generation" in task.status:
                raise KeyboardInterrupt

    diary = Late()
    with progress.listening(diary):
        found = searched(firms, methods=["mdav"], whole=True)
    assert found.is_whole and diary.honours == 1
    assert [facts(c) for c in found.candidates] == [facts(c) for c in portfolio(firms, methods=["mdav"])]


def test_a_rule_ends_it_between_two_batches(firms):
    everything = portfolio(firms, seed=2, methods=NUMERIC)
    found = searched(firms, seed=2, methods=NUMERIC, stop=Stop.when_done(target=100.0))
    assert (found.run.ended, found.run.reason) == (Ending.BY_RULE, "the target was reached")
    assert [facts(c) for c in found.candidates] == [facts(c) for c in everything[:32]]
    best = min(c.score() for c in found.candidates)
    assert found.run.score == best == found.run.best.genome.score()


def test_the_bar_goes_from_nothing_to_all_candidate_by_candidate():
    class Watcher(Diary):
        def __init__(self):
            super().__init__()
            self.seen = []

        def advanced(self, task):
            self.seen.append(task.done)

    watcher = Watcher()
    with progress.listening(watcher):
        portfolio(datasets.household_survey(80, seed=1), methods=["mdav", "pram"])
    assert watcher.seen == sorted(watcher.seen) and watcher.seen[-1] == loop.STEPS
    assert len(set(watcher.seen)) > len(watcher.points) / 2


def test_one_masking_is_a_candidate_or_an_error(firms):
    diary = Diary()
    with progress.listening(diary):
        found = judged(firms, Mdav(k=3), seed=1)
    assert facts(found) == facts(Judge(firms, seed=1).judge(Mdav(k=3)))
    assert [point["spec"] for point in diary.points] == [{"method": "mdav", "k": 3}]
    with pytest.raises(DataError, match="needs at least 100 records"):
        judged(firms, Mdav(k=100), seed=1)
