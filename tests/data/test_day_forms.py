"""Days go out in the form in which they came in."""

import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, read_table, write_table
from sfumato.data.day_forms import from_iso, to_iso

FORMS = ("dd.mm.yyyy", "d.m.yyyy", "mm/dd/yyyy", "m/d/yyyy", "dd-mm-yyyy", "yyyy/mm/dd", "yyyy.m.d")


@given(st.sampled_from(FORMS), st.lists(st.dates(datetime.date(1850, 1, 1)), min_size=1))
def test_there_and_back(form: str, days: list[datetime.date]) -> None:
    iso = pa.array([day.isoformat() for day in days])
    assert to_iso(from_iso(iso, form), form).equals(iso)


@pytest.mark.parametrize("form", [f for f in FORMS if "mm/" not in f and "m/d" not in f])
@pytest.mark.parametrize("days", [30, 900])
def test_a_file_comes_back_as_it_was(tmp_path: Path, form: str, days: int) -> None:
    """Few days are categories, many are numbers inside."""
    first = datetime.date(2001, 1, 1)
    iso = pa.array([(first + datetime.timedelta(day)).isoformat() for day in range(days)])
    written = from_iso(iso, form).to_pylist()
    (tmp_path / "a.csv").write_text("\n".join(["seen,sex", *(f"{day},f" for day in written)]) + "\n")
    table = read_table(tmp_path / "a.csv")
    assert table.schema["seen"].form == form and table.schema["seen"].is_numeric == (days == 900)
    write_table(table, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == (tmp_path / "a.csv").read_text()
    again = read_table(tmp_path / "b.csv", schema=Schema.from_toml(table.schema.to_toml()))
    assert again.digest == table.digest
    write_table(table, tmp_path / "b.parquet")
    assert read_table(tmp_path / "b.parquet", schema=table.schema).digest == table.digest


def test_moments_and_missing_codes(tmp_path: Path) -> None:
    text = (
        "at,sex\n"
        + "".join(f"{day}.{day}.2001 0{day}:30,f\n" for day in range(1, 9))
        + "9.9.2001 23:59,m\n,m\n"
    )
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    assert table.schema["at"].storage == "timestamp" and table.schema["at"].form == "d.m.yyyy HH:MM"
    write_table(table, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == text


def test_several_forms_in_one_column_are_written_as_iso(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("at\n1.2.2001\n13/02/2001\n")
    assert read_table(tmp_path / "a.csv").schema["at"].form == ""


def test_the_form_is_checked() -> None:
    with pytest.raises(DataError, match=r"dd\.mm\.yyyy"):
        Attribute(name="at", scale="numeric", storage="date", form="%d")
    with pytest.raises(DataError, match="storage integer"):
        Attribute(name="at", scale="numeric", storage="integer", form="dd.mm.yyyy")


def test_a_release_and_its_evaluation(tmp_path: Path) -> None:
    days = [f"{1 + at % 12:02d}/{1 + at % 28:02d}/19{50 + at % 50}" for at in range(600)]
    (tmp_path / "a.csv").write_text(
        "\n".join(["born,age", *(f"{d},{at % 70}" for at, d in enumerate(days))]) + "\n"
    )
    sfumato.mask(
        tmp_path / "a.csv", "mdav(k=3, attributes=[born])", output=tmp_path / "b.csv", keep=["born"], seed=1
    )
    first = (tmp_path / "b.csv").read_text().splitlines()[1].split(",")[0]
    assert len(first) == 10 and first[2] == first[5] == "/"
    born = [line.split(",")[0] for line in (tmp_path / "b.csv").read_text().splitlines()[1:]]
    assert min(born.count(day) for day in {*born}) >= 3
    found = sfumato.evaluate(tmp_path / "a.csv", tmp_path / "b.csv", measures=["k_anonymity"])
    assert found.scores["k_anonymity"].parts["classes"] < 600
