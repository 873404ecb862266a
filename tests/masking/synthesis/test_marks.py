import numpy as np

from masking.synthesis.surveyed import survey
from sfumato.masking.synthesis.marks import Marks, sum_of_marks

NAMES = ("degree", "house", "income", "status")


def test_marks_are_equal_where_contents_are():
    table = survey(150)
    numbers = {"income": np.where(np.arange(150) < 40, table["income"] + 1, table["income"])}
    known = Marks.of(table, NAMES, np.random.default_rng(0))
    assert known.names == NAMES
    for name in NAMES:
        before = known.cells[name]
        np.testing.assert_array_equal(before, known.of_column(name, table[name], table.reasons(name)))
        after = known.of_column(name, numbers.get(name, table[name]), table.reasons(name))
        codes = table.reasons(name)
        codes = np.zeros(150) if codes is None else codes
        old = np.nan_to_num(table[name].astype(float), nan=-5) + codes / 9
        new = np.nan_to_num(numbers.get(name, table[name]).astype(float), nan=-5) + codes / 9
        np.testing.assert_array_equal(np.equal.outer(old, old), np.equal.outer(before, before))
        np.testing.assert_array_equal(np.equal.outer(old, new), np.equal.outer(before, after))
        np.testing.assert_array_equal(after == 0, ~np.isin(new, old))  # what nobody has


def test_unique_people_are_those_nobody_is_like():
    table = survey(300)
    names = ("degree", "house", "status")
    known = Marks.of(table, names, np.random.default_rng(0))
    people = known.people()
    assert (np.diff(people.astype(object)) > 0).all()
    np.testing.assert_array_equal(people, known.people(names))
    assert set(known.people(("house",))) <= set(known.cells["house"])
    shown = [*zip(*(column.tolist() for column in table.shown(names)), strict=True)]
    alone = [shown.count(one) == 1 for one in shown]
    assert 0 < sum(alone) < 300
    sums = sum_of_marks([known.cells[name] for name in names])
    np.testing.assert_array_equal(np.isin(sums, people), alone)


def test_a_column_that_nobody_has_tells_nothing():
    known = Marks.of(survey(20), NAMES, np.random.default_rng(0))
    assert not known.of_column("size", np.arange(4.0)).any()
