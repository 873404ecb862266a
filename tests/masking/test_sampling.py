from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import evaluate, mask
from sfumato.core import DataError, ParameterError, progress
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import household_survey
from sfumato.masking import Chain, Mdav, Pram, Sampling
from sfumato.masking.sampling import allocation, rounded_with_sum


def people(home=None, sector=None, weight=None, *, n=0, decimals=None, high=None):
    n = n or len(next(c for c in (home, sector, weight) if c is not None))
    columns = {"number": np.arange(n, dtype=float)}
    attributes = [Attribute(name="number", scale="numeric", role="key")]
    if home is not None:
        attributes.append(Attribute(name="home", scale="numeric", role="household"))
        columns["home"] = home
    if sector is not None:
        attributes.append(Attribute(name="sector", scale="nominal", role="stratum", categories=tuple("abcd")))
        columns["sector"] = sector
    if weight is not None:
        attributes.append(
            Attribute(name="w", scale="numeric", role="weight", decimals=decimals, low=0, high=high)
        )
        columns["w"] = weight
    return Table(Schema(attributes), columns)


def sampled(table, seed=0, **parameters):
    return Sampling(**parameters).apply(table, np.random.default_rng(seed))


class Notes:
    def __init__(self):
        self.told = []

    def noted(self, message):
        self.told.append(message)

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...


