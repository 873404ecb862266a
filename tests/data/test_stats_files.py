import datetime
import string
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_strategies import same

from sfumato.core import DataError, FileError
from sfumato.core.progress import listening
from sfumato.data import Attribute, Schema, Table, read_table, write_table

NAN = float("nan")


class Notes:
    def __init__(self):
        self.messages = []

    def noted(self, message):
        self.messages.append(message)


def survey():
    """Everything a statistics package declares, in one table."""
    sex = Attribute(
        name="sex",
        scale="nominal",
        role="key",
        storage="integer",
        categories=("1", "2", "3"),
        missing=("9",),
        label="Sex of the person",
        labels={"1": "female", "2": "male", "3": "other", "9": "refused"},
    )
    grade = Attribute(
        name="grade", scale="ordinal", role="key", storage="integer", categories=("1", "2", "5")
    )
    town = Attribute(name="town", scale="nominal", role="key", categories=("Lleida", "Reus"), missing=("zz",))
    income = Attribute(
        name="income", scale="numeric", role="confidential", storage="real", decimals=2, missing=("-9", "-8")
    )
    age = Attribute(name="age", scale="numeric", role="key", storage="integer", decimals=0)
    return Table(
        Schema([sex, grade, town, income, age]),
        {
            "sex": [0, 1, 2, -1, -1],
            "grade": [0, 1, 2, 2, -1],
            "town": [0, 1, -1, -1, 0],
            "income": [10.25, NAN, NAN, NAN, -3.5],
            "age": [31, 45, NAN, 20, 19],
        },
        reasons={"sex": [0, 0, 0, 1, 0], "town": [0, 0, 1, 0, 0], "income": [0, 1, 2, 0, 0]},
    )


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
def test_spss_round_trip_needs_no_schema(tmp_path, suffix):
    table = survey()
    write_table(table, tmp_path / f"t{suffix}")
    back = read_table(tmp_path / f"t{suffix}")
    roles = {a.name: a.role for a in table.schema}  # which no statistics file keeps
    assert same(back.with_schema(back.schema.with_roles(roles)), table)


def test_spss_file_holds_what_its_own_reader_expects(tmp_path):
    write_table(survey(), tmp_path / "t.sav")
    frame, meta = pyreadstat.read_sav(tmp_path / "t.sav")
    assert frame["sex"].isna().tolist() == [False, False, False, True, True]
    assert meta.variable_measure["grade"] == "ordinal"
    assert meta.variable_value_labels["sex"][9.0] == "refused"
    assert meta.column_names_to_labels["sex"] == "Sex of the person"
    assert meta.original_variable_types["age"] == "F8.0"


def test_spss_ranges_are_read_as_the_codes_present_or_labelled(tmp_path):
    pyreadstat.write_sav(
        pd.DataFrame({"x": [1.0, 2.5, -99.0, -98.0, 7.0]}),
        tmp_path / "t.sav",
        missing_ranges={"x": [{"lo": -99, "hi": -90}, 7]},
        variable_value_labels={"x": {-95.0: "not asked"}},
        variable_measure={"x": "scale"},
    )
    table = read_table(tmp_path / "t.sav")
    assert table.schema["x"].missing == ("-99", "-98", "-95", "7")
    assert table.reasons("x").tolist() == [0, 0, 1, 2, 4]
    np.testing.assert_array_equal(table["x"], [1, 2.5, NAN, NAN, NAN])
    write_table(table, tmp_path / "again.sav")
    assert same(read_table(tmp_path / "again.sav"), table)


def test_more_codes_than_spss_can_declare_never_become_values(tmp_path):
    x = Attribute(name="x", scale="numeric", missing=("1", "3", "5", "7"))
    table = Table(Schema([x]), {"x": [2, 4, 6, NAN, NAN]}, reasons={"x": [0, 0, 0, 1, 4]})
    notes = Notes()
    with listening(notes):
        write_table(table, tmp_path / "t.sav")
    frame, _ = pyreadstat.read_sav(tmp_path / "t.sav")
    np.testing.assert_array_equal(frame["x"], [2, 4, 6, NAN, NAN])
    assert notes.messages == ["Column x: missing code 7 is written as an ordinary missing value."]


