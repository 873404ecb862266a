"""Describing a table that stays on disk: columns by a sample, what all keys give away by all records."""

import dataclasses

from sfumato.data.blocks import Blocks
from sfumato.data.workplace import Workplace
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.studies.describe import CombinationProfile, Profile, describe
from sfumato.studies.large_evaluate import evaluate_from_disk
from sfumato.studies.large_protect import sampled_rows

SAMPLE = 100_000


def describe_from_disk(
    blocks: Blocks, *, place: Workplace, sample: int = SAMPLE, seed: int = 0
) -> tuple[Profile, int]:
    """Profile a table in blocks, and from how many records; the profile of all keys is that of the whole file."""
    rows = sampled_rows(blocks.n, sample, seed)
    profile = describe(blocks.take(rows))
    names = blocks.schema.with_role("key")
    keys = _combination(blocks, names, place) if names else None
    return dataclasses.replace(profile, records=blocks.n, keys=keys), len(rows)


def _combination(blocks: Blocks, names: tuple[str, ...], place: Workplace) -> CombinationProfile:
    shares = {}
    for k in (2, 3, 5):
        measure = KAnonymity(k=k, attributes=names)
        found = evaluate_from_disk(blocks, blocks, place=place, measures=[measure]).scores[measure.name]
        shares[k] = found.value
    return CombinationProfile(
        attributes=names,
        uniques=shares[2],
        below_3=shares[3],
        below_5=shares[5],
        smallest=int(found.parts["smallest"]),
    )
