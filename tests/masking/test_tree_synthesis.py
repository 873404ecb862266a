"""What is special to trees; see test_synthesis_methods.py for what holds for all such methods."""

import numpy as np

from masking.synthesis.surveyed import survey
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import TreeSynthesis
from sfumato.masking.synthesis.trees import drawn_by_trees


def correlation(table):
    return np.corrcoef(table["age"], table["income"])[0, 1]


def test_the_fewer_to_a_leaf_the_closer_relations_are():
    table = survey(250, missing=0.0)

    def told(leaf):
        return np.mean(
            [correlation(TreeSynthesis(leaf=leaf).apply(table, np.random.default_rng(s))) for s in range(4)]
        )

    assert abs(told(250)) < 0.12  # one leaf is a permutation
    assert told(10) > told(80) - 0.1
    assert told(10) > 0.6 * correlation(table)


def test_strata_are_columns_like_others():
    table = survey(200, strata=True)
    new = TreeSynthesis(leaf=10).apply(table, np.random.default_rng(0))
    np.testing.assert_array_equal(np.bincount(new["sector"]), np.bincount(table["sector"]))
    assert (new["sector"] != table["sector"]).mean() > 0.3


def test_new_records_are_in_no_order():
    """Whom a record is drawn from in a column that is not drawn itself must not show by its place."""
    table = survey(200, missing=0.0).select(["age", "house"])
    donors = drawn_by_trees(table, table.names, ("age",), 10, np.random.default_rng(0))
    assert (donors[:, 0] == np.arange(200)).all()
    new = TreeSynthesis(leaf=10).apply(table, np.random.default_rng(0))
    assert abs(np.corrcoef(new["age"], table["age"])[0, 1]) < 0.2


def test_a_column_of_many_categories_is_drawn_without_a_warning():
    """Warnings are errors in these tests: most postal codes are those of one person, which is no mistake of theirs."""
    schema = Schema(
        [
            Attribute(
                name="place", scale="nominal", role="key", categories=tuple(f"P{i}" for i in range(150))
            ),
            Attribute(name="age", scale="numeric", role="key"),
        ]
    )
    rows = np.arange(200)
    table = Table(schema, {"place": rows % 150, "age": 20.0 + rows % 60})
    new = TreeSynthesis(leaf=5).apply(table, np.random.default_rng(0))
    np.testing.assert_array_equal(np.bincount(new["place"]), np.bincount(table["place"]))
