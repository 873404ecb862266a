import time

import numpy as np
import pytest
from measure_tables import keys

from sfumato.attacks import DistanceLinkage, LearnedLinkage

LETTERS = "abcdefghij"


def uneven(n, *, mixed=False, seed=1):
    """Eight attributes, five of which are pure noise in the release."""
    rng = np.random.default_rng(seed)
    domains, old, new = {}, {}, {}
    for j in range(8):
        name = f"x{j}"
        if mixed and j % 2:
            domains[name] = ("ordinal" if j % 4 == 1 else "nominal", LETTERS)
            old[name], other = rng.integers(0, 10, (2, n))
            new[name] = np.where(rng.random(n) < (0 if j < 5 else 0.9), old[name], other)
        else:
            domains[name] = "numeric"
            old[name] = rng.normal(size=n)
            new[name] = rng.normal(size=n) if j < 5 else old[name] + 0.05 * rng.normal(size=n)
    return keys(domains, old), keys(domains, new)


def rates(known, released, seed=0):
    attacks = (DistanceLinkage(), LearnedLinkage())
    return [attack.run(released, known, np.random.default_rng(seed)) for attack in attacks]


@pytest.mark.parametrize("mixed", [False, True])
def test_attributes_that_are_noise_are_not_trusted(mixed):
    plain, learned = rates(*uneven(1000, mixed=mixed))
    assert learned.attack.low > 5 * plain.attack.high
    assert learned.control.value < 2


def test_missing_values():
    known, released = uneven(500, mixed=True)
    rng = np.random.default_rng(0)
    holes = {
        n: np.where(rng.random(500) < 0.2, -1 if n[1] in "1357" else np.nan, released[n]) for n in known.names
    }
    plain, learned = rates(known, released.replace(holes))
    assert learned.attack.low > plain.attack.high


@pytest.mark.parametrize("seed", range(4))
def test_even_noise_is_linked_as_well_as_by_plain_distances(seed):
    rng = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(4)]
    known = keys(dict.fromkeys(names, "numeric"), {name: rng.normal(size=600) for name in names})
    released = known.replace({name: known[name] + 0.2 * rng.normal(size=600) for name in names})
    plain, learned = rates(known, released)
    tried = ~np.isnan(learned.outcomes)
    assert learned.attack.value >= 100 * plain.outcomes[tried].mean() - 3


def test_records_with_known_links_are_not_tried():
    known, released = uneven(200)
    attack = LearnedLinkage(fraction=0.45)
    outcomes = attack.run(released, known, np.random.default_rng(0)).outcomes
    assert np.isnan(outcomes).sum() == 90
    other = attack.run(released, known, np.random.default_rng(1)).outcomes
    assert (np.isnan(outcomes) != np.isnan(other)).any()


def test_without_known_links_it_is_plain_linkage():
    known, released = uneven(200)
    plain = DistanceLinkage().run(released, known, np.random.default_rng(0)).outcomes
    learned = LearnedLinkage(fraction=0.0).run(released, known, np.random.default_rng(0)).outcomes
    assert np.array_equal(plain, learned)


def test_ten_thousand_records_take_seconds():
    known, released = uneven(10_000)
    start = time.process_time()
    assert LearnedLinkage().run(released, known, np.random.default_rng(0)).attack.value > 50
    assert time.process_time() - start < 30  # of the processor; 6 s once it is compiled
