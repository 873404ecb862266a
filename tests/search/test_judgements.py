import sqlite3

import pytest

from sfumato import datasets
from sfumato.core import DataError, FileError, progress
from sfumato.masking import Chain, Mdav, Pram, RankSwapping
from sfumato.measures import KAnonymity
from sfumato.parallel import Workers
from sfumato.search.maskings.candidates import Judge, evaluate_candidates, judged
from sfumato.search.maskings.judgements import JUDGEMENTS, judgements
from sfumato.search.maskings.portfolio import portfolio


class Diary:
    """Hears what is found; cuts the work off after so many candidates."""

    def __init__(self, cut_after=None):
        self.points, self.cut_after = [], cut_after

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def noted(self, message): ...

    def found(self, what, values):
        assert what == "candidate"
        self.points.append(values)
        if len(self.points) == self.cut_after:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def firms():
    return datasets.business_survey(60, seed=1)


def facts(candidate):
    """All of a candidate but the times."""
    scores = {name: (score.value, score.parts) for name, score in candidate.scores.items()}
    return candidate.masking, scores


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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_portfolio_that_was_cut_off_does_not_start_over(tmp_path, workers):
    table = datasets.household_survey(80, seed=1)
    asked = {"methods": ["mdav", "pram"], "seed": 3, "measures": [KAnonymity()]}
    with progress.listening(Diary(cut_after=9)), pytest.raises(KeyboardInterrupt):
        portfolio(table, **asked, folder=tmp_path / "run")
    base = sqlite3.connect(tmp_path / "run" / JUDGEMENTS)
    assert base.execute("SELECT count(*) FROM judgements").fetchone() == (9,)
    base.close()
    resumed = portfolio(table, **asked, folder=tmp_path / "run", workers=workers)
    assert [facts(c) for c in resumed] == [facts(c) for c in portfolio(table, **asked)]


def test_what_is_remembered_is_not_judged_again(firms, tmp_path):
    judges = {"all": Judge(firms, seed=1)}
    maskings = [Mdav(k=3), Chain((Mdav(k=4), RankSwapping(p=5))), Mdav(k=100), Pram()]
    with judgements(tmp_path, judges) as memory, Workers(judges) as crew:
        first = evaluate_candidates(crew, "all", maskings, memory=memory)
    with judgements(tmp_path, judges) as memory, Workers(dict[str, Judge]()) as nobody:
        again = evaluate_candidates(nobody, "all", maskings[::-1], memory=memory)
        assert memory.recall("numeric", Mdav(k=3)) is None
        assert "needs at least 100 records" in memory.recall("all", Mdav(k=100))
    assert [(*facts(c), c.seconds) for c in again[::-1]] == [(*facts(c), c.seconds) for c in first]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"seed": 2}, "another seed"),
        ({"measures": [KAnonymity()]}, "other measures"),
        ({"original": datasets.business_survey(50, seed=1)}, "another file"),
    ],
)
def test_the_judgements_of_another_search_are_refused(firms, tmp_path, other, named):
    given = {"original": firms, "seed": 1}
    with judgements(tmp_path, {"all": Judge(**given)}):
        pass
    with pytest.raises(FileError, match=f"holds a run with {named}"):
        judgements(tmp_path, {"all": Judge(**{**given, **other})})


def test_one_masking_is_a_candidate_or_an_error(firms):
    diary = Diary()
    with progress.listening(diary):
        found = judged(firms, Mdav(k=3), seed=1)
    assert facts(found) == facts(Judge(firms, seed=1).judge(Mdav(k=3)))
    assert [point["spec"] for point in diary.points] == [{"method": "mdav", "k": 3}]
    with pytest.raises(DataError, match="needs at least 100 records"):
        judged(firms, Mdav(k=100), seed=1)
