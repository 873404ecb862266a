import base64
import csv
import tomllib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.core import DataError, registry
from sfumato.data import Attribute, Hierarchy, Schema, Table, read_table, write_table
from sfumato.data.arrow_columns import as_text
from sfumato.data.blocks import BlockWriter
from sfumato.data.codebook import Codebook, Originals
from sfumato.data.encoding import decode
from sfumato.data.formats import writable_suffixes
from sfumato.data.parquet_stream import write_parquet_blocks
from sfumato.masking import make_masking, masked_with

TOWNS = ("Lleida", "Reus", "Soria", "Vic", "Ávila", "Olot")
SUFFIXES = (".csv", ".parquet", ".sav", ".zsav", ".dta", ".xpt")
MASKINGS = (
    "global_recoding(p=3)",
    "top_bottom_coding(p=2, side=top)",
    "mondrian(k=3)",
    "local_suppression(k=3)",
    "mdav_generic(k=4)",
    "sampling(fraction=0.4)",
    "pram",
)


def table(**columns):
    """A table from attributes (without names) and their values."""
    attributes = [Attribute(name=name, **declared) for name, (declared, _) in columns.items()]
    return Table(Schema(attributes), {name: values for name, (_, values) in columns.items()})


def towns(codes, **declared):
    return table(town=({"scale": "nominal", "role": "key", "categories": TOWNS, **declared}, codes))


def published(release, originals):
    return Codebook.of(release, originals).applied(release)


class TestWhatIsLeft:
    def test_categories_that_no_record_has_are_gone_and_the_order_of_nominal_ones_with_them(self):
        before = towns([4, 2, 4, -1], labels={"Soria": "S", "Vic": "V"})
        after = published(before, Originals.of(before))
        assert after.schema["town"].categories == ("Soria", "Ávila")
        assert after.schema["town"].labels == {"Soria": "S"}
        assert after.to_arrow().equals(before.to_arrow())

    def test_ordinal_categories_keep_their_order(self):
        before = towns([4, 0, 2], scale="ordinal")
        assert published(before, Originals.of(before)).schema["town"].categories == (
            "Lleida",
            "Soria",
            "Ávila",
        )

    def test_bounds_decimals_and_labels_of_originals_are_gone(self):
        declared = {"low": -5, "high": 1000, "decimals": 4, "labels": {"2.5": "here", "7": "not here"}}
        before = table(x=({"scale": "numeric", **declared}, [1, 2.5]))
        x = published(before, Originals.of(before)).schema["x"]
        assert (x.low, x.high, x.decimals, x.labels) == (None, None, 1, {"2.5": "here"})

    def test_missing_codes_stay_where_they_are_used(self):
        town = Attribute(name="town", scale="nominal", categories=TOWNS, missing=("no", "ill", "?"))
        before = Table(Schema([town]), {"town": [0, -1, -1, -1]}, reasons={"town": np.array([0, 3, 1, 0])})
        after = published(before, Originals.of(before))
        assert after.schema["town"].missing == ("no", "?")
        assert after.to_arrow(text=True)["town"].to_pylist() == ["Lleida", "?", "no", None]

    def test_paths_of_a_hierarchy_are_those_of_what_occurs(self):
        rows = tuple((town, "Catalonia" if town in TOWNS[:2] else "Castile") for town in TOWNS)
        before = towns([0, 2], hierarchy=Hierarchy(rows))
        found = published(before, Originals.of(before)).schema["town"].hierarchy
        assert found.rows == (("Lleida", "Catalonia"), ("Soria", "Castile"))

    def test_a_hierarchy_stays_where_all_occur_and_goes_where_one_has_no_path(self):
        rows = tuple((town, "Catalonia" if town in TOWNS[:2] else "Castile") for town in TOWNS)
        everywhere = list(range(len(TOWNS)))
        for paths, expected in ((rows, rows), (rows[1:], None)):
            before = towns(everywhere, hierarchy=Hierarchy(paths))
            found = published(before, Originals.of(before)).schema["town"].hierarchy
            assert (found and found.rows) == expected

    def test_roles_and_labels_of_columns_stay(self):
        before = towns([0], label="Where they live")
        town = published(before, Originals.of(before)).schema["town"]
        assert (town.role, town.label) == ("key", "Where they live")