@given(st.integers(1, 60), st.floats(0.001, 1), st.booleans(), st.booleans(), st.integers(0, 9999))
def test_whole_households_and_sizes_that_fit(n, fraction, balanced, strata, seed):
    rng = np.random.default_rng(seed)
    home = rng.integers(0, max(n // 2, 1), n).astype(float)
    sector = rng.integers(-1, 4, n)[np.unique(home, return_inverse=True)[1]]
    home[rng.random(n) < 0.1] = np.nan
    table = people(home, sector if strata else None, rng.uniform(0.5, 9, n))
    sampling = Sampling(fraction=fraction, balanced=balanced)
    try:
        sample, rows = sampling.traced(table, np.random.default_rng(seed))
    except DataError as error:
        assert balanced and strata and "cannot hold one of each" in str(error)
        return
    assert (np.diff(rows) > 0).all()
    for name in ("number", "home"):
        assert np.array_equal(sample[name], table[name][rows], equal_nan=True)
    units = np.where(np.isnan(home), -1 - np.arange(n), home)  # the missing are households of their own
    assert not set(units[rows]) & set(np.delete(units, rows))
    drawn = len(set(units[rows]))
    assert drawn == max(round(fraction * len(set(units))), 1)
    assert sample["w"].sum() == pytest.approx(table["w"].sum())
    if strata and balanced:
        everybody = Counter(dict(zip(units, sector, strict=True)).values())
        stayed = Counter(dict(zip(units[rows], sector[rows], strict=True)).values())
        assert set(stayed) == set(everybody)
        for code, count in everybody.items():
            assert stayed[code] <= count
            assert sample["w"][sample["sector"] == code].sum() == pytest.approx(
                table["w"][sector == code].sum()
            )


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
def test_allocation_is_the_largest_remainder_and_never_nothing(counts, data):
    counts = np.array(counts)
    size = data.draw(st.integers(len(counts), int(counts.sum())))
    sizes = allocation(counts, size)
    assert sizes.sum() == size
    assert (sizes >= 1).all() and (sizes <= counts).all()
    quotas = size * counts / counts.sum()
    if (quotas >= 1).all():  # then Hamilton's rule holds as it is
        assert (np.abs(sizes - quotas) < 1).all()
        up = sizes > np.floor(quotas)
        rest = quotas - np.floor(quotas)
        assert not up.any() or up.all() or rest[up].min() >= rest[~up].max() - 1e-9


def test_allocation_by_hand():
    # Hamilton: quotas 3.5, 2.1, 1.4: seats 3, 2, 1, and the last to the remainder of .5
    assert allocation(np.array([50, 30, 20]), 7).tolist() == [4, 2, 1]
    assert allocation(np.array([1, 1, 1, 97]), 4).tolist() == [1, 1, 1, 1]


def test_every_record_is_drawn_equally_often():
    table, draws = people(n=10), 4000
    rng = np.random.default_rng(3)
    counts = np.zeros(10)
    for _ in range(draws):
        counts[Sampling(size=3).traced(table, rng)[1]] += 1
    expected = 0.3 * draws
    # variances of the counts are draws·0.3·0.7; the sum of squares is χ² with 9 degrees of freedom
    assert ((counts - expected) ** 2).sum() / (draws * 0.3 * 0.7) * 0.9 < 27.9


@given(st.lists(st.floats(0, 1000), max_size=30), st.integers(0, 3))
def test_rounding_keeps_the_sum(values, decimals):
    values = np.array(values)
    rounded = rounded_with_sum(values, decimals)
    assert (np.abs(rounded - values) < 10.0**-decimals * (1 + 1e-6)).all()
    assert abs(rounded.sum() - values.sum()) <= 0.5 * 10.0**-decimals + 1e-5


def test_weights_keep_their_decimals_and_their_sum():
    table = people(sector=[0] * 50 + [1] * 50, weight=[3.0] * 50 + [7.0] * 50, decimals=0, high=7)
    sample = sampled(table, fraction=0.44)
    for code, total in [(0, 150), (1, 350)]:
        weights = sample["w"][sample["sector"] == code]
        assert weights.sum() == total
        assert set(weights - np.floor(total / 22)) == {0.0, 1.0}
    assert sample.schema["w"].high is None
    assert sampled(table, fraction=1.0).schema["w"].high == 7
    assert np.array_equal(sampled(table, fraction=1.0)["w"], table["w"])


def test_missing_weights_stay_missing_and_count_as_nothing():
    table = people(weight=[np.nan, 2.0, 2.0, np.nan, 4.0, 4.0])
    for seed in range(10):
        sample, rows = Sampling(size=5).traced(table, np.random.default_rng(seed))
        assert np.array_equal(np.isnan(sample["w"]), np.isnan(table["w"][rows]))
        assert np.nansum(sample["w"]) == pytest.approx(12)


def test_nothing_names_those_who_were_not_drawn(mixed):
    table = mixed(30)
    codes = table["id"].copy()
    codes[::7] = -1
    names = table.schema["id"].evolve(labels={str(i): f"person {i}" for i in range(30)})
    table = table.replace({"id": codes}, [names])
    sample, rows = Sampling(size=9).traced(table, np.random.default_rng(1))
    drawn = [table.to_arrow()["id"].to_pylist()[row] for row in rows]
    assert sample.to_arrow()["id"].to_pylist() == drawn
    assert set(sample.schema["id"].categories) == {name for name in drawn if name is not None}
    assert set(sample.schema["id"].labels) == set(sample.schema["id"].categories)
    assert sample.schema["town"] is table.schema["town"]


def test_no_weight_is_added_and_the_user_is_told():
    notes = Notes()
    with progress.listening(notes):
        sample = sampled(people(n=12), size=3)
    assert sample.names == ("number",)
    assert notes.told == [
        "sampling: no attribute has the role weight and none is added: each of the 3 records stands for 4."
    ]


def test_in_a_chain_the_rows_are_those_of_the_original(mixed):
    table = mixed(80)
    chain = Chain((Sampling(fraction=0.5), Mdav(k=3, attributes=("age",)), Sampling(size=10)))
    masked, rows = chain.traced(table, np.random.default_rng(2))
    assert not chain.keeps_records and Chain((Pram(),)).keeps_records
    assert masked.n == 10
    whole, part = (t.to_arrow()["id"].to_pylist() for t in (table, masked))
    assert part == [whole[row] for row in rows]
    assert masked.fingerprint == chain.apply(table, np.random.default_rng(2)).fingerprint
    assert masked["weight"].sum() == pytest.approx(table["weight"].sum())
    with pytest.raises(DataError, match=r"Step 2: sampling: size must be at most the 40 records there are"):
        Chain((Sampling(fraction=0.5), Sampling(size=41))).apply(table, np.random.default_rng(0))


@pytest.mark.parametrize("make", [pa.table, lambda d: pd.DataFrame(d, index=list("pqrstu"))])
def test_a_frame_gives_a_smaller_frame(make):
    frame = make({"age": [20, 30, 40, 50, 60, 70], "town": list("ababab")})
    sample = mask(frame, {"method": "sampling", "size": 2}, seed=1)
    assert type(sample) is type(frame) and len(sample) == 2
    if isinstance(frame, pd.DataFrame):
        assert sample.equals(frame.loc[sample.index])
    else:
        assert sample.schema == frame.schema


def test_a_sample_is_said_to_be_one_and_has_nothing_to_be_compared_with():
    survey, notes = household_survey(300, seed=1), Notes()
    with progress.listening(notes):
        masked = mask(survey, [{"method": "sampling", "fraction": 0.5}, "pram"], seed=3)
    assert f"{masked.n} of 300 records stay." in notes.told
    with pytest.raises(DataError, match=f"Got {masked.n} records where the original has 300"):
        evaluate(survey, masked)


def test_refusals(mixed):
    with pytest.raises(
        ParameterError, match=r"one of fraction and size must be above 0. Got fraction = 0 and"
    ):
        Sampling()
    with pytest.raises(ParameterError, match="one of fraction and size must be above 0"):
        Sampling(fraction=0.5, size=3)
    with pytest.raises(ParameterError, match=r"attributes must be empty.* Got age, town"):
        Sampling(size=3, attributes=("age", "town"))
    with pytest.raises(DataError, match=r"size must be at most the 2 households there are. Got 3"):
        sampled(people([1, 1, 2]), size=3)
    with pytest.raises(DataError, match="a sample of 3 records cannot hold one of each of the 4 strata"):
        sampled(mixed(20, strata=True), size=3)
    assert sampled(mixed(20, strata=True), size=3, balanced=False).n == 3
    with pytest.raises(DataError, match=r"same for all members of a household. Got 1 households in several"):
        sampled(people([1, 1, 2, 2], [0, 1, 2, 2]), size=2)
    assert sampled(people([1, 1, 2, 2], [0, 1, 2, 2]), size=1, balanced=False).n == 2
    with pytest.raises(DataError, match="column w: weights must not be negative"):
        sampled(people(weight=[1.0, -1.0]), size=1)
    with pytest.raises(DataError, match="column w: no record that stays has a weight above 0"):
        for seed in range(20):
            sampled(people(weight=[1.0, 0.0, 0.0]), seed, size=1)
