"""Every masking that declares itself k-anonymous is, on any table, in the reading of missing values it states.

By default that is what anybody sees who reads the released file: cells are alike if they are written alike.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, parameters, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Masking

METHODS = {
    name: method
    for name in registry.names("masking")
    if (method := registry.load("masking", name)).k_anonymous
}
# what becomes of missing values, and how the release is then k-anonymous: "own", a missing value is a
# category like others, and so is each code for it; "any", it matches every value, which what is safe from the
# best-matching intruder implies
READINGS = {"category": "own", "best": "any", "any": "any", "impute": "own"}


def ways(name):
    """The parameters that choose what becomes of missing values, each with the reading that must hold."""
    if name == "clustered":
        inner = registry.load("masking", "mdav_generic")
        return [({"options": (f"missing={c}",)}, READINGS[c]) for c in parameters(inner)["missing"].choices]
    return [({"missing": c}, READINGS[c]) for c in parameters(METHODS[name])["missing"].choices]


WAYS = [
    pytest.param(name, given, reading, id=f"{name}-{'-'.join(map(str, given.values()))}")
    for name in METHODS
    for given, reading in ways(name)
]

SOME_AND_MANY = pytest.mark.parametrize(
    "examples", [pytest.param(6, id="some"), pytest.param(100, marks=pytest.mark.slow, id="many")]
)

number = st.one_of(
    st.just(np.nan), st.integers(-9, 9).map(float), st.sampled_from([0.5, -2.25, 7.125, 1 / 3, 8.99])
)


@st.composite
def tables(draw, least=1):
    """Few records of all scales, with ties, constants, bounds, decimals, missing values and codes for them."""
    n = draw(st.integers(least, 24))
    size = draw(st.integers(1, 5))
    categories = tuple("abcde"[:size])
    decimals = draw(st.sampled_from([None, 0, 1]))
    code = draw(st.sampled_from([(), ("0",), ("0", "1", "refused")]))
    attributes = [
        Attribute(name="x", scale="numeric", role="key", low=-9, high=9, decimals=decimals, missing=code),
        Attribute(name="y", scale="numeric", role="key"),
        Attribute(name="o", scale="ordinal", role="key", categories=categories),
        Attribute(name="p", scale="ordinal", role="key", categories=tuple("vwxyz")),
        Attribute(name="c", scale="nominal", role="key", categories=categories, missing=("?", "-")),
        Attribute(name="region", scale="nominal", categories=("north", "south", "east")),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
    legal = number if decimals is None else number.map(lambda v: round(v, decimals))
    domains = {
        "x": legal.filter(lambda v: v not in (0.0, 1.0)),
        "y": number,
        "o": st.integers(-1, size - 1),
        "p": st.integers(-1, 4),
        "c": st.integers(-1, size - 1),
        "region": st.integers(-1, 2),
        "weight": st.sampled_from([0.0, 1.0, 7.5]),
    }
    columns = {a.name: draw(st.lists(domains[a.name], min_size=n, max_size=n)) for a in attributes}
    reasons = {
        a.name: np.array(draw(st.lists(st.integers(0, len(a.missing)), min_size=n, max_size=n)))
        for a in attributes
        if a.missing
    }
    return Table(Schema(attributes), columns, reasons=reasons)


def sporadic(n, seed, *, missing, codes, strata):
    """Many records, of which some cells are missing by chance, each without a code or with one of two."""
    rng = np.random.default_rng(seed)
    declared = {"missing": ("-8", "-9")} if codes else {}
    levels = tuple("abcdefgh")
    attributes = [
        *(Attribute(name=f"x{j}", scale="numeric", role="key", **declared) for j in range(3)),
        Attribute(name="o", scale="ordinal", role="key", categories=levels, **declared),
        Attribute(name="c", scale="nominal", role="key", categories=levels, **declared),
        Attribute(
            name="region", scale="nominal", role="stratum" if strata else "other", categories=("n", "s")
        ),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
    columns = {name: rng.normal(size=n).round(2) * 10 for name in ("x0", "x1", "x2")}
    columns |= {name: rng.integers(0, len(levels), n) for name in "oc"}
    for values in columns.values():
        values[rng.random(n) < missing] = np.nan if values.dtype.kind == "f" else -1
    reasons = {name: rng.integers(0, 3, n) for name in columns}
    columns |= {"region": np.arange(n) % 2, "weight": rng.integers(0, 9, n).astype(float)}
    return Table(Schema(attributes), columns, reasons=reasons)


def written(table, names):
    """Tuples of what stands in the cells of a file."""
    texts = table.select(names).to_arrow(text=True)
    return list(zip(*(texts[name].to_pylist() for name in names), strict=True))


def records(table, names):
    """Tuples of labels or numbers, None where missing."""
    columns = []
    for name in names:
        attribute = table.schema[name]
        if attribute.is_numeric:
            columns.append([None if np.isnan(v) else float(v) for v in table[name]])
        else:
            columns.append([None if c < 0 else attribute.categories[c] for c in table[name]])
    return list(zip(*columns, strict=True))


def alike(a, b):
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def smallest(table, names, reading="own"):
    """The least number of records that a record is like, counting itself."""
    if reading == "own":
        return min(Counter(written(table, names)).values())
    rows = records(table, names)
    return min(sum(alike(a, b) for b in rows) for a in rows)


def assert_legal(table):
    for attribute in table.schema:
        for value in table[attribute.name]:
            if not attribute.is_numeric:
                assert -1 <= value < len(attribute.categories)
            elif not np.isnan(value):
                assert attribute.low is None or attribute.low <= value <= attribute.high
                assert attribute.decimals is None or round(value, attribute.decimals) == value
                assert not any(code != "refused" and value == float(code) for code in attribute.missing)
        assert not set(attribute.covers) - set(attribute.categories)
        assert not set(attribute.categories) & set(attribute.missing)


def applied(name, given, table, k, seed=0):
    masking = METHODS[name](k=k, **given)
    return masking.apply(table, np.random.default_rng(seed)), masking.targets(table)


@SOME_AND_MANY
@pytest.mark.parametrize(("name", "given_", "reading"), WAYS)
def test_the_masked_attributes_together_are_k_anonymous(name, given_, reading, examples):
    @settings(max_examples=examples)
    @given(data=st.data(), k=st.integers(1, 5))
    def check(data, k):
        table = data.draw(tables(least=k))
        masked, names = applied(name, given_, table, k)
        assert smallest(masked, names, reading) >= k
        assert_legal(masked)

    check()


@SOME_AND_MANY
@pytest.mark.parametrize("name", METHODS)
def test_by_default_every_record_is_written_like_k(name, examples):
    @settings(max_examples=examples // 4 if name == "column_generation" else examples)  # which takes long
    @given(
        n=st.integers(20, 60),
        seed=st.integers(0, 2**32),
        missing=st.floats(0, 0.3),
        codes=st.booleans(),
        strata=st.booleans(),
        k=st.integers(2, 10),
    )
    def check(n, seed, missing, codes, strata, k):
        table = sporadic(n, seed, missing=missing, codes=codes, strata=strata)
        weighted = {"weighted": bool(seed % 2)} if "weighted" in parameters(METHODS[name]) else {}
        masked, names = applied(name, weighted, table, k)
        for _, rows in masked.strata():
            assert smallest(masked.take(rows), names) >= k

    check()


@SOME_AND_MANY
@pytest.mark.parametrize(("name", "given_", "reading"), WAYS)
def test_every_stratum_is_k_anonymous_or_refused_by_name(name, given_, reading, examples):
    @settings(max_examples=examples)
    @given(table=tables(), k=st.integers(1, 4))
    def check(table, k):
        assert_strata_k_anonymous_or_refused(name, given_, reading, table, k)

    check()


def assert_strata_k_anonymous_or_refused(name, given_, reading, table, k):
    table = table.with_schema(table.schema.with_roles({"region": "stratum"}))
    strata = table.strata()
    small = [stratum for stratum, rows in strata if len(rows) < k]
    if small:
        with pytest.raises(DataError) as refusal:
            applied(name, given_, table, k)
        assert str(refusal.value).startswith(
            f"Stratum {small[0]}: {name}: k = {k} needs at least {k} records"
        )
        return
    masked, names = applied(name, given_, table, k)
    for _, rows in strata:
        assert smallest(masked.take(rows), names, reading) >= k
    assert_legal(masked)


def settings_of(name):
    """The method with one parameter at a time set to another choice, missing values aside."""
    for parameter in parameters(METHODS[name]).values():
        others = (False, True) if parameter.type is bool else parameter.choices
        for value in others if parameter.name != "missing" else ():
            if value not in (parameter.default, "attribute"):  # the axis that needs a name
                yield {parameter.name: value}
    for parameter, value in {"refine_steps": 300, "gamma": 1.0, "block": 4}.items():
        if parameter in parameters(METHODS[name]):
            yield {parameter: value}


SETTINGS = [pytest.param(name, one, id=f"{name}-{one}") for name in METHODS for one in settings_of(name)]


@pytest.mark.parametrize(("name", "given_"), SETTINGS)
def test_k_anonymous_whatever_the_other_parameters(name, given_, mixed):
    for k, n, missing in ((2, 30, 0.3), (4, 50, 0.1), (5, 11, 0.0)):
        masked, names = applied(name, given_, mixed(n, seed=n, missing=missing), k)
        assert smallest(masked, names) >= k


def test_a_file_smaller_than_k_is_refused_by_every_method(mixed):
    for name in METHODS:
        with pytest.raises(DataError, match=f"^{name}: k = 5 needs at least 5 records. Got 4"):
            applied(name, {}, mixed(4), 5)


def test_the_declaration_is_about_k():
    for method in METHODS.values():
        assert issubclass(method, Masking)
        assert parameters(method)["k"].low == 1


def test_the_checker_tells_the_two_readings_apart():
    attribute = Attribute(name="x", scale="numeric", missing=("-9",))
    table = Table(
        Schema([attribute]), {"x": [np.nan, np.nan, 1.0, 1.0]}, reasons={"x": np.array([0, 1, 0, 0])}
    )
    assert smallest(table, ("x",), "own") == 1
    assert smallest(table, ("x",), "any") == 4


@pytest.mark.parametrize("name", ["individual_ranking", "pram", "rounding", "global_recoding"])
def test_methods_that_are_not_k_anonymous_do_not_say_so(name, mixed):
    method = registry.load("masking", name)
    assert not method.k_anonymous
    table = mixed(60, missing=0)
    masking = method()
    masked = masking.apply(table, np.random.default_rng(0))
    assert smallest(masked, table.schema.with_role("key"), "any") < 5