def test_without_a_measure_labels_on_all_values_make_a_nominal_attribute(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    labels = {"a": {1.0: "x", 2.0: "y", 3.0: "z"}, "b": {2.0: "top"}}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels=labels)
    schema = read_table(tmp_path / "t.sav").schema
    assert (schema["a"].scale, schema["a"].categories) == ("nominal", ("1", "2", "3"))
    assert schema["b"].scale == "numeric"


def test_minus_999_is_a_value_unless_the_file_declares_it(tmp_path):
    frame = pd.DataFrame({"x": [-999.0, 1.0], "y": [-999.0, 1.0]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", missing_ranges={"y": [-999]})
    table = read_table(tmp_path / "t.sav")
    assert table["x"].tolist() == [-999, 1]
    assert table.missing("y").tolist() == [True, False]


def test_stata_special_missing_values_round_trip(tmp_path):
    pyreadstat.write_dta(
        pd.DataFrame({"x": pd.Series([1.5, "a", "c", None], dtype=object), "s": ["u", "", "v", "u"]}),
        tmp_path / "t.dta",
        missing_user_values={"x": ["a", "c"]},
        column_labels={"x": "Hours"},
    )
    table = read_table(tmp_path / "t.dta")
    assert table.schema["x"].missing == (".a", ".c")
    assert table.schema["x"].label == "Hours"
    assert table.reasons("x").tolist() == [0, 1, 2, 0]
    assert table["s"].tolist() == [0, -1, 1, 0]
    write_table(table, tmp_path / "again.dta")
    assert same(read_table(tmp_path / "again.dta"), table)


def test_stata_takes_other_codes_as_letters_and_says_so(tmp_path):
    notes = Notes()
    with listening(notes):
        write_table(survey(), tmp_path / "t.dta")
    back = read_table(tmp_path / "t.dta")
    assert back.schema["income"].missing == (".a", ".b")
    assert back.reasons("income").tolist() == [0, 1, 2, 0, 0]
    assert back.schema["sex"].labels == {"1": "female", "2": "male", "3": "other", ".a": "refused"}
    assert back["sex"].tolist() == survey()["sex"].tolist()
    assert "Column income: missing code -9 is written as .a." in notes.messages


def test_sas_transport_keeps_values_and_column_labels(tmp_path):
    table = survey()
    write_table(table, tmp_path / "t.xpt")
    back = read_table(tmp_path / "t.xpt")
    np.testing.assert_array_equal(back["income"], table["income"])
    assert back.schema["sex"].label == "Sex of the person"
    assert back.to_arrow()["sex"].to_pylist() == [1, 2, 3, None, None]


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt"])
def test_dates_moments_and_truth_values(tmp_path, suffix):
    day = Attribute(name="day", scale="ordinal", storage="date", categories=("1950-01-02", "2024-02-29"))
    moment = Attribute(name="at", scale="ordinal", storage="timestamp", categories=("2024-02-29T23:59:58",))
    truth = Attribute(name="truth", scale="nominal", storage="boolean", categories=("false", "true"))
    table = Table(Schema([day, moment, truth]), {"day": [1, 0, -1], "at": [0, -1, 0], "truth": [1, 0, -1]})
    write_table(table, tmp_path / f"t{suffix}")
    back = read_table(tmp_path / f"t{suffix}").to_arrow().to_pydict()
    assert back["day"] == [datetime.date(2024, 2, 29), datetime.date(1950, 1, 2), None]
    assert back["at"] == [
        datetime.datetime(2024, 2, 29, 23, 59, 58),
        None,
        datetime.datetime(2024, 2, 29, 23, 59, 58),
    ]
    assert back["truth"] == [1, 0, None]


ANY_VALUES = given(
    numbers=st.lists(
        st.one_of(st.none(), st.sampled_from(["-9", "-8"]), st.floats(-1e100, 1e100)), min_size=1, max_size=6
    ),
    texts=st.lists(
        st.text(string.ascii_letters + "éж ,'", min_size=1, max_size=12).map(str.strip).filter(bool),
        unique=True,
        min_size=1,
        max_size=4,
    ),
    data=st.data(),
)


@settings(max_examples=3, deadline=None)  # each file is read by a process of its own
@ANY_VALUES
def test_spss_round_trip_of_any_values(numbers, texts, data):
    assert_spss_round_trip(numbers, texts, data)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@ANY_VALUES
def test_spss_round_trip_of_many_values(numbers, texts, data):
    assert_spss_round_trip(numbers, texts, data)


def assert_spss_round_trip(numbers, texts, data):
    n = len(numbers)
    x = Attribute(name="x", scale="numeric", storage="real", missing=("-9", "-8"))
    t = Attribute(name="t", scale="nominal", categories=tuple(texts), labels={texts[0]: "first"})
    values = [NAN if v is None or isinstance(v, str) or v in (-9, -8) else v for v in numbers]
    reasons = [("-9", "-8").index(v) + 1 if isinstance(v, str) else 0 for v in numbers]
    codes = data.draw(st.lists(st.integers(-1, len(texts) - 1), min_size=n, max_size=n))
    table = Table(Schema([x, t]), {"x": values, "t": codes}, reasons={"x": np.array(reasons)})
    with tempfile.TemporaryDirectory() as folder:
        write_table(table, Path(folder) / "t.sav")
        assert same(read_table(Path(folder) / "t.sav", schema=table.schema), table)


@pytest.mark.parametrize(
    ("suffix", "package"),
    [(".sav", "SPSS"), (".dta", "Stata"), (".sas7bdat", "SAS"), (".xpt", "SAS transport")],
)
def test_damaged_files(tmp_path, suffix, package):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(b"name\nKowalski\n" * 50)
    with pytest.raises(FileError) as refused:
        read_table(path)
    assert (
        str(refused.value)
        == f"{path} cannot be read as a {package} file: it is damaged or in another format."
    )


@pytest.mark.parametrize(
    ("suffix", "name"), [(".sav", "a b"), (".dta", "1a"), (".xpt", "é"), (".dta", "x" * 33)]
)
def test_names_a_format_does_not_take(tmp_path, suffix, name):
    table = Table(Schema([Attribute(name=name, scale="numeric")]), {name: [1]})
    with pytest.raises(DataError, match=rf"^Column {name}: a name in a .* file is a letter followed by"):
        write_table(table, tmp_path / f"t{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_reserved_word_is_refused_without_a_trace(tmp_path):
    table = Table(Schema([Attribute(name="ALL", scale="numeric")]), {"ALL": [1]})
    with pytest.raises(FileError, match=r"^The table cannot be written as a SPSS file"):
        write_table(table, tmp_path / "t.sav")
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_the_sentence_says_what_to_install(tmp_path):
    write_table(survey(), tmp_path / "t.sav")
    script = (
        "import sys; sys.modules['pyreadstat'] = None\n"
        "from sfumato.data import read_table\n"
        "try:\n    read_table(sys.argv[1])\n"
        "except ImportError as error:\n    print(type(error).__name__, error)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "t.sav")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == (
        "MissingExtraError A SPSS file needs an optional package: "
        "install it with pip install 'sfumato[stats]'."
    )


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt"])
def test_integers_too_long_for_a_number_are_written_as_texts(tmp_path, suffix):
    codes = (str(2**60), str(2**60 + 1))
    x = Attribute(name="x", scale="nominal", storage="integer", categories=codes)
    table = Table(Schema([x]), {"x": [1, 0, -1]})
    write_table(table, tmp_path / f"t{suffix}")
    assert same(read_table(tmp_path / f"t{suffix}", schema=table.schema), table)


def test_names_that_only_spss_takes(tmp_path):
    table = Table(
        Schema([Attribute(name="q1.a@#$", scale="numeric", storage="integer")]), {"q1.a@#$": [1, 2]}
    )
    write_table(table, tmp_path / "t.sav")
    assert same(read_table(tmp_path / "t.sav", schema=table.schema), table)
