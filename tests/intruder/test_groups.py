"""Who traded places to hide a group cannot be told from the release, in whatever order the file was."""

import numpy as np

from intruder.guesses import in_this_order
from intruder.intrusion import intrusion
from intruder.judgement import MOST, cells_of, repeated
from intruder.releases import Release, published, secretly
from sfumato.data import Attribute, Schema, Table
from sfumato.search.optimizers.memetic import Memetic

PLACES = tuple(f"place {letter}" for letter in "ABCDEFGHIJ")
SOLDIERS = {
    "vital": {"soldier": ["yes"]},
    "parameter": "place",
    "optimizer": Memetic(population=20),
    "generations": 20,
}


def garrison(n, seed):
    """People sorted by place; in one of the places far too many are soldiers."""
    rng = np.random.default_rng([seed, 5])
    place = np.sort(rng.integers(0, len(PLACES), n))
    soldier = rng.random(n) < np.where(place == 3, 0.25, 0.05)
    schema = Schema(
        [
            Attribute(name="age", scale="numeric", decimals=0),
            Attribute(name="sex", scale="nominal", categories=("f", "m")),
            Attribute(name="place", scale="nominal", categories=PLACES),
            Attribute(name="soldier", scale="nominal", categories=("no", "yes")),
        ]
    )
    columns = {
        "age": rng.integers(18, 60, n).astype(float),
        "sex": rng.integers(0, 2, n),
        "place": place,
        "soldier": soldier.astype(np.int8),
    }
    return Table(schema, columns)


def hidden(number, folder, **randomness) -> Release:
    return published("group_protect", garrison(1000, number), folder / str(number), **SOLDIERS, **randomness)


def found_swapped(release, order):
    """As many records as were swapped, those first that break the order: how many are right, of how many.

    Places keep their numbers of records: where a file was sorted by place, its sorted places are the true ones.
    """
    place = cells_of(release.public.table, ["place"])["place"][order]
    truth = cells_of(release.original.take(release.rows), ["place"])["place"][order]
    swapped = place != truth
    guesses = dict(in_this_order({"place": place}))
    odd = sum(guesses[way]["place"] != place for way in ("sorted", "8 neighbours", "30 neighbours"))
    suspicion = odd + np.random.default_rng(1).random(len(place)) / 2
    named = np.argsort(-suspicion)[: swapped.sum()]
    return int(swapped[named].sum()), int(swapped.sum())


def test_in_the_order_of_the_file_all_swapped_records_are_found(tmp_path):
    release = hidden(0, tmp_path, **secretly(0))
    hits, swapped = found_swapped(release, np.argsort(release.rows))
    assert swapped > 20
    assert hits >= 0.95 * swapped
    found = intrusion(release.with_order(), ["place"], range(3))
    assert found.cells[1] == 100


def test_swapped_records_are_found_no_better_than_by_chance(tmp_path):
    releases = [hidden(number, tmp_path, **secretly(number)) for number in range(8)]
    hits, swapped, expected = 0, 0, 0.0
    for release in releases:
        n = release.public.table.n
        for order in (np.arange(n), np.arange(n)[::-1]):
            right, of = found_swapped(release, order)
            hits, swapped, expected = hits + right, swapped + of, expected + of * of / n
    spread = np.sqrt(expected * (1 - expected / swapped))
    assert swapped > 300
    assert abs(hits - expected) < 4 * spread


def test_places_are_not_put_back(tmp_path):
    def once(number):
        return intrusion(hidden(number, tmp_path, **secretly(number)), ["place"], range(50), halves=number)

    found = repeated(once)
    assert found.holds, f"more than {MOST} point: {found}"
