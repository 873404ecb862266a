import numpy as np
import pytest
from measure_tables import keys

from sfumato.attacks import ProbabilisticLinkage
from sfumato.core import DataError
from sfumato.datasets import business_survey
from sfumato.masking import RankSwapping
from sfumato.measures import ProbabilisticLinkage as Measured


@pytest.fixture(scope="module")
def firms():
    return business_survey(300, seed=4)


@pytest.fixture(scope="module")
def swapped(firms):
    return RankSwapping(p=5).apply(firms, np.random.default_rng(0))


@pytest.mark.parametrize("link", ["best", "assignment"])
def test_it_succeeds_where_the_shuffled_release_says_nothing(firms, swapped, link):
    result = ProbabilisticLinkage(link=link).run(swapped, firms, np.random.default_rng(1))
    assert result.attack.low > max(result.control.high, result.baseline.high)


def test_the_measure_is_the_rate_of_the_attack(firms, swapped):
    result = ProbabilisticLinkage().run(swapped, firms, np.random.default_rng(1))
    assert Measured().bind(firms).score(swapped).value == pytest.approx(result.attack.value)


def test_one_to_one_links_are_at_most_one_for_each_known_record(firms, swapped):
    result = ProbabilisticLinkage(link="assignment").run(swapped, firms, np.random.default_rng(1))
    assert result.outcomes.max() <= 1


def test_of_many_attributes_the_first_twenty_are_used():
    domains = {f"v{j}": ("nominal", "ab") for j in range(22)}
    known = keys(domains, {name: [0, 1, 1] for name in domains})
    assert ProbabilisticLinkage().targets(known, known) == known.names[:20]
    assert ProbabilisticLinkage(attributes=known.names[3:5]).targets(known, known) == ("v3", "v4")
    with pytest.raises(DataError, match="at most 20 attributes"):
        ProbabilisticLinkage(attributes=known.names).run(known, known, np.random.default_rng(0))
