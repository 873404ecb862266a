"""Plain sequential tree synthesis, as an informed office would do it: what yardsticks are tried on."""

import numpy as np

from sfumato.data import Table


def tree_synthesis(table: Table, rng: np.random.Generator, leaf: int = 5) -> Table:
    """Each column is drawn, with replacement, from the leaf of a tree on the columns before it."""
    from sklearn.tree import DecisionTreeRegressor

    columns: dict[str, np.ndarray] = {}
    for name in table.names:
        values = table[name]
        if not columns:
            columns[name] = values[rng.integers(0, table.n, table.n)]
            continue
        X, Z = (_numbers(table, side, list(columns)) for side in ({n: table[n] for n in columns}, columns))
        y = _numbers(table, {name: values}, [name])[:, 0]
        tree = DecisionTreeRegressor(min_samples_leaf=leaf, random_state=0).fit(X, y)
        columns[name] = values[_donors(tree.apply(X), tree.apply(Z), rng)]
    return Table(table.schema, columns)


def _numbers(table, columns, names):
    """Missing numbers are below all others, as missing codes are."""
    found = [np.nan_to_num(columns[n].astype(float), nan=-1e9) for n in names]
    return np.column_stack(found)


def _donors(leaves, wanted, rng):
    order = np.argsort(leaves, kind="stable")
    low, high = (np.searchsorted(leaves[order], wanted, side) for side in ("left", "right"))
    return order[low + (rng.random(len(wanted)) * (high - low)).astype(int)]
