"""What the command line gives today, command by command, so that a change of the inside can be proven to be no more than that.

`fingerprints.json` holds, for each command of CASES, its status, what it says and what is in every file it writes.
A text of a few lines is kept as it is, a longer one as a hash; JSON is kept key by key, a report section by
section, a table by its values. What differs from run to run (seconds, versions, folders) is taken out before, and
numbers are rounded, so that another processor gives the same. Long texts of records and reports are hashed without
their decimals: there are hundreds in each, and the last digit that is shown of one of them always hangs on the processor.

When an output changes on purpose, write the fingerprints anew and say why in the same commit:

    python tests/cli/fingerprint_cases.py --write            # all commands
    python tests/cli/fingerprint_cases.py --write protect    # those whose name begins so

To see what stands behind a hash, write the texts of two commits into two folders and compare these:

    python tests/cli/fingerprint_cases.py --texts FOLDER [NAME...]
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from difflib import ndiff
from html import unescape
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import click
import pyarrow.parquet as pq
from click.testing import CliRunner

import sfumato
from sfumato import datasets
from sfumato.cli import main
from sfumato.core import Key
from sfumato.data import CsvOptions, read_arrow, write_table
from sfumato.datasets.census_pair import HARMONISATION, WORDS

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")

Parts = dict[str, str]
"""The names of the parts of an outcome, and the text of each without what differs from run to run."""

# ---------------------------------------------------------------------------------------------- the commands


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command, and one that has to run in the same folder before it."""

    words: tuple[str, ...]
    before: tuple[str, ...] = ()


def case(words: str, *more: str, before: str = "") -> Case:
    """A command from words with spaces between them, then words that hold spaces."""
    return Case(words=(*words.split(), *more), before=tuple(before.split()))


PEOPLE = "people.csv --schema people.toml --workers 1 --methods rank_swapping,pram"
SOME = "some.csv --schema some.toml --workers 1 --methods rank_swapping,pram"
FIRMS = "firms.csv --schema firms.toml --workers 1"
START = "--methods rank_swapping,mdav --key staff,wages,profit,equity,cash --no-verdict"
DISK = "--memory 1KB --workers 1"
VITAL = "--vital military=1 --parameter workplace"
LEARNT = "--auxiliary census.parquet --words words.toml"
SIZES = "--k 5 --key staff,wages,profit,equity --workers 1"
GENETIC = "--search genetic --population 12 --no-verdict"
CHAIN = '[{"method": "rank_swapping", "p": 20}, {"method": "pram", "p": 0.6}]'
MATRICES = "evolve-pram people.csv --schema people.toml -o m.json"
EQUATION = "evolve-equation people.csv --schema people.toml -o e.json"
KEPT = f"evolve {FIRMS} --preset fast {START} --run kept"

HAND = "intervals(cuts=[18, 30, 65], attributes=[age]) + removal(attributes=[region])"

