"""Members of a household never contradict each other after any masking, and k-anonymous ones hide k households."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from needed_parameters import NEEDED
from sfumato.core import DataError, progress, registry
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.data.households import together, unlinked
from sfumato.datasets import household_survey
from sfumato.masking import make_masking
from sfumato.masking._households import Homes, links_to_cut
from sfumato.measures import HouseholdAnonymity, KAnonymity

NAMES = registry.names("masking")
K_ANONYMOUS = [name for name in NAMES if registry.load("masking", name).k_anonymous]


class Notes(progress.Listener):
    def __init__(self):
        self.said = []

    def noted(self, message):
        self.said.append(message)


@pytest.fixture(scope="module")
def survey():
    """People whose region, wealth and number of members are keys that they share; numbers and categories of their own."""
    people = household_survey(250, seed=5)
    labels = together(people)
    size = Attribute(name="size", scale="numeric", role="key", decimals=0)
    wealth = people.schema["wealth"].evolve(role="key")
    schema = Schema(
        [*people.schema.replace([wealth]), size], rules=[edit_rule("same region, wealth in household")]
    )
    columns = {name: people[name] for name in people.names}
    reasons = {name: codes for name in people.names if (codes := people.reasons(name)) is not None}
    return Table(schema, {**columns, "size": np.bincount(labels)[labels].astype(float)}, reasons=reasons)


def masked_by(masking, table, seed=1):
    return masking.traced(table, np.random.default_rng(seed))


def shown(table, name):
    return table.select([name]).to_arrow(text=True)[name].to_pylist()


def contradictions(table, names):
    """Households whose members are written differently in a column, found one by one."""
    values = {name: shown(table, name) for name in names}
    found = set()
    seen = {}
    for row, home in enumerate(table["household"].tolist()):
        if np.isnan(home):
            continue
        mine = tuple(values[name][row] for name in names)
        if seen.setdefault(home, mine) != mine:
            found.add(home)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_no_masking_makes_members_contradict_each_other(name, survey):
    masked, _ = masked_by(make_masking({"method": name, **NEEDED.get(name, {})}), survey)
    assert not contradictions(masked, ["region", "wealth"])
    assert set(broken_rules(masked).values()) == {0}


def test_members_would_contradict_each_other_if_they_were_masked_one_by_one(survey):
    masking = make_masking("pram")
    alone = masking.masked(survey, masking.targets(survey), np.random.default_rng(1))
    assert contradictions(alone, ["region"])


@pytest.mark.parametrize("name", K_ANONYMOUS)
def test_k_people_and_k_households_are_alike_after_a_k_anonymous_masking(name, survey):
    masking = make_masking({"method": name, "k": 3})
    table = survey.take(np.arange(240))
    masked, _ = masked_by(masking, table)
    names = masking.targets(table)
    assert KAnonymity(attributes=names).bind(table).score(masked).parts["smallest"] >= 3
    if name != "generalisation" and Homes.of(table, names):  # it lifts columns of both together
        assert HouseholdAnonymity(attributes=names).bind(table).score(masked).parts["smallest"] >= 3


@pytest.mark.parametrize("spec", ["mondrian(k=3)", "local_suppression(k=3)", "mdav_generic(k=3)"])
def test_how_many_members_there_are_is_hidden_with_their_number_or_true(spec, survey):
    masked, _ = masked_by(make_masking(spec), survey)
    counts = Counter(masked["household"].tolist())
    for home, size in zip(masked["household"].tolist(), masked["size"].tolist(), strict=True):
        assert np.isnan(home) or counts[home] == size
    assert unlinked(masked).any()


def test_a_number_of_members_that_can_be_counted_is_not_said_to_be_masked(survey):
    heard = Notes()
    with progress.listening(heard):
        masked, _ = masked_by(make_masking("noise"), survey)
    assert masked["size"].tolist() == survey["size"].tolist()
    assert any("column size says how many members" in said for said in heard.said)


def test_households_that_lose_their_numbers_are_told(survey):
    heard = Notes()
    with progress.listening(heard):
        masked, _ = masked_by(make_masking("mondrian(k=3)"), survey)
    gone = len(np.unique(together(survey)[unlinked(masked)]))
    assert f"mondrian: the numbers of {gone} households were removed" in "\n".join(heard.said)


def test_suppressed_members_cannot_be_read_back_from_the_others(survey):
    masked, _ = masked_by(make_masking("generalisation(k=5, suppress=20)"), survey)
    gone = np.logical_and.reduce([masked.missing(name) for name in ("region", "age", "sex")])
    assert gone.any()
    assert not contradictions(masked, ["region"])


def test_too_few_households_are_refused(survey):
    with pytest.raises(DataError, match=r"mdav_generic: k = 30 needs at least 30 households. Got \d+\."):
        masked_by(make_masking("mdav_generic(k=30)"), survey.take(np.arange(40)))


def test_importance_goes_with_its_columns(survey):
    names = ("region", "sex", "education")
    dear = make_masking({"method": "local_suppression", "k": 3, "attributes": names, "importance": [9, 1, 1]})
    cheap = make_masking(
        {"method": "local_suppression", "k": 3, "attributes": names, "importance": [1, 1, 9]}
    )
    lost = [masked_by(one, survey)[0].missing("education").sum() for one in (dear, cheap)]
    assert lost[0] > lost[1]


def test_what_is_known_of_all_members_does_not_single_a_household_out(survey):
    spec = {"method": "local_suppression", "k": 3, "attributes": ["region", "sex", "education"]}
    seen = {"attributes": ("region", "sex", "education"), "members": ("sex", "education")}
    smallest = []
    for members in ((), ("sex", "education")):
        masked, _ = masked_by(make_masking({**spec, "members": members}), survey)
        smallest.append(HouseholdAnonymity(**seen).bind(survey).score(masked).parts["smallest"])
        assert KAnonymity(attributes=seen["attributes"]).bind(survey).score(masked).parts["smallest"] >= 3
    assert smallest[0] < 3 <= smallest[1]


def test_columns_that_nobody_shares_are_masked_as_if_there_were_no_households(survey):
    plain = survey.with_schema(survey.schema.with_roles({"household": "other"}).with_rules(()))
    for spec in ("mdav_generic(k=3)", "pram"):
        masking = make_masking({**make_masking(spec).spec(), "attributes": ["sex", "education"]})
        found, alone = (masked_by(masking, table)[0] for table in (survey, plain))
        assert found["education"].tolist() == alone["education"].tolist()


def test_what_members_say_differently_is_said_once_by_the_first_who_says_something():
    home = Attribute(name="home", scale="numeric", role="household")
    town = Attribute(name="town", scale="nominal", role="key", categories=tuple("abc"))
    schema = Schema([home, town], rules=[edit_rule("same town in household")])
    table = Table(schema, {"home": [1, 1, 1, 2, 2], "town": [-1, 2, 0, 1, -1]})
    homes = Homes.of(table, ("town",))
    assert homes.records["town"].tolist() == [2, 1]
    assert homes.told_to_members(homes.records)["town"].tolist() == [2, 2, 2, 1, 1]


households = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), st.booleans()), min_size=1, max_size=30)


@given(households, st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_links_are_cut_until_all_that_is_seen_is_seen_k_times(drawn, k):
    cells, kinds = (np.array([one[i] for one in drawn]) for i in (0, 1))
    bare = np.array([one[2] for one in drawn])
    cut = links_to_cut(cells, kinds, bare, k)
    assert not (cut & bare).any()
    seen = Counter(
        (cell, 0 if gone else kind) for cell, kind, gone in zip(cells, kinds, cut | bare, strict=True)
    )
    large = {cell for cell, count in Counter(cells.tolist()).items() if count >= k}
    assert all(count >= k for (cell, _), count in seen.items() if cell in large)
    if not bare.any() and all(count >= k for count in Counter(zip(cells, kinds, strict=True)).values()):
        assert not cut.any()


@pytest.mark.parametrize("missing", ["any", "best"])
def test_where_missing_values_are_like_others_households_are_written_alike(missing):
    """So that there are k people in each group that is masked by itself."""
    people = household_survey(150, seed=1)
    method = make_masking({"method": "local_suppression", "k": 3, "missing": missing})
    masked = method.apply(people, np.random.default_rng(0))
    score = KAnonymity(missing="any").bind(masked).score(masked)
    assert score.parts["smallest"] >= 3
