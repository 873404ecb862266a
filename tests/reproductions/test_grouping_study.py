"""Chapter 5 of Balasch's thesis."""

import pytest

from sfumato.core import ParameterError
from sfumato.reproductions import Grouping
from sfumato.reproductions._grouping_tables import FOUND, GOMM, SCORES, groups_by_hand
from sfumato.reproductions.grouping import grouping_table
from sfumato.search.grouping.groupings import count, grouping_of

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