CASES: Mapping[str, Case] = {
    "demo": case("demo --workers 1 --seed 3"),
    "describe-csv": case("describe people.csv"),
    "describe-schema": case("describe people.csv --schema people.toml --save-schema new.toml --json"),
    "describe-parquet": case("describe people.parquet --json --save-study study.toml"),
    "describe-text": case("describe people.txt --delimiter ; --no-header --save-schema new.toml"),
    "describe-disk": case(f"describe people.parquet {DISK}"),
    "describe-disk-bare": case(f"describe bare.parquet --save-schema new.toml --json {DISK}"),
    "steps": case("steps people.csv --schema people.toml --into work.toml --fix sex --json --add", HAND),
    "steps-again": case(
        "steps work.toml --undo --export work.R",
        before="steps people.csv --schema people.toml --into work.toml --add rounding(base=5,attributes=[age])",
    ),
    "protect": case(f"protect {SOME} --policy none -o out.csv"),
    "protect-policy": case(f"protect {PEOPLE} -o out.csv"),
    "protect-all-methods": case(
        "protect few.parquet --no-verdict -o out.parquet --workers 1 --seed 5 --json"
    ),
    "protect-require": case(
        f"protect {SOME} --no-verdict -o out.parquet --json",
        "--require",
        "k >= 1",
        "--require",
        "loss <= 90",
    ),
    "protect-refused": case(f"protect {PEOPLE} --no-verdict -o out.csv", "--require", "k >= 60"),
    "protect-mean": case(
        f"protect {PEOPLE} --no-verdict -o out.csv --score mean --key age,region --keep person_id --save-study study.toml"
    ),
    "protect-grouped": case(
        f"protect {FIRMS} --no-verdict -o out.csv --methods mdav --key staff,wages,profit,equity --group-attributes 3,4"
    ),
    "protect-evolved": case(f"protect {FIRMS} {START} -o out.csv --evolve 3g --run kept"),
    "protect-masking": case(
        "protect people.csv --no-verdict --schema people.toml -o out.sav --seed 4 --masking",
        CHAIN,
        "--require",
        "loss <= 99",
    ),
    "protect-first": case(
        f"protect {PEOPLE} --no-verdict -o out.csv --fixed sex --seed 3 --save-study study.toml --first", HAND
    ),
    "protect-text": case(
        "protect people.txt --no-verdict --delimiter ; --no-header -o out.txt --methods rank_swapping --workers 1"
    ),
    "protect-disk": case(
        f"protect people.parquet --no-verdict -o out.parquet --methods mdav_generic --sample 100 {DISK}",
        "--require",
        "k >= 5",
    ),
    "protect-disk-mean": case(
        f"protect people.parquet --no-verdict -o out.parquet --methods rank_swapping,pram --score mean --sample 120 --json {DISK}"
    ),
    "protect-disk-masking": case(
        f"protect people.parquet --no-verdict -o out.parquet --sample 100 --seed 2 {DISK} --masking",
        '{"method": "rank_swapping", "p": 20}',
    ),
    "protect-disk-refused": case(
        f"protect people.parquet --no-verdict -o out.parquet --methods pram --sample 100 {DISK}",
        "--require",
        "k >= 60",
    ),
    "evolve": case(f"evolve {FIRMS} -o out.csv --generations 3 --save-study study.toml"),
    "evolve-fast": case(
        f"evolve {FIRMS} --preset fast --methods mdav -o out.csv --generations 3 --save-study study.toml"
    ),
    "evolve-people": case(
        f"evolve {SOME} --preset fast --no-verdict -o out.parquet --generations 3 --seed 2 --json",
        "--require",
        "k >= 1",
    ),
    "evolve-mares2013": case(
        f"evolve {FIRMS} {START} -o out.csv --preset mares2013 --generations 4 --drop-best 10 --selection printed"
    ),
    "evolve-front": case(f"evolve {FIRMS} --preset fast {START} -o out.csv --front --generations 3"),
    "evolve-objectives": case(
        f"evolve {FIRMS} --preset fast {START} -o out.csv --objective sse,distance_linkage,subgroup_means --generations 3"
    ),
    "evolve-measures": case(
        f"evolve {FIRMS} --preset fast {START} -o out.csv --loss sse --risk distance_linkage --add subgroup_means "
        "--score weighted --weight 0.3 --generations 3 --stagnation 2 --target 1"
    ),
    "evolve-resumed": case(
        f"{KEPT} -o out.csv --generations 3", before=f"{KEPT} -o first.csv --generations 1 -q"
    ),
    "evolve-pram": case(f"{MATRICES} --attributes sex,region --generations 5 --front"),
    "evolve-pram-mares2014": case(
        f"{MATRICES} --attributes sex,region --generations 3 --score max --preset mares2014 --draws 2 -p 0.7 "
        "--diagonal 0.2 0.9 --seed 3 --record kept.json --run kept"
    ),
    "evolve-pram-invariant": case(
        f"{MATRICES} --attributes sex --generations 3 --invariant --crossed region --json"
    ),
    "evolve-equation": case(f"{EQUATION} --attributes sex,region --generations 3 --population 6"),
    "evolve-equation-draws": case(
        f"{EQUATION} --attributes sex --generations 2 --population 5 --draws 2 --depth 3 --most-guessed 80 "
        "--score mean --workers 1 --json --record kept.json"
    ),
    "group-attributes": case(f"group-attributes firms.csv {SIZES} -o out.csv"),
    "group-attributes-genetic": case(
        f"group-attributes firms.csv {SIZES} {GENETIC} --generations 3 --full --seed 4 --json --record kept.json"
    ),
    "group-attributes-analysis": case(
        f"group-attributes firms.csv {SIZES} {GENETIC} --generations 3 --operators crossover,element_move "
        "--analysis told --run kept"
    ),
    "group-attributes-front": case(f"group-attributes firms.csv {SIZES} {GENETIC} --generations 3 --front"),
    "mask-mdav": case("mask people.csv -m mdav --k 4 -o out.parquet --save-study study.toml"),
    "mask-pram": case("mask people.csv --schema people.toml -m pram --p 0.7 -o out.sav --seed 5 --json"),
    "mask-sampling": case("mask people.csv --schema people.toml -m sampling --size 60 -o out.csv --seed 2"),
    "mask-stata": case("mask firms.csv --schema firms.toml -m mdav --k 3 -o out.dta"),
    "mask-stata-refused": case("mask people.csv --schema people.toml -m mdav --k 3 -o out.dta"),
    "mask-rank-swapping": case(
        "mask people.csv --schema people.toml -m rank-swapping --p 20 --attributes age,income --keep person_id -o out.csv"
    ),
    "mask-recoding": case(
        "mask people.csv -m global_recoding --p 3 --attributes region,occupation -o out.tsv"
    ),
    "mask-text": case("mask people.txt -m mdav --delimiter ; --no-header --encoding latin-1 -o out.txt"),
    "mask-disk": case(
        f"mask people.parquet -m mdav_generic --missing category -o out.parquet --seed 3 {DISK}",
    ),
    "mask-disk-bare": case(f"mask bare.parquet -m pram -o out.parquet --json {DISK}"),
    "mask-matrix": case(
        "mask people.csv --schema people.toml -m pram --matrix m.json -o out.csv",
        before=f"{MATRICES} --attributes sex --generations 2 -q",
    ),
    "evaluate": case("evaluate people.csv masked.csv --schema people.toml"),
    "evaluate-parts": case("evaluate people.csv masked.csv --parts"),
    "evaluate-json": case("evaluate people.parquet masked.parquet --json --seed 2"),
    "evaluate-text": case("evaluate people.txt people.txt --delimiter ; --no-header"),
    "evaluate-disk": case(f"evaluate people.parquet masked.parquet {DISK}"),
    "evaluate-disk-json": case(f"evaluate people.parquet masked.parquet --json {DISK}"),
    "attack": case("attack people.csv masked.csv --schema people.toml --seed 2"),
    "attack-one": case("attack people.parquet masked.parquet --attack distance-linkage --json"),
    "groups-attack": case(
        f"groups attack released.parquet {LEARNT} {VITAL} --runs 1 --generations 8 --workers 1 --plot signals.svg"
    ),
    "groups-attack-harmonised": case(
        f"groups attack released.parquet --auxiliary census.parquet {VITAL} --harmonise spec.toml --runs 1 "
        "--generations 4 --workers 1 --signal concentration --fitness wracc --strike A0001 --json --record kept.json"
    ),
    "groups-protect": case(
        f"groups protect survey.parquet {VITAL} --hide A0001,A0002 --limit 1 --generations 30 -o out.parquet"
    ),
    "groups-protect-learnt": case(
        f"groups protect survey.parquet {VITAL} {LEARNT} --attack-generations 3 --hide A0001 --limit 1 --ordinal "
        "age,income --generations 20 -o out.csv --json --seed 2"
    ),
    "groups-harmonise": case(
        "groups harmonise survey.parquet --auxiliary census.parquet --spec spec.toml -o one.parquet "
        "--auxiliary-output two.csv"
    ),
    "groups-report": case(f"groups report survey.parquet swapped.parquet {VITAL} --html page.html"),
    "groups-report-json": case(f"groups report survey.parquet survey.parquet {VITAL} --json"),
    "graph-extract": case("graph extract exported -o graph.graphml"),
    "graph-extract-crawl": case(
        "graph extract exported -o graph.jsonl --start u1 --users 6 --posts 2 --directed --seed 2 --json"
    ),
    "graph-microdata": case("graph microdata graph.graphml -o table.csv"),
    "graph-microdata-edges": case(
        "graph microdata edges.csv --nodes nodes.csv --schema nodes.toml --attributes topic1,location "
        "-o table.parquet --json"
    ),
    "graph-protect": case("graph protect graph.graphml -o out.graphml --refine 2 --seeds farthest"),
    "graph-protect-structure": case(
        "graph protect graph.jsonl -o out.jsonl --k 4 --structure k_degree --seed 2 --json --record kept.json"
    ),
    "graph-protect-switched": case(
        "graph protect graph.graphml -o out.graphml --structure edge-randomisation,how=switch,p=30"
    ),
    "graph-evaluate": case("graph evaluate graph.graphml other.graphml --masked-ends both"),
    "graph-evaluate-structure": case("graph evaluate graph.graphml graph.jsonl --structure --json"),
    "graph-report": case("graph report graph.graphml --k 2,10 --runs 2 --html page.html"),
    "graph-report-structure": case("graph report graph.graphml --k 3 --runs 1 --structure k_degree --json"),
    "methods": case("methods"),
    "methods-json": case("methods --json"),
    "methods-mdav": case("methods mdav"),
    "methods-linkage": case("methods distance_linkage --json"),
    "reproduce": case("reproduce"),
    "reproduce-json": case("reproduce --json"),
    "reproduce-social": case("reproduce social --k 2,20 --runs 1 --graphs 1 --workers 1 --seed 1 -q -o told"),
    "reproduce-absent": case("reproduce clustering"),
    "run": case("run studies/swap.toml --json"),
    "run-protect": case("run studies/protect.toml -o out.csv --workers 1"),
    "run-refused": case("run studies/wrong.toml"),
}

