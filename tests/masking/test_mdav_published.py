"""MDAV on the CASC reference files against the information losses the literature gives for it."""

import numpy as np
import pytest

from sfumato import datasets
from sfumato.masking import Mdav

# 100·SSE/SST of MDAV on standardised attributes, by k
PUBLISHED = {
    "tarragona": {3: 16.9326, 5: 22.4619, 10: 33.1929},
    "census": {3: 5.6922, 5: 9.0884, 10: 14.1559},
    "eia": {3: 0.4829, 5: 1.6667, 10: 3.8397},
}


@pytest.mark.classic
@pytest.mark.parametrize("classic", PUBLISHED)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_information_loss_to_four_decimals(classic, k):
    partition = Mdav(k=k).partition(datasets.load(classic), np.random.default_rng(0))
    assert round(partition.il, 4) == PUBLISHED[classic][k]
    assert partition.smallest >= k and partition.largest <= 2 * k - 1
