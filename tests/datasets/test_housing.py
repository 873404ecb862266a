import numpy as np
import pytest

from sfumato.datasets import housing

# Marés, thesis, Table 2.2; TRAN1 is counted among the 11 categorical attributes of the text
SIZES = {
    "BUILT": 24,
    "DEGREE": 7,
    "GRADE1": 20,
    "METRO": 9,
    "SCH": 6,
    "SHP": 6,
    "TRAN1": 11,
    "WFUEL": 10,
    "WHYMOVE": 19,
    "WHYTOH": 13,
    "WHYTON": 13,
}


def frequencies(table, name):
    return np.bincount(table[name], minlength=table.schema[name].domain_size)


def test_shape_of_the_source():
    table = housing()
    assert table.n == 1000
    assert {a.name: a.domain_size - 1 for a in table.schema if not a.is_numeric} == SIZES
    assert [a.name for a in table.schema if a.is_numeric] == ["AGE", "SMSA", "WEIGHT"]
    assert table.schema.with_role("key") == ("BUILT", "DEGREE", "GRADE1")
    assert all(table.schema[name].scale == "ordinal" for name in table.schema.with_role("key"))


@pytest.mark.parametrize("seed", range(5))
def test_degree_has_the_published_frequencies(seed):
    table = housing(seed=seed)
    assert table.schema["DEGREE"].categories == ("1", "2", "3", "4", "5", "6", "9", ".")
    assert frequencies(table, "DEGREE").tolist() == [98, 173, 251, 195, 170, 80, 33, 0]  # Table 4.2


@pytest.mark.parametrize("name", ["BUILT", "GRADE1", "METRO"])
def test_the_last_category_is_unused_and_all_others_occur(name):
    counts = frequencies(housing(20_000), name)
    assert counts[-1] == 0
    assert np.all(counts[:-1] > 0)


def test_metro_is_nearly_even_and_schools_are_skewed():
    table = housing(20_000)
    metro, schools = frequencies(table, "METRO")[:-1], frequencies(table, "SCH")[:-1]
    assert metro.max() < 2 * metro.min()
    assert schools.max() > 20 * schools.min()


def test_attributes_depend_on_each_other():
    table = housing(20_000, seed=4)
    assert np.corrcoef(table["AGE"], table["GRADE1"])[0, 1] < -0.2
    real = table["DEGREE"] < 6
    assert np.corrcoef(table["DEGREE"][real], table["BUILT"][real])[0, 1] > 0.15
    oil = table["WFUEL"] == 2
    assert oil[table["DEGREE"] == 0].mean() > 5 * oil[table["DEGREE"] == 4].mean()
    moved = table["WHYMOVE"] < 19
    assert table["AGE"][moved].mean() < table["AGE"][~moved].mean() - 5
    assert np.array_equal(moved, table["WHYTOH"] < 13)
