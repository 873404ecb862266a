"""The pattern of a record and its own, column by column, equals that found pair by pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.agreement import own_patterns


@given(st.integers(0, 12), st.integers(0, 4), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_own_patterns(n, d, sets, seed):
    rng = np.random.default_rng(seed)
    codes, own = rng.integers(0, 5, (d, 7)).astype(np.int32), rng.integers(0, 7, n)
    starts = np.append(0, np.cumsum(rng.integers(0, 4, sets)))
    of_sets = rng.integers(0, 6, (starts[-1], 2))
    spans = rng.integers(-sets, 6, (n, d, 2))
    expected = [
        sum(
            2**j
            for j in range(d)
            if any(low <= codes[j, own[r]] < high for low, high in spans_of(spans[r, j], starts, of_sets))
        )
        for r in range(n)
    ]
    assert own_patterns(spans, codes, own, starts, of_sets).tolist() == expected


def spans_of(span, starts, of_sets):
    low = span[0]
    return [span] if low >= 0 else [span, *of_sets[starts[-low - 1] : starts[-low]]]
