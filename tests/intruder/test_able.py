"""The intruder is able: what was made with a seed, in the old order or beside the original's schema, she undoes.

These are the releases of earlier versions, and of anybody who publishes a study. Were she not able, the contracts
that she fails to break would prove nothing.
"""

import numpy as np
import pytest

from intruder.guesses import by_codebook
from intruder.intrusion import intrusion
from intruder.people import RARE, people
from intruder.releases import Public, mask_release, protect_release, seeded
from intruder.test_every_masking import attacked
from sfumato.data import schema_beside, write_table
from sfumato.masking import make_masking

CELLS = {
    "data_swapping(p=80)": 70,
    "noise": 85,
    "noise(kind=uncorrelated)": 85,
    "noise(kind=correlated_transformed)": 60,
    "noise(kind=multiplicative)": 40,
    "rank_swapping": 40,
    "record_swapping(p=60)": 10,
    "noise + data_swapping(p=80)": 30,
}
VERDICTS = {"pram": 8, "pram(p=0.4)": 8, "pram(matrix=uniform, p=0.4)": 8}


def few(number):
    return 5


@pytest.mark.parametrize(("spec", "points"), CELLS.items())
def test_cells_masked_with_a_known_seed_come_back(spec, points, tmp_path):
    homes = "record" in spec
    assert attacked(spec, tmp_path, seeds=few, randomness=seeded, homes=homes).points[0] > points


@pytest.mark.parametrize(("spec", "points"), VERDICTS.items())
def test_she_tells_which_categories_were_redrawn_with_a_known_seed(spec, points, tmp_path):
    assert attacked(spec, tmp_path, seeds=few, randomness=seeded).points[1] > points


def test_ranks_swapped_with_a_known_seed_come_back_where_values_differ(tmp_path):
    original = people(400, seed=1)
    release = mask_release(original, {"method": "rank_swapping", "attributes": ["wealth"]}, tmp_path, seed=0)
    found = intrusion(release, ["wealth"], [0])
    assert found.cells[0] < 10
    assert found.cells[1] > 95


def test_a_seed_is_found_among_others(tmp_path):
    original = people(100, seed=1)
    release = mask_release(original, "noise", tmp_path, seed=117)
    found = intrusion(release, make_masking("noise").targets(original), range(150))
    assert found.cells[1] > 90
    assert all(way.endswith("seed 117") for way in found.ways.values())


def test_a_seed_and_the_order_undo_a_protected_file(tmp_path):
    def once(number):
        original = people(200, seed=number, sorted_by="town")
        release = protect_release(original, "data_swapping(p=80)", tmp_path / str(number), seed=0)
        assert (release.rows != np.arange(200)).any()
        return intrusion(release.with_order(), ["degree", "job", "town"], range(2), halves=number)

    assert [once(number).cells[1] for number in range(2)] == [100, 100]


@pytest.mark.parametrize(
    ("masking", "column"),
    [
        ("record_swapping(p=30)", "town"),
        ({"method": "shuffling", "attributes": ["wealth"], "given": ["age"]}, "wealth"),
    ],
)
def test_a_column_that_a_file_is_sorted_by_comes_back(masking, column, tmp_path):
    """In the order of the file, without any seed."""
    original = people(1000, seed=1, sorted_by=column, homes=column == "town")
    found = intrusion(mask_release(original, masking, tmp_path), [column], [])
    assert found.cells[1] > 95
    assert found.cells[1] - found.cells[0] > 15


def test_a_suppressed_category_is_read_in_the_schema_of_the_original(tmp_path):
    original = people(400, seed=1)
    job = original["job"].copy()
    held = job == original.schema["job"].categories.index(RARE)
    job[held] = -1
    masked = original.replace({"job": job})
    file = tmp_path / "released.csv"
    write_table(masked, file)
    schema_beside(file).write_text(original.schema.to_toml(), encoding="utf-8")
    public = Public(file=file, is_shuffled=False)
    guesses = dict(by_codebook(public, ["job"]))
    assert (guesses["an unused category"]["job"][held] == RARE).all()
