import numpy as np

from sfumato.data import Schema, Table
from sfumato.datasets.census_pair import BASIC, census_pair
from sfumato.groups.boosted_likeness import boosted_likeness, own_likeness
from sfumato.groups.likeness import likeness

PAIR = census_pair(6000, areas=10, planted=2, share=0.015, seed=2)
MEMBER = PAIR.survey["military"] == 1
ONES = np.ones(PAIR.survey.n)


def with_gaps(table):
    age = table["age"].copy()
    age[::7] = np.nan
    return table.replace({"age": age, "sex": np.where(np.arange(table.n) % 5 == 0, -1, table["sex"])})


def test_members_look_more_like_the_group_and_chances_add_up_to_them():
    found = likeness(with_gaps(PAIR.survey), MEMBER, BASIC, ONES)
    assert found is not None
    assert found[MEMBER].mean() > 10 * found[~MEMBER].mean()
    assert np.isclose(found.sum(), MEMBER.sum())


def test_a_record_that_counts_twice_is_like_two():
    twice = PAIR.survey.take(np.concatenate([np.arange(PAIR.survey.n), np.arange(3000)]))
    weights = np.where(np.arange(PAIR.survey.n) < 3000, 2.0, 1.0)
    heavy = likeness(PAIR.survey, MEMBER, ["sex", "transport"], weights)
    double = likeness(twice, twice["military"] == 1, ["sex", "transport"], np.ones(twice.n))
    assert heavy is not None and double is not None
    assert np.corrcoef(heavy, double[: PAIR.survey.n])[0, 1] > 0.99


def test_of_few_members_nothing_is_learnt():
    few = np.zeros(PAIR.survey.n, bool)
    few[:20] = True
    assert likeness(PAIR.survey, few, BASIC, ONES) is None
    nobody = np.zeros(PAIR.survey.n, bool)
    assert not boosted_likeness(PAIR.auxiliary, nobody, PAIR.survey, BASIC, np.random.default_rng(0)).any()


def test_trees_read_the_categories_of_another_file_by_their_names():
    teacher, member = PAIR.auxiliary, PAIR.auxiliary["military"] == 1
    turned = teacher.schema["transport"].evolve(
        categories=tuple(reversed(teacher.schema["transport"].categories))
    )
    codes = len(turned.categories) - 1 - teacher["transport"]
    schema = Schema(turned if a.name == "transport" else a for a in teacher.schema)
    other = Table(schema, {**{name: teacher[name] for name in teacher.names}, "transport": codes})
    one, two = (
        boosted_likeness(file, member, PAIR.survey, BASIC, np.random.default_rng(0))
        for file in (teacher, other)
    )
    assert np.array_equal(one, two)
    assert one[MEMBER].mean() > 5 * one[~MEMBER].mean()


def test_nobody_is_judged_by_trees_that_saw_the_record():
    rng = np.random.default_rng(1)
    noise = Table(Schema([PAIR.survey.schema["income"]]), {"income": rng.permutation(PAIR.survey["income"])})
    member = rng.random(noise.n) < 0.1
    found = own_likeness(noise, member, ["income"], rng)
    assert abs(found[member].mean() - found[~member].mean()) < 0.01
