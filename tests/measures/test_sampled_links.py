import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_blocks import blocks_of, judged, masked_survey
from measure_tables import pairs

from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space
from sfumato.core import stream
from sfumato.datasets import household_survey
from sfumato.kernels import box_tree
from sfumato.kernels.nearest import count_within, distances
from sfumato.measures import DisclosureRisk, DistanceLinkage, Estimate
from sfumato.measures.distance_linkage import Links
from sfumato.measures.statistics.sampled_links import estimated_rate
from sfumato.measures.statistics.sources import FilePair, Sources
from sfumato.parallel import Workers


@pytest.fixture(scope="module")
def survey():
    original = household_survey(1200, seed=8)
    return original, masked_survey(original, seed=1)


def test_an_estimate_is_the_mean_over_the_records_drawn(survey, tmp_path):
    original, masked = survey
    score = judged(original, masked, tmp_path, size=170, measures=[DistanceLinkage()], seed=4, sample=200)
    rows = np.sort(stream(4, "linkage sample").choice(1200, 200, replace=False, shuffle=False))
    names = original.schema.with_role("key")
    exact = DistanceLinker(original, Space(original, names)).outcomes(masked)[rows]
    found = score["distance_linkage"]
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(100 * exact.mean(), rel=1e-12)
    assert found.low < found.value < found.high
    assert found.sample == 200


def test_the_interval_of_the_linkage_is_that_of_the_risk(survey, tmp_path):
    measures = [DistanceLinkage(), DisclosureRisk()]
    scores = judged(*survey, tmp_path, size=500, measures=measures, sample=300)
    linkage, risk = scores["distance_linkage"], scores["disclosure_risk"]
    interval = risk.parts["interval"]
    assert (risk.low, risk.high) == ((interval + linkage.low) / 2, (interval + linkage.high) / 2)
    assert risk.parts["linkage"] == linkage.value
    assert risk.sample == 300


def test_an_estimate_shows_what_it_is(survey, tmp_path):
    scores = judged(*survey, tmp_path, size=500, measures=[DistanceLinkage()], sample=100)
    estimate = scores["distance_linkage"]
    rows = {row["part"]: row["value"] for row in estimate.to_frame().to_pylist()}
    assert rows["low"] == estimate.low
    assert rows["sample"] == 100
    assert estimate.to_dict()["high"] == estimate.high


def test_other_seeds_draw_other_records_and_the_interval_covers_the_exact_value(survey, tmp_path):
    original, masked = survey
    exact = DistanceLinkage().bind(original).score(masked).value
    a, b = (blocks_of(t, tmp_path / name, 400) for name, t in (("a", original), ("b", masked)))
    names = original.schema.with_role("key")
    with Workers(None) as crew:
        files, links = FilePair(a, b, names), Links(DistanceLinkage(attributes=names))
        rates = [
            links.seek(Sources(files, tmp_path, crew, seed, sample=120, memory=2**26)) for seed in range(150)
        ]
    covered = sum(bool(rate.low <= exact <= rate.high) for rate in rates)
    assert len({float(rate.value[0]) for rate in rates}) > 20
    assert covered >= 136  # 95 % of 150 is 142.5, with a standard deviation of 2.7
    assert np.mean([rate.value for rate in rates]) == pytest.approx(exact, abs=1.5)


@given(
    outcomes=st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=40),
    more=st.integers(0, 500),
)
def test_intervals_hold_the_value_and_shrink_to_it(outcomes, more):
    rate = estimated_rate(np.array(outcomes), None, len(outcomes) + more)
    assert 0 <= rate.low <= rate.value <= rate.high <= 100
    assert (rate.low == rate.high) == (more == 0)
    weighted = estimated_rate(np.array(outcomes), np.full(len(outcomes), 2.5), len(outcomes) + more)
    assert weighted.low == pytest.approx(rate.low, abs=1e-9)


def test_unequal_weights_make_the_interval_wider():
    outcomes = np.array([0.0, 1.0] * 50)
    even = estimated_rate(outcomes, None, 10**6)
    uneven = estimated_rate(outcomes, np.repeat([1.0, 20.0], 50), 10**6)
    assert uneven.high - uneven.low > 1.2 * (even.high - even.low)


@settings(max_examples=30)
@given(files=pairs(), limit=st.integers(1, 3))
def test_a_planted_tree_counts_what_all_pairs_do(files, limit):
    known, released = files
    space = Space(known, known.names)
    readings = space.read(released.schema)
    metric, sets = space.metric(readings)
    X = np.repeat(space.placed(space.points(known)), 3, axis=0)
    Q = space.placed(space.points(released, readings))
    radii = distances(Q, X[::3], metric, sets)
    order, nodes, boxes = box_tree.plant(X, space.sides, box_tree.LEAF)
    counts = box_tree.merge_equal_rows(len(X), nodes, boxes)
    found = count_within(Q, radii, limit, X[order], counts, metric, sets, nodes, boxes)
    for q, (nearer, near) in enumerate(found.tolist()):
        apart = distances(np.repeat(Q[q : q + 1], len(X), axis=0), X, metric, sets)
        closer = int((apart < radii[q] * (1 - 1e-12)).sum())
        assert nearer == min(closer, limit)
        assert closer >= limit or near == int((apart <= radii[q] * (1 + 1e-12)).sum()) - closer


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 300),
    holes=st.sampled_from([0.0, 0.3]),
    leaf=st.sampled_from([1, 2, 5, 12, 10**6]),
)
def test_every_row_is_in_one_leaf_and_in_the_boxes_above(seed, n, holes, leaf):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(1, 30), (n, 3)).astype(float)
    X[rng.random((n, 3)) < holes] = np.nan
    order, nodes, boxes = box_tree.plant(X, np.ones(3), leaf)
    for start, end, child in nodes.tolist():
        alike = len(np.unique(np.nan_to_num(X[order[start:end]], nan=-1), axis=0)) == 1
        assert child or end - start <= leaf or alike
    counts = box_tree.merge_equal_rows(n, nodes, boxes)
    assert sorted(order.tolist()) == list(range(n))
    leaves = nodes[nodes[:, 2] == 0]
    assert sum(counts[start:end].sum() for start, end, _ in leaves) == n
    for (start, end, _), box in zip(nodes.tolist(), boxes, strict=True):
        rows = X[order[start : end if end > start + 1 else start + max(counts[start : start + 1].sum(), 0)]]
        for j in range(3):
            values = rows[:, j][~np.isnan(rows[:, j])]
            assert (values >= box[j, 0]).all()
            assert (values <= box[j, 1]).all()
            assert bool(box[j, 2]) == bool(np.isnan(rows[:, j]).any())
