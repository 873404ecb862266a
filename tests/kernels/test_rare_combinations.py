"""Minimal rare combinations against counting every set of columns by hand."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels import rare_combinations as kernel


def enumerated(columns, k, largest):
    """Every set with the records that are rare in it and in none of its proper parts, one record after the other."""
    records = list(zip(*(column.tolist() for column in columns), strict=True))
    rare, found = {(): set()}, {}
    for size in range(1, min(largest, len(columns)) + 1):
        for names in combinations(range(len(columns)), size):
            cells = [tuple(record[j] for j in names) for record in records]
            counts = Counter(cells)
            rare[names] = {i for i, cell in enumerate(cells) if counts[cell] < k}
            parts = [rare[part] for less in range(size) for part in combinations(names, less)]
            minimal = rare[names] - set().union(*parts)
            if minimal:
                found[names] = sorted(minimal)
    return found


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, sizes = draw(st.integers(1, 60)), draw(st.lists(st.integers(1, 7), min_size=1, max_size=6))
    return [np.minimum(rng.geometric(min(1, 2 / size), n) - 1, size - 1) for size in sizes]


@settings(max_examples=150, deadline=None)
@given(columns=tables(), k=st.sampled_from([1, 2, 3, 5, 200]), largest=st.integers(1, 7))
def test_every_minimal_set_is_found(columns, k, largest):
    found = kernel.rare_combinations(columns, k, largest)
    assert {names: rows.tolist() for names, rows in found} == enumerated(columns, k, largest)


@pytest.mark.parametrize("limit", [("DENSE", 0), ("LARGEST_KEY", 40)])
@settings(max_examples=40, deadline=None)
@given(columns=tables(), k=st.sampled_from([2, 4]))
def test_domains_too_large_to_count_in_an_array(limit, columns, k):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "LEAST_DENSE", 0)
        patch.setattr(kernel, *limit)
        found = {names: rows.tolist() for names, rows in kernel.rare_combinations(columns, k, 6)}
    assert found == enumerated(columns, k, 6)


def test_many_columns_of_many_values():
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 2_000_000, 50) for _ in range(4)]
    columns = [np.concatenate([column, column[:3]]) for column in columns]
    found = dict(kernel.rare_combinations(columns, 2, 4))
    assert {names: rows.tolist() for names, rows in found.items()} == enumerated(columns, 2, 4)
