"""What holds for every generator."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import ParameterError
from sfumato.data import Schema, Table

GENERATED = [name for name in datasets.names() if not datasets.is_classic(name)]
each = pytest.mark.parametrize("name", GENERATED)


def test_these_are_generated():
    assert GENERATED == [
        "business_survey",
        "dependent_numbers",
        "household_survey",
        "housing",
        "random_numbers",
    ]


@each
@given(n=st.integers(0, 60), seed=st.integers(-(2**40), 2**40))
def test_any_size_and_seed_gives_legal_values(name, n, seed):
    table = datasets.load(name, n=n, seed=seed)
    assert table.n == n
    for attribute in table.schema:
        values = table[attribute.name]
        if attribute.is_numeric:
            present = values[~np.isnan(values)]
            assert np.array_equal(attribute.conform(present), present)
            assert attribute.decimals is not None and attribute.low is not None
        reasons = table.reasons(attribute.name)
        if reasons is not None:
            assert np.all(table.missing(attribute.name)[reasons > 0])
            assert reasons.max() <= len(attribute.missing)


@each
@pytest.mark.parametrize("n", [0, 1, 700])
def test_written_as_text_and_read_again_it_is_the_same(name, n):
    table = datasets.load(name, n=n, seed=5)
    again = Table.from_arrow(table.to_arrow(text=True), table.schema)
    assert again.fingerprint == table.fingerprint


SAME = {
    "business_survey": "258fd5f2d6073214d846e2fc68e847a0",
    "dependent_numbers": "5b9c0016b7b47fca0e6498daf6e6787a",
    "household_survey": "8f1a489b21fad8cfb3b829a15f596321",
    "housing": "6a85924b46c117f77c55e72c959d4e5a",
    "random_numbers": "6196d22b9a9e771282c04812ed2b9aa4",
}


@each
def test_a_seed_gives_the_same_records_as_ever(name):
    """All numbers that the documentation and the studies report are about these."""
    assert datasets.load(name, n=2000, seed=1).fingerprint == SAME[name]


def test_a_seed_gives_the_same_pairs_and_graphs_as_ever():
    pair = datasets.census_pair(2000, areas=20, planted=2, seed=1)
    assert pair.survey.fingerprint == "f7abb00507d2e74e31431172904681a2"
    assert pair.auxiliary.fingerprint == "135c6315a392d3d8dd770c54822886ab"
    graph = datasets.profile_graph(300, missing=0.1, seed=1)
    assert graph.fingerprint == "b3bf3db841b13cdfc527134bc2236520"


@each
def test_the_seed_decides(name):
    first, second, other = (datasets.load(name, n=300, seed=seed) for seed in (1, 1, 2))
    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != other.fingerprint


@each
def test_the_schema_is_complete_and_depends_on_nothing(name):
    table = datasets.load(name, n=10)
    assert table.schema == datasets.load(name, n=0, seed=9).schema
    assert Schema.from_toml(table.schema.to_toml()) == table.schema
    assert table.schema.with_role("key")
    assert all(a.is_numeric or a.categories for a in table.schema)


@each
def test_a_negative_size_is_refused(name):
    with pytest.raises(ParameterError, match="n must be an integer of at least 0"):
        datasets.load(name, n=-1)


@each
def test_a_hundred_thousand_records_take_seconds(name):
    start = time.process_time()
    assert datasets.load(name, n=100_000).n == 100_000
    assert time.process_time() - start < 6


@pytest.mark.slow
@each
def test_a_million_records_take_seconds(name):
    start = time.process_time()
    assert datasets.load(name, n=1_000_000).n == 1_000_000
    seconds = time.process_time() - start
    print(f"{name}: 1,000,000 records in {seconds:.1f} s")
    assert seconds < 60
