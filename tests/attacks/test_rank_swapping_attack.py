import numpy as np
import pytest

from sfumato.attacks import RankSwappingLinkage
from sfumato.datasets import business_survey
from sfumato.masking import RankSwapping
from sfumato.measures import RankSwappingLinkage as Measured


def test_the_measure_is_the_rate_of_the_attack():
    firms = business_survey(300, seed=4)
    swapped = RankSwapping(p=5).apply(firms, np.random.default_rng(0))
    result = RankSwappingLinkage(p=5).run(swapped, firms, np.random.default_rng(1))
    assert Measured(p=5).bind(firms).score(swapped).value == pytest.approx(result.attack.value)
    assert (result.outcomes > 0).all()
    assert result.attack.low > result.control.high