# ------------------------------------------------------------------------------------------- what they read

STUDIES = {
    "swap": 'command = "mask"\nfile = "../people.csv"\nmethod = "rank-swapping"\nschema = "../people.toml"\n'
    'p = 20\noutput = "swapped.csv"\n',
    "protect": 'command = "protect"\nfile = "../people.csv"\nschema = "../people.toml"\noutput = "safe.csv"\n'
    'methods = ["rank_swapping", "pram"]\nrequire = ["k >= 1"]\nkey = ["age", "region"]\nseed = 6\n',
    "wrong": 'command = "protect"\nfile = "../people.csv"\noutput = "safe.csv"\nsed = 1\n',
}
PLACES = ("Barcelona", "Lyon", "somewhere", "Girona, Spain", "Paris", "")
POSTS = (
    "The match was great and our team won the football league",
    "New camera, new phone, and a computer for the software I write",
    "A song and a concert, what music",
    "The election and the government, politics again",
    "Cooking a good dinner, then a film at the cinema",
)


def make_inputs(folder: Path) -> Path:
    """Write all files that the commands read, and return their folder."""
    folder.mkdir()
    _make_tables(folder)
    _make_pair(folder)
    _make_graphs(folder)
    (folder / "studies").mkdir()
    for name, text in STUDIES.items():
        (folder / "studies" / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def _make_tables(folder: Path) -> None:
    people, firms = datasets.household_survey(150, seed=1), datasets.business_survey(50, seed=1)
    some = datasets.household_survey(110, seed=1).select(
        ["person_id", "age", "sex", "marital", "hours", "income", "health"]
    )
    for name, table in (("people", people), ("firms", firms), ("some", some)):
        write_table(table, folder / f"{name}.csv")
        (folder / f"{name}.toml").write_text(table.schema.to_toml(), encoding="utf-8")
    write_table(people, folder / "people.parquet")
    write_table(datasets.household_survey(50, seed=2), folder / "few.parquet")
    arrow = pq.read_table(folder / "people.parquet")  # type: ignore[no-untyped-call]
    pq.write_table(arrow.replace_schema_metadata(), folder / "bare.parquet", row_group_size=40)  # type: ignore[no-untyped-call]
    write_table(people, folder / "headed.txt", options=CsvOptions(delimiter=";"))
    headed = folder / "headed.txt"
    _, _, records = headed.read_text(encoding="utf-8").partition("\n")
    (folder / "people.txt").write_text(records, encoding="utf-8")
    headed.unlink()
    steps = {
        "steps": [{"method": "rank_swapping", "p": 15, "attributes": ["age"]}, {"method": "pram", "p": 0.8}]
    }
    masked = sfumato.mask(people, steps, seed=1)
    for suffix in ("csv", "parquet"):
        write_table(masked, folder / f"masked.{suffix}")


def _make_pair(folder: Path) -> None:
    pair = datasets.census_pair(3000, areas=12, planted=2, seed=1)
    swapped = sfumato.mask(pair.survey, {"method": "rank_swapping", "p": 40, "attributes": ["age"]}, seed=1)
    tables = {"survey": pair.survey, "released": pair.released, "census": pair.auxiliary, "swapped": swapped}
    for name, table in tables.items():
        write_table(table, folder / f"{name}.parquet")
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    (folder / "spec.toml").write_text(HARMONISATION, encoding="utf-8")


def _make_graphs(folder: Path) -> None:
    graph = datasets.profile_graph(60, seed=3)
    for name in ("graph.graphml", "graph.jsonl"):
        sfumato.write_graph(graph, folder / name)
    sfumato.write_graph(graph, folder / "edges.csv", nodes=folder / "nodes.csv")
    (folder / "nodes.toml").write_text(graph.nodes.schema.to_toml(), encoding="utf-8")
    other = sfumato.protect_structure(graph, {"method": "k_degree", "k": 6}, seed=1)
    sfumato.write_graph(other, folder / "other.graphml")
    profiles = [
        {
            "id": f"u{i}",
            "location": PLACES[i % len(PLACES)],
            "posts": [POSTS[(i + j) % len(POSTS)] for j in range(4)],
            "follows": [f"u{(i * step) % 12 + 1}" for step in (1, 3, 5)],
        }
        for i in range(1, 13)
    ]
    (folder / "exported").mkdir()
    lines = "".join(json.dumps(profile) + "\n" for profile in profiles)
    (folder / "exported" / "all.jsonl").write_text(lines, encoding="utf-8")


# --------------------------------------------------------------------------------------- what came of them


def outcome(one: Case, inputs: Path, folder: Path) -> Parts:
    """Run a command in a folder of its own, and return the parts of what came of it."""
    shutil.copytree(inputs, folder)
    before = _contents(folder)
    with chdir(folder), _small_demo(), _known_key(), _no_lines():
        if one.before:
            _call(one.before, folder)
        result = _call(one.words, folder)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    parts = {"status": str(result.exit_code)}
    parts |= (
        _of_json("stdout", result.stdout) if _is_json(result.stdout) else {"stdout": _text(result.stdout)}
    )
    parts["stderr"] = _text(result.stderr)
    after = _contents(folder)
    written = sorted(name for name in after if before.get(name) != after[name])
    parts["files"] = "\n".join(written + [f"(gone) {name}" for name in sorted(before.keys() - after.keys())])
    for name in written:
        parts |= _of_file(folder / name, name)
    return {name: text.replace(str(folder), "<folder>") for name, text in parts.items()}


def _call(words: Iterable[str], folder: Path) -> Any:
    """Classic files are nowhere, and a line is as wide as anywhere."""
    environment = {"SFUMATO_DATA": str(folder / "none"), "COLUMNS": "100", "NO_COLOR": "1"}
    return CliRunner().invoke(main, list(words), env=environment)


def _small_demo() -> Any:
    """The demo protects 3000 persons, which takes a minute: let its survey be small."""
    real = datasets.household_survey
    return patch.object(datasets, "household_survey", lambda n, *, seed: real(min(n, 60), seed=seed))


def _no_lines() -> Any:
    """Lines of progress come after so many seconds, and a busy machine may take them."""
    return patch("sfumato.cli.progress_lines.EVERY", float("inf"))


def _known_key() -> Any:
    """A release hangs on a key that is drawn: let it be the same each time."""
    return patch.object(Key, "drawn", lambda: Key(bytes(range(32))))


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def _of_file(path: Path, name: str) -> Parts:
    match path.suffix:
        case ".json":
            return _of_json(name, path.read_text(encoding="utf-8"))
        case ".html":
            return _of_page(name, path.read_text(encoding="utf-8"))
        case ".csv" | ".tsv" | ".txt":
            return {name: _rounded(path.read_text(encoding="utf-8"), digits=9)}
        case ".parquet" | ".sav" | ".dta":
            return {name: _of_table(path)}
        case ".toml" | ".jsonl" | ".graphml":
            return {name: _text(path.read_text(encoding="utf-8"))}
        case ".svg" | ".png":
            return {name: "a picture" if path.stat().st_size > 1024 else "a picture of less than 1 kB"}
        case _:
            return {name: "a file" if path.stat().st_size else "an empty file"}


# ------------------------------------------------------------------------- without what differs by itself

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)(?![\w.]*\d)")
SECONDS = re.compile(r"\b\d[\d,.]*(?:e-?\d+)? (?:s|ms|min|seconds?|minutes?)\b")
PYTHON = re.compile(r"Python 3[\d.]+")
HASH = re.compile(r"\b[0-9a-f]{32}\b")  # of exact values, which another processor may round otherwise
PASSING = frozenset({"seconds", "at", "created", "started", "finished", "elapsed", "fingerprint", "version"})
VERSION = sfumato.__version__


