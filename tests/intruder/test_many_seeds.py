"""100,000 seeds: one that was used is found among them, and none of them helps where a key was used."""

import pytest

from intruder.guesses import without_the_program
from intruder.inversions import by_many_seeds, by_other_draws
from intruder.judgement import cells_of, gain
from intruder.people import people
from intruder.releases import mask_release, secretly
from sfumato.masking import make_masking

SEEDS = 100_000
USED = 98_765
FOUND = {"data_swapping(p=80)": 70, "noise": 70, "rank_swapping": 30}
SHUFFLING = {"method": "shuffling", "attributes": ["income", "wealth"], "given": ["age"]}
NOT_FOUND = (*FOUND, "pram", "resampling(t=1)", "record_swapping(p=60)", SHUFFLING)


def undone(spec, folder, **randomness):
    original = people(300, seed=1)
    names = make_masking(spec).targets(original)
    release = mask_release(original, spec, folder, **randomness)
    public = release.public
    without = [*without_the_program(public, names), *by_other_draws(public, names)]
    ways = by_many_seeds(public, names, range(SEEDS))
    return gain(release.truth(names), cells_of(public.table, names), without, ways)


@pytest.mark.slow
@pytest.mark.parametrize("spec", NOT_FOUND, ids=str)
def test_none_of_all_seeds_undoes_a_release_with_a_key(spec, tmp_path):
    """In the one file that so many seeds are tried on, chance alone is two or three points."""
    found = undone(spec, tmp_path, **secretly(1))
    assert (found.points < 8).all(), str(found)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "points"), FOUND.items())
def test_the_seed_of_a_study_is_found_among_all(spec, points, tmp_path):
    found = undone(spec, tmp_path, seed=USED)
    assert found.points[0] > points
    assert any(way.endswith(f"seed {USED}") for way in found.ways.values())
