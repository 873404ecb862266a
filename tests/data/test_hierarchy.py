import pytest

from sfumato.core import DataError, FileError
from sfumato.data import Hierarchy

ROWS = (("Reus", "Catalonia", "Spain"), ("Lleida", "Catalonia", "Spain"), ("Soria", "Castile", "Spain"))


def test_levels():
    places = Hierarchy(ROWS)
    assert places.depth == 2
    assert places.leaves == ("Reus", "Lleida", "Soria")
    assert places.ancestors(0) == {"Reus": "Reus", "Lleida": "Lleida", "Soria": "Soria"}
    assert set(places.ancestors(2).values()) == {"Spain"}
    with pytest.raises(DataError, match=r"^Hierarchy: level must be from 0 to 2\. Got 3\.$"):
        places.ancestors(3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), r"^Hierarchy: there must be at least one row\.$"),
        ((("a",),), r"^Hierarchy row 1: all rows must have the same number of levels, at least two\."),
        ((("a", "b"), ("c", "d", "e")), r"^Hierarchy row 2: .* Got 3 where the first row has 2\.$"),
        ((("a", "b"), ("a", "c")), r"^Hierarchy row 2: category 'a' has a path already\.$"),
        ((("a", "b", "x"), ("c", "b", "y")), r"^Hierarchy: 'b' has two parents at level 2\.$"),
    ],
)
def test_what_is_no_hierarchy(rows, message):
    with pytest.raises(DataError, match=message):
        Hierarchy(rows)


def test_a_category_without_a_path_is_named():
    Hierarchy(ROWS).check_covers("town", ("Reus",))
    with pytest.raises(
        DataError, match=r"^Column town: the hierarchy has no path for category 'Vic': add a row\.$"
    ):
        Hierarchy(ROWS).check_covers("town", ("Reus", "Vic"))


def test_files(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("\n".join("; ".join(row) for row in ROWS) + "\n\n", encoding="utf-8")
    assert Hierarchy.read(path, delimiter=";") == Hierarchy(ROWS)
    with pytest.raises(FileError, match=r"^Hierarchy file .*no\.csv does not exist\.$"):
        Hierarchy.read(tmp_path / "no.csv")
    path.write_bytes(b"caf\xe9,b\n")
    with pytest.raises(FileError, match=r"^Hierarchy file .*h\.csv cannot be read as UTF-8 text\.$"):
        Hierarchy.read(path)
