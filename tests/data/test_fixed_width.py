"""Fixed width with a table as its codebook."""

import gzip
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError
from sfumato.data import read_table
from sfumato.data.formats._fixed_width import _with_decimals

BOOK = "name,start,end,decimals,label,labels,missing\nsex,1,1,,Sex,1=female; 2=male,9\nage,2-4,,,Age,,\nincome,5,12,2,Income,,\ntown,13,20,,,,\nseen,21,30,,,,\n"
LINES = [
    "1 31   12345Málaga  31.12.1999",
    "2 45      -5Soria   01.02.2000",
    "9 60        Reus",
    "1  7  123.50Soria   03.04.2001",
]


def written(folder: Path, name: str = "people.dat", book: str = BOOK, encoding: str = "utf-8") -> Path:
    text = "\r\n".join(LINES) + "\r\n"
    content = text.encode(encoding)
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (folder / "people.csv").write_text(book, encoding=encoding)
    return folder / name


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("name", ["people.dat", "people.fwf", "people.asc"])
def test_a_file_with_a_table_beside_it(tmp_path: Path, name: str, encoding: str) -> None:
    table = read_table(written(tmp_path, name, encoding=encoding))
    found = table.to_arrow(text=True).to_pydict()
    assert found["age"] == [31, 45, 60, 7] and found["income"] == [123.45, -0.05, None, 123.5]
    assert found["town"] == ["Málaga", "Soria", "Reus", "Soria"]
    assert table.schema["sex"].labels == {"1": "female", "2": "male"} and table.schema["sex"].missing == (
        "9",
    )
    assert table.schema["seen"].storage == "date" and table.schema["seen"].form == "dd.mm.yyyy"
    assert table.schema["age"].label == "Age"


def test_packed_and_by_widths_alone(tmp_path: Path) -> None:
    book = "Variable;Länge\nsex;1\nage;3\nincome;8\ntown;8\nseen;10\n"
    table = read_table(written(tmp_path, "people.dat.gz", book))
    assert table.to_arrow(text=True)["age"].to_pylist() == [31, 45, 60, 7]
    assert table.to_arrow(text=True)["town"].to_pylist()[0] == "Málaga"


def test_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text(" 1,50f\n12,25m\n 3   f\n")
    (tmp_path / "codebook.csv").write_text("name,start,end\nx,1,5\nsex,6,6\n")
    assert read_table(tmp_path / "a.dat").to_arrow(text=True)["x"].to_pylist() == [1.5, 12.25, 3.0]


@given(st.integers(-(10**9), 10**9), st.integers(1, 4))
def test_decimals_that_are_not_written(number: int, decimals: int) -> None:
    import pyarrow as pa

    (cell,) = _with_decimals(pa.array([str(number)]), decimals).to_pylist()
    assert float(cell) == number / 10**decimals


@pytest.mark.parametrize(
    ("book", "error", "said"),
    [
        ("name,start\n", DataError, "describes no variable"),
        ("first,second\n1,2\n", DataError, "needs the columns name, start and end"),
        ("name,start,end\nx,5,3\n", DataError, "row 1"),
        ("name,start,end\nx,90,95\n", DataError, "beyond the end of the lines"),
        ("name,start,end\nx,1,2\nx,3,4\n", DataError, "twice"),
    ],
)
def test_codebooks_that_do_not_fit(tmp_path: Path, book: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        read_table(written(tmp_path, book=book))


def test_without_a_codebook(tmp_path: Path) -> None:
    (tmp_path / "people.dat").write_text("1 31\n")
    with pytest.raises(FileError, match=r"people\.xml, people\.cbk, people\.txt, or a table people\.csv"):
        read_table(tmp_path / "people.dat")


def test_an_archive_of_lines_and_codebook(tmp_path: Path) -> None:
    path = written(tmp_path)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(path, path.name), archive.write(tmp_path / "people.csv", "people.csv")
    assert read_table(tmp_path / "all.zip").digest == read_table(path).digest
