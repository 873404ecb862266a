import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.kernels.box_tree import _halve


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 39))
@example([3, 1, 2], 1)
def test_halving_puts_the_smaller_keys_first(numbers, at):
    keys, order, middle = np.array(numbers, float), np.arange(len(numbers)), at % len(numbers)
    _halve(keys, order, 0, len(keys) - 1, middle)
    assert keys.tolist() == [numbers[i] for i in order]
    assert sorted(order) == list(range(len(numbers)))
    assert keys[middle] == sorted(numbers)[middle]
    assert keys[:middle].max(initial=0) <= keys[middle] <= keys[middle:].min()
