import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import Change, Dbil


def test_nominal_ordinal_and_missing_by_hand():
    domains = {"size": ("ordinal", "abcd"), "town": ("nominal", "xyz")}
    original = keys(domains, {"size": [0, 1, 2, -1], "town": [0, 1, 2, -1]})
    masked = keys(domains, {"size": [2, 1, -1, -1], "town": [1, 1, 0, 0]})
    score = Dbil().bind(original).score(masked)
    assert score.parts == {"size": 100 * (2 / 4 + 1) / 4, "town": 100 * 3 / 4}
    assert score.value == pytest.approx((37.5 + 75) / 2)


def test_the_domain_counts_categories_that_no_record_takes():
    original = keys({"v": ("ordinal", "abcdefgh")}, {"v": [0, 1]})
    assert Dbil().bind(original).score(original.replace({"v": np.array([1, 1])})).value == 100 / 16


def test_recoded_categories_count_as_a_draw_from_what_they_cover():
    original = keys(
        {"size": ("ordinal", "abcd"), "town": ("nominal", "wxyz")}, {"size": [0, 3], "town": [0, 3]}
    )
    masked = original.replace(
        {"size": np.array([0, 0]), "town": np.array([0, 1])},
        [
            original.schema["size"].evolve(categories=("a-b",), covers={"a-b": ("a", "b")}),
            original.schema["town"].evolve(
                categories=("w or x", "never heard of"), covers={"w or x": ("w", "x")}
            ),
        ],
    )
    parts = Dbil().bind(original).score(masked).parts
    assert parts["size"] == pytest.approx(100 * ((0 + 1) / 2 + (3 + 2) / 2) / 4 / 2)
    assert parts["town"] == pytest.approx(100 * (1 / 2 + 3 / 4) / 2)


def test_labels_not_codes_are_compared():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 1, 2]})
    turned = original.replace(
        {"v": np.array([2, 1, 0])}, [original.schema["v"].evolve(categories=("c", "b", "a"))]
    )
    assert Dbil().bind(original).score(turned).value == 0


def test_both_ends_count_as_equation_2_6_prints_it():
    """From a to b, a < b, with both counted: the ends of a domain are 1 apart; nominal ones stay 0 or 1."""
    domains = {"size": ("ordinal", "abcd"), "town": ("nominal", "xyz")}
    original = keys(domains, {"size": [0, 0, 1, -1, 2], "town": [0, 1, 2, 0, 0]})
    masked = original.replace({"size": np.array([3, 1, 1, -1, -1]), "town": np.array([1, 1, 2, 0, 0])})
    bound = Dbil(ends=True).bind(original)
    assert bound.score(masked).parts == {"size": 100 * (1 + 2 / 4 + 1) / 5, "town": 100 / 5}
    tracker = bound.track(masked)
    change = Change.cell(1, "size", 3)
    ours = tracker.propose(change)
    after = masked.replace({"size": np.array([3, 3, 1, -1, -1])})
    assert ours == pytest.approx(bound.score(after).value)
