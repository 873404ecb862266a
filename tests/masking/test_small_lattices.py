"""The search of a lattice against every node of small random ones, by a twin that knows nothing but paths of trees."""

from collections import Counter
from itertools import product
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.masking import Generalisation

BLANK = "blank"
LOSSES = ("granularity", "discernibility", "average_class_size", "non_uniform_entropy")
BUDGETS = (0.0, 10.0, 40.0)
KINDS = ({"k": 2}, {"k": 3}, {"k": 2, "l": 2.0}, {"k": 2, "l": 1.8, "variant": "entropy"}, {"k": 2, "t": 0.3})


@st.composite
def small_lattices(draw):
    """Two or three columns with random trees of up to three levels, random records, and a secret; nothing is missing."""
    n, columns = draw(st.integers(5, 18)), draw(st.integers(2, 3))
    attributes, values = [], {}
    for j in range(columns):
        leaves = draw(st.integers(2, 5))
        paths = [[f"v{leaf}"] for leaf in range(leaves)]
        groups = list(range(leaves))
        for level in range(draw(st.integers(1, 3))):
            merged_into = draw(st.lists(st.integers(0, leaves - 1), min_size=leaves, max_size=leaves))
            groups = [merged_into[group] for group in groups]  # those who were together stay so
            for path, group in zip(paths, groups, strict=True):
                path.append(f"g{level}.{group}")
        tree = Hierarchy(tuple(map(tuple, paths)))
        name = f"c{j}"
        attributes.append(
            Attribute(name=name, scale="nominal", role="key", categories=tree.leaves, hierarchy=tree)
        )
        values[name] = draw(st.lists(st.integers(0, leaves - 1), min_size=n, max_size=n))
    attributes.append(Attribute(name="ill", scale="nominal", role="confidential", categories=tuple("xyz")))
    values["ill"] = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return Table(Schema(attributes), values)


def by_all_nodes(table, masking):
    """The least loss over every node there is, by measure and budget, from nothing but the paths of the hierarchies."""
    names = table.schema.with_role("key")
    trees = [table.schema[name].hierarchy for name in names]
    leaves = list(
        zip(
            *([trees[j].leaves[c] for c in table[name].tolist()] for j, name in enumerate(names)), strict=True
        )
    )
    paths = [{row[0]: (*row, BLANK) for row in tree.rows} for tree in trees]
    secrets = table["ill"].tolist()
    least = dict.fromkeys(product(LOSSES, BUDGETS))
    for node in product(*(range(tree.depth + 2) for tree in trees)):
        shown = [tuple(paths[j][leaf][node[j]] for j, leaf in enumerate(row)) for row in leaves]
        gone = emptied_at(masking, shown, secrets, leaves)
        if gone is None:
            continue
        released = [(BLANK,) * len(names) if i in gone else row for i, row in enumerate(shown)]
        covers = [Counter(path[h] for path in tree.values()) for tree, h in zip(paths, node, strict=True)]
        losses = {loss: globals()[loss](leaves, released, covers) for loss in LOSSES}
        for loss, budget in least:
            if len(gone) <= int(budget * table.n / 100 + 1e-9):
                old = least[loss, budget]
                least[loss, budget] = losses[loss] if old is None else min(old, losses[loss])
    return least


def emptied_at(masking, shown, secrets, leaves):
    """The records that are suppressed at a node: rare classes, then the smallest others until these are safe together.

    Of classes of one size, that comes first whose first record does, by its values.
    """
    classes = {}
    for i, row in enumerate(shown):
        classes.setdefault(row, []).append(i)
    blank = classes.pop((BLANK,) * len(shown[0]), [])
    bad = [row for row, members in classes.items() if unsafe(masking, members, secrets)]
    gone = [i for row in bad for i in classes.pop(row)]
    if not gone and not (blank and unsafe(masking, blank, secrets)):
        return set()
    order = sorted(classes.values(), key=lambda members: (len(members), min(leaves[i] for i in members)))
    more = 1
    while unsafe(masking, gone + blank, secrets):
        if not order:
            return None
        gone += [i for members in order[:more] for i in members]
        order, more = order[more:], more * 2
    return set(gone)


def unsafe(masking, members, secrets):
    values = [secrets[i] for i in members]
    shares = [values.count(v) / len(values) for v in set(values)]
    diversity = len(shares) if masking.variant == "distinct" else 2 ** -sum(p * log2(p) for p in shares)
    everybody = [secrets.count(v) / len(secrets) for v in range(3)]
    apart = sum(abs(values.count(v) / len(values) - everybody[v]) for v in range(3)) / 2
    return len(members) < masking.k or diversity < masking.l - 1e-9 or apart > masking.t + 1e-12


def granularity(leaves, released, covers):
    sizes = [sum(c.values()) for c in covers]
    shares = [
        1.0 if cell == BLANK else (covers[j][cell] - 1) / max(sizes[j] - 1, 1)
        for row in released
        for j, cell in enumerate(row)
    ]
    return 100 * sum(shares) / len(shares)


def discernibility(leaves, released, covers):
    n, after = len(leaves), Counter(released)
    before = sum(count * count for count in Counter(leaves).values())
    total = sum(n if set(row) == {BLANK} else after[row] for row in released)
    return 100 * (total - before) / (n * n - before) if n * n > before else 0.0


def average_class_size(leaves, released, covers):
    n, before, after = len(leaves), len(leaves) / len(set(leaves)), len(leaves) / len(set(released))
    return 100 * (after - before) / (n - before) if n > before else 0.0


def non_uniform_entropy(leaves, released, covers):
    lost = []
    for values, cells in zip(zip(*leaves, strict=True), zip(*released, strict=True), strict=True):
        most = open_bits(values, [BLANK] * len(values))
        lost.append(open_bits(values, cells) / most if most > 0 else 0.0)
    return 100 * sum(lost) / len(lost)


def open_bits(values, cells):
    pairs, totals = Counter(zip(values, cells, strict=True)), Counter(cells)
    return sum(count * log2(totals[cell] / count) for (_, cell), count in pairs.items())


@pytest.mark.parametrize("lattices", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_loses_less_by_any_measure_within_any_budget(lattices):
    """Each lattice with a rule by k, by l or by t; with every loss and every budget."""

    @settings(max_examples=lattices, deadline=None)
    @given(table=small_lattices(), kind=st.sampled_from(KINDS))
    def check(table, kind):
        least = by_all_nodes(table, Generalisation(**kind))
        for (loss, suppress), value in least.items():
            masking = Generalisation(loss=loss, suppress=suppress, **kind)
            try:
                choice = masking.choice(table)
            except DataError:
                assert value is None
                continue
            assert choice.loss == pytest.approx(value, abs=1e-7)
            assert choice.bound == choice.loss

    check()