def _text(text: str) -> str:
    """A text for people, or of another format made of lines."""
    text = SECONDS.sub("<seconds>", text).replace(VERSION, "<version>")
    text = HASH.sub("<hash>", PYTHON.sub("Python <version>", text))
    return _rounded(text, digits=6).rstrip()


def _rounded(text: str, *, digits: int) -> str:
    """Numbers that say no more digits stay as they are printed."""

    def shorter(found: re.Match[str]) -> str:
        said = found[0].lower().partition("e")[0].replace(".", "").lstrip("-0")
        return found[0] if len(said) <= digits else _number(float(found[0]), digits)

    return NUMBER.sub(shorter, text)


def _number(value: float, digits: int) -> str:
    """Rounded; a little is added, since what lies halfway would else be rounded by its last bit."""
    return "0" if abs(value) < 1e-12 else format(value * (1 + 10.0 ** -(digits + 3)), f".{digits}g")


def _is_json(text: str) -> bool:
    return text.startswith(("{", "["))


def _of_json(name: str, text: str) -> Parts:
    """Each key by itself, so that one can be added or renamed and all others stay proven."""
    value = json.loads(text)
    if not isinstance(value, dict):
        return {name: json.dumps(_stable(value))}
    return {
        f"{name} {key}": json.dumps(_stable(held), ensure_ascii=False)
        for key, held in value.items()
        if key not in PASSING
    }


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stable(held) for key, held in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [_stable(held) for held in value]
    if isinstance(value, float):
        return _number(value, 6)
    if isinstance(value, str):
        return _text(value)
    return value


