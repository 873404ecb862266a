"""Sequential trees: each column is dealt out among records that are alike in the columns before it."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.data import Table
from sfumato.masking.synthesis.groups import profiles, value_ranks


def drawn_by_trees(
    table: Table,
    names: Sequence[str],
    fixed: Sequence[str],
    leaf: int,
    rng: np.random.Generator,
    *,
    placed: Mapping[str, np.ndarray] | None = None,
    blocks: np.ndarray | None = None,
) -> np.ndarray:
    """For each new record, one row each, and each column the record of the table whose value it gets.

    Columns are taken in a random order, those that are `fixed` first and as they are; the first of the others is
    dealt out at random. Each next one: a tree with at least `leaf` records in a leaf tells it by the columns before; a
    new record gets the value of a record of its leaf, and no record gives its value twice, so that every margin is exact.

    `placed` are the donors of fixed columns that are not as they are. A record of a block gets the values of others of it.
    """
    features = profiles(table, names)
    order = [*fixed, *(names[j] for j in rng.permutation(len(names)) if names[j] not in fixed)]
    donors = {name: (placed or {}).get(name, np.arange(table.n)) for name in fixed}
    for name in order[len(fixed) :]:
        donors[name] = rng.permutation(table.n) if blocks is None else _permuted(blocks, rng)
        before = [other for other in order if other in donors and other != name]
        if before:
            X = np.hstack([features[other] for other in before]).astype(np.float32)
            Z = np.hstack([features[other][donors[other]] for other in before]).astype(np.float32)
            leaves = _leaves(table, name, X, Z, leaf, rng)
            donors[name] = (
                _dealt(table, name, *leaves, rng)
                if blocks is None
                else _dealt_within(blocks, table, name, leaves, rng)
            )
    return np.column_stack([donors[name] for name in names])


def _leaves(
    table: Table, name: str, X: np.ndarray, Z: np.ndarray, leaf: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each record of the table, and of each new one."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    ranks, counts = value_ranks(table, name)
    ordered = table.schema[name].scale != "nominal"
    seed = int(rng.integers(2**31))
    if ordered or len(counts) <= 2:
        tree = DecisionTreeRegressor(min_samples_leaf=leaf, random_state=seed)
        tree.fit(X, (np.cumsum(counts) - counts / 2)[ranks])
    else:
        with warnings.catch_warnings():  # of many categories, such as postal codes, that is as it should be
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed).fit(X, ranks)
    return tree.apply(X), tree.apply(Z)


def _dealt(
    table: Table, name: str, leaves: np.ndarray, new: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Records of the same leaf give their values at random; what is left over goes by the order of values."""
    giving, taking = _shuffled_by(leaves, rng), _shuffled_by(new, rng)
    place_given, place_taken = _places(leaves[giving]), _places(new[taking])
    size = max(int(leaves.max()), int(new.max())) + 1
    given, taken = np.bincount(leaves, minlength=size), np.bincount(new, minlength=size)
    gives, takes = place_given < taken[leaves[giving]], place_taken < given[new[taking]]
    donors = np.empty(len(new), np.int64)
    donors[taking[takes]] = giving[gives]  # both by leaf, as many in each
    wanting, over = taking[~takes], giving[~gives]
    ranks = value_ranks(table, name)[0]
    starts = np.cumsum(given) - given
    like = giving[starts[new[wanting]] + rng.integers(0, np.maximum(given[new[wanting]], 1))]
    donors[wanting[np.argsort(ranks[like], kind="stable")]] = over[np.argsort(ranks[over], kind="stable")]
    return donors


def _dealt_within(
    blocks: np.ndarray,
    table: Table,
    name: str,
    leaves: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
) -> np.ndarray:
    """The same among the records of each block."""
    donors = np.empty(table.n, np.int64)
    for block in range(int(blocks.max()) + 1):
        rows = np.flatnonzero(blocks == block)
        donors[rows] = rows[_dealt(table.take(rows), name, leaves[0][rows], leaves[1][rows], rng)]
    return donors


def _permuted(blocks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Records of the same block in a random order."""
    donors = np.empty(len(blocks), np.int64)
    donors[np.argsort(blocks, kind="stable")] = _shuffled_by(blocks, rng)
    return donors


def _shuffled_by(leaves: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Records by leaf, in a random order in each."""
    order = rng.permutation(len(leaves))
    found: np.ndarray = order[np.argsort(leaves[order], kind="stable")]
    return found


def _places(leaves: np.ndarray) -> np.ndarray:
    """How many of the same leaf stand before, where records are by leaf."""
    starts = np.flatnonzero(np.concatenate([[True], leaves[1:] != leaves[:-1]]))
    lengths = np.diff(np.append(starts, len(leaves)))
    return np.arange(len(leaves)) - np.repeat(starts, lengths)
