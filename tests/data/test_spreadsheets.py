import datetime
import zipfile

import pytest

from sfumato.core import DataError, FileError, UnknownNameError
from sfumato.data import CsvOptions, read_arrow, read_table

pytest.importorskip("python_calamine", reason="the extra sheets is not installed")

CELL = '<table:table-cell office:value-type="{kind}" {value}><text:p>{text}</text:p></table:table-cell>'
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)


def cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, datetime.date):
        return CELL.format(kind="date", value=f'office:date-value="{value}"', text=value)
    if isinstance(value, str):
        return CELL.format(kind="string", value="", text=value)
    return CELL.format(kind="float", value=f'office:value="{value}"', text=value)


def ods(path, **sheets):
    """A spreadsheet of OpenDocument, which is a packed file of XML."""
    body = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = f"<office:document-content {NAMESPACES}><office:body><office:spreadsheet>{body}"
    content += "</office:spreadsheet></office:body></office:document-content>"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", "<manifest/>")
        packed.writestr("content.xml", content)
    return path


BORN = datetime.date(1961, 3, 4)
PEOPLE = [["code", "age", "born", "wage"], ["007", 31, BORN, 10.5], ["010", None, BORN, "N"]]


def test_the_first_sheet_that_is_not_empty_is_read(tmp_path):
    path = ods(tmp_path / "people.ods", cover=[], people=PEOPLE)
    assert read_arrow(path).to_pydict() == {
        "code": ["007", "010"],
        "age": [31, None],
        "born": [BORN, BORN],
        "wage": ["10.5", "N"],
    }
    assert read_table(path).n == 2


def test_a_sheet_is_chosen_by_its_name(tmp_path):
    path = ods(tmp_path / "people.ods", people=PEOPLE, towns=[["town"], ["Soria"]])
    assert read_arrow(path, options=CsvOptions(sheet="towns")).to_pydict() == {"town": ["Soria"]}
    with pytest.raises(UnknownNameError, match="houses"):
        read_arrow(path, options=CsvOptions(sheet="houses"))


def test_no_row_of_names(tmp_path):
    path = ods(tmp_path / "people.ods", people=[[31, "f"], [45, "m"]])
    found = read_arrow(path, options=CsvOptions(header=False)).to_pydict()
    assert found == {"c1": [31, 45], "c2": ["f", "m"]}


def test_what_is_no_spreadsheet_is_refused(tmp_path):
    (tmp_path / "people.xlsx").write_bytes(b"age,sex\n31,f\n")
    with pytest.raises(FileError, match="cannot be read as a spreadsheet"):
        read_arrow(tmp_path / "people.xlsx")
    with pytest.raises(DataError, match="a column has no name, or that of another"):
        read_arrow(ods(tmp_path / "people.ods", people=[["a", "a"], [1, 2]]))


def test_a_title_above_the_names_is_left_out(tmp_path):
    title = [["Survey of 2024", None, None, None], [None] * 4]
    path = ods(tmp_path / "people.ods", people=[*title, *PEOPLE])
    assert read_arrow(path).column_names == PEOPLE[0]
    one = ods(tmp_path / "one.ods", people=[["age"], [31], [45]])
    assert read_arrow(one)["age"].to_pylist() == [31, 45]
