"""Places from what people write, and trees of places from files."""

from pathlib import Path

import pytest

from sfumato.core import DataError, FileError
from sfumato.data.places import LEVELS, Place, Places
from sfumato.graphs.gazetteer import Gazetteer


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return Gazetteer.shipped()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Barcelona", "Barcelona"),
        ("barcelona, catalunya", "Barcelona"),
        ("BCN ♥", "Barcelona"),
        ("Poblenou - Barcelona", "Poblenou"),
        ("Lérida", "Lleida"),
        ("LERIDA", "Lleida"),
        ("New York, NY", "New York City"),
        ("New York", "New York"),
        ("U.S.A.", "United States"),
        ("Cambridge", "Cambridge"),
        ("Cambridge, MA", "Cambridge (US)"),
        ("Cambridge (Massachusetts)", "Cambridge (US)"),
        ("Somewhere in a village, Spain", "Spain"),
        ("London & Paris", "London"),
        ("worldwide", None),
        ("World", "World"),
        ("ÜT: 41.38,2.17", None),
        ("", None),
        (" , ", None),
    ],
)
def test_what_people_write(gazetteer: Gazetteer, written: str, meant: str | None) -> None:
    assert gazetteer.place(written) == meant


def test_every_place_is_found_by_its_own_name_and_by_its_name_and_parent(gazetteer: Gazetteer) -> None:
    places = gazetteer.places
    for name in places.names:
        assert gazetteer.place(name) == name
        assert not places[name].parent or gazetteer.place(f"{name}, {places[name].parent}") == name


def test_levels_are_those_of_table_6_1() -> None:
    assert (LEVELS["neighborhood"], LEVELS["locality"], LEVELS["country"], LEVELS["world"]) == (0, 1, 5, 7)
    assert len(LEVELS) == 14


def test_the_hierarchy_gives_every_place_its_level() -> None:
    places = Places.shipped()
    for name, row in zip(places.names, places.hierarchy.rows, strict=True):
        assert max(level for level, place in enumerate(row) if place == name) == places[name].level
        assert tuple(dict.fromkeys(row)) == places.branch(name)


HEAD = "name,type,parent\n"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("name,kind\nWorld,world\n", "a file of places has the columns name, type, parent"),
        (HEAD + "World,world,\nWorld,world,\n", "'World' is listed twice"),
        (HEAD + "World,world,\nSpain,realm,World\n", "place 'Spain': type must be one of route"),
        (HEAD + "World,world,\nSpain,country,Europe\n", "its parent 'Europe' is not listed"),
        (HEAD + "World,world,\nA,country,World\nB,country,A\n", "a type of a higher level"),
        (HEAD + "Spain,country,\n", "must have the type world"),
        (HEAD + "World,world,\nSpain,country,\n", "has no parent. Got 2 such places"),
    ],
)
def test_faults_of_a_file_of_places_are_named(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "places.csv").write_text(text)
    with pytest.raises(DataError, match=rule):
        Places.read(tmp_path / "places.csv")


def test_a_file_of_places_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text(
        "name,type,parent,other names\nWorld,world,,\nNarnia,country,World,Land of Narnia | N\n"
    )
    places = Places.read(tmp_path / "places.csv")
    assert places["Narnia"] == Place("Narnia", "country", "World", ("Land of Narnia", "N"))
    assert Gazetteer(places).place("land of narnia") == "Narnia"
    with pytest.raises(FileError, match="does not exist"):
        Places.read(tmp_path / "none.csv")
