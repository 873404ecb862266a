"""`protect --epsilon`: what is promised, where it is told, and that nothing public hangs on the original otherwise."""

import json
from functools import partial
from html import unescape

import numpy as np
import pytest

import sfumato
from sfumato.core import DataError, Key, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.files import write_table
from sfumato.jobs.protect import Protect
from sfumato.masking import CalibratedSynthesis
from sfumato.masking.synthesis.formal_questions import FormalQuestions
from sfumato.reports.about import about
from sfumato.reports.protection import protection as report

pytest.importorskip("opendp", reason="the extra formal is not installed")

KEY = Key(bytes(range(32)))
SCHEMA = Schema(
    [
        Attribute(name="person", scale="numeric", role="identifier", decimals=0, storage="integer"),
        Attribute(name="home", scale="numeric", role="household", decimals=0, storage="integer"),
        Attribute(name="age", scale="numeric", role="key", low=0, high=99, decimals=0, storage="integer"),
        Attribute(name="town", scale="nominal", role="key", categories=("Lleida", "Reus", "Soria", "Vic", "Reus|Vic"),
                  covers={"Reus|Vic": ("Reus", "Vic")}),
        Attribute(name="pay", scale="numeric", role="confidential", low=0, high=90_000, decimals=0, missing=("-9",)),
        Attribute(name="school", scale="ordinal", categories=("none", "some", "much")),
    ]
)  # fmt: skip
STATEMENT = "(ε, δ)-differential privacy with ε = 1, δ = 1e-06"
protect = partial(sfumato.protect, with_verdict=False, schema=SCHEMA, secret=KEY)


