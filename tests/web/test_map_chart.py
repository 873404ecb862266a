"""What the map of candidates draws, as options of its chart: what is filled, what is hollow, and what lies below."""

from sfumato.web.ui.map_chart import BELOW, FAILING, PARTLY, RING, _beside, _series


def point(loss, risk, label="mdav (k = 3)", **more):
    return {"loss": loss, "risk": risk, "label": label, **more}


FOUND = {
    "on_some_keys": [point(1.0, 2.0)],
    "failing": [point(3.0, 4.0)],
    "candidates": [point(5.12345, 6.0)],
    "front": [point(7.0, 8.0)],
    "evolved": [point(9.0, 10.0)],
    "release": point(11.0, 12.0),
}


def is_hollow(series):
    return series["itemStyle"]["color"] == "transparent"


def test_only_what_is_not_to_be_had_and_the_ring_are_hollow():
    series = {one["name"]: one for one in _series(FOUND)}
    assert {name for name, one in series.items() if is_hollow(one)} == {PARTLY, FAILING, "release"}
    assert series["candidates"]["data"] == [{"value": [5.123, 6.0], "name": "mdav (k = 3)"}]
    assert {name for name, one in series.items() if one["type"] == "line"} == {"not beaten", "evolution"}
    assert series["not beaten"]["step"] == "end"
    assert {name for name, one in series.items() if one.get("z") == BELOW} == {"evolution"}


def test_the_ring_stands_out():
    *others, release = _series(FOUND)
    assert (release["name"], release["symbolSize"], release["itemStyle"]["borderWidth"]) == (
        "release",
        RING,
        3,
    )
    assert all(one["itemStyle"]["borderWidth"] < 3 for one in others)
    assert _series({**FOUND, "release": None})[-1]["data"] == []


def test_other_runs_are_hollow_below_and_told_apart():
    run = {"label": "run 1", "front": [point(1.0, 2.0)], "release": point(3.0, 4.0)}
    others = _beside([run, {**run, "label": "run 2", "release": None}, run, run])
    assert len(others) == 3  # as many as there are marks
    assert all(is_hollow(one) and one["z"] == BELOW for one in others)
    assert (
        len({one["symbol"] for one in others})
        == len({one["itemStyle"]["borderColor"] for one in others})
        == 3
    )
    assert [len(one["data"]) for one in others] == [2, 1, 2]
