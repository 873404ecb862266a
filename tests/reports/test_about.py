import dataclasses
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from swapping import small_table

from needed_parameters import NEEDED
from sfumato import group_protect
from sfumato.core import Key, registry
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.files import read_table, write_table
from sfumato.datasets import profile_graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.structure import EdgeRandomisation, KDegree, StructureMethod
from sfumato.jobs import Pair
from sfumato.jobs.graph.protect import GraphProtect
from sfumato.jobs.group_attributes import GroupAttributes
from sfumato.jobs.mask import Mask
from sfumato.jobs.protect import Protect
from sfumato.masking import Clustered, Intervals, Masking, Noise, Pram, TopBottomCoding
from sfumato.reports._quality import (
    PERCENT,
    POINTS,
    _is_related,
    _within,
    changed_in_words,
    qualities,
    relation,
)
from sfumato.reports.about import about
from sfumato.reports.delivery import perform
from sfumato.search.optimizers.memetic import Memetic

KEY = Key(bytes(range(32)))
TOWNS = ("Altenau-2A", "Birkfeld-3B", "Celldorf-4C", "Dornbach-5D")
RARE = "Zwischenwasser-9Z"
MASKINGS = (
    "rank_swapping(p=10) + pram(p=0.6)",
    "noise(kind=multiplicative, alpha=0.3)",
    "mdav_generic(k=5)",
    "global_recoding(p=3) + local_suppression(k=4, attributes=[town, grade])",
    "top_bottom_coding(percent=10, replace=mean)",
    "mondrian(k=5)",
    "sampling(fraction=0.7) + rounding(base=5000)",
)


def survey(n=300):
    """No number of it has fewer than five digits, and no category is an English word."""
    rng = np.random.default_rng(8)
    tree = Hierarchy(tuple((town, "Nordkreis", "Testland") for town in (*TOWNS, RARE)))
    schema = Schema(
        [
            Attribute(name="passport", scale="nominal", role="identifier", categories=tuple(f"P{i:06d}" for i in range(n))),
            Attribute(name="dwelling", scale="numeric", role="household", decimals=0, storage="integer"),
            Attribute(name="town", scale="nominal", role="key", categories=(*TOWNS, RARE), hierarchy=tree),
            Attribute(name="grade", scale="ordinal", role="key", categories=tuple(f"Stufe-{c}7" for c in "ABCDEF")),
            Attribute(name="income", scale="numeric", role="key", decimals=2, label="income of a year"),
            Attribute(name="rent", scale="numeric", role="key", decimals=2),
            Attribute(name="wish", scale="nominal", role="confidential", categories=("Ja-11", "Nein-12")),
            Attribute(name="expansion", scale="numeric", role="weight", decimals=2),
        ]
    )  # fmt: skip
    town = rng.integers(0, 4, n)
    town[17] = 4
    income = np.round(rng.lognormal(11, 0.4, n) + 20_000, 2)
    columns = {
        "passport": np.arange(n),
        "dwelling": 70_000 + np.arange(n) // 2,
        "town": town,
        "grade": np.clip(rng.poisson(2, n), 0, 5),
        "income": income,
        "rent": np.round(income / 3 + rng.normal(0, 3000, n) + 20_000, 2),
        "wish": rng.integers(0, 2, n),
        "expansion": np.round(rng.uniform(10_000, 20_000, n), 2),
    }
    return Table(schema, columns)


def texts(table):
    """Every value as it may be written."""
    found = set()
    for name, column in table.to_arrow(text=True).to_pydict().items():
        found.add(name)
        for value in filter(None, column):
            found |= {str(value), f"{value:,}"} if isinstance(value, int | float) else {value}
    return found


def words(html):
    """What a reader sees, in words and numbers."""
    page = Text()
    page.feed(html)
    return set(re.findall(r"[\w][\w.,-]*\w|\w", " ".join(page.seen)))


