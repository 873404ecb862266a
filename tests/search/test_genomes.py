import pickle

import numpy as np
import pytest
from evolving import NAMES, random_change, small_table
from hypothesis import given
from hypothesis import strategies as st

from sfumato.measures import Change
from sfumato.search.file_evolution import genomes
from sfumato.search.file_evolution.genomes import Genome


def genome(n=40):
    table = small_table(n)
    return Genome({name: table[name] for name in NAMES})


def chained(changes, start=None):
    found = start or genome()
    for change in changes:
        found = found.after(change)
    return found


def drawn(seed, count):
    table, rng = small_table(), np.random.default_rng(seed)
    return [random_change(table, rng) for _ in range(count)]


@given(seed=st.integers(0, 10_000), count=st.integers(0, 90))
def test_a_genome_is_what_its_changes_make_of_the_file(seed, count):
    columns = {name: values.copy() for name, values in genome().base.items()}
    for change in drawn(seed, count):
        for name, values in change.columns.items():
            columns[name][change.rows] = values
    found = chained(drawn(seed, count))
    for name in NAMES:
        assert np.array_equal(found.columns[name], columns[name], equal_nan=name in ("wage", "age"))
        assert found.columns[name].dtype == genome().base[name].dtype


@given(seed=st.integers(0, 10_000), count=st.integers(0, 90))
def test_a_genome_that_travelled_is_the_same(seed, count):
    here = chained(drawn(seed, count))
    there = pickle.loads(pickle.dumps(here))
    assert there.key == here.key
    assert Genome(here.base, here.changes).key == here.key
    assert len(there.changes) == len(here.changes)
    assert all(there.columns[name].tobytes() == here.columns[name].tobytes() for name in NAMES)
    last = drawn(seed + 1, 1)[0]
    assert there.after(last).key == here.after(last).key


def test_children_share_what_they_did_not_change():
    parent = genome()
    child = parent.after(Change(np.array([1, 5]), {"age": np.array([20.0, 30.0])}))
    assert child.base["age"] is parent.base["age"]
    for name in NAMES:
        assert (child.columns[name] is parent.columns[name]) == (name != "age")


def test_no_array_of_a_genome_can_be_written():
    given = np.arange(40.0)
    found = Genome({"age": given})
    given[0] = 99.0
    child = pickle.loads(pickle.dumps(found.after(Change.cell(3, "age", 1.0))))
    assert found.columns["age"][0] == 0.0
    for held in (found, child):
        for values in (*held.base.values(), *held.columns.values()):
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 1.0


def test_the_order_of_changes_and_every_value_tell_genomes_apart():
    a, b = Change.cell(3, "age", 41.0), Change.cell(4, "age", 41.0)
    keys = [chained(changes).key for changes in ([], [a], [b], [a, b], [b, a], [a, a])]
    assert len(set(keys)) == len(keys)
    assert Genome({**genome().base, "size": np.zeros(40, np.int8)}).key != genome().key


def test_too_many_changes_make_a_new_base():
    cells = [Change.cell(0, "age", float(i)) for i in range(genomes.MOST_CHANGES + 1)]
    before = chained(cells[:-1])
    after = before.after(cells[-1])
    assert (len(before.changes), len(after.changes)) == (genomes.MOST_CHANGES, 0)
    assert after.base["age"][0] == genomes.MOST_CHANGES
    assert after.base["size"] is before.base["size"]


@pytest.mark.parametrize(
    ("names", "n", "most"),
    [(("size", "trade"), 20_000, 1000), (("size", "trade"), 1000, 500), (("size", "age"), 1000, 900)],
)
def test_a_large_change_makes_a_new_base(names, n, most):
    table = small_table(n)
    start = Genome({name: table[name] for name in names})
    for count, changes in [(most, 1), (most + 1, 0)]:
        rows = np.arange(count)
        assert len(start.after(Change(rows, {"size": table["size"][rows]})).changes) == changes


@given(seed=st.integers(0, 10_000))
def test_changes_never_outgrow_the_file(seed):
    found, rng = genome(), np.random.default_rng(seed)
    for _ in range(40):
        rows = rng.choice(40, int(rng.integers(1, 20)), replace=False)
        found = found.after(Change(rows, {"age": np.zeros(len(rows)), "wage": np.zeros(len(rows))}))
        assert sum(3 * len(change.rows) for change in found.changes) <= 40 * len(NAMES)
