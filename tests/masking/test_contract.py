"""What every masking method must keep to. A new file in the folder is tested here without a change."""

import dataclasses
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from needed_parameters import NEEDED
from sfumato.core import DataError, ParameterError, UnknownNameError, parameters, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Masking, make_masking

NAMES = registry.names("masking")
every_method = pytest.mark.parametrize("name", NAMES)


def default(name):
    """The method with its defaults; a parameter without one takes its first choice or lowest value."""
    given = dict(NEEDED.get(name, {}))
    for parameter in parameters(registry.load("masking", name)).values():
        if parameter.default is dataclasses.MISSING and parameter.name not in given:
            given[parameter.name] = (
                parameter.choices[0] if parameter.choices else parameter.type(parameter.low or 1)
            )
    return make_masking({"method": name, **given})


def variants(name):
    """The method with its defaults, and with one parameter at a time set to something else."""
    found = [default(name)]
    for parameter in parameters(type(found[0])).values():
        if parameter.repeated or parameter.name.endswith("seconds"):  # a time limit fixes no result
            continue
        if parameter.type not in (int, float, bool, str):
            continue
        low = parameter.low if parameter.low is not None else 0
        numbers = {parameter.type(v) for v in (low, low + 1, parameter.high) if v is not None}
        values = parameter.choices or ((False, True) if parameter.type is bool else sorted(numbers))
        if parameter.type is str and not parameter.choices:
            continue
        if parameter.name == "epsilon":  # a formal promise is about whole records with declared bounds
            continue
        for value in values:
            try:
                found.append(make_masking({**found[0].spec(), parameter.name: value}))
            except ParameterError:
                continue  # a combination the method refuses
    return list(dict.fromkeys(found))


def differs_by_a_number(masking):
    """From its defaults, and in nothing else: what it does is done in the same way."""
    usual = default(masking.name).spec()
    others = [value for key, value in masking.spec().items() if usual.get(key, key) != value]
    return bool(others) and all(type(value) in (int, float) for value in others)


ALL = [masking for name in NAMES for masking in variants(name)]
every_variant = pytest.mark.parametrize("masking", [pytest.param(one, id=str(one)) for one in ALL])
every_way = pytest.mark.parametrize(
    "masking",
    [
        pytest.param(one, id=str(one), marks=pytest.mark.slow if differs_by_a_number(one) else [])
        for one in ALL
    ],
)


def apply(masking, table, seed=1):
    return masking.apply(table, np.random.default_rng(seed))


@cache
def applied(masking, table):
    """What it makes of a table with the seed of `apply`; several tests begin with it."""
    return apply(masking, table)


def contents(table):
    return table.schema.to_toml(), [table[name].tobytes() for name in table.names]


def assert_legal(table):
    for attribute in table.schema:
        values = table[attribute.name]
        if attribute.is_numeric:
            present = values[~np.isnan(values)]
            np.testing.assert_array_equal(present, attribute.conform(present))
        else:
            assert values.min(initial=0) >= -1
            assert values.max(initial=-1) < attribute.domain_size


def assert_kept(masking, table, masked):
    """Same records and columns, nothing touched that was not to be masked, every value legal."""
    targets = masking.targets(table)
    untouched = [name for name in table.names if name not in targets]
    assert masked.names == table.names
    assert [a.role for a in masked.schema] == [a.role for a in table.schema]
    assert all(masked.schema[name] is table.schema[name] for name in untouched)
    if masking.keeps_records:
        assert masked.n == table.n
        assert all(masked[name] is table[name] for name in untouched)
    else:
        again, rows = masking.traced(table, np.random.default_rng(1))
        assert contents(again) == contents(masked)
        assert (np.diff(rows) > 0).all()
        for name in untouched:
            np.testing.assert_array_equal(masked[name], table[name][rows])
    assert_legal(masked)


