"""The files of NIST's public arena: what the dictionary says of them, and how they are refused; skipped where absent."""

import json

import numpy as np
import pytest

from sfumato import datasets
from sfumato.core import DataError, FileError
from sfumato.data import read_table, write_table
from sfumato.datasets import arena
from sfumato.datasets._classic_files import find

SMALL = {
    **{name: {"description": name, "values": {"1": "a", "2": "b"}} for name in arena.NAMES},
    **{
        name: {"description": name, "values": {"N": "none", "min": 0, "max": 99}}
        for name in ("AGEP", "PINCP", "POVPIP", "PWGTP", "WGTP", "DENSITY")
    },
    "INDP": {"description": "industry"},
    "PUMA": {"description": "area", "values": {"25-1": "here", "48-1": "there"}},
}


def cells(**given):
    usual = {"PUMA": "25-1", "INDP": "N"}
    return [given.get(name, usual.get(name, "1")) for name in arena.NAMES]


def folder_of(tmp_path, rows, names=arena.NAMES, dictionary=SMALL):
    folder = tmp_path / "nist"
    folder.mkdir()
    lines = [",".join(names), *(",".join(row) for row in rows)]
    (folder / "small.csv").write_text("\n".join(lines) + "\n")
    (folder / "data_dictionary.json").write_text(
        dictionary if isinstance(dictionary, str) else json.dumps(dictionary)
    )
    return tmp_path


class TestSmall:
    def test_any_file_with_these_columns_is_an_extract(self, tmp_path):
        rows = [cells(INDP="170", AGEP="N"), cells(INDP="9", PUMA="48-1"), cells()]
        table = arena.extract("small", folder_of(tmp_path, rows))
        assert table.schema["INDP"].categories == ("N", "9", "170")
        assert np.isnan(table["AGEP"]).tolist() == [True, False, False]
        assert arena.extract("small.csv", tmp_path).fingerprint == table.fingerprint

    def test_areas_elsewhere_are_no_categories(self, tmp_path):
        table = arena.extract("small", folder_of(tmp_path, [cells()]))
        assert table.schema["PUMA"].categories == ("25-1",)
        assert table.schema["PUMA"].labels == {"25-1": "here"}

    def test_columns_may_stand_in_any_order(self, tmp_path):
        names = tuple(reversed(arena.NAMES))
        rows = [list(reversed(cells(AGEP="7")))]
        assert arena.extract("small", folder_of(tmp_path, rows, names))["AGEP"].tolist() == [7.0]

    @pytest.mark.parametrize(
        ("name", "value"), [("PUMA", "06-1"), ("SEX", "3"), ("SEX", "1|2"), ("AGEP", "20..29")]
    )
    def test_what_the_dictionary_does_not_know_is_refused_without_saying_it(self, tmp_path, name, value):
        folder = folder_of(tmp_path, [cells(), cells(**{name: value})])
        with pytest.raises(DataError, match=rf"small\.csv, column {name}, row 2: ") as refusal:
            arena.extract("small", folder)
        assert value not in str(refusal.value)

    def test_an_empty_extract_has_no_records(self, tmp_path):
        assert arena.extract("small", folder_of(tmp_path, [])).n == 0

    def test_other_columns_are_refused(self, tmp_path):
        names = ("YEAR", *arena.NAMES[1:])
        with pytest.raises(DataError, match=r"small\.csv: the header is not that of an extract"):
            arena.extract("small", folder_of(tmp_path, [cells()], names))

    def test_an_empty_file_is_refused(self, tmp_path):
        folder_of(tmp_path, [])
        (tmp_path / "nist" / "small.csv").write_text("")
        with pytest.raises(DataError, match="the header is not that of an extract"):
            arena.extract("small", tmp_path)

    @pytest.mark.parametrize("text", ["{", "[]", '{"SEX": 3}'])
    def test_a_damaged_dictionary_is_one_sentence(self, tmp_path, text):
        with pytest.raises(FileError, match=r"data_dictionary\.json is not the arena's dictionary"):
            arena.extract("small", folder_of(tmp_path, [cells()], dictionary=text))

    def test_a_dictionary_must_describe_every_column(self, tmp_path):
        less = {name: entry for name, entry in SMALL.items() if name != "DEYE"}
        with pytest.raises(DataError, match="must describe DEYE"):
            arena.extract("small", folder_of(tmp_path, [cells()], dictionary=less))

    def test_a_number_needs_bounds(self, tmp_path):
        less = {**SMALL, "AGEP": {"description": "age", "values": {"N": "none"}}}
        with pytest.raises(DataError, match="must bound AGEP"):
            arena.extract("small", folder_of(tmp_path, [cells()], dictionary=less))

    def test_a_name_leads_nowhere_else(self, tmp_path):
        with pytest.raises(FileError, match=r"nist/passwd\.csv is not in"):
            arena.extract("../../passwd", tmp_path)


