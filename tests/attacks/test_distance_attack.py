import numpy as np
import pytest
from measure_tables import keys

from sfumato.attacks import DistanceLinkage
from sfumato.core import DataError
from sfumato.measures import DistanceLinkage as Measure


def numbers(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    return keys(dict.fromkeys(names, "numeric"), dict(zip(names, X.T, strict=True)))


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return numbers(X), numbers(X + 0.4 * rng.normal(size=X.shape))


@pytest.mark.parametrize("options", [{}, {"direction": "known", "ties": "miss"}, {"second_nearest": True}])
@pytest.mark.parametrize("distance", ["auto", "mahalanobis", "gower"])
def test_attack_and_measure_agree(pair, distance, options):
    known, released = pair
    result = DistanceLinkage(distance=distance, **options).run(released, known, np.random.default_rng(1))
    bound = Measure(distance=distance, **options).bind(known)
    assert result.attack.value == pytest.approx(bound.score(released).value)
    assert np.array_equal(result.outcomes, bound.outcomes(released))


def test_a_guess_of_two_records_finds_twice_as_many(pair):
    result = DistanceLinkage(second_nearest=True).run(*pair, np.random.default_rng(1))
    assert result.baseline.value == pytest.approx(1.0)


def test_numbers_alone_where_the_distance_takes_nothing_else(pair):
    known, released = pair
    label = keys({"v": ("nominal", "ab")}, {"v": np.arange(200) % 2})
    columns = {name: known[name] for name in known.names} | {"v": label["v"]}
    mixed = keys(dict.fromkeys(known.names, "numeric") | {"v": ("nominal", "ab")}, columns)
    masked = mixed.replace({name: released[name] for name in known.names})
    attack = DistanceLinkage(distance="mahalanobis")
    rng = np.random.default_rng
    assert attack.run(masked, mixed, rng(1)).attack.value == attack.run(released, known, rng(1)).attack.value
    with pytest.raises(DataError, match="column v is nominal; the mahalanobis distance takes numeric"):
        DistanceLinkage(distance="mahalanobis", attributes=("x0", "v")).run(masked, mixed, rng(1))
    with pytest.raises(DataError, match="column v is nominal"):
        attack.run(masked.select(["v"]), mixed.select(["v"]), rng(1))
