import numpy as np
import pytest

from sfumato import datasets
from sfumato.masking import Kwdr, Kwr

# Fayyoumi, thesis, Table 3.8 (Tarragona, threshold 0.8, k = 3)
TARRAGONA = (7.176, 0.557, 0.775, 1.487, 2.018, 0.586, 1.921, 0.338, 1.287, 1.909, 2.967, 4.748, 4.958)


@pytest.mark.classic("tarragona")
def test_fixed_threshold_on_tarragona():
    tarragona, rng = datasets.tarragona(), np.random.default_rng(0)
    for name, published in zip(tarragona.names, TARRAGONA, strict=True):
        short = Kwdr(k=3, threshold=0.8, attributes=(name,))
        assert short.partition(tarragona, rng).il == pytest.approx(published, abs=0.004)
        long = Kwr(k=3, threshold=0.8, attributes=(name,)).recursion(tarragona)
        assert short.recursion(tarragona).tree == long.tree
        assert short.recursion(tarragona).distances < long.distances / 10
