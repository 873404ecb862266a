"""Pairs of values that nobody has though many would by chance (no child is a widow) are in no release, declared or not."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table
from sfumato.masking import CalibratedSynthesis
from sfumato.masking.synthesis.never_met import EXPECTED

ATTRIBUTES = (
    Attribute(name="age", scale="ordinal", categories=tuple("abcdef")),
    Attribute(name="status", scale="nominal", categories=("single", "married", "widowed", "divorced")),
    Attribute(name="work", scale="nominal", categories=("none", "half", "full"), missing=("N",)),
    Attribute(name="pay", scale="numeric", decimals=0),
)


def people(n, seed):
    """Structure that nobody declared: the young are single and do not work, nobody is paid without work."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 6, n)
    status = np.where(age < 2, 0, rng.integers(0, 4, n))
    work = np.where(age < 1, -1, np.where(age < 2, 0, rng.integers(0, 3, n)))
    pay = np.where(work > 0, rng.integers(1, 9, n) * 100, 0)
    return Table(Schema(ATTRIBUTES), {"age": age, "status": status, "work": work, "pay": pay.astype(float)})


def impossible(table):
    """Pairs of categories that nobody has, where so many would have them if the columns were unrelated."""
    names = ("age", "status", "work")
    for j, one in enumerate(names):
        for other in names[j + 1 :]:
            x, y = table[one].astype(int) + 1, table[other].astype(int) + 1
            counts = np.zeros((x.max() + 1, y.max() + 1))
            np.add.at(counts, (x, y), 1)
            expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / table.n
            for a, b in zip(*np.nonzero((counts == 0) & (expected >= EXPECTED)), strict=True):
                yield one, int(a) - 1, other, int(b) - 1


@given(n=st.integers(120, 300), seed=st.integers(0, 10**6), coincidences=st.booleans())
@settings(max_examples=6)
def test_what_nobody_has_is_not_made(n, seed, coincidences):
    table = people(n, seed)
    pairs = list(impossible(table))
    assert len(pairs) > 5
    masking = CalibratedSynthesis(proposals=10, coincidences=coincidences)
    new = masking.apply(table, np.random.default_rng(seed))
    for one, a, other, b in pairs:
        assert not ((new[one] == a) & (new[other] == b)).any()
    assert not ((new["work"] <= 0) & (new["pay"] > 0)).any()
