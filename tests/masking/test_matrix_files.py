import json

import numpy as np
import pytest

from sfumato.core import DataError, FileError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Pram, make_masking, masked_with
from sfumato.masking.matrices.matrix_files import matrices_text, read_matrices

REGION = Attribute(name="region", scale="nominal", role="key", categories=("north", "south", "east"))
SIZE = Attribute(name="size", scale="ordinal", role="key", categories=("S", "L"))
SCHEMA = Schema([REGION, SIZE])
P = np.array([[0.5, 0.25, 0.25], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]])
Q = np.array([[0.7, 0.3], [0.2, 0.8]])


def people(n=400, schema=SCHEMA):
    rng = np.random.default_rng(0)
    return Table(schema, {"region": rng.integers(-1, 3, n), "size": rng.integers(0, 2, n)})


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "m.json"
    file.write_text(matrices_text({"region": P, "size": Q}, SCHEMA, {"seed": 3}), encoding="utf-8")
    return file


def changed(path, **cells):
    """The file with parts of the matrix of `region` replaced."""
    held = json.loads(path.read_text())
    held["matrices"]["region"] |= cells
    path.write_text(json.dumps(held))
    return path


def test_what_is_written_is_read(path):
    found = read_matrices(path)
    assert found.names == ("region", "size")
    assert np.array_equal(found.matrix(REGION, np.ones(3)), P)
    assert np.array_equal(found.matrix(SIZE, np.ones(2)), Q)
    assert json.loads(path.read_text())["about"] == {"seed": 3}


def test_pram_draws_by_the_file(path):
    pram = Pram(matrix=str(path))
    assert pram.spec() == {"method": "pram", "matrix": str(path)}
    assert make_masking(pram.spec()) == pram
    table = people()
    assert np.array_equal(pram.matrices(table)["region"], P)
    masked = pram.apply(table, np.random.default_rng(1))
    assert (masked["region"][table["region"] == 2] == 2).all()  # east always stays
    assert ((masked["region"] < 0) == (table["region"] < 0)).all()
    assert (masked["size"] != table["size"]).any()


def test_the_attributes_of_the_file_are_masked_unless_others_are_named(path):
    table = people().with_schema(SCHEMA.with_roles({"region": "other", "size": "other"}))
    assert Pram(matrix=str(path)).targets(table) == ("region", "size")
    assert Pram(matrix=str(path), attributes=("size",)).targets(table) == ("size",)


def test_rows_follow_the_order_of_the_schema(path):
    other = REGION.evolve(categories=("east", "north", "south"))
    order = [2, 0, 1]
    assert np.array_equal(read_matrices(path).matrix(other, np.ones(3)), P[np.ix_(order, order)])


def test_an_equation_makes_a_matrix_for_any_attribute(tmp_path):
    file = tmp_path / "e.json"
    file.write_text('{"equation": "freq_j"}')
    found = Pram(matrix=str(file)).matrices(people())
    T = np.bincount(people()["region"][people()["region"] >= 0])
    assert np.allclose(found["region"], T / T.sum())


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        read_matrices(tmp_path / "nowhere.json")
    with pytest.raises(FileError, match="is a folder"):
        read_matrices(tmp_path)
    for text, rule in (
        ("not json", "must be JSON"),
        ("[]", "must hold 'matrices'"),
        ('{"matrices": {}}', "must hold 'matrices'"),
        ('{"matrices": {"region": 3}}', "must have 'categories'"),
        ('{"equation": "freq_x"}', "'freq_x' is not known"),
    ):
        file = tmp_path / "bad.json"
        file.write_text(text)
        with pytest.raises((FileError, DataError), match=rule):
            read_matrices(file)


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        ({"rows": [[0.5, 0.5, 0.5], *P[1:].tolist()]}, "row of category 'north' must hold .* add up to 1.5"),
        ({"rows": [[1.5, -0.5, 0.0], *P[1:].tolist()]}, "row of category 'north' must hold probabilities"),
        ({"rows": P[:2].tolist()}, "must have 3 rows of 3 numbers"),
        ({"rows": [["a"] * 3] * 3}, "must have 3 rows of 3 numbers"),
        ({"rows": None}, "must have 3 rows of 3 numbers"),
        ({"categories": ["north", "north", "east"]}, "a category is named twice"),
        ({"categories": [1, 2, 3]}, "a list of texts"),
    ],
)
def test_a_matrix_that_is_none_is_refused(path, cells, rule):
    with pytest.raises(DataError, match=f"column region: .*{rule}"):
        read_matrices(changed(path, **cells))


def test_a_matrix_for_other_categories_or_columns_is_refused(path):
    found = read_matrices(path)
    with pytest.raises(
        DataError, match="the file has no row for 1 of the categories, the first being 'west'"
    ):
        found.matrix(REGION.evolve(categories=(*REGION.categories, "west")), np.ones(4))
    with pytest.raises(DataError, match="the schema does not declare 1 of the categories"):
        found.matrix(REGION.evolve(categories=("north", "south")), np.ones(2))
    with pytest.raises(DataError, match="holds no matrix for column town; it has region, size"):
        found.matrix(REGION.evolve(name="town"), np.ones(3))


def test_a_name_that_is_neither_matrix_nor_file_is_refused():
    with pytest.raises(ParameterError, match=r"matrix must be one of frequency, .*ends in .json. Got 'freq'"):
        Pram(matrix="freq")


def test_where_a_file_lies_does_not_change_what_is_drawn(path):
    elsewhere = path.with_name("copy.json")
    elsewhere.write_text(path.read_text())
    one, other = (masked_with(Pram(matrix=str(p)), people(), seed=1) for p in (path, elsewhere))
    assert one.fingerprint == other.fingerprint
    changed(elsewhere, rows=P[::-1].tolist())
    assert Pram(matrix=str(path)).keyed_by() != Pram(matrix=str(elsewhere)).keyed_by()
