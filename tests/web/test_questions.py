from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benches import write_people
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, SfumatoError
from sfumato.core.results import plain
from sfumato.data import CsvOptions, Schema
from sfumato.data.parquet_source import parquet_source
from sfumato.web.questions.attackers import attackers
from sfumato.web.questions.columns import columns
from sfumato.web.questions.layout import layout
from sfumato.web.questions.process.project_data import ProjectData, RecentCache, project_state
from sfumato.web.questions.risk import risk
from sfumato.web.questions.schema import schema
from sfumato.web.ui import layout_fields
from sfumato.web.workspace import Workspace


def _held(folder: Path, text: str | None = None, *, toml: str | None = None) -> ProjectData:
    if text is not None:
        (folder / "people.csv").write_text(text)
    project = Workspace(folder).open_file("people.csv")
    if toml is not None:
        project.save_schema(toml)
    return ProjectData(project_state(project), RecentCache())


def test_a_table_may_take_twice_what_its_footer_says(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": list(range(50_000))}), tmp_path / "people.parquet")
    project = project_state(Workspace(tmp_path).open_file("people.parquet"))
    footer = parquet_source(project.path).bytes_in_memory
    ProjectData(project, RecentCache(), memory=2 * footer).check_size()
    with pytest.raises(DataError, match="has 50,000 records, which may take"):
        ProjectData(project, RecentCache(), memory=2 * footer - 1).check_size()


@pytest.fixture
def people(tmp_path: Path) -> ProjectData:
    write_people(tmp_path / "people.csv")
    return _held(tmp_path)


def test_columns_say_how_they_are_read_and_why(people: ProjectData) -> None:
    found = columns(people, {})
    by_name = {column["name"]: column for column in found["columns"]}
    assert (found["records"], found["schema"]) == (240, "proposed")
    assert by_name["person_id"]["role"] == "identifier"
    assert by_name["person_id"]["distribution"] is None
    assert by_name["town"]["because"].endswith("the name says 'town'")
    assert by_name["age"]["distribution"]["kind"] == "bins"
    assert by_name["sex"]["distribution"] == {
        "kind": "categories",
        "labels": ["f", "m"],
        "shares": [50.0, 50.0],
    }
    assert by_name["income"]["missing"] == 0


@given(
    values=st.lists(st.integers(-(10**6), 10**6), min_size=20, max_size=80),
    outlier=st.integers(10**8, 10**9),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_distribution_shows_a_single_record(tmp_path: Path, values: list[int], outlier: int) -> None:
    numbers = [*values, *range(300), outlier]
    words = ["common"] * (len(numbers) - 3) + ["rare", "rarer", "rare"]
    rows = zip(numbers, words, strict=True)
    held = _held(tmp_path, "x,word\n" + "".join(f"{x}.5,{word}\n" for x, word in rows))
    x, word = (column["distribution"] for column in columns(held, {})["columns"])
    assert x["edges"][-1] < outlier
    least = 100 * 5 / len(numbers)
    assert all(share == 0 or share >= least * 0.999 for share in x["shares"])
    assert "rare" not in word["labels"]
    assert all(share == 0 or share >= least * 0.999 for share in word["shares"])


def test_a_preview_tells_how_text_is_read_and_shows_the_first_records(tmp_path: Path) -> None:
    rows = "".join(f"{n:03d};Grünstraße in München;{1000 + n},5\n" for n in range(9))
    (tmp_path / "people.csv").write_bytes(f"Nr;Ort;Lohn\n{rows}".encode("latin-1"))
    found = layout(_held(tmp_path), {})
    told = found["text"]
    assert (told["delimiter"], told["decimal"], told["header"], found["guessed"]) == (";", ",", True, True)
    assert (found["columns"], list(found["scales"].values())) == (
        ["Nr", "Ort", "Lohn"],
        ["nominal", "nominal", "numeric"],
    )
    assert found["first"] == [[f"{n:03d}", "Grünstraße in München", f"{1000 + n}.5"] for n in range(5)]
    project = Workspace(tmp_path).open_file("people.csv", CsvOptions(decimal=".", header=False))
    other = layout(ProjectData(project_state(project), RecentCache()), {})
    assert (other["records"], other["columns"], other["first"][1]) == (
        10,
        ["c1", "c2", "c3"],
        ["000", "Grünstraße in München", "1000,5"],
    )


def test_few_keys_do_not_reassure_falsely(people: ProjectData) -> None:
    found = risk(people, {"keys": "sex"})
    assert (found["schema"], found["uniques"]) == ("proposed", 0)
    known, everything = found["known_by_others"], found["everything"]
    assert "person_id" not in everything.attributes
    assert set(known.attributes) <= set(everything.attributes)
    lines = [line.split(",") for line in people.subject.path.read_text().splitlines()]
    for one in (known, everything):
        places = [lines[0].index(name) for name in one.attributes]
        sizes = Counter(tuple(line[place] for place in places) for line in lines[1:])
        assert one.uniques == pytest.approx(100 * sum(size == 1 for size in sizes.values()) / 240)
    assert risk(people, {"keys": ""})["everything"].uniques == everything.uniques
    saved = people.schema.with_roles({"income": "confidential"}).to_toml()
    told = risk(_held(people.subject.path.parent, toml=saved), {})
    assert (told["schema"], "income" in told["known_by_others"].attributes) == ("saved", False)


def test_risk_is_what_counting_by_hand_gives(people: ProjectData) -> None:
    found = risk(people, {"keys": "sex, age"})
    lines = [line.split(",") for line in people.subject.path.read_text().splitlines()[1:]]
    sizes = Counter((line[1], line[3]) for line in lines)
    by_hand = {
        "1": range(1, 2), "2": range(2, 3), "3 to 4": range(3, 5), "5 to 9": range(5, 10), "10 or more": range(10, 999)
    }  # fmt: skip
    for part in found["profile"]:
        records = sum(size for size in sizes.values() if size in by_hand[part["size"]])
        assert part["records"] == records
        assert part["share"] == pytest.approx(100 * records / 240)
    assert sum(part["classes"] for part in found["profile"]) == found["classes"] == len(sizes)
    assert found["smallest"] == min(sizes.values())
    assert found["uniques"] == pytest.approx(100 * sum(size == 1 for size in sizes.values()) / 240)


def test_riskiest_come_first_and_keys_are_those_of_the_schema(people: ProjectData) -> None:
    found = plain(risk(people, {}))
    assert tuple(found["keys"]) == people.schema.with_role("key")
    uniques = [one["uniques"] for one in found["riskiest"]]
    assert uniques == sorted(uniques, reverse=True)
    assert "person_id" not in found["columns"]
    assert risk(people, {"keys": []})["profile"] == []
    with pytest.raises(SfumatoError, match="person_id is an identifier"):
        risk(people, {"keys": "person_id"})


def test_attackers_find_those_who_stand_alone(tmp_path: Path) -> None:
    held = _held(tmp_path, "age,sex\n" + "".join(f"{18 + i},{'fm'[i % 2]}\n" for i in range(80)))
    found = plain(attackers(held, {}))
    assert (found["records"], found["sampled"]) == (80, 80)
    linkage = {one["name"]: one for one in found["attacks"]}["distance_linkage"]
    assert linkage["attack"]["value"] == 100
    assert linkage["baseline"]["value"] == pytest.approx(100 / 80)
    assert linkage["control"]["value"] < 20
    assert found == plain(attackers(held, {"keys": "age,sex"}))


def test_attackers_on_a_large_file_see_a_sample(tmp_path: Path) -> None:
    held = _held(tmp_path, "age\n" + "".join(f"{i % 90}\n" for i in range(2500)))
    found = attackers(held, {})
    assert (found["records"], found["sampled"]) == (2500, 2000)


def test_changes_become_a_schema(people: ProjectData) -> None:
    changes = {
        "income": {"missing": ["refused"], "scale": "numeric", "role": "confidential"},
        "health": {"scale": "ordinal", "categories": ["bad", "good"]},
        "town": {"hierarchy": "Arezzo,centre,all\nBari,south,all\nComo,north,all\nDesio,north,all\n"},
    }
    found = schema(people, {"changes": changes})
    saved = Schema.from_toml(found["toml"])
    assert (saved["income"].scale, saved["income"].missing, saved["income"].role) == (
        "numeric", ("refused",), "confidential"
    )  # fmt: skip
    assert saved["health"].categories == ("bad", "good")
    assert saved["town"].hierarchy is not None
    assert saved["town"].hierarchy.ancestors(1)["Bari"] == "south"
    again = schema(
        _held(people.subject.path.parent, toml=found["toml"]), {"changes": {"town": {"hierarchy": ""}}}
    )
    assert Schema.from_toml(again["toml"])["town"].hierarchy is None


@pytest.mark.parametrize(
    ("column", "wanted", "sentence"),
    [
        ("town", {"scale": "numeric"}, "cannot be numeric"),
        ("income", {"scale": "numeric"}, "cannot be numeric"),
        ("town", {"hierarchy": "Arezzo,centre"}, "no path for category"),
        ("town", {"hierarchy": "Arezzo,a\nBari,b,c"}, "same number of levels"),
        ("age", {"hierarchy": "18,young"}, "only categories"),
        ("health", {"scale": "ordinal", "categories": ["good"]}, "1 of its categories are left out"),
        ("health", {"categories": ["good", "bad", "good"]}, "declared twice"),
        ("sex", {"missing": ["f", "f"]}, "declared twice"),
        ("nowhere", {"role": "key"}, "Unknown column"),
    ],
)
def test_a_wrong_change_is_complained_about(
    people: ProjectData, column: str, wanted: dict[str, object], sentence: str
) -> None:
    found = schema(
        people, {"changes": {column: wanted, "sex": {"role": "other"} if column != "sex" else wanted}}
    )
    assert list(found) == ["complaints"]
    assert list(found["complaints"]) == [column]
    assert sentence in found["complaints"][column]
    assert "18" not in found["complaints"][column]


def test_words_for_missing_values_cannot_be_values(tmp_path: Path) -> None:
    held = _held(tmp_path, "x\n" + "1\n2\n3\nNA\n" * 30)
    found = schema(held, {"changes": {"x": {"missing": []}}})
    assert "list NA as its codes" in found["complaints"]["x"]


def test_a_whole_schema_is_checked_against_the_file(people: ProjectData) -> None:
    text = schema(people, {})["toml"]
    assert schema(people, {"toml": text})["toml"] == text
    for wrong, sentence in (
        ("x = [", "not valid TOML"),
        ("x = 1", "one table"),
        ("[attributes.sex]\nscale = 'nominal'", "not declared"),
        (text.replace('scale = "nominal"', 'scale = "odd"', 1), "scale"),
        (
            text.replace("[attributes.town]", '[attributes.town]\nhierarchy = "/etc/passwd"'),
            "not the name of a file",
        ),
    ):
        with pytest.raises(SfumatoError, match=sentence):
            schema(people, {"toml": wrong})
    with pytest.raises(SfumatoError, match="object by column"):
        schema(people, {"changes": "x"})


def test_held_things_are_read_once(people: ProjectData) -> None:
    assert people.table is people.table
    assert people.arrow is people.arrow
    assert np.array_equal(people.table["age"], people.table["age"])


@pytest.mark.parametrize("delimiter", [None, ",", ";", "\t", "~"])
@pytest.mark.parametrize(("decimal", "encoding", "header"), [(None, None, None), (",", "cp1252", False)])
def test_the_controls_of_a_layout_say_how_a_file_is_read(monkeypatch, delimiter, decimal, encoding, header):
    def control(label, words=None, *, value, width=0):
        assert words is None or value in words
        return SimpleNamespace(value=value)

    monkeypatch.setattr(layout_fields.html, "row", nullcontext)
    for kind in ("choice", "entry", "tick"):
        monkeypatch.setattr(layout_fields, kind, control)
    given = CsvOptions(delimiter=delimiter, decimal=decimal, encoding=encoding, header=header)
    assert layout_fields.layout_fields(given).options() == given