def _of_page(name: str, page: str) -> Parts:
    """The words of a page, section by section, without drawings and without commands to repeat it."""
    for left_out in ("style", "script", "svg"):
        page = re.sub(rf"<{left_out}\b.*?</{left_out}>", " ", page, flags=re.DOTALL)
    page = re.sub(r"<pre\b[^>]*>\s*(?:sfumato|import sfumato)\b.*?</pre>", " ", page, flags=re.DOTALL)
    first, *sections = re.split(r"<h2\b[^>]*>", page)
    parts = {f"{name} (head)": _words(first)}
    for section in sections:
        heading, _, body = section.partition("</h2>")
        parts[f"{name} {_words(heading)}"] = _words(body)
    return parts


def _words(markup: str) -> str:
    return _text(" ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split()))


def _of_table(path: Path) -> str:
    """Names, types and values of all columns."""
    table = read_arrow(path)
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = (_number(v, 9) if isinstance(v, float) else str(v) for v in column.to_pylist())
        columns.append(f"{name} {column.type} " + " ".join(values))
    return "\n".join(columns)


# ------------------------------------------------------------------------------------------ what is compared

Fingerprint = str | list[str]
SHORT, TOLD = 240, 4000
MEASURED = re.compile(r"\.(?:json|html) ")  # parts of records and reports


def fingerprints(parts: Parts) -> dict[str, Fingerprint]:
    """The text of each part where it is short, so that a change can be read; else its hash."""
    return {name: _fingerprint(name, text) for name, text in parts.items()}


def _fingerprint(name: str, text: str) -> Fingerprint:
    if len(text) > (TOLD if name in ("stdout", "stderr", "files") else SHORT):
        if MEASURED.search(name):
            text = NUMBER.sub("#", text)
        return f"{len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"
    lines = text.split("\n")
    return lines[0] if len(lines) == 1 else lines


def recorded() -> dict[str, dict[str, Fingerprint]]:
    """All fingerprints of the file."""
    found: dict[str, dict[str, Fingerprint]] = json.loads(FINGERPRINTS.read_text(encoding="utf-8"))
    return found


def differences(name: str, parts: Parts, expected: Mapping[str, Fingerprint]) -> list[str]:
    """One sentence for each part that is not as recorded."""
    found = fingerprints(parts)
    told = []
    for part in [*expected, *(part for part in found if part not in expected)]:
        if part not in found:
            told.append(f"{name}: {part} is missing; it was {expected[part]!r}")
        elif part not in expected:
            told.append(f"{name}: {part} is new: {_begin(parts[part])}")
        elif found[part] != expected[part]:
            told.append(f"{name}: {part} differs\n{_change(expected[part], found[part], parts[part])}")
    return told


def _change(was: Fingerprint, now: Fingerprint, text: str) -> str:
    if isinstance(was, list) and isinstance(now, list):
        return "\n".join(line for line in ndiff(was, now) if not line.startswith("  "))
    return f"  was: {was!r}\n  now: {now!r}\n  that is: {_begin(text)}"


def _begin(text: str) -> str:
    return repr(text if len(text) <= 600 else f"{text[:600]} …")


def options() -> Parts:
    """The words that each command takes: what scripts and study files are made of."""
    return {name: " ".join(sorted(_flags(command))) for name, command in _leaves(main, ())}


def _leaves(group: click.Group, names: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _leaves(command, (*names, name))
        elif command is not None:
            yield " ".join((*names, name)), command


def _flags(command: click.Command) -> Iterator[str]:
    for one in command.get_params(click.Context(command)):
        if isinstance(one, click.Argument):
            yield one.make_metavar(click.Context(command))
        elif "--help" not in one.opts:
            yield from (*one.opts, *one.secondary_opts)


OPTIONS = "(options of all commands)"


def _main() -> None:
    os.environ["MPLBACKEND"] = "Agg"
    parser = argparse.ArgumentParser(description="Fingerprints of what the commands give.")
    parser.add_argument("names", nargs="*", help="beginnings of the names of commands; all without one")
    parser.add_argument("--write", action="store_true", help="write the fingerprints anew")
    parser.add_argument("--texts", type=Path, help="write the texts behind the fingerprints into this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = _all_parts(tuple(given.names), Path(name))
    if given.texts:
        _write_texts(found, given.texts)
    if given.write:
        _write(found)


def _all_parts(beginnings: tuple[str, ...], folder: Path) -> dict[str, Parts]:
    inputs = make_inputs(folder / "inputs")
    chosen = [name for name in CASES if not beginnings or name.startswith(beginnings)]
    found = {}
    for name in chosen:
        start = process_time()
        found[name] = outcome(CASES[name], inputs, folder / name)
        print(f"{process_time() - start:6.2f} s  {name}", file=sys.stderr)
    return {OPTIONS: options(), **found}


def _write(found: dict[str, Parts]) -> None:
    """Those of other commands stay; those of commands that are no more go."""
    kept = recorded() if FINGERPRINTS.exists() else {}
    new = {name: fingerprints(parts) for name, parts in found.items()}
    all_of_them = {name: new.get(name, kept.get(name, {})) for name in (OPTIONS, *CASES)}
    text = json.dumps(all_of_them, indent=1, ensure_ascii=False)
    FINGERPRINTS.write_text(text + "\n", encoding="utf-8")


def _write_texts(found: dict[str, Parts], folder: Path) -> None:
    for name, parts in found.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for part, text in parts.items():
            (folder / name / f"{part.replace('/', '_')}.txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main()
