import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.cli import main
from sfumato.core import DataError, ParameterError, UnknownNameError, registry
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.kernels.c_median import c_medians, farthest_first, outermost
from sfumato.kernels.distinct_records import distinct
from sfumato.masking import Clustered, GlobalMedian, MdavGeneric, Mondrian, make_masking
from sfumato.masking.clustered import median_clusters, merge_small

INNER = [
    name
    for name in registry.names("masking")
    if registry.load("masking", name).k_anonymous and name != "clustered"
]


def ordinal(*columns, size=8):
    names = [f"c{j}" for j in range(len(columns))]
    categories = tuple(map(str, range(size)))
    schema = Schema(Attribute(name=n, scale="ordinal", role="key", categories=categories) for n in names)
    return Table(schema, dict(zip(names, map(np.array, columns), strict=True)))


def released(table, seed=0, **parameters):
    return Clustered(**parameters).apply(table, np.random.default_rng(seed))


def values(table, names):
    return [tuple(table[name][i] for name in names) for i in range(table.n)]


def like(a, b):
    """Whether two records are alike where a missing value, −1 or NaN, matches any."""
    return all(x == y or -1 in (x, y) or np.isnan(x) or np.isnan(y) for x, y in zip(a, b, strict=True))


def test_two_clusters_by_hand():
    # 0 0 1 1 2 and 5 6 7 are far apart; each has its own middle, with k = 3 each cluster is one region
    table = ordinal([0, 5, 0, 6, 1, 7, 1, 2])
    labels = Clustered(clusters=2, k=3).clustered(table, ("c0",), np.random.default_rng(0))
    together = [set(np.flatnonzero(labels == c)) for c in (0, 1)]
    assert sorted(map(sorted, together)) == [[0, 2, 4, 6, 7], [1, 3, 5]]
    masked = released(table, clusters=2, k=3, within="global_median")
    assert masked["c0"].tolist() == [1, 6, 1, 6, 1, 6, 1, 1]
    masked = released(table, clusters=2, k=3, within="mondrian")
    assert masked.to_arrow()["c0"].to_pylist() == ["0..2", "5..7"] * 3 + ["0..2"] * 2


def test_small_clusters_are_joined_by_hand():
    # {0 0 0 0}, {4}, {7 7}: the two smallest are joined, though k = 2 would let {7 7} stand alone
    table = ordinal([0, 0, 0, 0, 4, 7, 7])
    labels = Clustered(clusters=3, k=2).clustered(table, ("c0",), np.random.default_rng(0))
    assert len(set(labels[:4])) == 1
    assert len(set(labels[4:])) == 1
    assert labels[0] != labels[4]


def slowly_merged(labels, k):
    """§5.2 of the source, word by word, on lists of records."""
    clusters = [[i for i, one in enumerate(labels) if one == c] for c in sorted(set(labels))]
    while len(clusters) > 1 and any(len(cluster) < k for cluster in clusters):
        first = min(clusters, key=len)
        others = [cluster for cluster in clusters if cluster is not first]
        second = min(others, key=len)
        joined = first + second
        place = min(clusters.index(first), clusters.index(second))
        clusters = [c for c in clusters if c is not first and c is not second]
        clusters.insert(place, joined)
    return {frozenset(cluster) for cluster in clusters}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 12))
def test_merging_equals_the_twin(labels, k):
    found = merge_small(np.array(labels), k)
    assert {frozenset(np.flatnonzero(found == c)) for c in np.unique(found)} == slowly_merged(labels, k)
    assert set(found) == set(range(found.max() + 1))


def spread_table(n, seed):
    """Three ordinal attributes that fall into clumps, with a few missing values."""
    rng = np.random.default_rng(seed)
    clump = rng.integers(0, 4, n)
    columns = [np.clip(clump * (j + 1) % 4 * 2 + rng.integers(-1, 2, n), -1, 7) for j in range(3)]
    return ordinal(*columns)


