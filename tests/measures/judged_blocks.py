"""Tables written in small blocks, and scores compared with those in memory."""

import numpy as np
import pytest

from sfumato.core import registry
from sfumato.data.blocks import BlockWriter
from sfumato.measures.from_disk import score_blocks
from sfumato.parallel import crew


def blocks_of(table, folder, size):
    parts = [table.take(np.arange(i, min(i + size, table.n))) for i in range(0, table.n, size)]
    return BlockWriter(folder, table.schema).write_all(parts)


def judged(original, masked, folder, *, size, workers=1, cluster="", **options):
    """The scores of two tables, written in blocks of so many records and judged there."""
    a, b = (blocks_of(table, folder / name, size) for name, table in (("a", original), ("b", masked)))
    with crew(None, workers=workers, cluster=cluster) as here:
        return score_blocks(a, b, folder=folder / "work", crew=here, **options)


def assert_as_in_memory(measure, score, original, masked):
    exact = measure.bind(original).score(masked)
    assert score.value == pytest.approx(exact.value, rel=1e-9, abs=1e-9)
    assert list(score.parts) == list(exact.parts)
    assert score.parts == pytest.approx(exact.parts, rel=1e-9, abs=1e-9)


def fitting(table):
    """Every measure that is judged block by block and fits the keys; two also need something to hide."""
    every = [registry.make("measures", name) for name in registry.names("measures")]
    made = [measure for measure in every if measure.joinable and measure.sense != "score"]
    secret = table.schema.with_role("confidential")
    return [m for m in made if m.fitting(table) and (secret or m.name not in ("l_diversity", "t_closeness"))]


def masked_survey(original, seed=0):
    """Numbers rounded and shifted, categories exchanged, and some of both suppressed."""
    rng, columns = np.random.default_rng(seed), {}
    for attribute in original.schema:
        values = original[attribute.name]
        if attribute.role != "key":
            continue
        if attribute.is_numeric:
            moved = np.round(values / 4) * 4 + rng.integers(-1, 2, original.n)
            columns[attribute.name] = np.where(rng.random(original.n) < 0.03, np.nan, moved)
        else:
            moved = np.where(rng.random(original.n) < 0.2, rng.permutation(values), values)
            columns[attribute.name] = np.where(rng.random(original.n) < 0.03, -1, moved)
    return original.replace(columns)
