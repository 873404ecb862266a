import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from table_strategies import same, tables

from sfumato.core import DataError, FileError, ParameterError
from sfumato.data import Attribute, CsvOptions, Schema, Table, read_arrow, read_table, write_table

SECRET = "Kowalski"


def written(folder, content, name="people.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@settings(max_examples=40, deadline=None)
@given(tables())
def test_round_trip(table):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write_table(table, path)
        assert same(read_table(path, schema=table.schema), table)
        assert [file.name for file in Path(folder).iterdir()] == ["t.csv"]


@settings(max_examples=40, deadline=None)
@given(tables(max_columns=1))
def test_round_trip_of_a_single_column_keeps_its_empty_cells(table):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.tsv"
        write_table(table, path)
        assert same(read_table(path, schema=table.schema), table)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-8-sig"])
def test_delimiters_and_encodings_round_trip(tmp_path, delimiter, encoding):
    sex = Attribute(name="séx", scale="nominal", categories=('a;b|c,"d"\te', "é\nf", "g\r\nh"))
    table = Table(Schema([sex, sex.evolve(name="b")]), {"séx": [0, 1, 2, -1], "b": [2, 2, -1, 0]})
    options = CsvOptions(delimiter=delimiter, encoding=encoding)
    write_table(table, tmp_path / "t.csv", options=options)
    assert same(read_table(tmp_path / "t.csv", schema=table.schema, options=options), table)


def test_every_cell_is_read_as_text_and_only_empty_cells_are_null(tmp_path):
    arrow = read_arrow(written(tmp_path, 'a,b\n007,NA\n"", x \n1.50,true\n'))
    assert arrow.to_pydict() == {"a": ["007", None, "1.50"], "b": ["NA", " x ", "true"]}


def test_no_header_names_the_columns_by_number(tmp_path):
    arrow = read_arrow(written(tmp_path, "1,2\n3,4\n"), options=CsvOptions(header=False))
    assert arrow.to_pydict() == {"c1": ["1", "3"], "c2": ["2", "4"]}


def test_writing_without_header(tmp_path):
    table = Table(
        Schema([Attribute(name="a", scale="numeric"), Attribute(name="b", scale="numeric")]),
        {"a": [1], "b": [2]},
    )
    write_table(table, tmp_path / "t.csv", options=CsvOptions(header=False))
    assert (tmp_path / "t.csv").read_text() == "1,2\n"


def test_plain_texts_are_written_without_quotes(tmp_path):
    sex = Attribute(name="sex", scale="nominal", categories=("f", "m"))
    table = Table(Schema([sex, sex.evolve(name="x")]), {"sex": [0, -1], "x": [1, 1]})
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "sex,x\nf,m\n,m\n"


def test_a_byte_order_mark_and_empty_lines_are_accepted(tmp_path):
    path = written(tmp_path, b"\xef\xbb\xbf\n\na,b\r\n1,2\r\n\r\n3,4\r\n\r\n")
    assert read_arrow(path).to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n"])
def test_a_header_alone_is_a_table_without_records(tmp_path, content):
    table = read_table(written(tmp_path, content))
    assert (table.n, table.names) == (0, ("a", "b"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "{path} is empty: it needs at least a row of column names."),
        ("\n\n", "{path} is empty: it needs at least a row of column names."),
        (
            f"a,b,a\n{SECRET},1,2\n",
            "{path}: columns 1 and 3 have the same name; rename one or pass --no-header.",
        ),
        (f"a,,b\n{SECRET},1,2\n", "{path}: column 2 has no name; name it or pass --no-header."),
        (f"a;b\n{SECRET};2\n", "{path} looks separated by ';': pass --delimiter ';'."),
        (f"a|b\n{SECRET}|2\n", "{path} looks separated by '|': pass --delimiter '|'."),
        (f"a\tb\n{SECRET}\t2\n", "{path} looks separated by '\\t' (a tab): pass --delimiter '\\t'."),
        (f"a;b\n{SECRET};2,5\n", "{path} looks separated by ';': pass --delimiter ';'."),
        (
            f"a,b\n1,2\n\n{SECRET}\n",
            "{path}, row 2: 2 cells expected, 1 found; check its delimiters and quotes.",
        ),
        (
            f'a,b\n1,"2\n2"\n{SECRET},2,3\n',
            "{path}, row 2: 2 cells expected, 3 found; check its delimiters and quotes.",
        ),
        (
            b"a,b\n1,2\nKowalski,caf\xe9\n",
            "{path}, row 2, cell 2: not valid utf-8; pass the right --encoding, such as latin-1.",
        ),
        (
            b"a,caf\xe9\nKowalski,1\n",
            "{path}, first line: not valid in this encoding; pass --encoding, such as latin-1.",
        ),
        (f"a,b\n1,2\n{SECRET},\0\n", "{path}, row 2, cell 2: holds a NUL character; remove it."),
        (
            f'a,b\n1,2\n{SECRET},"3\n4,5\n',
            "{path}, row 2: a quote is opened and never closed; double the quotes inside a cell.",
        ),
        (
            f'a,b\n1,2\n3,"4\n{SECRET},5\n' + "6,7\n" * 60_000,
            "{path}, row 2: a quote is opened and never closed; double the quotes inside a cell.",
        ),
        (
            f'a,"b\n{SECRET},2\n',
            "{path}, row of names: a quote is opened and never closed; double the quotes inside a cell.",
        ),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0Kowalski",
            "{path} is not delimited text: it may be binary or in another format or encoding.",
        ),
    ],
)
def test_refusals_are_one_sentence_without_values(tmp_path, content, sentence):
    path = written(tmp_path, content)
    with pytest.raises((DataError, FileError)) as refused:
        read_table(path, options=CsvOptions(delimiter=",", encoding="utf-8"))
    assert str(refused.value) == sentence.format(path=path)