def summed_distance(table, names, labels):
    """To the median of each cluster, attribute by attribute; a missing value is at distance 1 from others."""
    total = 0.0
    for c in np.unique(labels):
        for name in names:
            column = np.where(table[name] < 0, np.nan, table[name])[labels == c]
            present = np.sort(column[~np.isnan(column)])
            if len(present):
                steps = np.abs(column - present[(len(present) - 1) // 2]) / 8
                total += np.where(np.isnan(steps), 1.0, steps).sum()
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_the_runs_is_kept(seed):
    table = spread_table(150, seed)
    X = np.column_stack([np.where(table[n] < 0, np.nan, table[n]) for n in table.names])
    alike = distinct([*X.T])  # in an order of their own, which decides among equals
    X, counts = X[alike.first], alike.counts.astype(float)
    nominal, scales = np.zeros(3, bool), np.full(3, 1 / 8)

    def total(first):
        start = X[farthest_first(X, 5, first, nominal, scales)]
        return c_medians(X, start, nominal, scales, counts)[2]

    one = median_clusters(table, table.names, 5, 1, np.random.default_rng(0))
    outer = outermost(X, nominal, scales, counts)
    assert summed_distance(table, table.names, one) == pytest.approx(total(outer))
    many = median_clusters(
        table, table.names, 5, 3_000, np.random.default_rng(0)
    )  # every record, nearly surely
    best = min(total(first) for first in range(len(X)))
    assert summed_distance(table, table.names, many) == pytest.approx(best)


def test_runs_find_better_clusters():
    """The outermost record is not always the best to begin with."""
    gains = [
        summed_distance(table, table.names, median_clusters(table, table.names, 5, 1, rng))
        - summed_distance(table, table.names, median_clusters(table, table.names, 5, 20, rng))
        for table, rng in ((spread_table(150, seed), np.random.default_rng(0)) for seed in range(5))
    ]
    assert min(gains) >= -1e-9
    assert max(gains) > 1


def test_large_files_find_the_clusters_that_are_there():
    rng = np.random.default_rng(0)
    clump = rng.integers(0, 4, 5_000)
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in "xy")
    table = Table(
        schema, {name: 10 * (clump // (j + 1) % 2) + rng.normal(size=5_000) for j, name in enumerate("xy")}
    )
    labels = median_clusters(table, ("x", "y"), 4, 5, np.random.default_rng(1))
    assert len(set(zip(labels, clump, strict=True))) == 4


def test_one_cluster_is_the_masking_itself(mixed):
    table = mixed(80)
    for within, plain in (("mdav_generic", MdavGeneric(k=4)), ("mondrian", Mondrian(k=4))):
        masked = released(table, clusters=1, k=4, within=within)
        expected = plain.apply(table, np.random.default_rng(0))
        assert masked.schema == expected.schema
        for name in table.names:
            np.testing.assert_array_equal(masked[name], expected[name])


def test_clusters_keep_more_of_the_file_than_regions_of_it():
    """What the clusters are for: records that are alike in all attributes lose less together."""
    table = spread_table(300, 3)

    def moved(masked):
        return sum(np.abs(masked[n].astype(int) - table[n]).sum() for n in table.names)

    clustered = released(table, clusters=4, k=20, within="global_median", options=("missing=any",))
    plain = GlobalMedian(k=20, missing="any").apply(table, np.random.default_rng(0))
    assert moved(clustered) < moved(plain)


@pytest.mark.parametrize("within", INNER)
@given(
    n=st.integers(5, 40),
    seed=st.integers(0, 2**32),
    missing=st.sampled_from([0, 0.1, 0.5]),
    k=st.integers(1, 5),
    clusters=st.integers(1, 8),
)
@settings(max_examples=25)
def test_k_anonymous_with_every_masking_within(mixed, within, n, seed, missing, k, clusters):
    table = mixed(n, seed=seed, missing=missing)
    masking = Clustered(clusters=clusters, within=within, k=k, runs=3)
    masked = masking.apply(table, np.random.default_rng(seed))
    records = values(masked, masking.targets(table))
    assert all(sum(like(a, b) for b in records) >= k for a in records)
    again = masking.apply(table, np.random.default_rng(seed))
    for name in table.names:
        np.testing.assert_array_equal(masked[name], again[name])


def test_recoded_attributes_have_one_domain(mixed):
    table = mixed(60, strata=True)
    masked = released(table, clusters=3, k=3, within="mondrian")
    assert masked.names == table.names
    for name in ("degree", "town"):
        attribute = masked.schema[name]
        assert attribute.covers
        for released_code, original in zip(masked[name], table[name], strict=True):
            if released_code >= 0:
                label = attribute.categories[released_code]
                covered = attribute.covers.get(label, (label,))
                assert original < 0 or table.schema[name].categories[original] in covered


def test_mondrian_within_follows_the_hierarchy():
    tree = Hierarchy(
        (("Lleida", "Catalonia"), ("Soria", "Castile"), ("Girona", "Catalonia"), ("Avila", "Castile"))
    )
    schema = Schema(
        [
            Attribute(name="town", scale="nominal", role="key", categories=tree.leaves, hierarchy=tree),
            Attribute(name="x", scale="numeric", role="key"),
        ]
    )
    table = Table(schema, {"town": np.tile([0, 1, 2, 3], 4), "x": np.repeat([0.0, 100.0], 8)})
    masked = released(table, clusters=2, k=4, within="mondrian")
    assert masked.to_arrow()["town"].to_pylist() == ["Lleida|Girona", "Soria|Avila"] * 8


def test_why_a_value_is_missing_is_remembered():
    schema = Schema([Attribute(name="a", scale="nominal", role="key", categories=("x", "y"), missing=("9",))])
    codes, reasons = np.array([0, 0, -1, -1, 1, 1, -1]), np.array([0, 0, 1, 1, 0, 0, 0])
    table = Table(schema, {"a": codes}, reasons={"a": reasons})
    masked = released(table, clusters=2, k=2, options=("missing=any",))
    assert masked.to_arrow()["a"].to_pylist() == ["x", "x", "9", "9", "y", "y", None]
    masked = released(table, clusters=3, k=2)
    assert masked.to_arrow()["a"].to_pylist() == ["x", "x", "9", "9", "y", "y", "9"]  # the commonest code


def test_strata_are_clustered_by_themselves(mixed):
    table = mixed(120, strata=True)
    masking = Clustered(clusters=3, k=4)
    labels = masking.clustered(table, ("degree", "town"), np.random.default_rng(0))
    for _, rows in table.strata():
        sizes = np.bincount(labels[rows])
        assert sizes.min() >= 4
        assert len(sizes) > 1
    masked = masking.apply(table, np.random.default_rng(0))
    keys = masking.targets(table)
    for _, rows in table.strata():
        records = values(masked.take(rows), keys)
        assert all(sum(like(a, b) for b in records) >= 4 for a in records)
    with pytest.raises(DataError, match=r"Stratum sector = a: clustered: k = 31 needs at least 31 .* Got 30"):
        released(table, k=31)


def test_a_column_called_cluster_is_left_alone():
    table = ordinal([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1])
    schema = Schema([table.schema["c0"], table.schema["c1"].evolve(name="cluster", role="stratum")])
    table = Table(schema, {"c0": table["c0"], "cluster": table["c1"]})
    masked = released(table, clusters=2, k=3, within="global_median")
    assert masked["c0"].tolist() == [2, 3, 2, 3, 2, 3]
    assert masked["cluster"] is table["cluster"]


def test_weights_play_no_part(mixed):
    table = mixed(60)
    heavy = table.replace({"weight": table["weight"][::-1].copy()})
    for name in ("age", "town"):
        np.testing.assert_array_equal(released(table)[name], released(heavy)[name])


def test_options_reach_the_masking_within(mixed):
    table = mixed(60, missing=0.4)
    masking = Clustered(within="local_suppression", k=2, options=("importance=1", "importance=2.5"))
    assert masking.inner(("degree", "town")).importance == (1.0, 2.5)
    masking = Clustered(within="mondrian", options=("relaxed=TRUE", "missing = impute"))
    assert masking.inner() == Mondrian(k=5, relaxed=True, missing="impute")
    imputed, kept = released(table, options=("missing=impute",)), released(table, options=("missing=any",))
    np.testing.assert_array_equal(kept.missing("town"), table.missing("town"))
    assert imputed.missing("town").sum() < kept.missing("town").sum()


def test_spec_round_trip():
    masking = Clustered(clusters=3, within="mondrian", k=4, runs=2, options=("relaxed=true",))
    spec = json.loads(json.dumps(masking.spec()))
    assert spec == {
        "method": "clustered",
        "clusters": 3,
        "within": "mondrian",
        "k": 4,
        "runs": 2,
        "options": ["relaxed=true"],
    }
    assert make_masking(spec) == masking


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"within": "pram"}, "within must be another k-anonymous masking; pram does not make a file k-anon"),
        ({"within": "individual_ranking"}, "individual_ranking does not make a file k-anonymous"),
        ({"within": "clustered"}, "clustered is this method itself"),
        ({"within": "mondrain"}, "within must be a k-anonymous masking. .*Did you mean mondrian"),
        ({"options": ("missing",)}, r"options must be a list, each item name=value. Got 'missing'"),
        ({"options": ("k=3",)}, "options must not hold k: it is a parameter of clustered itself"),
        ({"options": ("missing=any", "missing=any")}, "options must give missing once"),
        ({"options": ("missing=gone",)}, "mdav_generic: missing must be one of category, any, impute. Got"),
        ({"options": ("block=many",)}, "mdav_generic: block must be an integer of at least 1. Got 'many'"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, words):
    with pytest.raises(ParameterError, match=words):
        Clustered(**parameters)


def test_unknown_options_get_a_suggestion():
    with pytest.raises(
        UnknownNameError, match=r"Unknown parameter of mdav_generic 'mising'\. Did you mean missing"
    ):
        Clustered(options=("mising=keep",))


def test_scales_are_those_of_the_masking_within(mixed):
    table = mixed(30)
    masking = Clustered(within="global_median", k=3)
    assert masking.targets(table) == ("degree",)
    with pytest.raises(DataError, match="clustered: column age is numeric; the method takes ordinal"):
        released(table, within="global_median", attributes=("age",))


def test_command_line(tmp_path):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a},{b}" for a, b in rng.integers(0, 5, (40, 2)))
    (tmp_path / "in.csv").write_text("a,b\n" + rows + "\n")
    schema = "".join(
        f'[attributes.{n}]\nscale = "ordinal"\nrole = "key"\ncategories = ["0", "1", "2", "3", "4"]\n'
        for n in "ab"
    )
    (tmp_path / "schema.toml").write_text(schema)
    words = ["mask", str(tmp_path / "in.csv"), "--schema", str(tmp_path / "schema.toml")]
    words += ["-o", str(tmp_path / "out.csv"), "--method", "clustered", "--within", "global_median"]
    words += ["--k", "3", "--clusters", "4", "--options", "relaxed=true", "--json"]
    outcome = CliRunner().invoke(main, words)
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout)["method"] == {
        "method": "clustered",
        "clusters": 4,
        "within": "global_median",
        "k": 3,
        "options": ["relaxed=true"],
    }
    lines = (tmp_path / "out.csv").read_text().split()[1:]
    assert min(lines.count(line) for line in lines) >= 3
