"""Blocks in another order are what the table in memory is after `take`."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.block_order import reordered
from sfumato.data.blocks import BlockWriter
from sfumato.datasets import household_survey
from sfumato.parallel import Workers


@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 60), size=st.integers(1, 25), seed=st.integers(0, 99), share=st.floats(0.1, 1))
def test_equals_take(
    tmp_path_factory: pytest.TempPathFactory, n: int, size: int, seed: int, share: float
) -> None:
    folder = tmp_path_factory.mktemp("order")
    table = household_survey(n, seed=seed)
    parts = [table.take(np.arange(start, min(start + size, n))) for start in range(0, n, size)]
    blocks = BlockWriter(folder / "table", table.schema).write_all(parts)
    rows = np.random.default_rng(seed).permutation(n)[: max(1, int(share * n))]
    found = reordered(blocks, rows, folder, Workers(None))
    assert found.take(np.arange(found.n)).fingerprint == table.take(rows).fingerprint
    assert sorted(path.name for path in folder.iterdir()) == sorted(["table", found.folder.name])


def test_what_a_killed_job_left_goes(tmp_path: Path) -> None:
    table = household_survey(30)
    blocks = BlockWriter(tmp_path / "table", table.schema).write_all([table])
    rows = np.arange(30)[::-1]
    found = reordered(blocks, rows, tmp_path, Workers(None))
    left = found.folder.with_name(f"{found.folder.name}-sorted")
    left.mkdir()
    (left / "goals.npy").write_bytes(b"")
    assert reordered(blocks, rows, tmp_path, Workers(None)).folder == found.folder
    assert not left.exists()