class TestMergedCategories:
    """Lleida and Reus are common, Soria is rare (5), Vic very (1)."""

    original = towns([0] * 30 + [1] * 20 + [2] * 5 + [3])
    originals = Originals.of(original)

    def released(self, name, members, *, scale="nominal", **declared):
        rest = tuple(c for c in TOWNS if c not in members)
        declared = {"categories": (name, *rest), "covers": {name: tuple(members)}, "scale": scale, **declared}
        return Codebook.of(towns([0, 0], **declared), self.originals)

    def test_what_covers_common_ones_only_says_so(self):
        book = self.released("Lleida|Reus", ["Lleida", "Reus"])
        assert book.schema["town"].covers == {"Lleida|Reus": ("Lleida", "Reus")}

    @pytest.mark.parametrize(
        ("name", "members", "neutral"),
        [
            ("Lleida|Reus|Vic", ["Lleida", "Reus", "Vic"], "Lleida|Reus|…"),
            ("Soria|Vic", ["Soria", "Vic"], "other"),
            ("Lleida|…|Vic 2", ["Lleida", "Reus", "Soria", "Vic"], "Lleida|Reus|…"),
            ("other", ["Reus", "Vic"], "other"),
        ],
    )
    def test_a_set_names_its_common_members(self, name, members, neutral):
        book = self.released(name, members)
        assert book.schema["town"].categories == (neutral,) and not book.schema["town"].covers
        assert book.full["town"].covers == {neutral: tuple(members)}

    @pytest.mark.parametrize(
        ("name", "members", "neutral"),
        [
            ("Lleida..Vic", TOWNS[:4], "Lleida.."),
            ("Soria..Vic", TOWNS[2:4], "other"),
            ("Lleida..Reus", TOWNS[:2], "Lleida..Reus"),
            ("Reus..Olot", TOWNS[1:], "Reus.."),
        ],
    )
    def test_an_interval_is_open_where_its_end_is_rare(self, name, members, neutral):
        assert self.released(name, members, scale="ordinal").schema["town"].categories == (neutral,)

    def test_the_place_of_an_open_interval_does_not_tell_where_it_ends(self):
        names = ("Lleida", "Reus", "Lleida..Vic", "Lleida..Reus")
        covers = {"Lleida..Vic": TOWNS[:4], "Lleida..Reus": TOWNS[:2]}
        released = towns([3, 2, 1, 0], scale="ordinal", categories=names, covers=covers)
        found = published(released, self.originals).schema["town"].categories
        assert found == ("Lleida", "Lleida..", "Lleida..Reus", "Reus")

    def test_a_neutral_name_is_never_that_of_an_original_category(self):
        original = towns([0] * 30 + [1], categories=("Lleida", "other", "Vic"))
        merged = original.schema["town"].evolve(
            categories=("Vic|other",), covers={"Vic|other": ("Vic", "other")}
        )
        book = Codebook.of(Table(Schema([merged]), {"town": [0]}), Originals.of(original))
        assert book.schema["town"].categories == ("other 2",)

    def test_the_words_of_a_declared_hierarchy_are_public(self):
        rows = tuple((town, "Vic") for town in TOWNS)
        original = towns([0] * 30 + [3], hierarchy=Hierarchy(rows))
        book = Codebook.of(
            masked_with(make_masking("global_recoding(level=1)"), original, seed=1), Originals.of(original)
        )
        assert book.schema["town"].categories == ("Vic",) and not book.schema["town"].covers

    def test_records_whose_value_was_suppressed_do_not_make_a_category_common(self):
        gone = towns([-1] * 30 + [1] * 20 + [2] * 5 + [3])
        originals = Originals.of(self.original, gone)
        assert originals.is_rare("town", "Lleida") and not originals.is_rare("town", "Reus")


def occurring(masked):
    """The texts that the records of a table show, by column, with the missing codes in use."""
    found = {}
    for attribute in masked.schema:
        texts = set(as_text(masked.to_arrow()[attribute.name]).to_pylist())
        reasons = masked.reasons(attribute.name)
        used = [] if reasons is None else [attribute.missing[r - 1] for r in set(reasons.tolist()) - {0}]
        found[attribute.name] = (
            texts | set(used) | {"0" if t == "false" else "1" for t in texts & {"false", "true"}}
        )
    return found


def said_in_text(path):
    with path.open(newline="", encoding="utf-8") as file:
        return {name: set() for name in next(csv.reader(file))}


