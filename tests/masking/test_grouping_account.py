"""How a microaggregation made its groups, as it is told."""

import numpy as np
import pytest

from sfumato import datasets
from sfumato.core import DataError
from sfumato.masking import Emad, GroupingAccount, Kwr, Mdav, Omma, generator_for, make_masking

FIRMS = datasets.business_survey(120, seed=1)


def account(masking, table=FIRMS, **given):
    return GroupingAccount.of(masking, table, generator_for(masking, table, seed=3), **given)


@pytest.mark.parametrize(
    "spec", ["OMMA-printed(k=3)", "emad(k=3)", "kwr(k=3)", "mdav(k=4, standardise=range)"]
)
def test_the_groups_told_are_those_released(spec):
    masking = make_masking(spec)
    labels = account(masking).groups.labels
    released = masking.apply(FIRMS, generator_for(masking, FIRMS, seed=3))
    for name in FIRMS.names:
        means = np.bincount(labels, FIRMS[name]) / np.bincount(labels)
        np.testing.assert_array_equal(released[name], FIRMS.schema[name].conform(means[labels]))


def test_sums_of_squares_agree():
    found = account(Mdav(k=3), bound="degree")
    assert found.ssa + found.groups.sse == pytest.approx(found.groups.sst)
    assert found.lost_variance == pytest.approx(found.groups.sse / FIRMS.n)
    assert 0 < found.groups.lower_bound < found.groups.il
    assert dict(found.facts())["groups"] == "40, of 3 records"
    assert found.work is None


def test_each_method_tells_of_its_own_work():
    cuts = account(Kwr(k=3)).work
    assert cuts.tree.count("()") == cuts.calls >= 2
    learnt = account(Omma(k=3, runs=1)).work
    assert len(learnt.losses) == learnt.cycles + 1 and learnt.il == pytest.approx(
        account(Omma(k=3, runs=1)).groups.il
    )
    tree = account(Emad(k=3)).work
    assert tree.taken in tree.choices and len(tree.edges) == len(FIRMS.names) - 1
    told = dict(account(Emad(k=3)).facts())
    assert told["taken"] == ", ".join(tree.taken)


def test_nothing_is_told_of_groups_that_are_grouped_again():
    survey = datasets.household_survey(200, seed=1)
    with pytest.raises(DataError, match="mdav: groups of households"):
        account(
            Mdav(k=3, attributes=("age", "wealth")), survey
        )  # of wealth there is one for all who live together
    assert account(Mdav(k=3, attributes=("age",)), survey).groups.smallest >= 3
