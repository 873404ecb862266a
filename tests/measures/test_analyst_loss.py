"""Analyst loss: its scale, what it judges, and its kinds of analyses against slow twins."""

from itertools import combinations, permutations

import numpy as np
import pytest
from measure_tables import keys
from threadpoolctl import threadpool_limits

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.declarations import Analysis
from sfumato.measures import Change
from sfumato.measures.analyses.bins import Bins
from sfumato.measures.analyses.regressions import Regressions, on_all_others
from sfumato.measures.analyses.subgroups import Subgroups
from sfumato.measures.analyses.tables import Tables, pairs_and_triples
from sfumato.measures.analyst_loss import AnalystLoss

KINDS = {"tables", "subgroups", "regressions", "discriminator", "models"}
SCALES = {"age": "numeric", "pay": "numeric", "sex": ("nominal", "fm"), "town": ("nominal", "abcdefgh")}


def people(n=600, seed=0):
    """Pay hangs on age and sex, towns differ in age; the diagnosis, no key, hangs on pay; some values are missing."""
    rng = np.random.default_rng(seed)
    town, sex = rng.integers(0, 8, n), rng.integers(0, 2, n)
    age = 30.0 + 4 * town + rng.normal(0, 6, n)
    pay = 10.0 + age + 15 * sex + rng.normal(0, 6, n)
    table = keys(
        SCALES, {"age": age, "pay": np.where(rng.random(n) < 0.05, np.nan, pay), "sex": sex, "town": town}
    )
    ill = Attribute(name="ill", scale="nominal", role="confidential", categories=("no", "yes"))
    columns = {name: table[name] for name in table.names} | {
        "ill": (pay + rng.normal(0, 5, n) > 65).astype(int)
    }
    return Table(Schema([*table.schema, ill]), columns)


def shuffled(table, names=None, seed=1):
    rng = np.random.default_rng(seed)
    return table.replace({name: table[name][rng.permutation(table.n)] for name in names or table.names})


def resampled(table, seed=1):
    return table.take(np.random.default_rng(seed).integers(0, table.n, table.n))


@pytest.fixture(scope="module")
def bound():
    return AnalystLoss().bind(people(), people(200, seed=9))


@pytest.fixture(scope="module")
def tables_bound():
    return AnalystLoss(parts="tables").bind(people())


@pytest.mark.parametrize("seed", [1, 2])
def test_another_sample_is_0_and_unrelated_columns_are_100(bound, seed):
    score = bound.score(resampled(people(), seed))
    assert set(score.parts) >= KINDS
    assert score.value <= 2
    assert bound.score(people(seed=seed)).value <= 5  # other people of the same population
    assert bound.score(shuffled(people(), seed=seed)).value >= 98


def test_a_relation_turned_round_shows_where_it_hurts(bound):
    original = people()
    well, ill = (np.flatnonzero(original["ill"] == answer) for answer in (0, 1))
    pay = np.nan_to_num(original["pay"], nan=50.0)
    turned = pay.copy()  # the ill have what the well had, of the same rank, and the other way round
    for here, there in ((well, ill), (ill, well)):
        ranks = (pay[here].argsort().argsort() + 0.5) / len(here)
        turned[here] = np.quantile(pay[there], ranks)
    score = bound.score(original.replace({"pay": turned}))
    assert score.value > 30
    assert score.parts["pay × ill"] == pytest.approx(100)
    assert score.parts["age × town"] < 5
    assert score.parts["pay"] > score.parts["town"]


def test_any_order_and_any_number_of_records(bound):
    masked = shuffled(people(), ["town"])
    whole = bound.score(masked)
    turned = masked.take(np.random.default_rng(3).permutation(masked.n))
    assert bound.score(turned).parts == whole.parts
    assert 0 < bound.score(people().take(np.arange(60))).value < 100
    assert bound.score(people().take(np.tile(np.arange(600), 2))).value <= 2


def test_what_is_not_released_is_left_out_and_what_was_named_must_be_there(bound):
    names = ("age", "sex", "ill")
    score = bound.score(shuffled(people()).select(names))
    assert not any("pay" in part or "town" in part for part in score.parts)
    alone = AnalystLoss().bind(people().select(names), people(200, seed=9))
    assert alone.score(shuffled(people()).select(names)).parts == score.parts
    with pytest.raises(DataError, match="no column pay"):
        AnalystLoss(attributes=("age", "pay")).bind(people()).score(people().select(names))
    other = keys({"x": "numeric"}, {"x": [1.0]})
    with pytest.raises(DataError, match="none of the columns"):
        bound.score(other)


def test_identifiers_and_household_numbers_are_no_analyses():
    table = people(50)
    roles = {"town": "household", "sex": "identifier"}
    assert AnalystLoss().fitting(table.with_schema(table.schema.with_roles(roles))) == ("age", "pay", "ill")


