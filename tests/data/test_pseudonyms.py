import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, Key
from sfumato.data import Attribute, Schema, Table, read_table, write_table
from sfumato.data.blocks import BlockWriter
from sfumato.data.pseudonyms import Pseudonyms, renumbered, renumbered_blocks
from sfumato.datasets import household_survey

KEY, OTHER = Key(b"k" * 32), Key(b"o" * 32)
NUMBERS = st.one_of(
    st.integers(-(10**9), 8 * 10**14 - 1).map(float), st.integers(-(10**12), 10**12).map(lambda m: m / 1000)
)


def households(values, **declared):
    house = Attribute(name="house", scale="numeric", role="household", **declared)
    return Table(Schema([house]), {"house": values})


def same_households(one, other):
    """Whether two columns group their records alike, and have the same ones missing."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@given(st.lists(NUMBERS, unique=True, max_size=50))
def test_different_numbers_stay_different_and_are_as_long(values):
    new = Pseudonyms(KEY).of_numbers(np.array(values))
    assert len(set(new.tolist())) == len(values)
    assert all(len(str(int(number))) == 15 for number in new)


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.lists(NUMBERS, max_size=20))
def test_a_number_gets_the_same_whatever_stands_beside_it(values, others):
    alone = Pseudonyms(KEY).of_numbers(np.array(values))
    among = Pseudonyms(KEY).of_numbers(np.array([*others, *values]))[len(others) :]
    assert np.array_equal(alone, among)


@given(st.lists(st.one_of(st.text(min_size=1), NUMBERS.map(lambda n: f"{n:.15g}")), unique=True, max_size=30))
def test_different_texts_stay_different(texts):
    assert len(set(Pseudonyms(KEY).of_texts(texts))) == len(texts)


def test_another_key_gives_others():
    old = np.arange(1000.0)
    assert not np.isin(Pseudonyms(KEY).of_numbers(old), Pseudonyms(OTHER).of_numbers(old)).any()
    assert not set(Pseudonyms(KEY).of_texts(["a", "b"])) & set(Pseudonyms(OTHER).of_texts(["a", "b"]))
    assert Pseudonyms(1).of_texts(["a"]) != Pseudonyms(2).of_texts(["a"])


def test_order_and_size_tell_nothing():
    old = np.arange(20_000.0)
    new = Pseudonyms(KEY).of_numbers(old)
    assert abs(np.corrcoef(old, new)[0, 1]) < 0.03
    assert abs(np.corrcoef(np.diff(new)[1:], np.diff(new)[:-1])[0, 1] + 0.5) < 0.03  # as of independent draws


def test_a_million_take_less_than_a_second():
    Pseudonyms(KEY).of_numbers(np.arange(3.0))
    start = time.process_time()
    Pseudonyms(KEY).of_numbers(np.arange(1e6))
    assert time.process_time() - start < 3  # 0.4 s, on a machine with nothing else to do


def test_missing_households_stay_missing_with_their_reasons():
    table = households(
        [7, -3, 2.5, np.nan, 7], storage="real", missing=("-9",), labels={"-9": "none", "7": "x"}
    )
    table = Table(table.schema, {"house": table["house"]}, reasons={"house": np.array([0, 0, 0, 1, 0])})
    new = renumbered(table, ["house"], KEY)
    assert same_households(table["house"][[0, 1, 2, 4]].tolist(), new["house"][[0, 1, 2, 4]].tolist())
    assert np.isnan(new["house"][3]) and new.reasons("house").tolist() == [0, 0, 0, 1, 0]
    assert new.schema["house"].labels == {"-9": "none"}
    assert new.to_arrow()["house"].to_pylist()[3] == -9


def test_bounds_and_decimals_of_the_old_numbers_are_gone():
    new = renumbered(households([1, 2], low=0, high=9, decimals=0, storage="integer"), ["house"], KEY)
    house = new.schema["house"]
    assert (house.low, house.high, house.decimals, house.storage) == (None, None, 0, "integer")


@pytest.mark.parametrize("number", [0.12345, 8e14, 1e300, -5.1e10])
def test_a_number_that_has_no_pseudonym_is_refused_by_column(number):
    with pytest.raises(DataError, match=r"^Column house: a number is too long, .* nominal\.$"):
        renumbered(households([1, number]), ["house"], KEY)


def test_a_text_too_long_for_a_number_is_replaced_as_a_text():
    (long,) = Pseudonyms(KEY).of_texts(["123456789012345678901234567890"])
    assert len(long) == 21 and not long.isdigit()


def test_categories_come_in_the_order_of_the_new_names():
    house = Attribute(
        name="house",
        scale="ordinal",
        role="household",
        storage="integer",
        categories=("1", "2", "3"),
        labels={"1": "Smith"},
    )
    table = Table(Schema([house]), {"house": [0, 0, 1, 2, -1]})
    new = renumbered(table, ["house"], KEY)
    attribute = new.schema["house"]
    assert list(attribute.categories) == sorted(attribute.categories)
    assert attribute.scale == "nominal" and not attribute.labels
    names = [attribute.categories[code] for code in new["house"][:4]]
    assert same_households([0, 0, 1, 2], names) and new["house"][4] == -1
    assert [float(name) for name in names] == Pseudonyms(KEY).of_numbers(np.array([1.0, 1, 2, 3])).tolist()


def test_files_that_are_released_under_one_key_still_link(tmp_path):
    people = household_survey(300)
    (name,) = people.schema.with_role("household")
    _, first = np.unique(people[name], return_index=True)
    houses = people.take(np.random.default_rng(1).permutation(first)).select([name, people.names[-1]])
    for table, file in ((people, "people.csv"), (houses, "houses.parquet")):
        write_table(renumbered(table, [name], KEY), tmp_path / file)
    after = [
        read_table(tmp_path / file).to_arrow()[name].to_pylist() for file in ("people.csv", "houses.parquet")
    ]
    before = [table.to_arrow()[name].to_pylist() for table in (people, houses)]
    assert set(after[0]) == set(after[1]) and not set(after[0]) & set(before[0])
    assert same_households(before[0] + before[1], after[0] + after[1])


@settings(max_examples=20, deadline=None)
@given(
    values=st.lists(st.one_of(NUMBERS, st.just(float("nan"))), min_size=1, max_size=30), cut=st.integers(1, 9)
)
def test_blocks_are_renumbered_as_the_table_is(tmp_path_factory, values, cut):
    folder = tmp_path_factory.mktemp("blocks")
    table = households(values)
    pieces = [table.take(np.arange(s, min(s + cut, table.n))) for s in range(0, table.n, cut)]
    blocks = BlockWriter(folder / "old", table.schema).write_all(pieces)
    new = renumbered_blocks(blocks, folder / "new", ["house"], KEY)
    whole = renumbered(table, ["house"], KEY)
    assert new.schema == whole.schema
    assert np.array_equal(new.take(np.arange(table.n))["house"], whole["house"], equal_nan=True)
