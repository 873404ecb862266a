"""Methods that group reach l and t: what they release is l-diverse and t-close by the measures, on any table."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.data.blocks import BlockWriter
from sfumato.datasets import household_survey
from sfumato.masking import make_masking
from sfumato.masking._secrecy import SecretColumn, Secretive, Secrets
from sfumato.masking.from_disk.mask_blocks import mask_blocks, steps_of
from sfumato.measures import KAnonymity, LDiversity, TCloseness
from sfumato.parallel import Workers

METHODS = [n for n in registry.names("masking") if issubclass(registry.load("masking", n), Secretive)]
SLOW = ("column_generation", "genetic", "omma", "approx", "refine")
ASKED = [
    {"l": 2},
    {"l": 3, "confidential": ("illness",)},
    {"l": 1.6, "variant": "entropy"},
    {"t": 0.4},
    {"t": 0.25, "l": 2, "confidential": ("pay",)},
]


@st.composite
def tables(draw):
    n = draw(st.integers(6, 40))
    attributes = [
        Attribute(name="x", scale="numeric", role="key", low=-9, high=9),
        Attribute(name="y", scale="numeric", role="key"),
        Attribute(name="o", scale="ordinal", role="key", categories=tuple("abcd"), missing=("?",)),
        Attribute(name="c", scale="nominal", role="key", categories=tuple("uvw")),
        Attribute(name="illness", scale="nominal", role="confidential", categories=tuple("fgh")),
        Attribute(name="pay", scale="numeric", role="confidential"),
        Attribute(name="view", scale="ordinal", role="confidential", categories=tuple("12345")),
    ]
    number = st.one_of(st.just(np.nan), st.integers(-9, 9).map(float))
    domains = [number, number, *(st.integers(-1, top) for top in (3, 2, 2)), number, st.integers(-1, 4)]
    columns = {
        a.name: draw(st.lists(domain, min_size=n, max_size=n))
        for a, domain in zip(attributes, domains, strict=True)
    }
    reasons = {"o": np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))}
    return Table(Schema(attributes), columns, reasons=reasons)


def assert_secret(masking, table, masked):
    names = masking.targets(table)
    secret = masking.confidential
    assert KAnonymity(attributes=names, k=masking.k).bind(table).score(masked).value == 0
    diverse = LDiversity(attributes=names, l=masking.l, variant=masking.variant, sensitive=secret)
    assert diverse.bind(table).score(masked).value == 0
    close = TCloseness(attributes=names, t=masking.t, sensitive=secret)
    assert close.bind(table).score(masked).value == 0


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
@given(table=tables(), asked=st.sampled_from(ASKED), k=st.integers(1, 4), seed=st.integers(0, 9))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_l_diverse_and_t_close_or_refused(name, table, asked, k, seed):
    masking = make_masking({"method": name, "k": k, **asked})
    try:
        masked = masking.apply(table, np.random.default_rng(seed))
    except DataError as error:
        assert "cannot be reached" in str(error)
        assert masking.l > 1
    else:
        assert_secret(masking, table, masked)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "column_generation"])
def test_a_survey_with_households_is_l_diverse_and_t_close(name):
    people = household_survey(300, seed=2)
    masking = make_masking({"method": name, "k": 3, "l": 2, "t": 0.3, "confidential": ("health", "income")})
    assert_secret(masking, people, masking.apply(people, np.random.default_rng(1)))


def test_what_is_not_asked_for_changes_nothing():
    people = household_survey(200, seed=2)
    for name in ("mdav", "mdav_generic", "mondrian", "local_suppression"):
        plain, asked = (
            make_masking({"method": name, "k": 3, **more}).apply(people, np.random.default_rng(1))
            for more in ({}, {"confidential": ("health",)})
        )
        assert all(np.array_equal(plain[n], asked[n], equal_nan=True) for n in ("age",))


@pytest.mark.parametrize("name", ["mdav", "mdav_generic", "mondrian", "local_suppression"])
def test_l_is_reached_from_disk_and_t_is_refused_there(name, tmp_path):
    people = household_survey(600, seed=2)
    pieces = [people.take(np.arange(start, start + 200)) for start in (0, 200, 400)]
    blocks = BlockWriter(tmp_path / "in", people.schema).write_all(pieces)
    masking = make_masking({"method": name, "k": 3, "l": 2, "confidential": ("health",)})
    made = mask_blocks(blocks, masking, tmp_path / "out", seed=1, crew=Workers(None), partition=100)
    assert_secret(masking, people, made.take(np.arange(people.n)))
    with pytest.raises(DataError, match="needs all records in memory"):
        next(steps_of(replace(masking, t=0.5)))


def naive_distance(values, everybody, ordered):
    """The earth mover's distance of two lists of places 0, 1, … by the definition."""
    m = max(everybody) + 1
    p, q = (np.bincount(some, minlength=m) / len(some) for some in (values, everybody))
    if ordered:
        return np.abs(np.cumsum(p - q)).sum() / max(m - 1, 1)
    return np.abs(p - q).sum() / 2


@given(
    places=st.lists(st.integers(0, 4), min_size=2, max_size=30),
    groups=st.integers(1, 5),
    t=st.sampled_from([0.1, 0.3]),
    least=st.sampled_from([1, 2, 3]),
    ordered=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_groups_fail_as_the_definitions_say(places, groups, t, least, ordered):
    places = np.array(places)
    labels = np.arange(len(places)) % min(groups, len(places))
    places[0] = 4  # so that the last place occurs
    column = SecretColumn(places, np.cumsum(np.bincount(places)), ordered)
    fails = Secrets("test", (column,), least, False, t).fails(labels)
    for group, failed in enumerate(fails):
        mine = places[labels == group]
        wrong = len(set(mine.tolist())) < least or naive_distance(mine, places, ordered) > t + 1e-12
        assert wrong == failed


def test_groups_join_those_near_and_stay_whole():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]])
    labels = np.repeat([0, 1, 2], 2)
    places = np.array([0, 0, 1, 1, 0, 1])
    column = SecretColumn(places, np.cumsum(np.bincount(places)), True)
    assert Secrets("test", (column,), 2, False, 1.0).merged(labels, X).tolist() == [0, 0, 0, 0, 1, 1]


def test_what_cannot_be_asked_is_refused():
    people = household_survey(60, seed=1)
    with pytest.raises(ParameterError, match="l and t are about groups of records that are written alike"):
        make_masking("mdav(l=2, missing=any)")
    with pytest.raises(DataError, match="l = 9 and t = 1 cannot be reached, not even where all 60 records"):
        make_masking("mdav(l=9, confidential=health)").apply(people, np.random.default_rng(1))
    with pytest.raises(DataError, match="column age is masked, and l and t take it for confidential"):
        make_masking("mdav(l=2, confidential=age)").apply(people, np.random.default_rng(1))
    nothing = people.with_schema(
        people.schema.with_roles(dict.fromkeys(("income", "wealth", "health"), "other"))
    )
    with pytest.raises(DataError, match="the table has none; name them"):
        make_masking("mdav(l=2)").apply(nothing, np.random.default_rng(1))