def test_without_people_outside_there_are_three_kinds():
    parts = AnalystLoss().bind(people()).score(shuffled(people())).parts
    assert parts.keys() & KINDS == {"tables", "subgroups", "regressions"}
    few = AnalystLoss().bind(people(), people(10, seed=9))
    assert few.score(shuffled(people())).parts == parts


def test_analyses_that_matter_count_by_their_names():
    analyses = {
        "pay gap": Analysis(mean="pay", by=("sex",)),
        "towns": Analysis(table=("town", "age")),
        "wages": Analysis(regression="pay", on=("age", "sex")),
        "mean age": Analysis(mean="age"),
    }
    original = people()
    original = original.with_schema(Schema(list(original.schema), analyses=analyses))
    bound = AnalystLoss().bind(original)
    parts = bound.score(shuffled(original, ["sex"])).parts
    assert parts["pay gap"] > 95
    assert parts["wages"] > 30
    assert parts["towns"] == parts["mean age"] == 0
    assert parts["analyses"] == pytest.approx(np.mean([parts[label] for label in analyses]))
    older = original.replace({"age": original["age"] + original["age"].std() / 2})
    assert 40 < bound.score(older).parts["mean age"] < 55  # no relations: 100 is a standard deviation


def test_recoded_categories_lose_what_they_hide(bound):
    original = people()
    towns = original.schema["town"]
    halves = towns.evolve(categories=("low", "high"), covers={"low": tuple("abcd"), "high": tuple("efgh")})
    code = original["town"] // 4
    little = bound.score(original.replace({"town": code}, [halves])).value
    one = towns.evolve(categories=("any",), covers={"any": towns.categories})
    much = bound.score(original.replace({"town": np.zeros(600, int)}, [one])).value
    assert 0 < little < much < 100


def test_survey_weights_count_where_they_are_declared():
    rng = np.random.default_rng(0)
    weight = Attribute(name="weight", scale="numeric", role="weight")
    table = people()
    weights = np.where(table["sex"] == 1, 20.0, 1.0) * rng.uniform(0.5, 1.5, 600)
    original = Table(
        Schema([*table.schema, weight]), {n: table[n] for n in table.names} | {"weight": weights}
    )
    men = np.flatnonzero(original["sex"] == 1)
    town = original["town"].copy()
    town[men] = rng.permutation(town[men])
    masked = original.replace({"town": town})
    by_weight, by_record = (AnalystLoss(weighted=w).bind(original).score(masked).parts for w in (True, False))
    assert by_weight["tables"] == by_record["tables"]
    assert by_weight["subgroups"] > by_record["subgroups"]  # the men stand for most people


def test_a_file_of_unrelated_columns_is_judged_by_its_tables():
    rng = np.random.default_rng(0)
    original = keys(
        {"x": "numeric", "v": ("nominal", "abc")}, {"x": rng.normal(size=500), "v": rng.integers(0, 3, 500)}
    )
    bound = AnalystLoss(attributes=("v",)).bind(original)
    assert set(bound.score(original).parts) == {"tables"}
    other = original.replace({"v": np.zeros(500, int)})
    assert bound.score(other).value == pytest.approx(200 / 3, abs=5)


def test_no_loss_is_below_what_quick_analyses_say(bound):
    original, fresh = people(), people(seed=9)
    blank = original.replace({original.names[0]: np.full(original.n, np.nan)})
    for masked in (original, fresh, shuffled(original), shuffled(original, original.names[:1]), blank):
        assert bound.at_least(masked) <= bound.score(masked).value + 1e-9
    assert bound.at_least(shuffled(original)) > 30
    alone = AnalystLoss().bind(original)
    assert alone.at_least(fresh) == pytest.approx(alone.score(fresh).value)


def test_the_same_bytes_on_any_number_of_threads():
    original = people(300).select(["age", "pay", "sex", "ill"])
    masked, found = shuffled(original, ["pay"]), []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(AnalystLoss().bind(original, people(100, seed=9)).score(masked).parts)
    assert found[0] == found[1]


def test_the_tracker_follows_columns_that_are_no_keys(tables_bound):
    tracker = tables_bound.track(people())
    rows = np.arange(200)
    turned = Change(rows, {"ill": 1 - people()["ill"][rows]})
    assert tracker.try_(turned) > 5
    tracker.accept()
    expected = people().replace({"ill": np.append(turned.columns["ill"], people()["ill"][200:])})
    assert tracker.value == pytest.approx(tables_bound.score(expected).value, abs=1e-9)