@every_variant
def test_masks_a_mixed_table_and_leaves_it_untouched(masking, mixed):
    table = mixed(120)
    before = contents(table)
    masked = applied(masking, table)
    assert contents(table) == before
    assert_kept(masking, table, masked)
    assert_legal(table)


@every_method
def test_masking_changes_something(name, mixed):
    masking, table = default(name), mixed(40)  # few enough that a k-anonymous method has work to do
    masked = apply(masking, table)
    assert masked.n < table.n or any(
        not np.array_equal(masked[n], table[n]) or masked.schema[n] != table.schema[n]
        for n in masking.targets(table)
    )


@every_way
def test_a_seed_fixes_the_result_on_any_thread(masking, mixed):
    table = mixed(120)
    expected = contents(applied(masking, table))
    np.random.seed(0)  # noqa: NPY002 -- the global state must play no part
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: contents(apply(masking, table)), range(2)))
    assert all(run == expected for run in runs)


@every_way
def test_only_named_attributes_are_masked(masking, mixed):
    table = mixed(60)
    if not masking.keeps_records:
        return  # whole records are masked
    first = masking.targets(table)[0]
    only = make_masking({**masking.spec(), "attributes": [first]})
    assert only.targets(table) == (first,)
    assert_kept(only, table, apply(only, table))


@every_method
def test_attributes_it_cannot_take_are_refused_by_name(name, mixed):
    masking, table = default(name), mixed(20)
    if not masking.keeps_records:
        return  # whole records are masked
    for attribute in table.schema:
        if attribute.scale not in masking.scales:
            wrong = make_masking({**masking.spec(), "attributes": [attribute.name]})
            with pytest.raises(DataError, match=f"{name}: column {attribute.name} is {attribute.scale}"):
                apply(wrong, table)
    taken = masking.targets(table)[0]
    with pytest.raises(DataError, match=f"column {taken} is named twice"):
        apply(make_masking({**masking.spec(), "attributes": [taken, taken]}), table)
    with pytest.raises(UnknownNameError, match=f"Did you mean {taken}"):
        apply(make_masking({**masking.spec(), "attributes": [taken + "s"]}), table)
    none = "identifier" if masking.takes_all else "other"  # a role it takes no column of by itself
    with pytest.raises(DataError, match="name the columns to mask"):
        apply(masking, table.with_schema(table.schema.with_roles(dict.fromkeys(table.names, none))))


def special_tables(mixed):
    constant = mixed(30, missing=0)
    yield "empty", mixed(0)
    yield "one row", mixed(1)
    yield "one row, missing", mixed(1, missing=1)
    yield "two rows", mixed(2)
    yield "constant", constant.take(np.zeros(30, np.int64))
    yield "all missing", mixed(30, missing=1)
    yield "half missing", mixed(30, missing=0.5)
    yield "strata", mixed(30, strata=True)
    yield "strata of one", mixed(4, strata=True)
    yield "no rows, strata", mixed(0, strata=True)
    one_stratum = mixed(30, strata=True)
    yield "one stratum", one_stratum.replace({"sector": np.zeros(30, np.int8)})
    yield "missing stratum", one_stratum.replace({"sector": np.full(30, -1, np.int8)})


@every_way
def test_special_tables_work_or_are_refused_in_a_sentence(masking, mixed):
    for kind, table in special_tables(mixed):
        try:
            masked = apply(masking, table)
        except DataError as error:
            assert str(error).endswith("."), kind
            assert masking.name in str(error), kind
        else:
            assert_kept(masking, table, masked)


