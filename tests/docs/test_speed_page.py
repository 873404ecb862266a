"""The page of speeds is what was measured, and its partitions lose what it says."""

import numpy as np
import pytest
from benchmarks.peers import best_known
from make_speed_page import PAGE, page_text

from benchmarks import records
from sfumato import datasets

FOUND = records.read()


def test_the_page_is_what_was_measured():
    written = PAGE.read_text(encoding="utf-8")
    assert written == page_text(written), "write the page anew: python -m docs.make_speed_page"


@pytest.mark.classic
@pytest.mark.parametrize("classic", sorted({file for file, _ in FOUND}))
def test_partitions_lose_what_is_said(classic):
    table = datasets.load(classic)
    groups = records.partitions(classic)
    assert set(groups) == {k for file, k in FOUND if file == classic}
    for k, labels in groups.items():
        assert np.bincount(labels).min() >= k
        assert records.loss(table, labels) == pytest.approx(FOUND[classic, k].loss, abs=2e-6)


def test_every_record_has_a_bar():
    for record in FOUND.values():
        assert record.k in best_known()[record.file] and record.seconds <= 310


def test_only_what_loses_less_is_kept(tmp_path):
    first, worse, better = (records.Record("census", 2, loss, 1.0) for loss in (5.0, 5.00001, 4.9))
    labels = np.array([0, 0, 7, 7])
    assert records.keep(first, labels, tmp_path) and not records.keep(worse, labels[::-1], tmp_path)
    assert records.keep(records.Record("census", 3, 9.0, 1.0), np.zeros(4, np.int64), tmp_path)
    assert records.keep(better, labels[::-1], tmp_path)
    assert records.read(tmp_path)["census", 2] == better
    found = records.partitions("census", tmp_path)
    assert found[2].tolist() == [1, 1, 0, 0] and found[3].tolist() == [0, 0, 0, 0]
