"""The classic files, with the counts of their descriptions; skipped where the files are absent."""

from pathlib import Path

import numpy as np
import pytest

from sfumato import datasets
from sfumato.core import DataError, FileError
from sfumato.data import Table

CLASSIC = [name for name in datasets.names() if datasets.is_classic(name)]
SHAPES = {
    "adult": (48_842, 15),
    "census": (1080, 13),
    "diabetes": (768, 9),
    "eia": (4092, 15),
    "flare": (1389, 13),
    "german": (1000, 21),
    "massachusetts": (7634, 24),
    "tarragona": (834, 13),
    "water_treatment": (527, 39),
}
# Marés, thesis, Tables 2.3 and 2.4
GERMAN = {
    "EXISTACC": 5,
    "CREDHIST": 6,
    "PURPOSE": 12,
    "SAVINGS": 6,
    "PRESEMPLOY": 6,
    "STATSEX": 6,
    "OTHER": 4,
    "PROPERTY": 5,
    "OTHERPLANS": 4,
    "HOUSING": 4,
    "JOB": 5,
    "TELEPHONE": 3,
    "FOREIGN": 3,
    "CLASS": 2,
}
FLARE = [8, 7, 5, 3, 4, 4, 3, 3, 3, 3, 10, 10, 10]


def counts(table, name):
    categories, values = table.schema[name].categories, table[name]
    return dict(zip(categories, np.bincount(values[values >= 0], minlength=len(categories)), strict=True))


@pytest.mark.classic
@pytest.mark.parametrize("classic", CLASSIC)
class TestEach:
    def test_shape(self, classic):
        table = datasets.load(classic)
        assert (table.n, len(table.schema)) == SHAPES[classic]

    def test_numbers_are_legal(self, classic):
        table = datasets.load(classic)
        for a in table.schema:
            if a.is_numeric:
                present = table[a.name][~table.missing(a.name)]
                assert np.array_equal(a.conform(present), present), a.name

    def test_written_as_text_and_read_again_it_is_the_same(self, classic):
        table = datasets.load(classic)
        again = Table.from_arrow(table.to_arrow(text=True), table.schema)
        assert again.fingerprint == table.fingerprint


@pytest.mark.classic("tarragona", "census", "eia")
def test_numeric_files_are_keys():
    for name, keys in (("tarragona", 13), ("census", 13), ("eia", 11)):
        schema = datasets.load(name).schema
        assert len(schema.with_role("key")) == keys
        assert all(schema[key].decimals == 0 for key in schema.with_role("key"))


@pytest.mark.classic("census")
def test_census_has_rank_12():
    census = datasets.census()
    assert np.array_equal(census["PTOTVAL"], census["POTHVAL"] + census["PEARNVAL"])


@pytest.mark.classic("eia")
def test_eia_names_may_hold_commas():
    eia = datasets.eia()
    assert sum("," in name for name in eia.to_arrow()["UTILNAME"].to_pylist()) == 108
    assert eia.schema.with_role("identifier") == ("UTILNAME",)
    assert eia.schema["STATE"].domain_size == 51


@pytest.mark.classic("german")
def test_german():
    german = datasets.german()
    assert {a.name: a.domain_size for a in german.schema if not a.is_numeric} == GERMAN
    assert counts(german, "EXISTACC") == {"A11": 274, "A12": 269, "A13": 63, "A14": 394, ".": 0}
    assert counts(german, "SAVINGS")["A65"] == 183
    assert counts(german, "CLASS") == {"1": 700, "2": 300}
    assert german.schema.with_role("key") == ("EXISTACC", "SAVINGS", "PRESEMPLOY")
    assert {german.schema[name].scale for name in german.schema.with_role("key")} == {"ordinal"}
    assert counts(german, "PURPOSE")["A47"] == counts(german, "STATSEX")["A95"] == 0


@pytest.mark.classic("flare")
def test_flare():
    flare = datasets.flare()
    assert [a.domain_size for a in flare.schema] == FLARE
    assert counts(flare, "CLASS")["A"] == counts(flare, "CLASS")["."] == 0
    # totals of the two tables in the description of the file
    assert counts(flare, "C-CLASS")["0"] == 287 + 884
    assert counts(flare, "X-CLASS")["1"] == 7 + 4
    assert {flare.schema[name].scale for name in flare.schema.with_role("key")} == {"nominal"}