def said_in_parquet(path):
    file = pq.ParquetFile(path)
    assert set(file.metadata.metadata) == {b"ARROW:schema", b"sfumato.schema"}
    inside = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(file.metadata.metadata[b"ARROW:schema"])))
    assert inside.metadata == {b"sfumato.schema": file.metadata.metadata[b"sfumato.schema"]}
    for column in inside:
        assert not column.metadata or set(column.metadata) <= {b"PARQUET:field_id"}
        assert not pa.types.is_dictionary(column.type)
    said = {}
    for name, declared in tomllib.loads(inside.metadata[b"sfumato.schema"].decode())["attributes"].items():
        assert not {"low", "high"} & set(declared)
        listed = ("categories", "missing", "labels", "covers")
        said[name] = {text for part in listed for text in declared.get(part, ())}
        said[name] |= {row[0] for row in declared.get("hierarchy", ())}
    return said


def said_in_statistics(path):
    reader = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".xpt": "read_xport"}[path.suffix]
    _, meta = getattr(pyreadstat, reader)(path, **({} if path.suffix == ".xpt" else {"user_missing": True}))
    assert not meta.notes and not meta.file_label and not meta.mr_sets
    assert meta.table_name in (None, "DATASET")
    said = {}
    for name in meta.column_names:
        ends = {end for r in meta.missing_ranges.get(name, ()) for end in (r["lo"], r["hi"])}
        text = meta.readstat_variable_types[name] == "string"
        labelled = {*meta.variable_value_labels.get(name, ()), *meta.missing_user_values.get(name, ()), *ends}
        said[name] = {value if text else plain_text(value) for value in labelled if value != ""}
    return said


def plain_text(value):
    return f".{value}" if isinstance(value, str) else as_text(pa.array([float(value)]))[0].as_py()


SAID = {".csv": said_in_text, ".parquet": said_in_parquet} | dict.fromkeys(SUFFIXES[2:], said_in_statistics)


