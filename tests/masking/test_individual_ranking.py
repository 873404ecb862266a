import numpy as np
import pytest

from sfumato import datasets
from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import IndividualRanking, OptimalUnivariate, SingleAxis


def table_of(**columns):
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in columns)
    return Table(schema, columns)


def test_each_attribute_is_masked_as_if_it_were_alone():
    rng = np.random.default_rng(0)
    table = table_of(a=rng.normal(size=50), b=rng.lognormal(size=50))
    for optimal, alone in ((False, SingleAxis), (True, OptimalUnivariate)):
        masked = IndividualRanking(k=4, optimal=optimal).apply(table, rng)
        for name in table.names:
            expected = alone(k=4, attributes=(name,)).apply(table, rng)
            np.testing.assert_array_equal(masked[name], expected[name])


def test_ranks_are_kept():
    rng = np.random.default_rng(0)
    table = table_of(a=rng.normal(size=50))
    masked = IndividualRanking(k=4).apply(table, rng)["a"]
    assert np.all(np.diff(masked[np.argsort(table["a"])]) >= 0)
    assert np.unique(masked, return_counts=True)[1].min() >= 4
    assert masked.sum() == pytest.approx(table["a"].sum())


def test_missing_values_have_no_rank_and_stay():
    table = table_of(a=[1.0, np.nan, 2.0, 7.0, np.nan, 8.0], b=np.full(6, np.nan))
    masked = IndividualRanking(k=2).apply(table, np.random.default_rng(0))
    np.testing.assert_array_equal(masked["a"], [1.5, np.nan, 1.5, 7.5, np.nan, 7.5])
    assert np.isnan(masked["b"]).all()
    partitions = IndividualRanking(k=2).partitions(table, np.random.default_rng(0))
    assert list(partitions) == ["a"]
    assert partitions["a"].groups == 2


def test_too_few_values_are_refused_by_column():
    table = table_of(a=np.arange(6.0), b=[1.0, 2.0, *[np.nan] * 4])
    with pytest.raises(DataError, match=r"k = 3 needs at least 3 values in column b. Got 2"):
        IndividualRanking(k=3).apply(table, np.random.default_rng(0))


def test_optimal_groups_leave_nothing_over():
    with pytest.raises(ParameterError, match="remainder must be median where optimal is true"):
        IndividualRanking(optimal=True, remainder="last")


@pytest.mark.classic("census")
def test_optimal_groups_lose_less_on_every_attribute_of_census():
    census, rng = datasets.census(), np.random.default_rng(0)
    fixed = IndividualRanking(k=3).partitions(census, rng)
    optimal = IndividualRanking(k=3, optimal=True).partitions(census, rng)
    assert list(fixed) == list(optimal) == list(IndividualRanking().targets(census))
    assert all(optimal[name].il <= fixed[name].il for name in fixed)
