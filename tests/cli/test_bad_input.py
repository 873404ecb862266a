"""Every mistake gets one sentence, a status, no traceback, no file and no value of a record."""

import io
from dataclasses import dataclass, field

import people
import pyarrow as pa
import pyarrow.parquet
import pytest
from people import HEADER, PEOPLE, ROWS, SCHEMA, SECRET, csv, schema, with_cell

MASK = ("mask", "in.csv", "--method", "mdav", "-o", "out.csv")
MASK_BY = (*MASK, "--schema", "s.toml")
PROTECT = ("protect", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--workers", "1")
QUICK = (*PROTECT, "--methods", "rank_swapping")
EVOLVE = ("evolve", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--workers", "1")
EVOLVE_QUICK = (*EVOLVE, "--preset", "fast", "--generations", "1", "--methods", "rank_swapping")
EVALUATE = ("evaluate", "in.csv", "masked.csv", "--schema", "s.toml")
NO_KEYS = SCHEMA.replace('"key"', '"other"')
FILES = {"in.csv": PEOPLE, "s.toml": SCHEMA}


def with_stored_schema(text: bytes) -> bytes:
    """A Parquet file that carries such a schema."""
    sink = io.BytesIO()
    table = pa.table({"name": [SECRET]}).replace_schema_metadata({"sfumato.schema": text})
    pyarrow.parquet.write_table(table, sink)
    return sink.getvalue()


@dataclass
class Case:
    id: str
    args: tuple[str, ...]
    says: str
    files: dict[str, str | bytes] = field(default_factory=dict)
    status: int = 2


CASES = [
    # the file
    Case("missing file", ("describe", "gone.csv"), "gone.csv does not exist"),
    Case("folder as file", ("describe", "folder.csv"), "is a folder", {"folder.csv/x": ""}),
    Case("empty file", ("describe", "in.csv"), "is empty", {"in.csv": ""}),
    Case("only blank lines", ("describe", "in.csv"), "is empty", {"in.csv": "\n\n\n"}),
    Case("unknown suffix in", ("describe", "in.xyz"), "known suffixes", {"in.xyz": PEOPLE}),
    Case(
        "wrong delimiter",
        ("describe", "in.csv", "--delimiter", ","),
        "--delimiter ';'",
        {"in.csv": csv(delimiter=";")},
    ),
    Case("delimiter too long", ("describe", "in.csv", "--delimiter", ";;"), "one character"),
    Case("unknown encoding", ("describe", "in.csv", "--encoding", "utf-9"), "encoding must be"),
    Case(
        "duplicate names", ("describe", "in.csv"), "same name", {"in.csv": csv(header=(*HEADER[:4], "age"))}
    ),
    Case("empty name", ("describe", "in.csv"), "no name", {"in.csv": csv(header=(*HEADER[:4], ""))}),
    Case("ragged row", MASK, "5 cells expected, 6 found", {"in.csv": csv([*ROWS, (*ROWS[0], "1")])}),
    Case("short row", MASK, "5 cells expected, 2 found", {"in.csv": csv([*ROWS, ROWS[0][:2]])}),
    Case("open quote", MASK, "quote", {"in.csv": csv([*ROWS, ('"x', "1", "f", "north", "2")])}),
    Case(
        "not utf-8",
        (*MASK, "--encoding", "utf-8"),
        "--encoding",
        {"in.csv": PEOPLE.replace("north", "nörth").encode("latin-1")},
    ),
    Case("binary", MASK, "in.csv", {"in.csv": bytes(range(256)) * 20}),
    Case(
        "damaged parquet", ("describe", "in.parquet"), "cannot be read as Parquet", {"in.parquet": b"PAR1 no"}
    ),
    Case("empty parquet", ("describe", "in.parquet"), "cannot be read as Parquet", {"in.parquet": b""}),
    Case("no encoding of texts", ("describe", "in.csv", "--encoding", "rot13"), "encoding must be one of texts"),
    Case("device as data", ("describe", "/dev/zero.csv"), "does not exist"),
    Case("name that is no text", ("describe", "in\udcff.csv"), "a name of a file is text without control characters"),
    Case("name with a NUL", ("describe", "in\0.csv"), "a name of a file is text without control characters"),
    Case(
        "damaged schema in parquet",
        ("describe", "in.parquet"),
        "the schema stored in the file is damaged",
        {"in.parquet": with_stored_schema(b"\xff")},
    ),
    Case(
        "damaged SPSS file",
        (*MASK[:1], "in.sav", *MASK[2:]),
        "cannot be read as a SPSS file: it is damaged or in another format",
        {"in.sav": b"$FL2@(#) " + bytes(631)},
    ),
    # values against the schema
    Case("undeclared category", MASK_BY, "column sex, row 4", {"in.csv": with_cell(3, "sex", SECRET)}),
    Case("not a number", MASK_BY, "column age, row 4", {"in.csv": with_cell(3, "age", SECRET)}),
    Case("NaN text", MASK_BY, "column age, row 4", {"in.csv": with_cell(3, "age", "NaN")}),
    Case("infinite", MASK_BY, "column age, row 4", {"in.csv": with_cell(3, "age", "inf")}),
    Case("too large", MASK_BY, "beyond 1e+100", {"in.csv": with_cell(3, "income", "7351e300")}),
    Case("too high", MASK_BY, "above the declared high", {"in.csv": with_cell(3, "age", "7351")}),
    Case("too low", MASK_BY, "below the declared low", {"in.csv": with_cell(3, "age", "-7351")}),
    Case("column not in schema", MASK_BY, "not declared", {"s.toml": schema(income=None)}),
    Case("column not in data", MASK_BY, "column town is declared", {"s.toml": schema(town='scale="nominal"')}),
    # the schema
    Case("schema missing", MASK_BY, "Schema file s.toml does not exist", {"s.toml": None}),
    Case("schema is a folder", (*MASK, "--schema", "folder"), "folder", {"folder/x": ""}),
    Case("not TOML", MASK_BY, "not valid TOML", {"s.toml": "[attributes.age\n"}),
    Case("empty schema", MASK_BY, "one table [attributes.NAME]", {"s.toml": ""}),
    Case("unknown field", MASK_BY, "colour", {"s.toml": schema(sex='scale = "nominal"\ncolour = "red"')}),
    Case("unknown role", MASK_BY, "role", {"s.toml": schema(sex='scale = "nominal"\nrole = "keys"')}),
    Case("unknown scale", MASK_BY, "scale", {"s.toml": schema(sex='scale = "interval"')}),
    Case(
        "category twice",
        MASK_BY,
        "declared twice",
        {"s.toml": schema(sex='scale = "nominal"\ncategories = ["f", "m", "f"]')},
    ),
    Case(
        "low above high", MASK_BY, "low must not exceed high", {"s.toml": schema(age='scale = "numeric"\nlow = 9\nhigh = 1')}
    ),
    Case(
        "hierarchy lacks a category",
        MASK_BY,
        "no path for category 'm'",
        {"s.toml": schema(sex='scale = "nominal"\ncategories = ["f", "m"]\nhierarchy = [["f", "*"]]')},
    ),
    Case(
        "hierarchy is a device",
        MASK_BY,
        "/dev/zero is no ordinary file",
        {"s.toml": schema(sex='scale = "nominal"\ncategories = ["f", "m"]\nhierarchy = "/dev/zero"')},
    ),
    Case("schema is a device", (*MASK, "--schema", "/dev/zero"), "Schema file /dev/zero is no ordinary file"),
    Case("schema too deep", MASK_BY, "it is nested too deeply", {"s.toml": "a = " + "[" * 5000}),
    Case(
        "bound too large",
        MASK_BY,
        "low and high must be numbers up to 1e+100",
        {"s.toml": schema(age='scale = "numeric"\nhigh = 1e308')},
    ),
    Case("study is a device", ("run", "/dev/zero"), "Study /dev/zero is no ordinary file"),
    Case("study too deep", ("run", "s.toml"), "it is nested too deeply", {"s.toml": "a = " + "[" * 5000}),
    Case(
        "hierarchy file missing",
        MASK_BY,
        "does not exist",
        {"s.toml": schema(sex='scale = "nominal"\ncategories = ["f", "m"]\nhierarchy = "gone.csv"')},
    ),
    # methods and parameters
    Case("k above n", (*MASK_BY, "--k", "21"), "k = 21 needs at least 21 records"),
    Case("k zero", (*MASK_BY, "--k", "0"), "k must be an integer of at least 1. Got 0"),
    Case("k no integer", (*MASK_BY, "--k", "2.5"), "k must be an integer"),
    Case("choice", (*MASK_BY, "--missing", "drop"), "missing must be one of category, any, impute"),
    Case("unknown method", ("mask", "in.csv", "--method", "mdva", "-o", "out.csv"), "Did you mean mdav?"),
    Case("unknown parameter", (*MASK_BY, "--standardize", "none"), "--standardise"),
    Case("parameter of another method", (*MASK_BY, "--p", "3"), "No such option"),
    Case("no method", ("mask", "in.csv", "-o", "out.csv"), "Missing option '-m' / '--method'"),
    Case("mask and nothing else", ("mask",), "Missing"),
    Case("method without value", ("mask", "in.csv", "-o", "out.csv", "--method"), "--method"),
    Case("attributes unknown", (*MASK_BY, "--attributes", "agee"), "Did you mean age?"),
    Case("attributes twice", (*MASK_BY, "--attributes", "age,age"), "named twice"),
    Case("attributes empty", (*MASK_BY, "--attributes", "age,"), "must not be empty"),
    Case("no attribute", (*MASK_BY, "--attributes", ""), "must not be empty"),
    Case("no key", (*PROTECT, "--key", ""), "must not be empty"),
    Case("no name of a file", ("describe", ""), "describe: file must be a path. Got ''."),
    Case("parameter of one of several methods", (*MASK[:2], "-m", "mdav + pram", "--k", "3", "-o", "out.csv"), "No such option"),
    Case("wrong scale", (*MASK_BY, "--attributes", "sex"), "column sex is nominal"),
    Case(
        "no key attribute",
        MASK_BY,
        "no key attribute is numeric",
        {"s.toml": schema(age='scale = "numeric"')},
    ),
    Case(
        "stratum smaller than k",
        (*MASK_BY, "--k", "8"),
        "k = 8 needs at least 8 records",
        {"s.toml": schema(region='scale = "nominal"\nrole = "stratum"\ncategories = ["north", "south"]')},
    ),
    Case("seed no integer", (*MASK_BY, "--seed", "luck"), "mask: seed must be an integer or nothing. Got 'luck'."),
    # the output
    Case("no output", ("mask", "in.csv", "--method", "mdav"), "Missing option '-o' / '--output'"),
    Case("output is input", ("mask", "in.csv", "--method", "mdav", "-o", "./in.csv"), "also an input"),
    Case("output folder missing", (*MASK[:-1], "gone/out.csv"), "folder gone does not exist"),
    Case("output in a file", (*MASK[:-1], "in.csv/out.csv"), "in.csv is not a folder"),
    Case("output unwritable", (*MASK[:-1], "/proc/out.csv"), "cannot be written to"),
    Case("output is a folder", (*MASK[:-1], "there"), "is a folder", {"there/x": ""}),
    Case("unknown suffix out", (*MASK[:-1], "out.xyz"), "unknown suffix '.xyz'"),
    Case("read-only format", (*MASK[:-1], "out.sas7bdat"), "unknown suffix"),
    Case("schema would be lost", (*MASK, "--schema", "out.schema.toml"), "also an input", {"out.schema.toml": SCHEMA}),
    Case("schema exists", ("describe", "in.csv", "--save-schema", "s.toml"), "exists already"),
    Case("keep unknown", (*MASK_BY, "--keep", "nmae"), "Did you mean name?"),
    # protect
    Case("key unknown", (*PROTECT, "--key", "agee"), "Did you mean age?"),
    Case("protect keep unknown", (*PROTECT, "--keep", "nmae"), "Did you mean name?"),
    Case("protect method unknown", (*PROTECT, "--methods", "mdav,prom"), "Did you mean pram?"),
    Case("require unknown measure", (*QUICK, "--require", "k_anonimity <= 5"), "Did you mean k_anonymity?"),
    Case("require unknown part", (*QUICK, "--require", "k_anonymity.smalest >= 5"), "smallest"),
    Case("require malformed", (*QUICK, "--require", "k is five"), "A requirement reads"),
    Case("require empty", (*QUICK, "--require", ""), "A requirement reads"),
    Case("gate not met", (*QUICK, "--require", "k >= 19"), "meets k_anonymity.smallest >= 19", status=3),
    Case("score", (*PROTECT, "--score", "median"), "score must be one of verdict, max, mean. Got 'median'."),
    Case("workers zero", (*PROTECT, "--workers", "0"), "workers must be an integer of at least 1"),
    Case("workers negative", (*PROTECT, "--workers", "-2"), "workers must be an integer of at least 1"),
    Case("no keys", PROTECT, "No attribute has the role key", {"s.toml": NO_KEYS}),
    Case("evaluate without keys", EVALUATE, "No attribute has the role key", {"s.toml": NO_KEYS, "masked.csv": PEOPLE}),
    Case("no records", PROTECT, "no record", {"in.csv": csv([])}),
    Case("protect output is input", ("protect", "in.csv", "-o", "in.csv"), "also an input"),
    # evolve
    Case("evolve for soon", (*EVOLVE, "--for", "soon"), "for must be a duration such as 60s or 5m, or generations such as 300g"),
    Case("evolve for no time", (*EVOLVE, "--for", "0s"), "for must be a duration"),
    Case("evolve backwards", (*EVOLVE, "--for=-5s"), "for must be a duration"),
    Case("evolve no generation", (*EVOLVE, "--generations", "0"), "generations must be an integer of at least 1"),
    Case("unknown preset", (*EVOLVE, "--preset", "mares"), "preset must be one of honest, fast, mares2013. Got 'mares'."),
    Case("unknown evolve score", (*EVOLVE, "--preset", "fast", "--score", "median"), "score must be one of max, mean, weighted"),
    Case("weight above one", (*EVOLVE, "--preset", "fast", "--score", "weighted", "--weight", "2"), "weight must be a number from 0 to 1. Got 2.0."),
    Case("unknown measure to add", (*EVOLVE_QUICK, "--add", "propensty"), "Did you mean propensity?"),
    Case("attack to add", (*EVOLVE_QUICK, "--add", "learned_linkage"), "learned_linkage is an attack, and no measure."),
    Case("optimiser of something else", (*EVOLVE_QUICK, "--optimizer", "mdav"), "mdav is a masking method, and no optimiser."),
    Case("optimiser unknown", (*EVOLVE_QUICK, "--optimizer", "evolutoin"), "Did you mean evolution?"),
    Case("optimiser with a wrong parameter", (*EVOLVE_QUICK, "--optimizer", "evolution(populaton=5)"), "Unknown parameter of evolution 'populaton'. "),
    Case("loss with a wrong parameter", (*EVOLVE_QUICK, "--loss", "ctbil(dimensions=3)"), "Did you mean dimension? Known: "),
    Case("for never", (*PROTECT, "--for", "never"), "a duration such as 60s"),
    Case("score to add", (*EVOLVE_QUICK, "--add", "balance"), "no measure of loss or risk"),
    Case("risk as loss", (*EVOLVE_QUICK, "--loss", "disclosure_risk"), "no measure of loss"),
    Case(
        "measure without a column",
        (*EVOLVE_QUICK, "--loss", "pil"),
        "pil: no key attribute is numeric",
        {"s.toml": schema(age='scale = "numeric"')},
    ),
    Case("one objective", (*EVOLVE_QUICK, "--objective", "sse"), "two measures or more"),
    Case("weighted front", (*EVOLVE_QUICK, "--front", "--score", "weighted"), "how must be one of max, mean"),
    Case("selection of a front", (*EVOLVE_QUICK, "--front", "--selection", "printed"), "leave it out"),
    Case("drop all", (*EVOLVE, "--preset", "fast", "--drop-best", "100"), "drop_best must be a number from 0 to 99"),
    Case("evolve method unknown", (*EVOLVE, "--preset", "fast", "--methods", "mdva"), "Did you mean mdav?"),
    Case("evolve key unknown", (*EVOLVE, "--key", "agee"), "Did you mean age?"),
    Case("evolve keep unknown", (*EVOLVE, "--keep", "nmae"), "Did you mean name?"),
    Case("evolve require malformed", (*EVOLVE_QUICK, "--require", "k is five"), "A requirement reads"),
    Case("evolve gate not met", (*EVOLVE_QUICK, "--require", "k >= 19"), "(the best reaches", status=3),
    Case("evolve a score of others", (*EVOLVE, "--score", "mean"), "preset honest has no use for score: leave it out, or choose preset fast or mares2013"),
    Case("evolve synthesis with a promise", (*EVOLVE, "--synthesis", "calibrated_synthesis(epsilon=1)"), "a formal promise allows no search"),
    Case("evolve synthesis of others", (*EVOLVE_QUICK, "--synthesis", "calibrated_synthesis"), "preset fast has no use for synthesis"),
    Case("evolve without keys", (*EVOLVE, "--preset", "fast"), "No attribute has the role key", {"s.toml": NO_KEYS}),
    Case("evolve no records", EVOLVE, "no record", {"in.csv": csv([])}),
    Case("evolve output is input", ("evolve", "in.csv", "-o", "in.csv"), "also an input"),
    Case("run is a file", (*EVOLVE_QUICK, "--run", "in.csv"), "--run in.csv is a file"),
    Case("run in a file", (*EVOLVE_QUICK, "--run", "in.csv/run"), "Folder in.csv/run cannot be made"),
    Case("protect evolve soon", (*PROTECT, "--evolve", "soon"), "evolve must be a duration such as 60s"),
    Case("protect evolve nothing", (*PROTECT, "--evolve", "0g"), "evolve must be a duration such as 60s"),
    # evaluate
    Case("other number of records", EVALUATE, "19 records where the original has 20", {"masked.csv": csv(ROWS[1:])}),
    Case(
        "key column gone",
        EVALUATE,
        "no column income",
        {"masked.csv": csv([row[:4] for row in ROWS], HEADER[:4]), "s.toml": schema(income='scale="numeric"\nrole="key"')},
    ),
    Case("nothing in common", EVALUATE, "no column of the original", {"masked.csv": csv(header=tuple("vwxyz"))}),
    Case("masked missing", EVALUATE, "masked.csv does not exist"),
    Case("masked schema missing", (*EVALUATE, "--masked-schema", "gone.toml"), "gone.toml does not exist", {"masked.csv": PEOPLE}),
    Case("masked no number", EVALUATE, "column age, row 4", {"masked.csv": with_cell(3, "age", SECRET)}),
    # the command line itself
    Case("unknown command", ("protct", "in.csv"), "Did you mean protect?"),
    Case("unknown option", ("describe", "in.csv", "--delimeter", ";"), "--delimiter"),
    Case("unknown top option", ("--verbos",), "No such option"),
    Case("no file", ("describe",), "Missing argument 'FILE'"),
    Case("too many files", ("describe", "in.csv", "s.toml"), "unexpected extra argument"),
    Case("methods unknown", ("methods", "mdavv"), "Did you mean mdav?"),
]  # fmt: skip


def test_there_are_many():
    assert len(CASES) >= 45
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_one_sentence_and_nothing_written(case, run, tmp_path):
    for name, content in (FILES | case.files).items():
        if content is not None:
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = listing(tmp_path)
    result = run(*case.args)
    errors = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert result.exit_code == case.status, result.output
    assert len(errors) == 1 and errors[0].startswith("Error: "), result.stderr
    assert case.says in errors[0]
    assert errors[0].endswith((".", "?"))
    assert result.stdout == ""
    assert "Traceback" not in result.output
    assert SECRET not in result.output and "7351" not in result.output
    assert listing(tmp_path) == before


def listing(folder):
    return {
        path.relative_to(folder).as_posix(): path.is_file() and path.read_bytes()
        for path in folder.rglob("*")
    }


def test_the_good_files_are_good(run, tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    assert run(*MASK_BY).exit_code == 0
    assert (tmp_path / "out.csv").exists()
