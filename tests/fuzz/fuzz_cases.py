"""Cases of the fuzzer: files of every format, whole, damaged or nonsense, and the commands that get them.

A case is made from its number alone. Texts of cells begin with a mark that no message may hold.
"""

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
from byte_damage import damaged
from seed_files import CANARY, SEEDS

ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8",
    "latin-1",
    "utf-16",
    "utf-8-sig",
    "cp1252",
    "shift_jis",
    "utf-7",
    "utf-32-le",
)
SILLY = (
    "rot13",
    "base64",
    "hex",
    "zlib",
    "idna",
    "punycode",
    "unicode_escape",
    "undefined",
    "utf-9",
    "",
    "a\0b",
    "..",
)
METHODS = ("mdav", "rank_swapping", "pram", "rounding", "noise", "mondrian", "global_recoding", "local_suppression",
           "individual_ranking", "top_bottom_coding", "mdav_generic", "data_swapping", "resampling", "shuffling",
           "optimal_univariate", "sampling(fraction=0.5)", "kwr", "record_swapping", "kwd", "lossy_compression")  # fmt: skip
STRANGE = ("1e308", "-1e308", "1e309", "5e-324", "NaN", "inf", "-0", "0x10", "1_000", "٣", "9" * 400, " ", "\u202e", "=1+1",
           "2020-13-45", "9999-12-31", "0001-01-01", "true", "-9", ".a", "NA", "null", "1,5", "12:61")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Files by name, commands, and the names of what they write."""

    number: int
    files: dict[str, bytes]
    commands: tuple[tuple[str, ...], ...]
    outputs: tuple[str, ...] = field(default=("out.csv", "out.parquet", "out.graphml", "out.jsonl"))


def case(number: int) -> Case:
    random = Random(number)
    make = random.choices([kind for kind, _ in KINDS], [weight for _, weight in KINDS])[0]
    return make(number, random)


def _hurt(random: Random, whole: Callable[[], bytes], nonsense: Callable[[], bytes] | None = None) -> bytes:
    """A file as it should be, a damaged one, or one that only looks like it."""
    way = random.random()
    if way < 0.35:
        return whole()
    if way < 0.93 or nonsense is None:
        return damaged(whole(), whole(), random)
    return nonsense()


# cells


def _columns(random: Random, rows: int) -> dict[str, list[str]]:
    known: dict[str, Callable[[int], str]] = {
        "name": lambda i: f"{CANARY}{random.randrange(10**6)}",
        "age": lambda i: str(random.randrange(90)),
        "sex": lambda i: random.choice("fm"),
        "town": lambda i: f"{CANARY}{random.randrange(4)}",
        "income": lambda i: f"{random.lognormvariate(7, 1):.2f}",
        "household": lambda i: str(i // 3),
        "day": lambda i: f"20{random.randrange(10, 30)}-0{random.randrange(1, 10)}-11",
        "empty": lambda i: "",
        "odd": lambda i: random.choice(STRANGE),
        "mixed": lambda i: random.choice(("1", "2", "3", random.choice(STRANGE))),
    }
    names = random.sample(list(known), random.randrange(1, 7))
    return {name: [known[name](i) for i in range(rows)] for name in names}


def _rows(random: Random) -> tuple[list[str], list[list[str]]]:
    columns = _columns(random, random.choice((0, 1, 2, 5, 20, 40)))
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


# delimited text


def _delimited(number: int, random: Random) -> Case:
    suffix = random.choice((".csv", ".csv", ".tsv", ".txt"))
    delimiter = random.choice((",", ",", ",", ";", "\t", "|"))
    encoding = random.choice(ENCODINGS)
    content = _hurt(random, lambda: _text_table(random, delimiter, encoding), lambda: _text_nonsense(random))
    options: list[str] = []
    if random.random() < 0.9:
        options += ["--delimiter", "tab" if delimiter == "\t" else delimiter]
    if random.random() < 0.9:
        options += ["--encoding", encoding]
    elif random.random() < 0.3:
        options += ["--encoding", random.choice(SILLY)]
    if random.random() < 0.1:
        options.append("--no-header")
    return Case(number, {f"in{suffix}": content}, _table_commands(f"in{suffix}", random, options))


def _text_table(random: Random, delimiter: str, encoding: str) -> bytes:
    names, rows = _rows(random)
    quoted, end = random.random() < 0.3, random.choice(("\n", "\n", "\r\n", "\r"))
    if random.random() < 0.1 and rows:
        random.choice(rows)[0] += "x" * random.choice((10**3, 140_000))
    if random.random() < 0.1 and rows:
        random.choice(rows).append(f"{CANARY}ragged")

    def spelled(cell: str) -> str:
        special = quoted or any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
        return '"' + cell.replace('"', '""') + '"' if special else cell

    lines = [delimiter.join(map(spelled, row)) + end for row in (names, *rows)]
    return "".join(lines).encode(encoding, "replace")


def _text_nonsense(random: Random) -> bytes:
    pieces = [",", '"', "\n", "\0", CANARY, "1", "é", "\ufeff", "\r", ";", "a" * 200, "-", ".", "e"]
    return "".join(random.choices(pieces, k=random.choice((1, 10, 300, 3000)))).encode()


def _table_commands(file: str, random: Random, options: list[str]) -> tuple[tuple[str, ...], ...]:
    output = random.choice(("out.csv", "out.csv", "out.parquet"))
    mask = ("mask", file, "--method", random.choice(METHODS), "-o", output, *options)
    known = (
        (("describe", file, *options), 5),
        (("describe", file, "--save-schema", "out.toml", *options), 1),
        (mask, 6),
        (
            (*mask[: -1 - len(options)], "out.parquet", "--memory", "1KB"),
            0.5 if file.endswith(".parquet") else 0,
        ),
        (("evaluate", file, file, *options), 1),
        (
            (
                "protect",
                file,
                "-o",
                "out.csv",
                "--no-verdict",
                "--methods",
                "rank_swapping,pram",
                "--workers",
                "1",
                *options,
            ),
            0.15,
        ),
    )
    count = random.choice((1, 1, 2))
    return tuple(random.choices([command for command, _ in known], [weight for _, weight in known], k=count))


# Parquet


def _parquet(number: int, random: Random) -> Case:
    content = _hurt(random, lambda: _parquet_table(random))
    return Case(number, {"in.parquet": content}, _table_commands("in.parquet", random, []))


def _parquet_table(random: Random) -> bytes:
    rows = random.choice((0, 1, 5, 30, 200))
    known: dict[str, Callable[[], pa.Array]] = {
        "age": lambda: pa.array([random.randrange(99) for _ in range(rows)]),
        "pay": lambda: pa.array(
            [random.choice((None, random.gauss(0, 1e4))) for _ in range(rows)], pa.float64()
        ),
        "large": lambda: pa.array([random.choice((1e308, -1e308, 1.0)) for _ in range(rows)], pa.float64()),
        "town": lambda: pa.array([f"{CANARY}{random.randrange(5)}" for _ in range(rows)], pa.string()),
        "kind": lambda: pa.array([f"{CANARY}{i % 3}" for i in range(rows)], pa.string()).dictionary_encode(),
        "flag": lambda: pa.array([random.random() < 0.5 for _ in range(rows)], pa.bool_()),
        "day": lambda: pa.array([random.randrange(-(2**31), 2**31) for _ in range(rows)], pa.date32()),
        "when": lambda: pa.array([random.randrange(2**62) for _ in range(rows)], pa.timestamp("us", "UTC")),
        "money": lambda: pa.array([i * 10**6 for i in range(rows)], pa.int64()).cast(pa.decimal128(38, 2)),
        "nothing": lambda: pa.nulls(rows),
        "many": lambda: pa.array([[1]] * rows, pa.list_(pa.int64())),
        "bytes": lambda: pa.array([b"\xff"] * rows, pa.binary()),
    }
    names = random.sample(list(known), random.randrange(1, 6))
    table = pa.table({name: known[name]() for name in names})
    if random.random() < 0.3:
        table = table.replace_schema_metadata({b"sfumato.schema": _schema(random, names)})
    sink = io.BytesIO()
    packed = random.choice(("snappy", "none", "zstd", "gzip"))
    pq.write_table(table, sink, compression=packed, use_dictionary=random.random() < 0.7, row_group_size=50,
                   data_page_version=random.choice(("1.0", "2.0")))  # fmt: skip
    return sink.getvalue()


# statistics packages


def _statistics(number: int, random: Random) -> Case:
    seed = random.choice(sorted(SEEDS.iterdir()))
    others = [path for path in SEEDS.iterdir() if path.suffix == seed.suffix]
    other = random.choice(sorted(others)).read_bytes()
    content = seed.read_bytes() if random.random() < 0.05 else damaged(seed.read_bytes(), other, random)
    file = f"in{seed.suffix}"
    return Case(number, {file: content}, _table_commands(file, random, [])[:1])


# extracts of fixed width


def _extract(number: int, random: Random) -> Case:
    rows = random.choice((1, 5, 30))
    lines = "".join(
        f"{random.randrange(100):3d}{random.choice('12')}{CANARY}{i % 9}{i:06d}\n" for i in range(rows)
    )
    data = _hurt(random, lines.encode)
    packed = random.random() < 0.3
    codebook = _hurt(random, lambda: _ddi(random), lambda: _xml_nonsense(random))
    suffix = random.choice((".xml", ".xml", ".cbk"))
    if suffix == ".cbk":
        codebook = _hurt(random, lambda: _basic(random))
    file = "in.dat.gz" if packed else "in.dat"
    content = _hurt(random, lambda: gzip.compress(data, mtime=0)) if packed else data
    return Case(number, {file: content, f"in{suffix}": codebook}, _table_commands(file, random, []))


def _ddi(random: Random) -> bytes:
    places = (
        ("AGE", 1, 3, "contin"),
        ("SEX", 4, 4, "discrete"),
        ("TOWN", 5, 10, ""),
        ("PAY", 11, 16, "contin"),
    )
    found = "".join(
        f'<var ID="{name}" name="{name}" intrvl="{kind}" dcml="{random.choice((0, 0, 2, 400))}">'
        f'<location StartPos="{start}" EndPos="{end}"/><labl>Label</labl>'
        f"<catgry><catValu>1</catValu><labl>one</labl></catgry></var>"
        for name, start, end, kind in places
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><codeBook xmlns="ddi:codebook:2_5">{found}</codeBook>'.encode()


def _basic(random: Random) -> bytes:
    head = (
        "File Type:                    rectangular\n\n  Variable            Columns             Len     X\n"
    )
    places = "  AGE    P  1-3    3  X\n  SEX    P  4    1  X\n  TOWN   P  5-10    6  X\n\n"
    return (head + places + " AGE\t\tAge\n\n SEX\t\tSex\n1\t\tMale\n2\t\tFemale\n").encode()


# graphs


def _graphml(number: int, random: Random) -> Case:
    file = random.choice(("in.graphml", "in.xml"))
    content = _hurt(random, lambda: _graph_text(random), lambda: _xml_nonsense(random))
    return Case(number, {file: content}, _graph_commands(file, random, []))


def _place(random: Random) -> str:
    return random.choice(("Brooklyn", "New York City", "Spain", "Europe") * 5 + (f"{CANARY}p",))


def _graph_text(random: Random) -> bytes:
    n = random.choice((0, 1, 5, 30))
    kinds = {
        "location": "string",
        "topic1": "string",
        "age": random.choice(("int", "double", "boolean", "long")),
    }
    keys = "".join(
        f'<key id="a{i}" for="node" attr.name="{name}" attr.type="{kind}"/>'
        for i, (name, kind) in enumerate(kinds.items())
    )
    cells = lambda: (_place(random), f"{CANARY}t", str(random.randrange(2)))  # noqa: E731
    nodes = "".join(
        f'<node id="n{i}">'
        + "".join(f'<data key="a{j}">{cell}</data>' for j, cell in enumerate(cells()))
        + "</node>"
        for i in range(n)
    )
    edges = "".join(
        f'<edge source="n{random.randrange(n)}" target="n{random.randrange(n)}"/>' for _ in range(2 * n)
    )
    schema = _schema(random, list(kinds)).decode().replace("&", "&amp;").replace("<", "&lt;")
    described = f"<desc>sfumato schema\n{schema}</desc>" if random.random() < 0.3 else ""
    odd = ("UTF-16", "latin-1", "rot13", "hex", "utf-7", "idna", "big5")
    encoding = random.choice(odd) if random.random() < 0.2 else "UTF-8"
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    whole = (
        f'{head}<graphml>{described}{keys}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    )
    return whole.encode("utf-16" if encoding == "UTF-16" else "utf-8")


def _xml_nonsense(random: Random) -> bytes:
    deep = random.choice((10, 1000, 50_000))
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(12))
    return random.choice((
        f"<!DOCTYPE g [{laughs}]><graphml><graph>&l11;</graph></graphml>",
        '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml><desc>&x;</desc><graph/></graphml>',
        '<!DOCTYPE g SYSTEM "http://127.0.0.1:9/x.dtd"><graphml><graph/></graphml>',
        "<a>" * deep + "</a>" * random.choice((0, deep)),
        "<graphml><graph>" + "<node id='a'>" * deep,
        f"<graphml a='{'x' * deep}'>" + "<key id='k' attr.type='int'/>" * deep + "<graph/></graphml>",
        "<codeBook>" + "<var name='A'><location StartPos='-5' EndPos='99999999999999999999'/></var>" * 3 + "</codeBook>",
        "<codeBook><var name='A' dcml='-1'><location StartPos='1' width='x'/></var></codeBook>",
    )).encode()  # fmt: skip


def _json_lines(number: int, random: Random) -> Case:
    file = random.choice(("in.jsonl", "in.ndjson"))
    content = _hurt(random, lambda: _profiles(random), lambda: _json_nonsense(random))
    return Case(number, {file: content}, _graph_commands(file, random, []))


def _profiles(random: Random) -> bytes:
    n = random.choice((0, 1, 5, 30))
    lines = []
    for i in range(n):
        profile = {"id": f"p{i}", "location": _place(random), "topic1": f"{CANARY}t"}
        if random.random() < 0.2:
            profile["age"] = random.choice((i, 1.5, None, 2**70, True, f"{CANARY}x"))
        profile["follows"] = [f"p{random.randrange(n)}" for _ in range(3)]
        lines.append(json.dumps(profile) + "\n")
    return "".join(lines).encode()


def _json_nonsense(random: Random) -> bytes:
    deep = random.choice((100, 100_000))
    return random.choice((
        '{"id": ' + "[" * deep + "\n",
        '{"id": 1, "x": ' + "[" * deep + "]" * deep + "}\n",
        '{"id": "a", "location": "\\ud800"}\n',
        "".join('{"id": %d, "k%d": 1}\n' % (i, i) for i in range(3000)),  # noqa: UP031
        '{"id": 1e999, "follows": {}}\n',
        '{"id": "a", "": "x", "a\\u0000b": 1}\n',
        '{"id": "a", "age": %s}\n' % ("9" * 5000),
        "null\n[]\n1\n",
    )).encode()  # fmt: skip


def _edge_list(number: int, random: Random) -> Case:
    n = random.choice((0, 1, 5, 30))
    nodes = "id,location,topic1\n" + "".join(f"n{i},{_place(random)},{CANARY}t\n" for i in range(n))
    ends = "".join(f"n{random.randrange(n)},n{random.randrange(n)}\n" for _ in range(2 * n))
    files = {"in.csv": _hurt(random, lambda: ("source,target\n" + ends).encode())}
    files["nodes.csv"] = _hurt(random, nodes.encode)
    return Case(number, files, _graph_commands("in.csv", random, ["--nodes", "nodes.csv"]))


def _graph_commands(file: str, random: Random, options: list[str]) -> tuple[tuple[str, ...], ...]:
    structure = random.choice(((), (), ("--structure", "k_degree")))
    protect = ("graph", "protect", file, "-o", "out.jsonl", "--k", "2", *structure, *options)
    evaluate = ("graph", "evaluate", file, file, *options)
    topics = ("--topics", "topic1")
    if options:
        evaluate += ("--protected-nodes", options[-1])
        protect = (*protect[:4], "out.graphml", *protect[5:])
    microdata = ("graph", "microdata", file, "-o", "out.csv", *options)
    return (random.choice(((*protect, *topics), (*evaluate, *topics), microdata)),)


# what describes data


def _schema(random: Random, names: list[str]) -> bytes:
    def attribute(name: str) -> str:
        lines = [f"[attributes.{json.dumps(name)}]"]
        if name in ("age", "income", "pay", "large"):
            lines += ['scale = "numeric"', f"decimals = {random.choice((0, 2, 15, 99))}"]
            lines += random.choice(
                ([], ["low = 0"], ["high = 1e308"], ["low = nan"], ["low = -1e99", "high = 1e99"])
            )
        else:
            categories = [f"S{i}" for i in range(5)] + random.choice(([], ["f", "m"], ["S1"], [""]))
            lines += [
                f'scale = "{random.choice(("nominal", "ordinal"))}"',
                f"categories = {json.dumps(categories)}",
            ]
            hierarchy = random.choice(
                ("", "", '"/dev/zero"', '"in.txt"', '[["S0", "*"]]', '"."', "[" * 3000, "1")
            )
            lines += [f"hierarchy = {hierarchy}"] if hierarchy else []
        role = random.choice(
            ("key", "key", "other", "identifier", "confidential", "stratum", "weight", "nobody")
        )
        lines += [f'role = "{role}"', *random.choice(([], ['missing = ["-9", "NA"]'], ["missing = 1"]))]
        return "\n".join(lines)

    return ("\n\n".join(map(attribute, names)) + "\n").encode()


def _described(number: int, random: Random) -> Case:
    """A whole table with a schema, and perhaps a hierarchy, that are not."""
    names, rows = _rows(random)
    table = "".join(",".join(row) + "\n" for row in (names, *rows)).encode()
    nonsense = (b"a = " + b"[" * 5000, b"a." * 5000 + b"a = 1", b"a = " + b"1" * 5000, b"a = {" * 3000, b"")
    schema = _hurt(random, lambda: _schema(random, names), lambda: random.choice(nonsense))
    hierarchy = _hurt(random, lambda: "".join(f"S{i},g{i % 2},*\n" for i in range(5)).encode())
    commands = _table_commands("in.csv", random, ["--schema", "s.toml"])
    return Case(number, {"in.csv": table, "s.toml": schema, "in.txt": hierarchy}, commands)


def _study(number: int, random: Random) -> Case:
    names, rows = _rows(random)
    table = "".join(",".join(row) + "\n" for row in (names, *rows)).encode()

    def study() -> bytes:
        lines = [
            f'command = "{random.choice(("mask", "describe", "evaluate", "graph protect", "web", "run", "demos"))}"'
        ]
        lines += random.choice(
            (['file = "in.csv"'], ['file = "/dev/zero"'], ['file = "in\\u0000.csv"'], ["file = 1"])
        )
        lines += random.choice((['output = "out.csv"'], ['output = "/"'], ['output = ""'], []))
        lines += random.choice(
            (['method = "mdav"'], ['method = "rounding"', "base = 1e308"], ["k = 3"], ["seed = -1"], [])
        )
        lines += random.choice(
            ([], ['schema = "/dev/zero"'], ['encoding = "hex"'], [f"k = {'9' * 4000}"], ["quiet = 3"])
        )
        return "\n".join(lines).encode()

    content = _hurt(random, study, lambda: b"[" * 3000)
    return Case(number, {"in.csv": table, "study.toml": content}, (("run", "study.toml"),))


KINDS: tuple[tuple[Callable[[int, Random], Case], float], ...] = (
    (_delimited, 30),
    (_parquet, 15),
    (_statistics, 6),
    (_extract, 8),
    (_graphml, 9),
    (_json_lines, 7),
    (_edge_list, 6),
    (_described, 12),
    (_study, 7),
)
