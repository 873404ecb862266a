"""Rolling up classes of records, and what is counted in them, against plain dictionaries."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels import coarser_classes as kernel
from sfumato.kernels.population_risk import individual_risk
from sfumato.kernels.released_bits import released_bits

rngs = st.integers(0, 2**32).map(np.random.default_rng)


@given(rng=rngs, rows=st.integers(1, 200), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_keys_are_those_of_a_mixed_radix(rng, rows, sizes):
    states = np.column_stack([rng.integers(0, size, rows) for size in sizes]).astype(np.int32)
    to = [rng.integers(0, size, size).astype(np.int32) for size in sizes]
    strides = np.cumprod([1, *sizes[:-1]])
    columns = np.array([np.arange(len(sizes)), strides], np.int64)
    offsets = np.cumsum([0, *sizes[:-1]])
    some = rng.permutation(rows)[: rows // 2 + 1].astype(np.int32)
    keys = kernel.class_keys(some, states, columns, np.concatenate(to), offsets)
    expected = [sum(int(to[j][s]) * int(strides[j]) for j, s in enumerate(states[r])) for r in some]
    assert keys.tolist() == expected


@given(
    keys=st.lists(st.integers(0, 40) | st.integers(0, 2**62 - 1), min_size=1, max_size=300),
    spread=st.booleans(),
)
def test_numbers_follow_the_order_in_which_keys_come(keys, spread):
    keys = [key if spread else key % 41 for key in keys]
    labels, first = kernel.numbered(np.array(keys), max(keys) + 1)
    order = list(dict.fromkeys(keys))
    assert labels.tolist() == [order.index(key) for key in keys]
    assert first.tolist() == [keys.index(key) for key in order]


@given(rng=rngs, rows=st.integers(1, 100), number=st.integers(1, 9))
def test_amounts_are_added_up_by_label(rng, rows, number):
    labels, amounts = rng.integers(0, number, rows).astype(np.int32), rng.integers(0, 99, (rows, 2))
    sums = kernel.added_up(labels, amounts, number)
    assert sums.tolist() == [amounts[labels == label].sum(axis=0).tolist() for label in range(number)]


@given(rng=rngs, rows=st.integers(0, 120), width=st.integers(1, 8), number=st.integers(1, 6))
def test_values_of_coarser_classes(rng, rows, width, number):
    pairs = Counter(
        zip(rng.integers(0, 12, rows).tolist(), rng.integers(0, width, rows).tolist(), strict=True)
    )
    finer = np.array([(c, v, n) for (c, v), n in sorted(pairs.items())], np.int64).reshape(-1, 3)
    labels = rng.integers(0, number, 12).astype(np.int32)
    expected = Counter()
    for c, v, n in finer.tolist():
        expected[labels[c], v] += n
    found = kernel.coarser_values(finer, labels, number, width)
    assert found.tolist() == [[c, v, n] for (c, v), n in sorted(expected.items())]


@given(rng=rngs, width=st.integers(1, 7), ordered=st.booleans())
def test_the_earth_mover_in_each_class(rng, width, ordered):
    everybody = rng.integers(0, width, 40)
    everybody = np.append(everybody, rng.integers(0, width, 9))
    classes = rng.integers(0, 5, len(everybody))
    pairs = Counter(zip(classes.tolist(), (everybody + 3).tolist(), strict=True))
    values = np.array([(c, v, n) for (c, v), n in sorted(pairs.items())], np.int64)
    sizes = np.bincount(classes, minlength=6)
    upto = np.cumsum(np.bincount(everybody, minlength=width))
    ends = np.tile([3, 3 + width], (6, 1))
    moved = kernel.earth_moved(values, sizes, ends, np.append([5, 6, 9], upto), ordered)
    q = np.bincount(everybody, minlength=width) / len(everybody)
    for c in range(6):
        if not sizes[c]:
            assert moved[c] == 0
            continue
        apart = np.bincount(everybody[classes == c], minlength=width) / sizes[c] - q
        plain = np.abs(np.cumsum(apart)).sum() / max(width - 1, 1) if ordered else np.abs(apart).sum() / 2
        assert moved[c] == pytest.approx(plain, abs=1e-12)


@given(rng=rngs, size=st.integers(1, 8), strata=st.integers(1, 3))
def test_bits_that_are_left_open(rng, size, strata):
    counts = rng.integers(1, 9, size).astype(float)
    gone = np.minimum(rng.integers(0, 9, size) * rng.integers(0, 2, size), counts)
    stratum = rng.integers(0, strata, size)
    groups = np.where(rng.random(size) < 0.2, -1, 4 * stratum + rng.integers(0, 3, size))
    found = released_bits(counts, gone, groups, stratum, np.zeros(strata))
    for s in range(strata):
        released = Counter()
        for i in np.flatnonzero(stratum == s).tolist():
            released[i, int(groups[i])] += counts[i] - gone[i]
            released[i, -1] += gone[i]
        totals = Counter()
        for (_, group), count in released.items():
            totals[group] += count
        bits = sum(n * log2(totals[group] / n) for (_, group), n in released.items() if n > 0)
        assert found[s] == pytest.approx(bits, abs=1e-9)


@given(rng=rngs, size=st.integers(1, 6), further=st.integers(0, 6))
def test_bits_are_bounded_whoever_else_is_suppressed(rng, size, further):
    counts = rng.integers(1, 7, size).astype(float)
    gone = np.minimum(rng.integers(0, 4, size), counts)
    groups, stratum = rng.integers(-1, 3, size), np.zeros(size, np.int64)
    bound = released_bits(counts, gone, groups, stratum, np.array([float(further)]))[0]
    for _ in range(20):
        records = rng.permutation(np.repeat(np.arange(size), (counts - gone).astype(int)))
        more = gone + np.bincount(records[: rng.integers(0, further + 1)], minlength=size)
        assert released_bits(counts, more, groups, stratum, np.zeros(1))[0] >= bound - 1e-9


def test_the_risk_of_a_class_is_never_above_that_of_its_parts():
    """It falls with the records of a class and with the people they stand for, as the search relies on."""
    f, F = np.meshgrid(np.arange(1, 30), np.concatenate([np.arange(1, 60), [80, 200, 1000, 10**5]]))
    risk = individual_risk(f.ravel(), F.ravel().astype(float)).reshape(f.shape)
    assert (np.diff(risk, axis=0) <= 1e-12).all()
    assert (np.diff(risk, axis=1) <= 1e-12).all()