@every_method
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_small_table_works_or_is_refused(name, data):
    masking = default(name)
    n = data.draw(st.integers(1, 12))
    size = data.draw(st.integers(1, 6))
    decimals = data.draw(st.sampled_from([None, 0, 2]))
    categories = tuple("abcdef"[:size])
    attributes = [
        Attribute(name="x", scale="numeric", role="key", decimals=decimals, low=-9, high=9),
        Attribute(name="o", scale="ordinal", role="key", categories=categories),
        Attribute(name="c", scale="nominal", role="key", categories=categories),
    ]
    number = st.one_of(st.integers(-9, 9).map(float), st.just(np.nan))
    code = st.integers(-1, size - 1)
    columns = {
        a.name: data.draw(st.lists(number if a.is_numeric else code, min_size=n, max_size=n))
        for a in attributes
    }
    table = Table(Schema(attributes), columns)
    try:
        masked = apply(masking, table)
    except DataError as error:
        assert str(error).endswith(".")
    else:
        assert_kept(masking, table, masked)


@every_way
def test_a_stratum_does_not_depend_on_another(masking, mixed):
    table = mixed(120, strata=True)
    if not masking.stratified:
        return
    first = table.strata()[0][1]  # the first draws are its own
    later = np.setdiff1d(np.arange(table.n), first)
    targets = masking.targets(table)
    changed = {name: table[name].copy() for name in targets}
    for name in targets:
        changed[name][later] = changed[name][later][::-1]
    masked, other = apply(masking, table), apply(masking, table.replace(changed))
    for name in targets:
        np.testing.assert_array_equal(masked[name][first], other[name][first])


@every_method
def test_a_stratum_it_refuses_is_named(name, mixed):
    masking = default(name)
    try:
        apply(masking, mixed(1))
    except DataError:
        with pytest.raises(DataError, match=f"Stratum sector = a: {name}: "):
            apply(masking, mixed(4, strata=True))


@every_variant
def test_travels(masking):
    name = masking.name
    assert registry.make("masking", masking.spec()) == masking
    assert registry.make("masking", json.loads(json.dumps(masking.spec()))) == masking
    assert pickle.loads(pickle.dumps(masking)) == masking
    assert eval(repr(masking), {type(masking).__name__: type(masking)}) == masking
    assert hash(masking) == hash(registry.make("masking", masking.spec()))
    assert str(masking).startswith(name)


@every_method
def test_unknown_parameters_get_a_suggestion(name):
    for known in parameters(registry.load("masking", name)):
        if len(known) >= 4:
            with pytest.raises(
                UnknownNameError, match=f"Unknown parameter of {name} .* Did you mean {known}"
            ):
                registry.make("masking", {"method": name, known[:-1] + "q": 1})


@every_method
def test_parameters_out_of_bounds_are_refused(name):
    for parameter in parameters(registry.load("masking", name)).values():
        wrong = [object(), "no such choice", {}]
        if parameter.type is not str:
            wrong += [float("nan"), float("inf"), "1"]
        wrong += [parameter.low - 1] if parameter.low is not None else []
        wrong += [parameter.high + 1] if parameter.high is not None else []
        if parameter.type is str and not parameter.choices:
            wrong.remove("no such choice") if not parameter.repeated else None
        for value in wrong:
            with pytest.raises(ParameterError, match=f"^{name}: {parameter.name} must be .* Got "):
                default(name).from_parameters({**default(name).non_defaults(), parameter.name: value})
        assert parameter.help


@every_method
def test_grid_holds_legal_values(name):
    method = registry.load("masking", name)
    for parameter, values in method.grid.items():
        for value in values:
            make_masking({**default(name).spec(), parameter: value})


@every_method
def test_name_file_and_class_agree_and_are_explained(name):
    method = registry.load("masking", name)
    assert issubclass(method, Masking)
    assert method.name == name
    assert method.__name__ == registry.class_name(name)
    assert method.__module__ == f"sfumato.masking.{name}"
    assert method.__doc__ and ">>> " in method.__doc__ and "Source: " in method.__doc__
    assert "issing value" in method.__doc__ + "".join(base.__doc__ or "" for base in method.__mro__[1:3])
    summary = registry.summary("masking", name)
    assert summary == method.summary()
    assert summary.endswith(".")