def test_tables_alone_are_the_tables_of_the_whole(tables_bound, bound):
    masked = shuffled(people(), ["pay"])
    assert tables_bound.score(masked).value == bound.score(masked).parts["tables"]


def test_tables_against_a_slow_twin():
    original, masked = people(200), people(150, seed=1)
    items = [*pairs_and_triples(original.names), ("age", "pay", "sex", "town")]
    tables = Tables(original, items)
    for item, distance in zip(items, tables.distances(masked), strict=True):
        shares = []
        for table in (original, masked):
            bins = tables.bins[len(item)]
            cells = list(zip(*(bins.digits(name, table[name]).tolist() for name in item), strict=True))
            shares.append({cell: cells.count(cell) / table.n for cell in cells})
        apart = sum(
            abs(shares[0].get(c, 0) - shares[1].get(c, 0)) for c in shares[0].keys() | shares[1].keys()
        )
        assert distance == pytest.approx(apart / 2)


def test_triples_of_many_columns_are_bounded_and_always_the_same():
    names = [f"c{i}" for i in range(40)]
    items = pairs_and_triples(names)
    assert items[:780] == list(combinations(names, 2))
    assert len(set(items)) == len(items) == 1080
    assert pairs_and_triples(names) == items


def test_bins_keep_frequent_values_apart_and_rare_categories_together():
    labels = tuple("abcdefghijkl")
    columns = {"x": [0.0] * 60 + list(range(1, 41)), "v": [0] * 50 + [1] * 39 + list(range(1, 12))}
    table = keys(
        {"x": "numeric", "v": ("nominal", labels), "u": ("ordinal", labels)},
        columns | {"u": np.arange(100) % 12},
    )
    bins = Bins(table, table.names, 4)
    x = bins.digits("x", np.array([-1.0, 0.0, 0.5, 40.0, 1e9, np.nan]))
    assert x[0] == x[1] != x[2] != x[3] == x[4]
    assert x[5] == 0
    assert bins.digits("v", np.array([0, 1, 5, 11, -1])).tolist()[2:] == [3, 4, 0] or bins.widths["v"] == 5
    v = bins.digits("v", np.arange(12))
    assert len(set(v.tolist())) == 4
    assert v[3] == v[11] or v[2] == v[11]
    assert (np.diff(bins.digits("u", np.arange(12))) >= 0).all()
    assert set(bins.digits("u", np.arange(12)).tolist()) == {1, 2, 3, 4}


def test_subgroups_by_hand():
    scales = {"x": "numeric", "g": ("nominal", "ab"), "v": ("nominal", "yn")}
    columns = {"x": [0.0, 2.0, 4.0, 6.0], "g": [0, 0, 1, 1], "v": [0, 0, 0, 1]}
    original = keys(scales, columns)
    masked = original.replace({"g": np.array([0, 1, 0, 1])})
    found = Subgroups(original, [("x", "g"), ("v", "g"), ("x",)]).distances(masked)
    # means 1 and 5 become 2 and 4, s is √5; shares of n 0 and 1/2 stay, those of the whole too
    assert found == pytest.approx([1 / np.sqrt(5), 0, 0])
    lost = original.replace({"g": np.array([0, 0, -1, -1])})
    assert Subgroups(original, [("x", "g")]).distances(lost) == pytest.approx([0.5])


def test_regressions_against_a_slow_twin():
    rng = np.random.default_rng(0)
    tables = []
    for slope in (1.0, 0.5):
        x, z = rng.normal(size=(2, 300))
        tables.append(
            keys(dict.fromkeys("xyz", "numeric"), {"x": x, "z": z, "y": slope * x + rng.normal(size=300)})
        )
    original, masked = tables
    regressions = Regressions(original, on_all_others("xyz"))
    found = dict(zip(regressions.about, regressions.distances(masked), strict=True))
    for y, x in permutations("xyz", 2):
        (other,) = set("xyz") - {y, x}
        ends = [_interval(table, original, y, x, other) for table in tables]
        shared = max(0.0, min(ends[0][1], ends[1][1]) - max(ends[0][0], ends[1][0]))
        overlap = sum(shared / (high - low) for low, high in ends) / 2
        assert found[y, x] == pytest.approx(1 - overlap, abs=0.01)  # the ridge is small


def _interval(table, original, y, x, other):
    columns = {n: (table[n] - original[n].mean()) / original[n].std() for n in "xyz"}
    X = np.column_stack([np.ones(table.n), columns[x], columns[other]])
    slopes, *_ = np.linalg.lstsq(X, columns[y], rcond=None)
    left = columns[y] - X @ slopes
    bread = np.linalg.inv(X.T @ X)
    error = np.sqrt((bread @ (X.T * left**2) @ X @ bread)[1, 1])
    return slopes[1] - 1.96 * error, slopes[1] + 1.96 * error
