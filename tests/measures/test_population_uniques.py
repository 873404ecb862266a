import math

import numpy as np
import pytest
from measure_tables import keys, with_weights

from sfumato.measures import LogLinearRisk, PopulationUniques
from sfumato.measures.log_linear_risk import _by_pairs
from sfumato.measures.population_uniques import ClassSizes, pitman_parameters


def file_of(kinds):
    return keys({"x": "numeric"}, {"x": np.asarray(kinds, float)})


def sample_of(kinds, fraction, rng):
    return file_of(rng.choice(kinds, round(fraction * len(kinds)), replace=False))


def alone(kinds):
    """The percent of people who are alone of their kind."""
    return 100 * np.count_nonzero(np.bincount(kinds) == 1) / len(kinds)


def seated(n, theta, alpha, rng):
    """People at tables, one after the other, as the Ewens–Pitman model seats them."""
    sizes, kinds = np.zeros(n), np.zeros(n, int)
    tables = 0
    for i in range(n):
        if rng.random() * (i + theta) < theta + tables * alpha:
            at, tables = tables, tables + 1
        else:
            weights = np.cumsum(sizes[:tables] - alpha)
            at = int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))
        sizes[at] += 1
        kinds[i] = at
    return kinds


def test_zayatz_by_hand():
    """Half of 16 people: three combinations alone, a pair and three of a kind."""
    score = PopulationUniques(model="zayatz", fraction=0.5).bind(file_of([0, 0, 0, 1, 1, 2, 3, 4]))
    once = [0.5, 2 * math.comb(14, 7) / math.comb(16, 8), 3 * math.comb(13, 7) / math.comb(16, 8)]
    chance = 0.6 * once[0] / (0.6 * once[0] + 0.2 * once[1] + 0.2 * once[2])
    assert score.score(score.original).value == pytest.approx(100 * 3 * chance / 0.5 / 16)


def test_pitman_finds_the_parameters_and_the_uniques():
    rng = np.random.default_rng(5)
    kinds = seated(20_000, 40.0, 0.6, rng)
    sizes = np.bincount(np.bincount(kinds))
    theta, alpha = pitman_parameters(ClassSizes(np.flatnonzero(sizes) * 1.0, sizes[sizes > 0] * 1.0))
    assert theta == pytest.approx(40, rel=0.3)
    assert alpha == pytest.approx(0.6, abs=0.04)
    file = sample_of(kinds, 0.1, rng)
    score = PopulationUniques(fraction=0.1).bind(file).score(file)
    assert score.value == score.parts["pitman"]  # a small fraction
    assert score.value == pytest.approx(alone(kinds), rel=0.2)
    assert score.parts["expected"] == pytest.approx(score.value / 100 * file.n)


def test_a_slide_negative_binomial_population():
    rng = np.random.default_rng(6)
    kinds = np.repeat(np.arange(20_000), 1 + rng.negative_binomial(0.5, 0.1, 20_000))
    file = sample_of(kinds, 0.3, rng)
    parts = PopulationUniques(fraction=0.3).bind(file).score(file).parts
    assert parts["snb"] == pytest.approx(alone(kinds), rel=0.15)
    assert parts["dankar"] == min(parts["snb"], parts["zayatz"])


def test_a_large_fraction_is_nearly_the_truth():
    rng = np.random.default_rng(7)
    kinds = np.unique(np.rint(rng.lognormal(0, 1.5, 50_000) * 400), return_inverse=True)[1]
    file = sample_of(kinds, 0.7, rng)
    parts = PopulationUniques(fraction=0.7).bind(file).score(file).parts
    assert [parts[name] for name in ("zayatz", "snb")] == pytest.approx([alone(kinds)] * 2, rel=0.2)


def test_weights_give_the_fraction():
    rng = np.random.default_rng(8)
    plain = file_of(rng.integers(0, 300, 400))
    weighted = with_weights(plain, np.full(400, 5.0))
    given_, found = (
        PopulationUniques(fraction=0.2).bind(plain).score(plain),
        PopulationUniques().bind(weighted).score(weighted),
    )
    assert found.parts == pytest.approx(given_.parts)
    whole = PopulationUniques().bind(plain).score(plain)
    assert whole.value == whole.parts["sample_uniques"]


def population(rng, n=200_000):
    """People whose keys are independent but for one pair of them."""
    columns = {
        name: np.minimum(rng.geometric(p, n) - 1, size - 1)
        for name, p, size in (("a", 0.2, 20), ("b", 0.3, 12), ("c", 0.4, 8))
    }
    columns["d"] = (columns["a"] + rng.integers(0, 3, n)) % 22
    domains = {
        name: ("nominal", [str(i) for i in range(int(values.max()) + 1)]) for name, values in columns.items()
    }
    return keys(domains, columns)


@pytest.mark.parametrize("order, names", [(1, ("a", "b", "c")), (2, ("a", "b", "c", "d"))])
def test_log_linear_models_of_a_known_population(order, names):
    rng = np.random.default_rng(9)
    people = population(rng).select(names)
    cell = np.ravel_multi_index([people[name] for name in names], [23] * len(names))
    drawn = rng.choice(people.n, people.n // 10, replace=False)
    file, F = people.take(drawn), np.bincount(cell)[cell[drawn]]
    f = np.bincount(cell[drawn])[cell[drawn]]
    score = LogLinearRisk(order=order, fraction=0.1).bind(file).score(file)
    assert score.parts["sample_uniques"] == 100 * np.mean(f == 1)
    assert score.parts["expected"] == pytest.approx(np.sum(1 / F[f == 1]), rel=0.2)
    uniques = score.parts["population_uniques"] / 100 * file.n
    assert abs(uniques - np.sum(F[f == 1] == 1)) < 3 * math.sqrt(uniques)


def test_the_model_of_one_key_is_its_counts():
    column = np.random.default_rng(11).integers(0, 4, 200)
    assert _by_pairs([column], np.arange(200)) == pytest.approx(np.bincount(column)[column])


def test_pairs_are_fitted():
    rng = np.random.default_rng(10)
    columns = [rng.integers(0, 3, 500), rng.integers(0, 2, 500)]
    rows = np.arange(500)
    counts = np.zeros((3, 2))
    np.add.at(counts, tuple(columns), 1)
    assert _by_pairs(columns, rows) == pytest.approx(
        counts[columns[0], columns[1]]
    )  # two keys: the table itself
