import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Schema, Table
from sfumato.groups.harmonised_files import Harmonisation, harmonise

SPEC = """
[attributes.workplace]
from = ["state", "puma"]

[attributes.military]
from = "occupation"
values = { "1" = ["551010", "552010"] }
otherwise = "0"
optional = true

[attributes.age]
range = [18, 45]

[attributes.race]
auxiliary = "race2000"
values = { white = ["1"], black = ["2"] }

[attributes.english]
range = [2, 5]
"""


def nominal(name, *categories, **details):
    return Attribute(name=name, scale="nominal", categories=categories, **details)


def survey():
    schema = Schema(
        [
            nominal("state", "36", "37"),
            Attribute(name="puma", scale="numeric", decimals=0, storage="integer"),
            Attribute(name="age", scale="numeric", role="key", decimals=0, storage="integer"),
            nominal("race", "1", "2", "9"),
            nominal("english", "2", "3", "7", labels={"2": "yes"}, storage="integer"),
        ]
    )
    columns = {
        "state": [0, 1, 0, -1, 0, 0, 1],
        "puma": [5, 5, 42, 42, 5, 5, np.nan],
        "age": [20, 45, 17, 30, np.nan, 33, 44],
        "race": [0, 1, 0, 1, 0, 2, 1],
        "english": [0, 1, 1, 0, 0, 0, 0],
    }
    return Table(schema, columns)


def census():
    schema = Schema(
        [
            nominal("state", "37", "36"),
            nominal("puma", "42", "5"),
            nominal("occupation", "551010", "552010", "412031"),
            Attribute(name="age", scale="numeric"),
            Attribute(name="race2000", scale="numeric"),
            nominal("english", "5", "3", "unknown"),
        ]
    )
    columns = {
        "state": [0, 1, 1],
        "puma": [0, 1, 1],
        "occupation": [0, 2, 1],
        "age": [18, 19, 20],
        "race2000": [1, 2, 1],
        "english": [0, 1, 2],
    }
    return Table(schema, columns)


def both(spec=SPEC):
    return harmonise(survey(), census(), Harmonisation.from_toml(spec))


def rows(table):
    return table.to_arrow(text=True).to_pylist()


def test_both_files_come_to_the_same_attributes():
    microfile, auxiliary = both()
    assert rows(microfile.table) == [
        {"workplace": "36-5", "age": 20, "race": "white", "english": "2"},
        {"workplace": "37-5", "age": 45, "race": "black", "english": "3"},
        {"workplace": None, "age": 30, "race": "black", "english": "2"},
        {"workplace": None, "age": 44, "race": "black", "english": "2"},
    ]
    assert rows(auxiliary.table) == [
        {"workplace": "37-42", "military": "1", "age": 18, "race": "white", "english": "5"},
        {"workplace": "36-5", "military": "0", "age": 19, "race": "black", "english": "3"},
    ]
    for attribute in microfile.table.schema:
        assert auxiliary.table.schema[attribute.name] == attribute
    assert microfile.table.schema["english"].labels == {"2": "yes"}
    assert microfile.table.schema["age"].role == "key"


def test_records_outside_are_counted_once_by_the_first_reason():
    microfile, auxiliary = both()
    assert microfile.records == 7
    assert microfile.dropped == {"age": 2, "race": 1, "english": 0}
    assert auxiliary.dropped == {"military": 0, "age": 0, "race": 0, "english": 1}
    assert microfile.records - sum(microfile.dropped.values()) == microfile.table.n
    assert microfile.to_frame().to_pylist()[0] == {"attribute": "age", "dropped": 2}


def test_a_scale_settles_what_the_files_disagree_about():
    spec = '[attributes.puma]\n[attributes.race]\nauxiliary = "race2000"\n'
    with pytest.raises(DataError, match=r"puma: it is numeric in one file and categorical in the other"):
        both(spec)
    microfile, auxiliary = both('[attributes.puma]\nscale = "nominal"\n')
    assert microfile.table.schema == auxiliary.table.schema
    assert auxiliary.table.schema["puma"].categories == ("5", "42")
    microfile, auxiliary = both('[attributes.puma]\nscale = "numeric"\n')
    assert auxiliary.table["puma"].tolist() == [42, 5, 5]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(0, 9), st.integers(0, 9))
def test_a_range_keeps_just_what_lies_inside(ages, low, high):
    low, high = sorted((low, high))
    table = Table(Schema([Attribute(name="age", scale="numeric")]), {"age": ages})
    spec = Harmonisation.from_toml(f"[attributes.age]\nrange = [{low}, {high}]\n")
    found, _ = harmonise(table, table, spec)
    assert found.table["age"].tolist() == [age for age in ages if low <= age <= high]


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("[attributes", "not valid TOML"),
        ("[columns.age]\n", "one table \\[attributes.NAME\\] per attribute"),
        ("[attributes.age]\nrnage = [1, 2]\n", r"\[attributes.age\].*rnage"),
        ("[attributes.age]\nrange = [5, 1]\n", "from low to high"),
        ('[attributes.race]\nvalues = { a = ["1"], b = ["1"] }\n', "lists '1' twice"),
        ('[attributes.race]\notherwise = "x"\n', "otherwise needs values"),
        ('[attributes.race]\nvalues = { a = ["1"] }\nrange = [1, 2]\n', "values or a range"),
        ('[attributes.race]\nvalues = { a = ["1"] }\nscale = "numeric"\n', "cannot be numeric"),
        ("[attributes.income]\n", "the microfile has no column income"),
        ('[attributes.race]\nvalues = { a = ["1"] }\n', "the auxiliary file has no column race;"),
        (
            '[attributes.english]\nscale = "numeric"\n',
            "english, auxiliary file: some of its values are no numbers",
        ),
    ],
)
def test_faults_are_explained(spec, complaint):
    with pytest.raises(DataError, match=complaint):
        both(spec)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        Harmonisation.read(tmp_path / "no.toml")
    path = tmp_path / "yes.toml"
    path.write_text(SPEC)
    assert Harmonisation.read(path).rules["age"].range == (18, 45)
