import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.nearest_scan import CHUNK, nearest_scan


def apart(a, b, nominal):
    total = 0.0
    for x, y, name in zip(a, b, nominal, strict=True):
        if np.isnan(x) or np.isnan(y):
            total += np.isnan(x) != np.isnan(y)
        else:
            total += float(x != y) if name else abs(x - y)
    return total


@given(
    seed=st.integers(0, 2**32), n=st.sampled_from([0, 1, 2, 5, CHUNK - 1, CHUNK + 1]), few=st.integers(1, 4)
)
def test_the_nearest_are_those_of_a_sorted_list(seed, n, few):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(0, 4))
    X, Q = (np.where(rng.random((d, m)) < 0.2, np.nan, rng.integers(0, 3, (d, m)) / 4) for m in (n, 3))
    nominal = rng.random(d) < 0.5
    rows, distances = nearest_scan(Q, X, nominal, few)
    for q in range(3):
        found = sorted((apart(Q[:, q], X[:, i], nominal), i) for i in range(n))[:few]
        assert distances[q].tolist() == [distance for distance, _ in found] + [np.inf] * (few - len(found))
        assert rows[q, : len(found)].tolist() == [i for _, i in found]
