"""What lies beside a release, or within its file, names nothing that the release does not show."""

from itertools import pairwise

import pytest

from intruder.people import RARE, people
from intruder.releases import mask_release, protect_release, secretly

SUPPRESSED = {"method": "local_suppression", "k": 3, "attributes": ["job"]}
MERGED = {"method": "global_recoding", "attributes": ["job"]}
RELEASES = [
    *((mask_release, suffix) for suffix in (".csv", ".parquet", ".sav", ".dta", ".xpt")),
    (protect_release, ".csv"),
]


@pytest.mark.parametrize("masking", [SUPPRESSED, MERGED], ids=["suppressed", "merged"])
@pytest.mark.parametrize(("release", "suffix"), RELEASES)
def test_a_category_that_was_taken_away_is_named_nowhere(release, masking, suffix, tmp_path):
    original = people(400, seed=1)
    made = release(original, masking, tmp_path, suffix=suffix, **secretly(1))
    assert RARE.encode() not in made.public.bytes()
    assert RARE.encode("utf-16-le") not in made.public.bytes()


@pytest.mark.parametrize("release", [mask_release, protect_release])
def test_nothing_public_confirms_a_guess_or_tells_the_key(release, tmp_path):
    original, randomness = people(400, seed=1), secretly(1)
    made = release(original, "noise", tmp_path, suffix=".csv", **randomness)
    text = made.public.bytes().decode(errors="replace")
    key = randomness["secret"]
    for secret in (original.fingerprint, key.secret.hex(), key.mark, "seed"):
        assert secret not in text


def test_bounds_of_originals_are_not_told(tmp_path):
    original = people(400, seed=1)
    masking = {"method": "top_bottom_coding", "attributes": ["age"], "percent": 10}
    made = mask_release(original, masking, tmp_path, **secretly(1))
    age = made.public.schema["age"]
    shown = made.public.table["age"]
    assert age.low is None or age.low >= shown.min()
    assert age.high is None or age.high <= shown.max()


def test_household_numbers_tell_no_order(tmp_path):
    original = people(400, seed=1, sorted_by="town", homes=True)
    made = protect_release(original, "noise", tmp_path, **secretly(1))
    homes, before = made.public.table["home"], original["home"][made.rows]
    pairs = sorted({*zip(homes.tolist(), before.tolist(), strict=True)})
    assert len(pairs) == len({*before.tolist()})  # still together
    rising = sum(a[1] < b[1] for a, b in pairwise(pairs)) / (len(pairs) - 1)
    assert 0.35 < rising < 0.65