@pytest.mark.classic("adult")
def test_adult():
    adult = datasets.adult()
    assert [adult.schema[key].domain_size for key in adult.schema.with_role("key")] == [16, 7, 14]
    assert np.array_equal(adult["EDUCATION"] + 1, adult["EDUCATION-NUM"])
    assert (adult.schema["EDUCATION-NUM"].low, adult.schema["EDUCATION-NUM"].high) == (1, 16)
    missing = {name: int(adult.missing(name).sum()) for name in adult.names if adult.missing(name).any()}
    assert missing == {"WORKCLASS": 2799, "OCCUPATION": 2809, "NATIVE-COUNTRY": 857}
    complete = ~np.any([adult.missing(name) for name in missing], axis=0)
    assert complete.sum() == 45_222  # as the description of the file says
    assert round(100 * counts(adult, "INCOME")[">50K"] / adult.n, 2) == 23.93


@pytest.mark.classic("water_treatment")
def test_water_treatment():
    water = datasets.water_treatment()
    X = water.numbers(water.schema.with_role("key"))
    assert X.shape == (527, 38)
    assert (~np.isnan(X).any(axis=1)).sum() == 380
    assert np.isnan(water["RD-DBO-P"]).sum() == 62 and np.isnan(water["Q-E"]).sum() == 18
    assert set(water.reasons("Q-E")) == {0, 1}
    assert water.schema.with_role("identifier") == ("DATE",)


@pytest.mark.classic("diabetes")
def test_diabetes():
    diabetes = datasets.diabetes()
    assert len(diabetes.schema.with_role("key")) == 8
    assert counts(diabetes, "CLASS") == {"0": 500, "1": 268}


@pytest.mark.parametrize("classic", CLASSIC)
def test_absent_files_are_named_with_the_remedy(classic, no_classic_files):
    assert not datasets.available(classic)
    with pytest.raises(
        FileError, match=r"^Classic file \S+ is not in .*set the environment variable SFUMATO_DATA"
    ):
        datasets.load(classic)


def test_the_folder_beside_the_working_directory_is_tried(monkeypatch, tmp_path):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    folder = tmp_path / "shared" / "data"
    folder.mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (folder / "flare.data1").write_text("H A X 1 3 1 1 1 1 1 0 0 0\n")
    (folder / "flare.data2").write_text("class and so on 5 6 7 8 9 10 11 12 13\nB X O 1 1 1 1 2 1 1 8 0 0\n")
    monkeypatch.chdir(tmp_path / "work")
    assert datasets.flare().to_arrow()["CLASS"].to_pylist() == ["H", "B"]


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder


def test_damaged_files_get_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"german\.csv, line 1: must have 21 cells\. Got 2\."):
        datasets.german(write(tmp_path, "german.csv", "A11,6\n"))
    with pytest.raises(DataError, match=r"Census_1080x13\.csv: the header is not that"):
        datasets.census(write(tmp_path, "Census_1080x13.csv", ",".join("abcdefghijklm") + "\n"))
    with pytest.raises(DataError, match=r"EIA_4092x15\.csv: a row must have at least 15 cells\. Got 3\."):
        datasets.eia(write(tmp_path, "EIA_4092x15.csv", "a,b,c\n"))
    with pytest.raises(DataError, match=r"EIA_4092x15\.csv: the header is not that"):
        datasets.eia(write(tmp_path, "EIA_4092x15.csv", ",".join("abcdefghijklmno") + "\n"))
    for name in ("german.csv", "EIA_4092x15.csv"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    for read in (datasets.german, datasets.eia):
        with pytest.raises(FileError, match="cannot be read as UTF-8 text"):
            read(tmp_path)


def test_empty_files_get_one_sentence(tmp_path):
    for name in ("Tarragona_834x13.csv", "EIA_4092x15.csv"):
        write(tmp_path, name, "")
    for read in (datasets.tarragona, datasets.eia):
        with pytest.raises(DataError, match="the header is not that"):
            read(tmp_path)