@st.composite
def surveys(draw):
    """Some dozens of records with columns of every kind, many of whose categories are rare."""
    n = draw(st.integers(12, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skewed = lambda size: np.minimum(rng.geometric(0.5, n) - 1, size - 1)  # noqa: E731
    missing = draw(st.sampled_from([(), ("-8", "-9")]))
    town = Attribute(
        name="town",
        scale="nominal",
        role="key",
        categories=TOWNS,
        labels={"Vic": "V", "Reus": "R", "-8": "no"},
    )
    attributes = [
        town.evolve(missing=missing),
        Attribute(
            name="grade",
            scale="ordinal",
            role="key",
            storage="integer",
            categories=tuple("123456"),
            missing=missing,
            labels={"1": "least", "6": "most", "-9": "refused"},
        ),
        Attribute(name="day", scale="ordinal", storage="date", categories=("2001-01-31", "2002-02-28")),
        Attribute(name="works", scale="nominal", storage="boolean", categories=("false", "true")),
        Attribute(
            name="income",
            scale="numeric",
            role="key",
            storage="real",
            decimals=2,
            low=0,
            high=12345.25,
            missing=missing,
            labels={"12345.25": "most", "-8": "refused"},
        ),
    ]
    columns = {
        "town": skewed(6),
        "grade": skewed(6),
        "day": skewed(2),
        "works": skewed(2),
        "income": np.round(rng.uniform(0, 9999, n), 2),
    }
    reasons = {}
    for a in attributes:
        gone = rng.random(n) < draw(st.sampled_from([0.0, 0.2]))
        columns[a.name] = np.where(gone, np.nan if a.is_numeric else -1, columns[a.name])
        reasons[a.name] = np.where(gone, rng.integers(0, len(a.missing) + 1, n), 0)
    return Table(Schema(attributes), columns, reasons=reasons)


def masked_by(original, maskings, seed):
    released = original
    for masking in maskings:
        try:
            released = masked_with(make_masking(masking), released, seed=seed)
        except DataError:
            assume(False)
    return released


RELEASES = {
    "original": surveys(),
    "maskings": st.lists(st.sampled_from(MASKINGS), min_size=1, max_size=2, unique=True),
    "seed": st.integers(0, 1000),
}
OFTEN = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


each_format = pytest.mark.parametrize(  # .zsav is .sav, written with one more parameter
    "suffix", [pytest.param(one, marks=pytest.mark.slow if one == ".zsav" else []) for one in SUFFIXES]
)


def test_every_format_that_is_written_is_looked_into():
    assert set(writable_suffixes()) - {".tsv", ".txt", ".pq", ".zip"} == set(
        SAID
    )  # an archive holds files of the others


@OFTEN
@given(**RELEASES)
@each_format
def test_a_file_says_nothing_that_its_records_do_not_show(tmp_path, suffix, original, maskings, seed):
    masked = masked_by(original, maskings, seed)
    book = Codebook.of(masked, Originals.of(original))
    released = book.applied(masked)
    write_table(released, tmp_path / f"x{suffix}")
    shown = occurring(released)
    for name, said in SAID[suffix](tmp_path / f"x{suffix}").items():
        letters = {f".{letter}" for letter in "abc"[: len(released.schema[name].missing)]}
        assert said <= shown[name] | letters
    for attribute in book.schema:
        assert set(attribute.categories) <= shown[attribute.name]
        rare = {o for o in TOWNS if Originals.of(original).is_rare("town", o)}
        assert attribute.name != "town" or not rare & {o for c in attribute.covers.values() for o in c}


@settings(OFTEN, max_examples=2)  # each file of a statistics package is read by a process of its own
@given(**RELEASES)
@each_format
def test_a_file_is_read_by_either_schema(tmp_path, suffix, original, maskings, seed):
    assert_read_by_either_schema(tmp_path / f"x{suffix}", original, masked_by(original, maskings, seed))


@pytest.mark.slow
@settings(OFTEN, max_examples=50)
@given(**RELEASES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_many_files_are_read_by_either_schema(tmp_path, suffix, original, maskings, seed):
    assert_read_by_either_schema(tmp_path / f"x{suffix}", original, masked_by(original, maskings, seed))


def assert_read_by_either_schema(path, original, masked):
    book = Codebook.of(masked, Originals.of(original))
    write_table(book.applied(masked), path)
    assert Schema.from_toml(book.full.to_toml()) == book.full
    for schema in (book.full, book.schema):
        assert shown_by(read_table(path, schema=schema)) == shown_by(masked.with_schema(book.full))


def shown_by(table):
    """The values of a table by name, and where they are missing."""
    return {a.name: as_text(decode(table[a.name], None, a)).to_pylist() for a in table.schema}


@settings(max_examples=10, deadline=None, phases=(Phase.generate,))
@given(original=surveys(), masking=st.sampled_from(MASKINGS[:5]), seed=st.integers(0, 99))
def test_the_owner_measures_in_the_file_what_was_measured_in_memory(
    tmp_path_factory, original, masking, seed
):
    masked = masked_by(original, [masking], seed)
    book = Codebook.of(masked, Originals.of(original))
    path = tmp_path_factory.mktemp("release") / "x.csv"
    write_table(book.applied(masked), path)
    read = read_table(path, schema=book.full)
    assert judged(original, read) == judged(original, masked)


def judged(original, masked):
    scores = sfumato.evaluate(
        original, masked, measures=["dbil", "ctbil", "k_anonymity", "interval_disclosure"]
    ).scores
    return {name: (score.value, dict(score.parts)) for name, score in scores.items()}


@OFTEN
@given(cut=st.integers(5, 50), **RELEASES)
def test_blocks_are_published_as_the_table_is(tmp_path_factory, cut, original, maskings, seed):
    masked = masked_by(original, maskings, seed)
    folder = tmp_path_factory.mktemp("blocks")
    pieces = [masked.take(np.arange(s, min(s + cut, masked.n))) for s in range(0, masked.n, cut)]
    blocks = BlockWriter(folder / "masked", masked.schema).write_all(pieces)
    originals = Originals.of(original)
    book = Codebook.of(blocks, originals)
    after = BlockWriter(folder / "public", book.schema).write_all(map(book.applied, blocks.tables()))
    whole = published(masked, originals)
    assert after.schema == whole.schema and book.full == Codebook.of(masked, originals).full
    assert after.take(np.arange(masked.n)).fingerprint == whole.fingerprint
    write_parquet_blocks(after, folder / "x.parquet")
    shown = occurring(whole)
    assert all(said <= shown[name] for name, said in said_in_parquet(folder / "x.parquet").items())


@pytest.mark.parametrize(
    "name", [n for n in registry.names("masking") if n in {"mondrian", "global_recoding"}]
)
def test_counts_of_blocks_are_those_of_the_table(tmp_path, name):
    original = towns(np.arange(50) % 4)
    masked = masked_with(make_masking(name), original, seed=1)
    blocks = [
        BlockWriter(tmp_path / f"{i}", t.schema).write_all([t.take(np.arange(20)), t.take(np.arange(20, 50))])
        for i, t in enumerate((original, masked))
    ]
    assert Originals.of(*blocks) == Originals.of(original, masked)
