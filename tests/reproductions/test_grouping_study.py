"""Chapter 5 of Balasch's thesis."""

import numpy as np
import pytest

from sfumato.core import ParameterError
from sfumato.kernels.mdav import plain_labels
from sfumato.reproductions import Grouping
from sfumato.reproductions._grouping_searches import mean_analytics
from sfumato.reproductions._grouping_tables import FOUND, GOMM, SCORES, groups_by_hand
from sfumato.reproductions._printed_mdav import printed_groups
from sfumato.reproductions.grouping import grouping_table
from sfumato.search.grouping.groupings import count, grouping_of
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep

SIZES = {"census": (1080, 12), "water_treatment": (380, 38)}


@pytest.mark.parametrize("file", SIZES)
def test_groupings_made_by_hand_hold_every_attribute_once(file):
    """Appendix A, and the numbers of groups in parentheses of Tables 5.3 and 5.4."""
    size = SIZES[file][1]
    made = {name: count(grouping_of(groups, size)) for name, groups in groups_by_hand(file, size).items()}
    by_name = {"all together": 1, "one by one": size}
    if file == "census":
        by_name |= {
            "correlated by 4": 3,
            "uncorrelated by 4": 3,
            "correlated by 3": 4,
            "uncorrelated by 3": 4,
        }
    else:
        by_name |= {f"{kind} by 10": 4 for kind in ("correlated", "uncorrelated")}
        by_name |= {f"{kind} by 5": 8 for kind in ("correlated", "uncorrelated")}
        by_name |= {f"{kind} by 3": 13 for kind in ("correlated", "uncorrelated")}
    assert made == by_name
    assert set(SCORES[file]) == set(made)


@pytest.mark.parametrize("file", SIZES)
def test_the_printed_tables_agree_with_each_other(file):
    """The score of Tables 5.1 and 5.2 is the mean of its parts, and no worse than any by hand."""
    for position, (loss, interval, linkage, score, _) in enumerate(GOMM[file]):
        assert (loss + (interval + linkage) / 2) / 2 == pytest.approx(score, abs=0.02)
        assert FOUND[file][position] == pytest.approx(score, abs=0.1)
        assert FOUND[file][position] <= min(scores[position] for scores in SCORES[file].values())


@pytest.mark.classic("census", "water_treatment")
@pytest.mark.parametrize("file", SIZES)
def test_the_files_are_those_of_the_source(file):
    table = grouping_table(file)
    assert (table.n, len(table.names)) == SIZES[file]


@pytest.mark.parametrize("k", [(), (25, 10), (5, 5)])
def test_sizes_must_grow(k):
    with pytest.raises(ParameterError, match="k must hold growing numbers"):
        Grouping(k=k)


@pytest.mark.slow
def test_the_whole_study_holds():
    if not Grouping.runnable():
        pytest.skip("the classic files are not here")
    found = Grouping().run()
    assert found.holds, [line.to_dict() for line in found.barred if line.verdict == "fails"]


@pytest.mark.classic("census", "water_treatment")
def test_operators_are_tried_together_and_alone_and_times_compared():
    study = Grouping(
        part=("timing", "operators"),
        k=(100,),
        analysed=(100,),
        generations=1,
        population=4,
        runs=1,
        workers=1,
    )
    found = study.run()
    alone = [line for line in found.lines if "alone: best score over" in line.what]
    assert len(alone) == 12 and all(line.ours > 0 for line in alone)
    assert {"census-100-operators-alone", "water_treatment-100-operators-compared", "census-times"} <= set(
        found.drawings
    )


def test_means_of_runs():
    def step(generation, operator, unused, best_gain):
        zero = dict.fromkeys(("clones", "survived", "improved", "worsened"), 0)
        means = {"lifetime": 0.0, "mean_gain": 0.0, "mean_loss": 0.0, "worst_loss": 0.0}
        return OperatorStep(
            generation=generation,
            operator=operator,
            children=10,
            unused=unused,
            best_gain=best_gain,
            **zero,
            **means,
        )

    def held(generation, best, groups):
        return GenerationStep(generation=generation, best=best, mean_groups=groups, best_groups=int(groups))

    one = OperatorAnalytics(
        steps=(step(1, "crossover", 40.0, 3.0),),
        generations=(held(0, 9.0, 4.0), held(1, 8.0, 3.0)),
        children=10,
        judged=5,
    )
    other = OperatorAnalytics(
        steps=(step(1, "crossover", 60.0, 1.0),), generations=(held(0, 7.0, 2.0),), children=10, judged=6
    )
    mean = mean_analytics([one, other])
    assert [(s.unused, s.best_gain, s.children) for s in mean.steps] == [(50.0, 3.0, 20)]
    assert [(s.best, s.mean_groups, s.best_groups) for s in mean.generations] == [
        (8.0, 3.0, 2),
        (8.0, 3.0, 3),
    ]
    assert (mean.children, mean.judged) == (20, 11)


def slow_printed_groups(X, k):
    """Algorithm 1, line by line."""
    R, groups = list(range(len(X))), []

    def around(i):
        near = sorted(R, key=lambda j: (((X[j] - X[i]) ** 2).sum(), j))[:k]
        for j in near:
            R.remove(j)
        groups.append(near)

    def most_distant(point):
        return max(R, key=lambda j: (((X[j] - point) ** 2).sum(), -j))

    while len(R) > k:
        r = most_distant(X[R].mean(axis=0))
        around(r)
        if len(R) > k:
            around(most_distant(X[r]))
    groups.append(R)
    return groups


@pytest.mark.parametrize(("n", "k"), [(11, 3), (12, 3), (13, 3), (40, 7), (50, 5), (23, 22), (7, 7)])
def test_algorithm_1_to_the_letter_is_that_of_its_slow_twin(n, k):
    X = np.random.default_rng(n).normal(size=(n, 3))
    labels = printed_groups(X, k)
    assert [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)] == [
        sorted(members) for members in slow_printed_groups(X, k)
    ]


def test_where_k_divides_the_records_algorithm_1_is_mdav():
    X = np.random.default_rng(3).normal(size=(60, 4))
    np.testing.assert_array_equal(printed_groups(X, 5), plain_labels(X, 5))
    assert np.bincount(printed_groups(X, 25)).tolist() == [25, 25, 10]  # the last one protects less