@pytest.mark.classic("massachusetts")
class TestMassachusetts:
    def test_not_applicable_is_told_from_numbers_and_counted_among_categories(self):
        table = datasets.massachusetts()
        assert {name: int(np.isnan(table[name]).sum()) for name in ("PINCP", "POVPIP", "AGEP")} == {
            "PINCP": 1120,
            "POVPIP": 385,
            "AGEP": 0,
        }
        assert (table["MSP"] == table.schema["MSP"].categories.index("N")).sum() == 1120
        assert all(a.categories[0] == "N" for a in table.schema if "N" in a.categories)

    def test_schooling_and_deciles_are_in_the_order_of_their_numbers(self):
        schema = datasets.massachusetts().schema
        assert schema["EDU"].categories == ("N", *map(str, range(1, 13)))
        assert schema["PINCP_DECILE"].categories == ("N", *map(str, range(10)))
        assert schema["NOC"].categories == ("N", *map(str, range(20)))
        assert schema["NPF"].categories == ("N", *map(str, range(2, 21)))
        ordinal = [a.name for a in schema if a.scale == "ordinal"]
        assert ordinal == ["NOC", "NPF", "EDU", "PINCP_DECILE"]

    def test_roles(self):
        schema = datasets.massachusetts().schema
        assert sorted(schema.with_role("key")) == sorted(
            ["AGEP", "SEX", "MSP", "RAC1P", "HISP", "PUMA", "HOUSING_TYPE", "OWN_RENT"]
        )
        assert schema.with_role("confidential") == ("PINCP", "PINCP_DECILE", "POVPIP")
        assert schema.with_role("weight") == ("PWGTP", "WGTP")

    def test_a_written_file_holds_the_cells_it_came_with(self, tmp_path):
        """But for "5000.0", which a person would write 5000."""
        table = datasets.massachusetts()
        write_table(table, tmp_path / "out.csv")
        was = find("nist/ma2019.csv").read_text().replace(".0,", ",")
        assert (tmp_path / "out.csv").read_text().replace(".0,", ",").splitlines() == was.splitlines()
        assert read_table(tmp_path / "out.csv", schema=table.schema).fingerprint == table.fingerprint

    def test_industries_determine_their_groups(self):
        table = datasets.massachusetts()
        pairs = set(zip(table["INDP"].tolist(), table["INDP_CAT"].tolist(), strict=True))
        assert len(pairs) == table.schema["INDP"].domain_size == 233


@pytest.mark.classic("massachusetts")
class TestPublished:
    def test_counts_of_its_page(self):
        known = arena.published()
        assert len(known) == 322
        assert {one.extract for one in known} == {"ma2019", "tx2019", "national2019"}
        assert sum(one.epsilon is not None for one in known) == 173

    def test_the_table_of_where_everybody_stands(self):
        here = {
            (one.algorithm, one.feature_set, one.epsilon): (one.k_marginal, one.uem)
            for one in arena.published()
            if one.extract == "ma2019"
        }
        assert here["pram", "industry-focused", None] == (953, 54.21)
        assert here["mst", "industry-focused", 1.0] == (899, 13.95)
        assert here["subsample_40pcnt", "family-focused", None] == (941, 39.83)


def test_a_line_without_scores_is_named(tmp_path):
    (tmp_path / "nist").mkdir()
    (tmp_path / "nist" / "published.csv").write_text("library,algorithm\nours,mdav\n")
    with pytest.raises(DataError, match=r"published\.csv, line 2: not a submission"):
        arena.published(tmp_path)
    (tmp_path / "nist" / "published.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read as UTF-8"):
        arena.published(tmp_path)
