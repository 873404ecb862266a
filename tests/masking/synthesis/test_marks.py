import numpy as np

from masking.synthesis.surveyed import survey
from sfumato.masking.synthesis.marks import marks_of, unique_people

NAMES = ("degree", "house", "income", "status")


def rows_of(table, numbers):
    """Every record as a tuple of what it shows."""
    columns = [numbers.get(name, table[name]) for name in NAMES]
    codes = [table.reasons(name) for name in NAMES]
    told = [np.zeros(table.n) if one is None else one for one in codes]
    missing = [np.isnan(column.astype(float)) for column in columns]
    columns = [np.where(gone, -1, column) for gone, column in zip(missing, columns, strict=True)]
    return [*zip(*columns, *told, strict=True)]


def test_marks_are_equal_where_contents_are():
    table = survey(150)
    numbers = {"income": np.where(np.arange(150) < 40, table["income"] + 1, table["income"])}
    before, after = marks_of(table, numbers, NAMES, np.random.default_rng(0))
    assert before.shape == after.shape == (150, 4)
    for j, name in enumerate(NAMES):
        codes = table.reasons(name)
        codes = np.zeros(150) if codes is None else codes
        old = np.nan_to_num(table[name].astype(float), nan=-5) + codes / 9
        new = np.nan_to_num(numbers.get(name, table[name]).astype(float), nan=-5) + codes / 9
        contents, marks = np.concatenate([old, new]), np.concatenate([before[:, j], after[:, j]])
        np.testing.assert_array_equal(np.equal.outer(contents, contents), np.equal.outer(marks, marks))


def test_unique_people_are_those_nobody_is_like():
    table = survey(300)
    names = ("degree", "house", "status")
    marks, released = marks_of(table, {}, names, np.random.default_rng(0))
    np.testing.assert_array_equal(marks, released)
    people = unique_people(marks)
    assert (np.diff(people.astype(object)) > 0).all()
    shown = [*zip(*(column.tolist() for column in table.shown(names)), strict=True)]
    alone = [shown.count(one) == 1 for one in shown]
    assert 0 < sum(alone) < 300
    np.testing.assert_array_equal(np.isin(marks.sum(axis=1, dtype=np.uint64), people), alone)
