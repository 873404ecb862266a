import json
from functools import partial

import numpy as np
import pytest

import sfumato
from sfumato.core import DataError, FileError, ParameterError
from sfumato.core.results import plain
from sfumato.datasets import business_survey
from sfumato.jobs.group_attributes import GroupAttributes
from sfumato.masking import masked_with
from sfumato.measures import Measure
from sfumato.reports.delivery import deliver

group_attributes = partial(
    sfumato.group_attributes, with_verdict=False
)  # which takes long, and is tested by itself

NAMES = ("staff", "wages", "profit", "equity", "cash")


@pytest.fixture(scope="module")
def table():
    return business_survey(80, seed=1)


@pytest.fixture(scope="module")
def exact(table):
    return group_attributes(table, k=6, names=NAMES)


@pytest.fixture(scope="module")
def genetic(table):
    return group_attributes(table, k=6, names=NAMES, search="genetic", generations=8, population=30)


def test_few_attributes_are_solved_exactly(exact):
    assert exact.exact and 0 < exact.seconds < 600
    assert exact.run.evaluations == 52
    assert exact.best.score <= min(exact.together.score, exact.apart.score)
    assert exact.best.score == min(place.score for place in exact.front)
    assert sorted(name for group in exact.best.groups for name in group) == sorted(NAMES)


def test_the_parts_make_the_score(exact):
    assert exact.best.risk == pytest.approx((exact.interval + exact.linkage) / 2)
    assert exact.best.score == pytest.approx((exact.best.loss + exact.best.risk) / 2)


def test_the_genetic_search_finds_the_same(exact, genetic):
    assert not genetic.exact
    assert genetic.best.score == exact.best.score
    assert genetic.analytics.cached > 0


def test_the_release_is_what_the_masking_makes(table, exact):
    again = sfumato.mask(table, exact.masking.spec(), seed=0)
    for name in table.names:
        np.testing.assert_array_equal(again[name], exact.aligned[name])
    assert (exact.aligned["staff"] != table["staff"]).any()


def test_the_record_is_plain(genetic):
    record = json.loads(json.dumps(plain(genetic.to_dict()), allow_nan=False))
    assert record["masking"]["steps"][0]["method"] == "mdav"
    assert record["best"]["groups"]
    assert record["optimizer"]["method"] == "gomm"
    assert record["cached"] == genetic.analytics.cached
    assert genetic.to_frame().num_rows == len(genetic.front)
    assert sum(genetic.to_frame()["best"].to_pylist()) == 1


def test_what_is_not_there_is_refused(table):
    with pytest.raises(ParameterError, match="search must be one of auto, exact, genetic"):
        group_attributes(table, search="random")
    with pytest.raises(DataError, match="13 attributes have too many groupings"):
        group_attributes(table, k=5, search="exact")
    with pytest.raises(DataError, match="k = 90 needs at least 90 records"):
        group_attributes(table, k=90)


def test_the_printed_search_is_an_optimiser(table, exact):
    printed = "gomm(population=30, tournament=1, clones=keep)"
    found = group_attributes(table, k=6, names=NAMES, optimizer=printed, generations=8)
    assert found.run.optimizer == {
        "method": "gomm",
        "population": 30,
        "clones": "keep",
        "tournament": 1,
    }
    assert not found.exact and found.best.score >= exact.best.score
    tried = group_attributes(table, k=6, names=NAMES, optimizer="grouping_enumeration(batch=20)")
    assert tried.exact and tried.best.to_dict() == exact.best.to_dict() and tried.generations == 2
    for wrong, says in (
        ({"optimizer": "nsga2"}, "optimizer must be one of gomm, grouping_enumeration. Got 'nsga2'"),
        ({"optimizer": printed, "population": 200}, "optimizer takes the place of population"),
        ({"optimizer": printed, "dynamic": True, "front": True}, "takes the place of dynamic, front: give"),
    ):
        with pytest.raises(ParameterError, match=says):
            group_attributes(table, **wrong)


def test_a_search_that_tries_all_can_be_cut_short(table):
    names = (*NAMES, "turnover", "purchases")
    found = group_attributes(table, k=6, names=names, search="exact", generations=1)
    assert not found.exact and found.run.evaluations == 500 and found.generations == 1


def test_the_analysis_is_written(genetic, exact, tmp_path):
    written = deliver(genetic, genetic.job.with_(analysis=tmp_path / "deep" / "er"))
    assert sorted(p.name for p in written) == ["front.csv", "front.svg", "operators.csv", "operators.svg"]
    assert all(path.stat().st_size > 100 for path in written)
    assert "element_move" in (tmp_path / "deep" / "er" / "operators.csv").read_text()
    written = deliver(exact, exact.job.with_(analysis=tmp_path))
    assert [path.name for path in written] == ["front.csv", "front.svg"]
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file is not a folder"):
        exact.job.with_(analysis=tmp_path / "file" / "inside").check_files()


def test_settings_make_the_optimiser(table):
    def gomm(**given):
        return GroupAttributes(file="a.csv", k=5, **given).genetic.spec()

    assert gomm() == {"method": "gomm", "dynamic": True}
    assert gomm(preset="printed") == {"method": "gomm", "clones": "keep", "tournament": 1}
    assert gomm(preset="printed", dynamic=True, patience=3, crossovers=2, mutations=7, tournament=2) == {
        "method": "gomm",
        "dynamic": True,
        "patience": 3,
        "crossovers": 2,
        "mutations": 7,
        "clones": "keep",
        "tournament": 2,
    }


def test_groupings_of_ones_own_are_judged_beside(table):
    asked = ("uncorrelated 2", "staff+profit | wages+equity+cash")
    found = group_attributes(table, k=6, names=NAMES, beside=asked)
    assert list(found.beside) == list(asked)
    assert found.beside[asked[1]].groups == (("staff", "profit"), ("wages", "equity", "cash"))
    assert all(place.score >= found.best.score for place in found.beside.values())
    with pytest.raises(ParameterError, match=r"names with \+ between them"):
        group_attributes(table, k=6, names=NAMES, beside=("staff+ | wages",))
    with pytest.raises(ParameterError, match="give the attributes of a group"):
        group_attributes(table, k=6, names=NAMES, beside=("correlated",))


def test_operators_are_compared_by_means_of_runs(table, tmp_path):
    found = group_attributes(
        table, k=6, names=NAMES, compare=2, population=5, generations=3, analysis=tmp_path / "a"
    )
    assert len(found.comparison.best) == 7
    assert {"comparison.csv", "comparison.svg"} <= {path.name for path in (tmp_path / "a").iterdir()}


def test_the_search_ends_when_the_population_has_settled(table):
    found = group_attributes(
        table, k=6, names=NAMES, preset="printed", search="genetic", population=3, settled=2
    )
    assert "mean score stayed the same for 2 generations" in found.run.reason
    means = [step.mean for step in found.run.history]
    assert means[-1] == means[-2] == means[-3]


def test_any_measures_can_be_the_cost(table):
    """Loss and risk are those of the released file, judged whole."""
    found = group_attributes(table, k=6, names=NAMES[:3], loss=("moments",), risk=("distance_linkage",))
    masked = masked_with(found.masking, table, seed=0)
    for name, ours in (("moments", found.best.loss), ("distance_linkage", found.best.risk)):
        score = Measure.convert({"method": name, "attributes": NAMES[:3]}).bind(table).score(masked)
        assert score.value == pytest.approx(ours, abs=1e-9)