def test_the_wrong_delimiter_is_seen_from_the_other_side(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    with pytest.raises(DataError, match="looks separated by ','"):
        read_arrow(path, options=CsvOptions(delimiter=";"))


def test_one_column_whose_name_holds_a_comma_is_fine(tmp_path):
    path = written(tmp_path, '"income, net"\n5\n')
    assert read_arrow(path).column_names == ["income, net"]
    assert read_arrow(path, options=CsvOptions(delimiter=";")).num_rows == 1


def test_a_number_that_is_none_is_refused_by_row(tmp_path):
    schema = Schema([Attribute(name="age", scale="numeric"), Attribute(name="b", scale="numeric")])
    path = written(tmp_path, f"age,b\n31,1\n{SECRET},1\n")
    with pytest.raises(DataError) as refused:
        read_table(path, schema=schema)
    assert str(refused.value) == (
        f"{path}, column age, row 2: not a number; correct it or declare a missing code for it."
    )


def test_missing_files_folders_and_unknown_suffixes(tmp_path):
    with pytest.raises(FileError, match=r"no\.csv does not exist\.$"):
        read_table(tmp_path / "no.csv")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(FileError, match=r"d\.csv is a folder: give the name of a file in it\.$"):
        read_table(tmp_path / "d.csv")
    known = (
        r"known suffixes are \.csv, \.tsv, \.txt, \.dat, \.dat\.gz, \.fwf, \.asc, \.tables\.toml, \.parquet, \.pq, \.sql, \.sas7bdat, \.xpt, "
        r"\.xlsx, \.xlsm, \.xlsb, \.xls, \.ods, \.sav, \.zsav, \.dta, \.zip\.$"
    )
    with pytest.raises(FileError, match=known):
        read_table(tmp_path / "t.klingon")


@pytest.mark.parametrize("arguments", [{"delimiter": ""}, {"delimiter": "\n"}, {"encoding": "klingon"}])
def test_impossible_options(arguments):
    with pytest.raises(ParameterError, match="must be one"):
        CsvOptions(**arguments)


def test_a_character_the_encoding_lacks_leaves_no_file(tmp_path):
    word = Attribute(name="a", scale="nominal", categories=("ж",))
    with pytest.raises(DataError, match=r"^The table holds a character that latin-1 cannot express"):
        write_table(
            Table(Schema([word]), {"a": [0]}), tmp_path / "t.csv", options=CsvOptions(encoding="latin-1")
        )
    assert list(tmp_path.iterdir()) == []


def test_minus_999_is_a_value_unless_declared(tmp_path):
    path = written(tmp_path, "income,b\n-999,1\n-999.0,2\n12,3\n")
    assert read_table(path)["income"].tolist() == [-999, -999, 12]
    declared = read_table(path).schema["income"].evolve(missing=("-999",))
    table = read_table(path, schema=read_table(path).schema.replace([declared]))
    assert table.missing("income").tolist() == [True, True, False]
    assert table.reasons("income").tolist() == [1, 1, 0]
