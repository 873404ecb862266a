import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.masking.from_disk.partition_tree import Leaf, leaf_of, learnt, learnt_within_shell
from sfumato.masking.from_disk.routing import Cuts, allotted, joined_leaves, ranges_of

samples = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(rng=samples, n=st.integers(0, 200), d=st.integers(1, 4), leaves=st.integers(1, 40), few=st.booleans())
def test_a_tree_has_the_leaves_asked_for_and_parts_no_equal_records(rng, n, d, leaves, few):
    X = rng.integers(0, 4, (n, d)).astype(float) if few else rng.normal(size=(n, d))
    for learn in (learnt, learnt_within_shell):
        tree = learn(X, leaves)
        assert tree.leaves == leaves
        found = leaf_of(tree, X, np.zeros(n, np.int64))  # in the same row, so that only places count
        assert set(found.tolist()) <= set(range(leaves))
        labels = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
        for label in np.unique(labels):
            assert len(set(found[labels == label].tolist())) == 1


def test_leaves_are_of_about_equal_size_and_of_neighbours():
    X = np.random.default_rng(1).normal(size=(20_000, 3))
    found = leaf_of(learnt(X[:4000], 13), X, np.arange(len(X)))
    sizes = np.bincount(found, minlength=13)
    assert sizes.min() > 0.8 * len(X) / 13
    assert sizes.max() < 1.2 * len(X) / 13
    within = sum(((X[found == leaf] - X[found == leaf].mean(axis=0)) ** 2).sum() for leaf in range(13))
    assert within < 0.5 * (X**2).sum()


def test_the_widest_attribute_is_cut():
    X = np.random.default_rng(1).normal(size=(1000, 3)) * [1, 5, 2]
    assert learnt(X, 2).attribute == 1


def test_the_shell_holds_the_farthest_records():
    X = np.random.default_rng(1).standard_t(2, size=(5000, 2))
    found = leaf_of(learnt_within_shell(X, 10), X, np.arange(len(X)))
    distances = (X**2).sum(axis=1)
    assert np.count_nonzero(found == 9) == 500
    assert distances[found == 9].min() >= distances[found < 9].max()


def test_equal_records_are_dealt_out_in_the_order_of_the_file():
    tree = learnt(np.ones((50, 2)), 3)
    assert tree == Leaf(3)
    assert leaf_of(tree, np.ones((7, 2)), np.arange(7)).tolist() == [0, 1, 2, 0, 1, 2, 0]


@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    homes=st.lists(st.integers(0, 4), min_size=30, max_size=30).map(sorted),
    least=st.integers(1, 20),
)
def test_joined_leaves_hold_enough_or_are_all_there_is(counts, homes, least):
    counts, homes = np.array(counts), tuple(homes[: len(counts)])
    partitions = joined_leaves(counts, homes, least)
    assert [leaf for first, last in partitions for leaf in range(first, last)] == list(range(len(counts)))
    for first, last in partitions:
        home = homes[first]
        assert set(homes[first:last]) == {home}
        alone = (first, last) == (homes.index(home), len(homes) - homes[::-1].index(home))
        assert counts[first:last].sum() >= least or alone


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(1, 30))
def test_strata_share_leaves_only_where_they_fit(sizes, partition):
    strata = {(i,): size for i, size in enumerate(sizes)}
    wanted = {stratum: round(size / partition) for stratum, size in strata.items()}
    places, homes = allotted(strata, wanted, partition)
    held = {}
    for stratum, (first, leaves) in places.items():
        assert leaves == max(wanted[stratum], 1)
        for leaf in range(first, first + leaves):
            held.setdefault(leaf, []).append(stratum)
    assert sorted(held) == list(range(len(homes)))
    for members in held.values():
        assert len(members) == 1 or sum(strata[stratum] for stratum in members) <= partition


@given(rng=samples, n=st.integers(1, 100), pieces=st.integers(1, 6))
def test_ranges_follow_the_ranks_of_the_file(rng, n, pieces):
    values = rng.integers(0, 5, n).astype(float)  # many ties, which come in file order
    order = np.lexsort((np.arange(n), values))
    ends = np.sort(rng.choice(n, min(pieces, n) - 1, replace=False))
    cuts = Cuts(0, values[order[ends]], order[ends])
    expected = np.searchsorted(ends, np.arange(n), side="left")
    np.testing.assert_array_equal(ranges_of(values, np.arange(n), cuts)[order], expected)
