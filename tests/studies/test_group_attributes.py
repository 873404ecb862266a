import json

import numpy as np
import pytest

import sfumato
from sfumato.core import DataError, FileError
from sfumato.core.results import plain
from sfumato.datasets import business_survey
from sfumato.studies.group_attributes import group_attributes
from sfumato.studies.grouping_analysis import write_analysis

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
    assert exact.exact
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
        np.testing.assert_array_equal(again[name], exact.release[name])
    assert (exact.release["staff"] != table["staff"]).any()


def test_the_record_is_plain(genetic):
    record = json.loads(json.dumps(plain(genetic.to_dict()), allow_nan=False))
    assert record["masking"]["steps"][0]["method"] == "mdav"
    assert record["best"]["groups"]
    assert record["optimizer"]["method"] == "gomm"
    assert record["cached"] == genetic.analytics.cached
    assert genetic.to_frame().num_rows == len(genetic.front)
    assert sum(genetic.to_frame()["best"].to_pylist()) == 1


def test_what_is_not_there_is_refused(table):
    with pytest.raises(DataError, match="search must be one of auto, exact, genetic"):
        group_attributes(table, search="random")
    with pytest.raises(DataError, match="13 attributes have too many groupings"):
        group_attributes(table, k=5, search="exact")
    with pytest.raises(DataError, match="k = 90 needs at least 90 records"):
        group_attributes(table, k=90)


def test_the_analysis_is_written(genetic, exact, tmp_path):
    written = write_analysis(genetic, tmp_path / "deep" / "er")
    assert [path.name for path in written] == ["front.csv", "front.svg", "operators.csv", "operators.svg"]
    assert all(path.stat().st_size > 100 for path in written)
    assert "element_move" in written[2].read_text()
    assert [path.name for path in write_analysis(exact, tmp_path)] == ["front.csv", "front.svg"]
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="the folder cannot be made"):
        write_analysis(exact, tmp_path / "file" / "inside")
