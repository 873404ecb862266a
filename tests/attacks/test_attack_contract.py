"""What holds for every attack, found by its name: a new file is tested without a change here."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from measure_tables import keys, pairs

from sfumato.attacks import Attack, _contract
from sfumato.core import DataError, SfumatoError, UnknownNameError, parameters, registry
from sfumato.data import Attribute
from sfumato.parallel.threads import using_threads

DOMAINS = {
    "x": "numeric",
    "y": "numeric",
    "z": "numeric",
    "u": ("ordinal", "abcdefghij"),
    "v": ("nominal", "klmnopqrst"),
}
quick = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=registry.names("attacks"))
def attack(request):
    return registry.make("attacks", request.param)


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=n) for name in "xyz"}
    return keys(DOMAINS, columns | {name: rng.integers(0, 10, n) for name in "uv"})


def noisy(table, seed=1):
    rng = np.random.default_rng(seed)
    return table.replace({name: table[name] + 0.1 * rng.normal(size=table.n) for name in "xyz"})


def run(attack, released, known, seed=0):
    """Attack, beside people outside where they are needed: with the same values, each by itself in order."""
    in_order = {name: np.sort(known[name]) for name in known.names}
    outside = (known.replace(in_order) if known.n else people(seed=9)) if attack.needs_outside else None
    return attack.run(released, known, np.random.default_rng(seed), outside=outside)


def links(attack):
    """Whether the attack looks for a record, so that a guess finds one in n."""
    return (
        type(attack).guess is Attack.guess and not attack.needs_outside
    ) or attack.name == "distance_linkage"


def check(result, n):
    for rate in (result.attack, result.baseline, result.control):
        assert 0 <= rate.low <= rate.value <= rate.high <= 100
    tried = result.outcomes[~np.isnan(result.outcomes)]
    assert result.outcomes.shape == (n,)
    assert ((tried >= 0) & (tried <= 1)).all()
    assert result.attack.value == pytest.approx(100 * tried.mean() if len(tried) else 0)


def test_documentation(attack):
    kind = type(attack)
    assert issubclass(kind, Attack)
    assert registry.summary("attacks", attack.name).endswith(".")
    for word in (">>>", "Source:", "issing"):
        assert word in kind.__doc__


def test_spec_and_pickles(attack):
    assert registry.make("attacks", attack.spec()) == attack
    assert pickle.loads(pickle.dumps(attack)) == attack
    result = run(attack, noisy(people()), people())
    assert np.array_equal(pickle.loads(pickle.dumps(result)).outcomes, result.outcomes, equal_nan=True)


@pytest.mark.parametrize("name", registry.names("attacks"))
def test_every_choice_of_every_parameter_makes_an_attack_that_runs(name):
    kind = registry.load("attacks", name)
    for parameter in parameters(kind).values():
        for choice in parameter.choices:
            try:
                attack = kind(**{parameter.name: choice})
            except SfumatoError:
                continue  # needs another parameter beside it
            assert registry.make("attacks", attack.spec()) == attack
            check(run(attack, noisy(people()), people()), 60)


def test_the_same_seed_finds_the_same(attack):
    one, two = (run(attack, noisy(people()), people(), seed=3) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    assert one.outcomes.tobytes() == two.outcomes.tobytes()


def test_threads_change_no_bit(attack):
    found = []
    for count in (1, 2):
        with using_threads(count):
            found.append(run(attack, noisy(people(1200)), people(1200)).outcomes.tobytes())
    assert found[0] == found[1]


def test_results_become_dictionaries_and_frames(attack):
    result = run(attack, noisy(people()), people())
    assert result.to_frame()["rate"].to_pylist() == ["attack", "baseline", "control"]
    assert "outcomes" not in result.to_dict()


@quick
@given(pair=pairs())
def test_random_tables(attack, pair):
    known, released = pair
    if any(known.schema[name].scale in attack.scales for name in known.names):
        before = known.fingerprint, released.fingerprint
        check(run(attack, released, known), known.n)
        assert (known.fingerprint, released.fingerprint) == before


def test_the_file_itself_gives_everything_away(attack):
    # many attributes: an attack that only knows a window for each value is left with one record too
    rng, names = np.random.default_rng(0), [f"w{j}" for j in range(8)]
    columns = {name: rng.normal(size=300) for name in names} | {"u": rng.integers(0, 10, 300)}
    known = keys(dict.fromkeys(names, "numeric") | {"u": DOMAINS["u"]}, columns)
    assert run(attack, known, known).attack.value >= 99


def test_nothing_is_learned_from_a_file_of_other_people(attack):
    # each attribute shuffled by itself: nobody is linked to anybody, whoever looks; but its values are still theirs
    known = people(500)
    shuffled = _contract.shuffled(known, known.names, np.random.default_rng(5))
    result = run(attack, people(500, seed=5) if attack.needs_outside else shuffled, known)
    assert result.attack.value <= result.control.high + 5
    if links(attack):
        assert result.baseline.value == pytest.approx(100 / 500)
        assert result.control.low <= result.baseline.high
        assert result.attack.low <= result.baseline.high


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_records(attack, n):
    check(run(attack, people(n), people(n)), n)


def test_constant_and_missing_columns(attack):
    gone = {name: np.full(6, np.nan) for name in "xyz"} | {name: np.full(6, -1) for name in "uv"}
    flat = {name: np.full(6, 0.1) for name in "xyz"} | {name: np.zeros(6, int) for name in "uv"}
    tables = [keys(DOMAINS, columns) for columns in (gone, flat)] + [people(6)]
    for known in tables:
        for released in tables:
            check(run(attack, released, known), 6)


def test_other_lengths_are_refused_where_order_counts(attack):
    if not attack.aligned:
        check(run(attack, people(5), people()), 60)
        return
    with pytest.raises(DataError, match=r"same order. Got 5 records where 60 are known"):
        run(attack, people(5), people())


def test_people_outside_who_are_needed_are_asked_for(attack):
    if attack.needs_outside:
        for nobody in (None, people(0)):
            with pytest.raises(DataError, match="others of the same population"):
                attack.run(people(), people(), np.random.default_rng(0), outside=nobody)


def test_wrong_columns_are_refused(attack):
    known = people()
    kind, first = type(attack), next(n for n in known.names if known.schema[n].scale in attack.scales)
    with pytest.raises(DataError, match=f"no column {first}"):
        run(kind(attributes=(first,)), known.select([n for n in known.names if n != first]), known)
    with pytest.raises((UnknownNameError, DataError), match="w"):
        run(kind(attributes=("w",)), known, known)
    with pytest.raises(DataError, match="named twice"):
        run(kind(attributes=(first, first)), known, known)
    for name in known.names:
        if known.schema[name].scale not in attack.scales:
            with pytest.raises(DataError, match=f"column {name} is"):
                run(kind(attributes=(name,)), known, known)
            with pytest.raises(DataError, match="no key attribute"):
                run(attack, known.select([name]), known.select([name]))


def test_a_column_of_another_kind_is_refused(attack):
    known = people()
    name = next(n for n in known.names if known.schema[n].scale in attack.scales)
    other = Attribute(name=name, scale="nominal", role="key", categories=("a",))
    if not known.schema[name].is_numeric:
        other = Attribute(name=name, scale="numeric", role="key")
    released = known.replace({name: np.zeros(known.n, int)}, [other])
    with pytest.raises(DataError, match=f"column {name} is"):
        run(attack, released, known)