def survey(n=200, seed=0):
    rng = np.random.default_rng(seed)
    school = rng.integers(0, 3, n)
    away = rng.random(n) < 0.2
    columns = {
        "person": np.arange(n),
        "home": np.arange(n) // 2,
        "age": rng.integers(16, 90, n),
        "town": np.minimum(rng.integers(0, 60, n) // 19, 3),  # Vic is rare
        "pay": np.where(away, np.nan, np.rint(rng.uniform(10_000, 40_000, n) * (1 + school) / 2)),
        "school": school,
    }
    return Table(SCHEMA, columns, reasons={"pay": np.where(away, 1, 0)})


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Both envelopes of a release, and what was told of it."""
    folder = tmp_path_factory.mktemp("released")
    write_table(survey(), folder / "in.csv")
    found = protect(folder / "in.csv", epsilon=1.0, output=folder / "out.csv")
    return folder, found


def others(n=200):
    """People who have nothing in common with those of the survey, but that they are as many."""
    return survey(n, seed=1).replace(
        {"age": np.full(n, 20), "town": np.full(n, 3), "pay": np.full(n, 90_000.0)}
    )


def page(path):
    return unescape(path.read_text(encoding="utf-8"))


# Where it is told


def test_the_promise_stands_in_record_report_page_and_on_the_screen(released):
    folder, found = released
    record = json.loads((folder / "out.private/record.json").read_text())
    assert record["promise"]["holds"] is True
    assert (record["promise"]["epsilon"], record["promise"]["delta"]) == (1.0, 1e-6)
    told = record["promise"]["sentences"]
    assert told[0].startswith(STATEMENT)
    screen = [line for line in found.told() if isinstance(line, str)]
    for sentence in told:
        assert sentence in page(folder / "out.private/report.html")
        assert sentence in screen
    published = list(found.promise.sentences())
    for sentence in published:
        assert sentence in page(folder / "out.about.html")
    private = " ".join(told[len(published) :])
    assert "outside the promise" in private and "another key" in private
    assert "number of records" in " ".join(published) and "ε of all of it add up" in " ".join(published)


def test_every_column_but_those_of_identifiers_and_households_is_made_anew(released):
    _, found = released
    assert found.release.names == ("age", "town", "pay", "school")
    assert found.release.n == 200
    assert {one.kind for one in found.treated.columns if one.name in found.release.names} == {"masked"}
    assert found.chosen.masking == CalibratedSynthesis(epsilon=1.0)
    assert not found.searched and found.ready is False  # nobody judged it, as was asked for


def test_it_is_repeated_by_its_study(released, tmp_path):
    folder, found = released
    job = found.repeated()
    assert job.settings()["epsilon"] == 1.0
    text = (folder / "out.private/study.toml").read_text()
    assert "epsilon = 1.0" in text
    again = protect(folder / "in.csv", epsilon=1.0, output=tmp_path / "out.csv")
    assert again.release.fingerprint == found.release.fingerprint
    for name in ("out.csv", "out.schema.toml", "out.about.html"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_the_same_masking_asked_for_by_name_has_the_same_promise(released):
    folder, found = released
    other = protect(folder / "in.csv", masking="calibrated_synthesis(epsilon=1)")
    assert other.release.fingerprint == found.release.fingerprint
    assert other.promise == found.promise and other.promise_holds


def test_under_a_seed_nothing_is_promised(tmp_path):
    found = sfumato.protect(
        survey(), schema=SCHEMA, epsilon=1.0, seed=3, with_verdict=False, output=tmp_path / "out.csv"
    )
    assert not found.ready and not found.promise_holds
    record = json.loads((tmp_path / "out.private/record.json").read_text())
    assert record["promise"]["holds"] is False and "epsilon" not in record["promise"]
    assert any("Nothing is promised" in line for line in found.told() if isinstance(line, str))
    assert "Nothing is promised" in page(tmp_path / "out.private/report.html")
    assert "differential privacy" not in page(tmp_path / "out.about.html")


def test_mask_promises_the_same(tmp_path):
    table = survey().select(["age", "town", "pay", "school"])
    masking = "calibrated_synthesis(epsilon=1)"
    sfumato.mask(table, masking, schema=table.schema, secret=KEY, output=tmp_path / "out.csv")
    assert STATEMENT in page(tmp_path / "out.about.html")
    record = json.loads((tmp_path / "out.private/record.json").read_text())
    assert record["promise"]["holds"] is True
    with pytest.raises(DataError, match="--schema"):
        sfumato.mask(table, masking)


# What is refused


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"methods": ["mdav"]}, "methods"),
        ({"require": ["k >= 3"]}, "require"),
        ({"score": "max"}, "score"),
        ({"grouped": [3]}, "group-attributes"),
        ({"evolve": "3g"}, "evolve"),
        ({"keep": ["person"]}, "keep"),
        ({"masking": "mdav(k=3)"}, "masking"),
        ({"generations": 3, "sample": 100}, "sample, stop"),
    ],
)
def test_what_would_look_at_the_original_is_refused(asked, named):
    with pytest.raises(
        ParameterError, match=f"nothing is chosen by looking at the original.*leave out {named}"
    ):
        Protect.from_settings({"epsilon": 1.0, **asked})


def test_delta_alone_is_refused():
    with pytest.raises(ParameterError, match="give epsilon too"):
        Protect(delta=1e-9)


def test_columns_must_be_declared(tmp_path):
    with pytest.raises(DataError, match="give it with --schema"):
        sfumato.protect(survey(), epsilon=1.0)  # a table has a schema that anybody may have guessed
    write_table(survey(), tmp_path / "in.parquet")  # which holds its schema
    with pytest.raises(DataError, match="give it with --schema"):
        sfumato.protect(tmp_path / "in.parquet", epsilon=1.0)


def test_a_number_without_bounds_is_refused_with_what_to_write():
    unbounded = SCHEMA.replace([SCHEMA["pay"].evolve(low=None)])
    with pytest.raises(DataError, match=r"low = 0 and high = 120 under \[attributes.pay\]"):
        protect(survey(), schema=unbounded, epsilon=1.0)


def test_codes_that_only_the_file_tells_of_are_refused(tmp_path):
    table = survey(60)
    undeclared = SCHEMA.replace([SCHEMA["pay"].evolve(missing=())])
    special = SCHEMA["pay"].evolve(missing=(".a",))
    write_table(
        Table(
            SCHEMA.replace([special]),
            {n: table[n] for n in table.names},
            reasons={"pay": table.reasons("pay")},
        ),
        tmp_path / "in.dta",
    )
    with pytest.raises(DataError, match=r"add \.a to missing"):
        protect(tmp_path / "in.dta", schema=undeclared, epsilon=1.0)


def test_a_file_that_stays_on_disk_is_refused(tmp_path):
    write_table(survey(), tmp_path / "in.parquet")
    with pytest.raises(ParameterError, match="--epsilon works in memory"):
        protect(tmp_path / "in.parquet", epsilon=1.0, memory=1)


# What is read


class Deaf(FormalQuestions):
    """Answers about other people, whoever is in the original."""

    def __init__(self, table, cells, *, rho, rng):
        super().__init__(survey(table.n, seed=9), cells, rho=rho, rng=np.random.default_rng(5))


@pytest.mark.parametrize("verdict", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_two_originals_with_the_same_answers_have_the_same_public_files(tmp_path, monkeypatch, verdict):
    # the stream under a key hangs on the file too, which is no answer: here both have one
    monkeypatch.setattr("sfumato.masking.calibrated_synthesis.FormalQuestions", Deaf)
    monkeypatch.setattr(Table, "digest", "alike")
    found = []
    for number, original in enumerate((survey(), others())):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_table(original, folder / "in.csv")
        protect(folder / "in.csv", epsilon=1.0, output=folder / "out.csv", with_verdict=verdict)
        public = sorted(path for path in folder.iterdir() if path.name.startswith("out") and path.is_file())
        found.append({path.name: path.read_bytes() for path in public})
    assert set(found[0]) == {"out.csv", "out.schema.toml", "out.about.html"}
    assert found[0] == found[1]
    assert (tmp_path / "0/in.csv").read_bytes() != (tmp_path / "1/in.csv").read_bytes()


class Watched(Table):
    """A table that counts how often its values are read, also by tables that are made of it."""

    reads = 0

    def select(self, names):
        Watched.reads += 1
        return super().select(names)

    def take(self, rows):
        Watched.reads += 1
        return super().take(rows)

    def __getitem__(self, name):
        Watched.reads += 1
        return super().__getitem__(name)

    def reasons(self, name):
        Watched.reads += 1
        return super().reasons(name)


def test_what_goes_out_reads_nothing_of_the_original(monkeypatch):
    found = protect(survey(), epsilon=1.0)
    table = found.original
    watched = Watched(table.schema, {n: table[n] for n in table.names})
    object.__setattr__(found, "original", watched)
    Watched.reads = 0
    assert found.published.table.n == 200
    assert STATEMENT in unescape(about(found))
    assert Watched.reads == 0
    report(found, found.job)  # which is private, and shows that reads are counted
    assert Watched.reads > 0


def test_the_codebook_names_what_is_released_and_nothing_else(released):
    folder, found = released
    book = Schema.read(folder / "out.schema.toml")
    seen = {book["town"].categories[code] for code in np.unique(found.release["town"]) if code >= 0}
    assert set(book["town"].categories) == seen
    assert book["school"].categories == tuple(
        c for c in SCHEMA["school"].categories if c in book["school"].categories
    )


# The promise itself, where it can be checked


def outcomes(records, epsilon, delta, draws):
    """How often a file of one column comes out with so many of each category."""
    schema = Schema([Attribute(name="x", scale="nominal", categories=("a", "b"))])
    table, masking = Table(schema, {"x": records}), CalibratedSynthesis(epsilon=epsilon, delta=delta)
    found = {}
    for seed in range(draws):
        new = masking.apply(table, np.random.default_rng(seed))["x"]
        key = int((new == 0).sum()), int((new == 1).sum())
        found[key] = found.get(key, 0) + 1 / draws
    return found


def beyond(one, other, epsilon):
    """The share of outcomes by which the first exceeds what e to the ε times the second allows: δ, at the most."""
    return sum(max(0.0, share - np.exp(epsilon) * other.get(key, 0.0)) for key, share in one.items())


def test_files_of_two_neighbours_keep_the_promise_on_a_toy():
    neighbours, epsilon, delta, draws = ([0, 0, 0, 0], [0, 0, 0, 1]), 0.5, 0.05, 600
    files = [outcomes(records, epsilon, delta, draws) for records in neighbours]
    most = delta + 3 / np.sqrt(draws)  # by chance alone
    assert beyond(*files, epsilon) <= most
    assert beyond(*reversed(files), epsilon) <= most
    loose = [outcomes(records, 60.0, delta, 200) for records in neighbours]
    assert beyond(*loose, epsilon) > most  # where next to nothing is promised, the same check fails