class Text(HTMLParser):
    """The text of a page, its tags and addresses; tags must be nested well."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.addresses, self.seen = [], set(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "data")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.append(data)


def done(job, **given):
    with job.work() as work:
        job = job.settled(work)
        return job.run(*job.read(work, **given), work=work)


def masked(masking="rank_swapping", table=None, **asked):
    return done(Mask(masking=masking, secret=KEY, **asked), file=table or survey())


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    write_table(survey(), folder / "survey.parquet")
    (folder / "survey.schema.toml").write_text(survey().schema.to_toml(), encoding="utf-8")
    return folder


def jobs(folder):
    asked = {"file": folder / "survey.parquet", "schema": folder / "survey.schema.toml"}
    for number, masking in enumerate(MASKINGS):
        yield Mask(**asked, masking=masking, shuffle=True, output=folder / f"masked{number}.csv")
    yield Protect(**asked, masking="mdav(k=3) + pram", output=folder / "protected.csv")
    yield Protect(**asked, masking="noise", seed=90_210, with_verdict=False, output=folder / "studied.csv")
    yield GroupAttributes(**asked, k=3, output=folder / "grouped.csv")


@pytest.mark.parametrize(
    "number", [*range(len(MASKINGS) + 2), pytest.param(len(MASKINGS) + 2, marks=pytest.mark.slow)]
)
def test_the_page_tells_nothing_that_is_not_in_the_release(written, number):
    job = list(jobs(written))[number]
    perform(job)
    html = job.targets()["about"].read_text(encoding="utf-8")
    schema = Schema.read(job.targets()["schema"])
    assert RARE in texts(survey())
    told = words(html)
    assert not told & (texts(survey()) - texts(read_table(job.output, schema=schema)))
    assert schema.names[0] in told
    assert {RARE, "70,001"} <= words(
        html.replace("</main>", f"<p>({RARE}, 70,001).</p></main>")
    )  # it would be seen
    private = set()
    for path in job.private_folder.iterdir():
        private |= {
            word
            for word in re.findall(r"\w{5,}", path.read_bytes().decode("latin-1"))
            if re.search(r"\d", word)
        }
    public = job.output.read_text() + job.targets()["schema"].read_text()
    assert not {word for word in told & private if word not in public}


@pytest.mark.parametrize("masking", MASKINGS)
def test_bands_hide_the_figures_of_the_original(masking):
    outcome = masked(masking)
    told = words(about(outcome))
    for name in ("income", "rent", "expansion"):
        values = survey()[name]
        for figure in (values.mean(), values.sum(), values.std(), values.max(), np.median(values)):
            assert not told & {f"{figure:.{d}f}" for d in range(4)} | told & {
                f"{figure:,.{d}f}" for d in range(4)
            }


def test_another_original_of_the_same_bands_gives_the_same_page():
    outcome = masked("rank_swapping(p=10, attributes=[income, rent])")
    richer = survey()["income"].copy()
    richer[5] *= 1.1
    other = dataclasses.replace(outcome, original=outcome.original.replace({"income": richer}))
    assert about(other) == about(outcome)


def test_the_same_release_gives_the_same_bytes():
    assert about(masked("pram")) == about(masked("pram"))


@pytest.mark.parametrize("masking", MASKINGS)
def test_the_page_stands_alone(masking):
    page = Text()
    page.feed(about(masked(masking)))
    page.close()
    assert page.open == []
    assert page.addresses == []
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form"}


def test_names_are_escaped():
    table = survey()
    odd = table.schema["rent"].evolve(label="<script>&")
    html = about(masked(table=table.with_schema(table.schema.replace([odd]))))
    assert "&lt;script&gt;&amp;" in html
    assert "<script>" not in html


def test_who_was_left_out_is_counted_and_not_named():
    html = about(masked())
    assert "1 column that identifies people, or could help to, was left out" in html
    assert "passport" not in html


def test_a_study_is_no_release():
    assert "Made for a study; not for publication" in about(done(Mask(masking="pram", seed=1), file=survey()))
    assert "not for publication" not in about(masked("pram"))


def test_what_stays_as_it_was_is_named_and_households_are_new():
    html = about(masked("pram", shuffle=True))
    assert "<b>As collected:</b> income, rent, wish, expansion." in html
    assert "<b>Households (dwelling):</b> the numbers are new" in html
    assert "<b>Order:</b> the records are in a random order" in html
    assert "<b>Order:</b>" not in about(masked("pram"))


def test_removed_values_and_weights_are_told():
    html = about(masked("local_suppression(k=4, attributes=[town, grade])"))
    assert re.search(r"some values of (town|grade|town, grade) were removed", html)
    assert "Weights (expansion):</b> as collected" in html
    assert "Weights (expansion):</b> scaled" in about(masked("sampling(fraction=0.5)"))


def test_values_that_were_missing_before_were_not_removed():
    income = survey()["income"].copy()
    income[::10] = np.nan
    told = about(masked("noise", table=survey().replace({"income": income})))
    assert "missing where they were when collected." in told
    assert "were removed" not in told and "filled in" not in told


def test_few_records_and_files_on_disk_have_no_quality():
    few = about(masked(table=survey().take(np.arange(99))))
    assert "Values changed" not in few
    assert "fewer than 100 records" in few
    unread = about(dataclasses.replace(masked(), table=None))
    assert "Values changed" not in unread
    assert "was not measured" in unread


def test_a_variable_that_was_changed_twice_says_so():
    assert "grade: changed by several of these in turn" in about(masked("rank_swapping + pram"))


def test_groups_are_neither_named_nor_located():
    outcome = group_protect(
        small_table(),
        vital={"soldier": ["yes"]},
        parameter="place",
        along=["county"],
        without_vital=True,
        optimizer=Memetic(population=30),
        generations=40,
        significance=0.05,
    )
    html = about(outcome)
    told = words(html)
    assert "cannot be located" in html
    assert "soldier" not in told
    assert not told & set(outcome.comparison.before.places)
    assert str(len(outcome.swaps)) not in told
    assert "Relations" not in html


@pytest.mark.parametrize("structure", [None, "edge_randomisation(p=20)"])
def test_graphs(structure):
    graph = profile_graph(150, seed=5)
    outcome = done(GraphProtect(k=4, structure=structure, secret=KEY), graph=graph)
    html = about(outcome)
    assert "150 people with" in html
    assert ("<b>Links:</b> as collected" in html) == (structure is None)
    assert ("about 20 % of those collected are not in the file; their number is exact" in html) == bool(
        structure
    )
    places = {word for row in graph.nodes.schema["location"].hierarchy.rows for word in row}
    assert not words(html) & {*places, *graph.nodes.schema["user"].categories}


def variants():
    for name in registry.names("masking"):
        yield registry.load("masking", name)(**NEEDED.get(name, {}))
    yield from (Noise(kind=kind) for kind in ("uncorrelated", "correlated_transformed", "multiplicative"))
    yield from (
        Pram(matrix="invariant"),
        TopBottomCoding(replace="mean"),
        Intervals(cuts=[18], value="mean"),
        Clustered(within="mondrian"),
    )


@pytest.mark.parametrize("method", list(variants()), ids=str)
def test_every_masking_says_what_happened_and_what_to_do(method):
    assert_is_advice(method.advice, Masking.for_users)


@pytest.mark.parametrize("name", registry.names("structure"))
def test_every_structure_method_says_what_happened_and_what_to_do(name):
    assert_is_advice(registry.load("structure", name)().advice, StructureMethod.for_users)


def test_other_graph_methods_say_it_too():
    assert_is_advice(AttributeProtection.for_users, StructureMethod.for_users)
    assert_is_advice(KDegree(how="move").advice, StructureMethod.for_users)
    assert EdgeRandomisation(how="switch").advice != EdgeRandomisation.for_users


def assert_is_advice(advice, default):
    assert advice != default
    assert len(set(advice)) == 3
    for text in advice:
        assert 25 <= len(text) <= 260
        assert text[0].isupper()
        assert text.endswith(".")
    assert re.match(
        r"(Ask|Use|Rely|Take|Analyse|Treat|Correct|Divide|Multiply|Work|Do not|For a variance)", advice.remedy
    )


def test_noise_is_corrected_by_the_factor_that_it_tells():
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1, 20_000)
    schema = Schema([Attribute(name=name, scale="numeric", role="key") for name in "xy"])
    table = Table(schema, {"x": x, "y": 2 * x + rng.normal(0, 1, len(x))})
    noisy = Noise(kind="uncorrelated", alpha=0.5, attributes=("x",)).apply(table, rng)
    slope = np.polyfit(noisy["x"], noisy["y"], 1)[0]
    assert (
        "multiply slopes on one such variable by 1.5" in Noise(kind="uncorrelated", alpha=0.5).advice.remedy
    )
    assert slope * 1.5 == pytest.approx(2, rel=0.03)
    assert noisy["x"].var() / 1.5 == pytest.approx(1, rel=0.03)
    scaled = Noise(kind="correlated_transformed", alpha=0.5, attributes=("x",)).apply(table, rng)
    assert "by 1.22" in Noise(kind="correlated_transformed", alpha=0.5).advice.remedy
    r, r_scaled = (np.corrcoef(t["x"], t["y"])[0, 1] for t in (table, scaled))
    assert r_scaled * 1.22 == pytest.approx(r, rel=0.03)
    drawn = Noise(kind="multiplicative", alpha=0.5, attributes=("y",)).apply(table, rng)
    y, e = table["y"], drawn["y"]
    assert (e**2).mean() / 1.5 - e.mean() ** 2 == pytest.approx(y.var(), rel=0.05)


def test_a_category_that_was_not_collected_is_a_change_wherever_it_stands():
    collected = Attribute(name="town", scale="nominal", categories=("a", "b", "c"))
    coarse = collected.evolve(categories=("c", "a or b"), covers={"a or b": ("a", "b")})
    codes = np.repeat([0, 1, 2, -1], [40, 40, 40, 80])
    released = np.repeat([1, 1, 0, -1], [40, 40, 40, 80])
    pair = Pair(Table(Schema([collected]), {"town": codes}), Table(Schema([coarse]), {"town": released}))
    assert qualities(pair, ["town"], relations=False)["town"].changed == changed_in_words(0.4)
    for category in ("a", "b", "c"):
        own = collected.evolve(categories=("x",), covers={"x": (category,)})
        everybody = np.full(100, collected.categories.index(category))
        pair = Pair(
            Table(Schema([collected]), {"town": everybody}),
            Table(Schema([own]), {"town": np.zeros(100, int)}),
        )
        assert qualities(pair, ["town"], relations=False)["town"].changed == changed_in_words(1)


@pytest.mark.parametrize(
    ("size", "role", "related"),
    [(1, "key", False), (2, "key", True), (50, "other", True), (51, "key", False), (2, "weight", False)],
)
def test_relations_are_told_of_columns_of_two_to_fifty_categories(size, role, related):
    town = Attribute(name="town", scale="nominal", role="key", categories=tuple(map(str, range(size))))
    town = town if role != "weight" else Attribute(name="town", scale="numeric", role="weight")
    values = np.ones(5) if role == "weight" else np.zeros(5, int)
    assert _is_related(Table(Schema([town.evolve(role=role)]), {"town": values}), "town") is related


def test_relations_are_those_of_the_books():
    table = survey()
    r = np.corrcoef(table["income"], table["rent"])[0, 1]
    assert relation(table, "income", "rent") == pytest.approx(r)
    cells = np.zeros((5, 6))
    np.add.at(cells, (table["town"], table["grade"]), 1)
    cells = cells[:, cells.any(axis=0)]
    v = np.sqrt(chi2_contingency(cells, correction=False).statistic / (table.n * (min(cells.shape) - 1)))
    assert relation(table, "town", "grade") == pytest.approx(v)
    groups = [table["income"][table["wish"] == code] for code in (0, 1)]
    between = sum(len(g) * (g.mean() - table["income"].mean()) ** 2 for g in groups)
    ratio = np.sqrt(between / (table.n * table["income"].var()))
    assert relation(table, "income", "wish") == relation(table, "wish", "income") == pytest.approx(ratio)
    apart = table.replace(
        {"grade": np.where(table["grade"] == 1, 2, table["grade"])}
    )  # a grade that nobody has
    groups = [apart["income"][apart["grade"] == code] for code in np.unique(apart["grade"])]
    between = sum(len(g) * (g.mean() - table["income"].mean()) ** 2 for g in groups)
    assert relation(apart, "income", "grade") ** 2 == pytest.approx(
        between / (table.n * table["income"].var())
    )
    both = np.flatnonzero(~(table.missing("income") | table.missing("rent")))
    assert relation(table.take(both[:99]), "income", "rent") is None
    assert relation(table.take(both[:100]), "income", "rent") is not None


def test_bands_end_where_they_say():
    told = [_within(percent, PERCENT, "{} %") for percent in (0.5, 3, 7, 20, 40, 60)]
    assert told == [*(f"within {end} %" for end in (1, 5, 10, 25, 50)), "off by more than 50 %"]
    told = [_within(points, POINTS, "{} points") for points in (1, 3, 7, 15, 40)]
    assert told == [*(f"within {end} points" for end in (2, 5, 10, 20)), "off by more than 20 points"]


def test_bands():
    table = survey()
    income = table["income"]
    moved = table.replace({"income": income + 0.07 * income.std()})
    wider = table.replace({"income": income.mean() + 1.2 * (income - income.mean())})
    same = qualities(Pair(table, table), ["income", "town"], relations=True)
    assert same["income"].centre == "mean within 1 % of a standard deviation"
    assert same["income"].spread == "within 1 %"
    assert same["income"].relations == "at most 0.02"
    assert same["town"].centre == "shares within 2 points"
    assert qualities(Pair(table, moved), ["income"], relations=False)["income"].centre == (
        "mean within 10 % of a standard deviation"
    )
    assert qualities(Pair(table, wider), ["income"], relations=False)["income"].spread == "up to 25 % larger"
    for ratio, words in ((1.45, "up to 50 % larger"), (1.6, "over 50 % larger"), (0.3, "over 50 % smaller")):
        stretched = table.replace({"income": income.mean() + ratio * (income - income.mean())})
        found = qualities(Pair(table, stretched), ["income"], relations=False)
        assert found["income"].spread == words
    wishes = (
        table.replace({"wish": np.arange(table.n) % 10 // 5}),
        table.replace({"wish": np.arange(table.n) % 10 // 8}),
    )
    assert (
        qualities(Pair(*wishes), ["wish"], relations=False)["wish"].centre
        == "shares off by more than 20 points"
    )
    assert [changed_in_words(share) for share in (0, 0.02, 0.11, 0.99, 1)] == [
        "under 5 %", "under 5 %", "about 10 %", "over 95 %", "over 95 %",
    ]  # fmt: skip


def test_a_record_of_a_release_is_as_before(written):
    """What the page needs is not written into the record."""
    job = Mask(file=written / "survey.parquet", masking="pram", seed=1, output=written / "plain.csv")
    perform(job)
    record = json.loads((written / "plain.private" / "record.json").read_text())
    assert "original" not in record
