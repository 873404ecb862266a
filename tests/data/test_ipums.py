"""Extracts of fixed width with both kinds of codebook, made by hand."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError
from sfumato.data import read_table, write_table
from sfumato.data.formats.ipums import _integers

# columns:   YEAR 1-4, PERWT 5-10 (2 decimals), AGE 11-13, SEX 14, OCCSOC 15-20, INCTOT 21-27
LINES = [
    "20130010000191551010  42000",
    "20130020500452113021-005000",
    "2013000150   2412031       ",
]
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5"><fileDscr><fileTxt><fileStrc type="rectangular"/></fileTxt></fileDscr>
<dataDscr>
<var ID="YEAR" name="YEAR" dcml="0" intrvl="contin"><location StartPos="1" EndPos="4" width="4"/>
 <labl>Survey year</labl><varFormat type="numeric"/></var>
<var ID="PERWT" name="PERWT" dcml="2" intrvl="contin"><location StartPos="5" EndPos="10" width="6"/>
 <labl>Person weight</labl><varFormat type="numeric"/></var>
<var ID="AGE" name="AGE" dcml="0" intrvl="contin"><location StartPos="11" width="3"/>
 <labl>Age</labl><catgry><catValu>000</catValu><labl>Less than 1 year old</labl></catgry>
 <varFormat type="numeric"/></var>
<var ID="SEX" name="SEX" dcml="0" intrvl="discrete"><location StartPos="14" EndPos="14" width="1"/>
 <labl>Sex</labl><catgry><catValu>1</catValu><labl>Male</labl></catgry>
 <catgry><catValu>2</catValu><labl>Female</labl></catgry><varFormat type="numeric"/></var>
<var ID="OCCSOC" name="OCCSOC" dcml="0" intrvl="discrete"><location StartPos="15" EndPos="20" width="6"/>
 <labl>Occupation, SOC
   classification</labl><varFormat type="character"/></var>
<var ID="INCTOT" name="INCTOT" dcml="0" intrvl="contin"><location StartPos="21" EndPos="27" width="7"/>
 <labl>Total personal income</labl><varFormat type="numeric"/></var>
</dataDscr></codeBook>
"""
BASIC = """Description: military personnel
Samples selected: 2013 ACS

File Type:                    rectangular
Case Selection:  No
  Variable            Columns        Len    2013
  YEAR           H    1-4            4      X
  PERWT          P    5-10           6      X
  AGE            P    11-13          3      X
  SEX            P    14             1      X
  OCCSOC         P    15-20          6      X
  INCTOT         P    21-27          7      X

Variable Availability Key:
All Years X - available in this sample

 YEAR\t\tSurvey year
2013\t\t2013

 AGE\t\tAge
000\t\tLess than 1 year old

 SEX\t\tSex
1\t\tMale
2\t\tFemale
"""


def extract(folder, *, name="usa_00001.dat", codebook="usa_00001.xml", text=DDI, lines=LINES, end="\n"):
    content = "".join(line + end for line in lines).encode()
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    if codebook:
        (folder / codebook).write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["usa_00001.dat", "usa_00001.dat.gz", "USA_00001.DAT"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_extract_with_a_ddi_file(tmp_path, name, end):
    table = read_table(extract(tmp_path, name=name, codebook=f"{name.split('.')[0]}.xml", end=end))
    assert table.to_arrow().to_pylist() == [
        {"YEAR": 2013, "PERWT": 10.0, "AGE": 19, "SEX": 1, "OCCSOC": "551010", "INCTOT": 42000},
        {"YEAR": 2013, "PERWT": 20.5, "AGE": 45, "SEX": 2, "OCCSOC": "113021", "INCTOT": -5000},
        {"YEAR": 2013, "PERWT": 1.5, "AGE": None, "SEX": 2, "OCCSOC": "412031", "INCTOT": None},
    ]
    schema = table.schema
    assert schema["SEX"].scale == "nominal" and schema["SEX"].labels == {"1": "Male", "2": "Female"}
    assert schema["AGE"].scale == "numeric" and schema["AGE"].labels == {"0": "Less than 1 year old"}
    assert schema["OCCSOC"].scale == "nominal" and schema["OCCSOC"].label == "Occupation, SOC classification"


@pytest.mark.parametrize("suffix", [".cbk", ".txt"])
def test_an_extract_with_a_basic_codebook(tmp_path, suffix):
    table = read_table(extract(tmp_path, codebook=f"usa_00001{suffix}", text=BASIC))
    rows = table.to_arrow().to_pylist()
    assert [row["AGE"] for row in rows] == [19, 45, None]
    assert [row["PERWT"] for row in rows] == [1000, 2050, 150]  # this codebook says nothing of decimals
    assert table.schema["SEX"].labels == {"1": "Male", "2": "Female"}
    assert table.schema["SEX"].label == "Sex"
    assert table["INCTOT"].tolist()[:2] == [42000, -5000]


def test_an_extract_can_go_on_as_another_file(tmp_path):
    table = read_table(extract(tmp_path))
    write_table(table, tmp_path / "same.csv")
    assert read_table(tmp_path / "same.csv", schema=table.schema).fingerprint == table.fingerprint
    with pytest.raises(FileError, match=r"only read; use \.csv"):
        write_table(table, tmp_path / "same.dat")


@given(st.lists(st.one_of(st.none(), st.integers(-99999, 999999)), min_size=1, max_size=20), st.booleans())
def test_integers_of_any_filling(numbers, zeros):
    texts = ["" if n is None else f"{n:06d}" if zeros else str(n) for n in numbers]
    cells = np.array([list(text.rjust(6).encode()) for text in texts], np.uint8)
    values, missing, broken = _integers(cells, (cells >= 48) & (cells <= 57))
    assert not broken.any()
    assert missing.tolist() == [n is None for n in numbers]
    assert values[~missing].tolist() == [n for n in numbers if n is not None]


@pytest.mark.parametrize(
    ("change", "error", "complaint"),
    [
        ({"codebook": ""}, FileError, r"needs its codebook beside it: put usa_00001.xml"),
        ({"text": "<codeBook>"}, DataError, "not valid XML"),
        ({"text": "<codeBook/>"}, DataError, "describes no variable"),
        (
            {"text": DDI.replace('"rectangular"', '"hierarchical"')},
            DataError,
            "order the extract as rectangular",
        ),
        (
            {"text": BASIC.replace("rectangular", "hierarchical"), "codebook": "usa_00001.cbk"},
            DataError,
            "order the extract as rectangular",
        ),
        ({"text": DDI.replace('StartPos="11"', "")}, DataError, "variable AGE has no columns"),
        ({"text": DDI.replace('EndPos="27"', 'EndPos="28"')}, DataError, "puts INCTOT beyond the end"),
        ({"lines": [*LINES, LINES[0][:-1]]}, DataError, "row 4: the line is not as long as the first"),
        ({"lines": [LINES[0], LINES[0].replace("019", "0x9")]}, DataError, "column AGE, row 2: not a number"),
        ({"lines": [LINES[0], LINES[0].replace("019", "0 9")]}, DataError, "column AGE, row 2: not a number"),
        ({"lines": []}, DataError, "holds no line"),
    ],
)
def test_faults_are_explained(tmp_path, change, error, complaint):
    with pytest.raises(error, match=complaint):
        read_table(extract(tmp_path, **change))


def test_a_damaged_archive(tmp_path):
    path = extract(tmp_path, name="usa_00001.dat.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(FileError, match="cannot be read as gzip"):
        read_table(path)
