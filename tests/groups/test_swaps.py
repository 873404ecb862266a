import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swapping import PLACES, small_files, small_table

from sfumato.core import DataError, FileError
from sfumato.groups.signals import RecordPlaces
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList

TABLE = small_table()
FILES = small_files(TABLE)


def some_swaps(count: int, seed: int) -> SwapList:
    """Swaps out of Drum, drawn without any of our operators."""
    rng = np.random.default_rng(seed)
    given = rng.permutation(FILES.members.at(0))[:count]
    others = np.flatnonzero(~FILES.member & (FILES.place > 0))
    partners = rng.permutation(others)[: len(given)]
    return SwapList.of([[0, a, FILES.place[b], b] for a, b in zip(given, partners, strict=True)])


@given(st.integers(0, 18), st.integers(0, 1000))
def test_swaps_keep_the_size_of_every_place_and_can_be_undone(count, seed):
    swaps = some_swaps(count, seed)
    swaps.check(FILES)
    protected = swaps.applied(TABLE, ["place", "county"])
    after = small_files(protected)
    assert (after.records == FILES.records).all()
    assert (after.quantity == swaps.quantity(FILES)).all()
    assert after.quantity[0] == FILES.quantity[0] - count
    changed = [
        name for name in TABLE.names if (protected[name] != TABLE[name])[: TABLE.n].any() and name != "age"
    ]
    assert set(changed) <= {"place", "county"}
    assert (protected["place"] != TABLE["place"]).sum() == 2 * count
    assert swaps.undone(protected, ["place", "county"]).fingerprint == TABLE.fingerprint


def test_the_order_of_swaps_does_not_matter():
    swaps = some_swaps(5, 1)
    turned = SwapList.of(swaps.rows[::-1])
    assert turned.key == swaps.key
    assert (turned.moved(FILES.place) == swaps.moved(FILES.place)).all()


def test_reasons_of_missing_places_travel_with_their_places():
    protected = some_swaps(4, 2).applied(TABLE, ["place"])
    assert protected.to_arrow()["place"].to_pylist()[-2:] == ["?", "!"]


def test_the_list_is_an_audit_and_can_be_read_back(tmp_path):
    swaps = some_swaps(3, 0)
    swaps.write_csv(tmp_path / "swaps.csv", PLACES)
    first = (tmp_path / "swaps.csv").read_text().splitlines()[:2]
    giver, record, taker, partner = swaps.rows[0].tolist()
    assert first == [
        "from_place,record,to_place,partner",
        f"{PLACES[giver]},{record + 1},{PLACES[taker]},{partner + 1}",
    ]
    assert SwapList.read_csv(tmp_path / "swaps.csv", PLACES).key == swaps.key


MEMBER, OTHER = FILES.members.at(0), FILES.others.at(1)


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ([[0, 10**6, 1, OTHER[0]]], "a record that the file of 240 does not have"),
        ([[0, -1, 1, OTHER[0]]], "a record that the file of 240 does not have"),
        ([[2, MEMBER[0], 1, OTHER[0]]], "not in the place that the list says"),
        ([[0, MEMBER[0], 0, FILES.others.at(0)[0]]], "in the same place"),
        ([[0, FILES.others.at(0)[0], 1, OTHER[0]]], "does not belong to the group"),
        ([[0, MEMBER[0], 1, FILES.members.at(1)[0]]], "belongs to the group as well"),
        (
            [[0, MEMBER[0], 1, OTHER[0]], [0, MEMBER[1], 1, OTHER[0]]],
            "Swap 2 of 2: a record is in the list twice",
        ),
        ([[0, MEMBER[0], 1, OTHER[0]]] * (len(MEMBER) + 1), "gives more than it has"),
    ],
)
def test_a_list_that_breaks_a_rule_is_refused(rows, rule):
    with pytest.raises(DataError, match=rule):
        SwapList.of(rows).check(FILES)


def test_only_the_protected_file_is_undone():
    with pytest.raises(DataError, match="not where the swap put it"):
        some_swaps(2, 0).undone(TABLE, ["place"])
    with pytest.raises(DataError, match="does not have"):
        some_swaps(2, 0).undone(TABLE.take(np.arange(1)), ["place"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "is no swap list"),
        ("from_place,record,to_place,partner\nAtlantis,1,Drum,2\n", "swap 1: from_place is not a place"),
        ("from_place,record,to_place,partner\nDrum,one,Essex,2\n", "must be the numbers of two records"),
        ("from_place,record,to_place,partner\nDrum,1,Essex\n", "must be the numbers of two records"),
    ],
)
def test_a_bad_list_is_refused_without_its_values(tmp_path, text, sentence):
    (tmp_path / "swaps.csv").write_text(text)
    with pytest.raises(DataError, match=sentence) as error:
        SwapList.read_csv(tmp_path / "swaps.csv", PLACES)
    assert "Atlantis" not in str(error.value)


def test_a_list_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        SwapList.read_csv(tmp_path / "swaps.csv", PLACES)
    (tmp_path / "swaps.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="UTF-8"):
        SwapList.read_csv(tmp_path / "swaps.csv", PLACES)


def test_the_group_must_be_told_of_every_record():
    with pytest.raises(DataError, match="each of the 3 records"):
        Submicrofiles(RecordPlaces(("a",), np.zeros(3, int)), np.zeros(2, bool))
