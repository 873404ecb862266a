from itertools import pairwise, product

import numpy as np
import pytest

from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.markov import expected_count_bits
from sfumato.masking.matrices.markov_matrices import redraw
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.matrices import links as matrix_links
from sfumato.search.matrices.direct_search import direct_front, direct_matrices
from sfumato.search.matrices.expectations import ExpectedCosts

NAMES = ("size", "trade", "town")


def people(n=300, seed=0, *, missing=True):
    rng = np.random.default_rng(seed)
    size = rng.choice(5, n, p=[0.1, 0.3, 0.3, 0.3, 0.0])
    trade = np.minimum(size + rng.integers(0, 2, n), 3) % 4
    town = rng.integers(0, 3, n)
    if missing:
        size[rng.random(n) < 0.05] = -1
    schema = Schema(
        [
            Attribute(name="size", scale="ordinal", role="key", categories=tuple("abcde")),
            Attribute(name="trade", scale="nominal", role="key", categories=tuple("stuv")),
            Attribute(name="town", scale="ordinal", role="key", categories=tuple("xyz")),
        ]
    )
    return Table(schema, {"size": size, "trade": trade, "town": town})


def random_matrices(table, seed, concentration=1.0):
    rng = np.random.default_rng(seed)
    sizes = {name: table.schema[name].domain_size for name in NAMES}
    return {name: rng.dirichlet(np.full(n, concentration), n) for name, n in sizes.items()}


def sampled(table, matrices, files):
    loss = InformationLoss(attributes=NAMES).bind(table)
    risk = DisclosureRisk(attributes=NAMES).bind(table)
    found = []
    for seed in range(files):
        rng = np.random.default_rng(seed)
        masked = table.replace({name: redraw(table[name], P, rng) for name, P in matrices.items()})
        found.append((loss.judge(masked)[0], risk.judge(masked)[0]))
    return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(files)


@pytest.mark.parametrize("concentration", [0.2, 1.0, 10.0])
def test_expectations_are_the_means_of_sampled_files(concentration):
    table = people()
    matrices = random_matrices(table, 1, concentration)
    means, errors = sampled(table, matrices, 60)
    loss, risk = ExpectedCosts(table, NAMES)(matrices)
    assert abs(loss - means[0]) < 4 * errors[0] + 0.3  # CTBIL and EBIL are normal and Poisson approximations
    assert abs(risk - means[1]) < 4 * errors[1] + 1e-9  # both parts are exact


def test_what_is_certain_is_exact():
    table = people()
    for matrices in (
        {name: np.eye(table.schema[name].domain_size) for name in NAMES},
        {name: np.roll(np.eye(table.schema[name].domain_size), 1, axis=1) for name in NAMES},
    ):
        means, _ = sampled(table, matrices, 1)
        assert np.allclose(ExpectedCosts(table, NAMES)(matrices), means, atol=1e-4)


def test_slopes_are_the_derivatives():
    table = people()
    costs, matrices = ExpectedCosts(table, NAMES), random_matrices(table, 2, 3.0)
    found, step = costs.slopes(matrices), 1e-5
    for name in NAMES:
        for i, j in product(range(3), range(3)):
            ends = []
            for sign in (1, -1):
                moved = {key: P.copy() for key, P in matrices.items()}
                moved[name][i, j] += sign * step
                ends.append(np.array(costs(moved)))
            loss, risk = (ends[0] - ends[1]) / (2 * step)
            assert found.loss_slopes[name][i, j] == pytest.approx(loss, rel=2e-3, abs=2e-3)
            assert found.risk_slopes[name][i, j] == pytest.approx(risk, rel=1e-4, abs=1e-5)


def test_linkage_is_left_out_where_the_domain_is_too_large(monkeypatch):
    table = people()
    matrices = {name: np.eye(table.schema[name].domain_size) for name in NAMES}
    whole = ExpectedCosts(table, NAMES)(matrices)[1]
    monkeypatch.setattr(matrix_links, "LARGEST_SPACE", 10)
    assert ExpectedCosts(table, NAMES)(matrices)[1] == pytest.approx(50.0) and whole > 50


def test_bits_of_counts_are_those_of_drawn_counts():
    rng = np.random.default_rng(0)
    for mean, p in ((0.3, 0.01), (2.0, 0.1), (30.0, 0.3), (30.0, 0.9)):
        counts = rng.binomial(round(mean / p), p, 200_000).astype(float)
        drawn = (counts * np.log2(np.maximum(counts, 1))).mean()
        (value,), _, _ = expected_count_bits(np.array([counts.mean()]), np.array([1 - p]))
        assert value == pytest.approx(drawn, abs=0.03)


def test_a_direct_search_finds_the_best_of_all_renamings_of_one_attribute():
    table = people(missing=False)
    costs = ExpectedCosts(table, ("trade",))
    corners = [np.eye(4)[list(targets)] for targets in product(range(4), repeat=4)]
    best = min(sum(costs({"trade": P})) / 2 for P in corners)
    found = direct_matrices(costs, {"trade": np.full((4, 4), 0.25)}, starts=6)
    assert sum(found.costs) / 2 <= best + 1e-6
    assert np.allclose(found.matrices["trade"].sum(axis=1), 1)


def test_no_compromise_of_a_front_is_beaten():
    table = people(100)
    costs = ExpectedCosts(table, NAMES)
    front = direct_front(costs, random_matrices(table, 3), weights=(0.2, 0.5, 0.8), starts=1)
    pairs = [one.costs for one in front]
    assert pairs == sorted(pairs)
    assert all(a[1] > b[1] for a, b in pairwise(pairs))


def test_a_seed_fixes_the_direct_search():
    table = people(100)
    costs, start = ExpectedCosts(table, NAMES), random_matrices(table, 3)
    one, other = (direct_matrices(costs, start, starts=2, seed=4) for _ in range(2))
    assert one.costs == other.costs
