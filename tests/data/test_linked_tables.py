"""Persons and households in files of their own: read as one table, and parted into the same files again."""

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.core import DataError, FileError, Key
from sfumato.data import Schema, linked, parted, read_table, schema_beside, write_table
from sfumato.data.linked_tables import keys_of
from sfumato.datasets import household_survey

SHARED = ["region", "wealth", "weight"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A survey in two files, of which that of homes is in another order and calls the key and a column otherwise."""
    frame = household_survey(300, seed=3).to_arrow(text=True).to_pandas()
    frame["note"] = frame["person"]
    homes = frame[["household", *SHARED]].drop_duplicates("household").sample(frac=1, random_state=1)
    homes["note"] = np.arange(len(homes)) % 3
    frame.drop(columns=SHARED).to_csv(tmp_path / "persons.csv", index=False)
    homes.rename(columns={"household": "home"}).to_csv(tmp_path / "homes.csv", index=False, sep=";")
    (tmp_path / "survey.tables.toml").write_text(
        '["persons.csv"]\n\n["homes.csv"]\nkey = {home = "household"}\n'
    )
    return tmp_path


def test_each_person_has_what_her_household_says(folder: Path) -> None:
    table = read_table(folder / "survey.tables.toml").to_arrow(text=True).to_pandas()
    persons = pd.read_csv(folder / "persons.csv")
    homes = pd.read_csv(folder / "homes.csv", sep=";")
    known = persons.merge(homes, left_on="household", right_on="home", suffixes=("", " of homes"))
    known = known.set_index("person_id").loc[persons["person_id"]]
    assert table["household"].astype(int).tolist() == persons["household"].tolist()
    assert table["region"].tolist() == known["region"].tolist()
    assert table["homes.note"].astype(int).tolist() == known["note of homes"].tolist()


def test_the_release_is_the_same_files(folder: Path) -> None:
    result = sfumato.protect(
        folder / "survey.tables.toml",
        masking="mdav_generic(k=3)",
        with_verdict=False,
        output=folder / "out.zip",
    )
    with zipfile.ZipFile(folder / "out.zip") as archive:
        assert archive.namelist() == ["persons.csv", "homes.csv", "linked.tables.toml"]
        archive.extractall(folder / "out")
    persons, homes = (pd.read_csv(folder / "out" / f"{name}.csv") for name in ("persons", "homes"))
    assert "region" not in persons and {"note", "age"} <= {*persons}
    assert {*homes} >= {"household", "region", "note"} and "age" not in homes
    assert homes["household"].is_unique and {*persons["household"]} == {*homes["household"]}
    before = pd.read_csv(folder / "persons.csv")
    linked_homes = homes["household"] > 0  # the others are people whose household is not shown
    assert not {*homes["household"]} & {*before["household"]}
    assert linked_homes.any() and homes["household"][linked_homes].astype(str).str.len().eq(15).all()
    joined = result.release.to_arrow(text=True).to_pandas()
    again = persons.merge(homes, on="household", suffixes=("", " of homes"))
    assert sorted(again["region"]) == sorted(joined["region"])
    assert sorted(again["wealth"].astype(float)) == sorted(joined["wealth"].astype(float))


def test_evaluate_reads_both(folder: Path) -> None:
    sfumato.mask(folder / "survey.tables.toml", "mdav_generic(k=3)", output=folder / "out.zip", seed=1)
    found = sfumato.evaluate(folder / "survey.tables.toml", folder / "out.zip", measures=["k_anonymity"])
    assert found.scores["k_anonymity"].parts["smallest"] >= 3


def test_a_study_gives_the_same_archive(folder: Path) -> None:
    sfumato.protect(
        folder / "survey.tables.toml", masking="pram", with_verdict=False, output=folder / "out.zip"
    )
    first = (folder / "out.zip").read_bytes()
    from sfumato.cli import main

    with pytest.raises(SystemExit) as end:
        main(["run", str(folder / "out.private" / "study.toml"), "--quiet"])
    assert end.value.code == 0 and (folder / "out.zip").read_bytes() == first


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(0, 3)), min_size=1, max_size=30))
def test_parted_tables_say_what_the_one_table_said(people: list[tuple[int, int]]) -> None:
    """The join of the parts is the table, but that whoever has no household has one of her own."""
    homes = [home if home >= 0 else None for home, _ in people]
    numbers = sorted({home for home in homes if home is not None})
    told = linked(
        {
            "p": pd.DataFrame({"home": pd.array(homes, "Int64"), "age": [age for _, age in people]}),
            "h": pd.DataFrame({"home": numbers, "rent": [f"r{number * 7 % 5}" for number in numbers]}),
        }
        if numbers
        else {"p": pd.DataFrame({"home": [0], "age": [1]}), "h": pd.DataFrame({"home": [0], "rent": ["r0"]})},
        keys={"h": "home"},
    )
    table = told.table
    parts = {name: part.to_arrow(text=True).to_pandas() for name, part in parted(table).items()}
    whole = table.to_arrow(text=True).to_pandas()
    again = parts["p"].merge(parts["h"], on="home", how="left")
    assert again["rent"].fillna("").tolist() == whole["rent"].fillna("").tolist()
    assert again["age"].tolist() == whole["age"].tolist()
    assert parts["h"]["home"].is_unique


def test_three_files_and_their_order() -> None:
    stays = pd.DataFrame({"who": [1, 1, 2, 3], "days": [3, 4, 9, 1]})
    persons = pd.DataFrame({"who": [1, 2, 3], "home": [10, 10, 11], "age": [30, 40, 50]})
    homes = pd.DataFrame({"home": [11, 10], "rent": [500, 900]})
    source = linked(
        {"stays": stays, "persons": persons, "homes": homes}, keys={"persons": "who", "homes": "home"}
    )
    assert keys_of(source.schema) == {"stays": "", "persons": "who", "homes": "home"}
    assert source.schema.with_role("household") == ("who", "home")
    parts = parted(source.table)
    assert parts["stays"].names == ("who", "days") and parts["persons"].n == 3
    assert parts["persons"].names == ("who", "home", "age")
    assert parts["homes"]["rent"].tolist() == [900, 500]


def test_rows_of_nobody_are_counted_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("sfumato.core.progress.note", said.append)
    homes = pd.DataFrame({"home": [11, 10, 12, 13], "rent": [500, 900, 1, 2]})
    source = linked(
        {"persons": pd.DataFrame({"who": [1, 2], "home": [10, 11]}), "homes": homes}, keys={"homes": "home"}
    )
    assert parted(source.table)["homes"]["rent"].tolist() == [900, 500]
    assert said == ["homes: 2 rows belong to no record and are left out."]


def test_a_link_across_households_is_no_household() -> None:
    persons = pd.DataFrame({"home": [1, 1, 2, 2], "firm": [7, 8, 7, 8], "age": [1, 2, 3, 4]})
    homes = pd.DataFrame({"home": [1, 2], "rent": [5, 6]})
    firms = pd.DataFrame({"firm": [7, 8], "size": [50, 60]})
    source = linked({"p": persons, "h": homes, "f": firms}, keys={"h": "home", "f": "firm"})
    assert source.schema["home"].role == "household" and source.schema["firm"].role == "identifier"
    parts = parted(source.table.select(["home", "age", "rent", "size"]))  # the number of the firm left out
    assert [*parts] == ["p", "h"] and parts["p"].names == ("home", "age", "size")


def test_where_rows_do_not_agree_the_cell_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    persons = pd.DataFrame({"home": [1, 1, 2], "age": [1, 2, 3]})
    homes = pd.DataFrame({"home": [1, 2], "rent": [5, 6]})
    table = linked({"p": persons, "h": homes}, keys={"h": "home"}).table
    torn = table.replace({"rent": np.where(table["age"] == 1, 0, table["rent"])})
    assert parted(torn)["h"].missing("rent").tolist() == [True, False]


def test_what_households_share_is_masked_once_however_few_values_it_has() -> None:
    """Agreement could be chance, but the column came from the file of households."""
    persons = pd.DataFrame({"home": np.repeat(np.arange(30), 2), "age": np.arange(60)})
    homes = pd.DataFrame({"home": np.arange(30), "tenure": ["own"] * 29 + ["rent"]})
    source = linked({"p": persons, "h": homes}, keys={"h": "home"})
    source = source.with_schema(source.schema.with_roles({"tenure": "key"}))
    for number in range(5):
        masked = sfumato.masking.Pram(p=0.5, attributes=("tenure",)).apply(
            source.table, np.random.default_rng(number)
        )
        assert (masked["tenure"][::2] == masked["tenure"][1::2]).all()


@pytest.mark.parametrize(
    ("homes", "said"),
    [
        ("home,rent\n1,5\n1,6\n2,7\n", "1 of its rows have no home of their own"),
        ("home,rent\n1,5\n", "1 records have a home that is not in its column home"),
        ("house,rent\n1,5\n2,6\n", "has no column home"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, homes: str, said: str) -> None:
    (tmp_path / "p.csv").write_text("home,age\n1,3\n1,4\n2,5\n")
    (tmp_path / "h.csv").write_text(homes)
    (tmp_path / "all.tables.toml").write_text('["p.csv"]\n["h.csv"]\nkey = "home"\n')
    with pytest.raises(DataError, match=said):
        read_table(tmp_path / "all.tables.toml")


@pytest.mark.parametrize(
    "text",
    [
        '["p.csv"]\n',
        '["p.csv"]\n["h.csv"]\n',
        '["p.csv"]\n["../h.csv"]\nkey = "home"\n',
        '["p.csv"]\nkey = "home"\n["h.csv"]\nkey = "home"\n',
        '["p.csv"]\n["h.csv"]\nkey = ["home", "street"]\n',
        '["p.csv"]\n["h.csv"]\nkey = "home"\nname = "x"\n',
    ],
)
def test_a_file_that_links_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "all.tables.toml").write_text(text)
    with pytest.raises(DataError, match=r"all\.tables\.toml.*key"):
        read_table(tmp_path / "all.tables.toml")


def test_archives(tmp_path: Path) -> None:
    people = read_frame(tmp_path)
    write_table(people, tmp_path / "one.zip")
    assert read_table(tmp_path / "one.zip").to_arrow(text=True).equals(people.to_arrow(text=True))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", "x\n1\n"), archive.writestr("b.csv", "x\n1\n")
    with pytest.raises(FileError, match="holds 2 files that could be read"):
        read_table(tmp_path / "two.zip")
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as archive:
        archive.writestr("inner/people.csv", "x,y\n1,2\n3,4\n")
        archive.writestr("../../evil.csv", "x,y\n1,2\n")
    assert read_table(tmp_path / "out.zip").n == 2 and not (tmp_path.parent.parent / "evil.csv").exists()
    (tmp_path / "torn.zip").write_bytes((tmp_path / "one.zip").read_bytes()[:60])
    with pytest.raises(FileError, match="cannot be unpacked"):
        read_table(tmp_path / "torn.zip")


def test_a_schema_without_the_files_reads_them_all_the_same(folder: Path) -> None:
    path = folder / "survey.tables.toml"
    schema = read_table(path).schema
    bare = Schema(one.evolve(tables=()) for one in schema)
    assert read_table(path, schema=bare).schema == schema


def test_the_codebook_says_which_file_a_column_is_of(folder: Path) -> None:
    sfumato.mask(
        folder / "survey.tables.toml", "rounding(base=5, attributes=[age])", output=folder / "out.zip"
    )
    book = Schema.read(schema_beside(folder / "out.zip"))
    assert book["region"].tables == ("homes.csv",) and book["household"].tables == (
        "persons.csv",
        "homes.csv",
    )


def test_pseudonyms_are_the_same_in_both_files(folder: Path) -> None:
    """Under one key, so that files that are released later link too."""
    from sfumato.data.pseudonyms import renumbered

    table = read_table(folder / "survey.tables.toml")
    parts = parted(renumbered(table, ["household"], Key(b"1" * 32)))
    assert {*parts["persons.csv"]["household"]} == {*parts["homes.csv"]["household"]}


def read_frame(folder: Path) -> sfumato.Table:
    (folder / "people.csv").write_text("age,town\n31,Soria\n45,Reus\n,Reus\n")
    return read_table(folder / "people.csv")


def test_frames_are_protected_and_parted_in_python() -> None:
    frame = household_survey(120, seed=5).to_arrow(text=True).to_pandas()
    homes = frame[["household", *SHARED]].drop_duplicates("household")
    source = linked({"persons": frame.drop(columns=SHARED), "homes": homes}, keys={"homes": "household"})
    result = sfumato.protect(source, masking="mdav_generic(k=3)", with_verdict=False, seed=1)
    parts = parted(result.release)
    assert [*parts] == ["persons", "homes"] and parts["persons"].n == 120
    masked = sfumato.mask(source, "pram(attributes=[region])", seed=1)
    assert parted(masked)["homes"].n == len(homes) and not parted(masked)["homes"].missing("region").any()
