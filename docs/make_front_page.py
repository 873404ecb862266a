"""Writes what came out of the front into its page: `python docs/make_front_page.py FOLDER...`.

Each folder is what `sfumato reproduce front -o FOLDER` wrote, of some tables and files; of what is in several of them the last one
counts. Which cuts they were must be the same for all files of a table.
"""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE, PICTURES = HERE / "front.md", HERE / "pictures"
BEGIN, END = "## What came out\n", "## What it says\n"
TABLES = ("Census", "Tarragona", "Diabetes", "German", "Adult 5,000", "Adult whole")
OURS = "calibrated_synthesis"
FILES = {
    "resample": "resample",
    "tree_synthesis(leaf=5)": "tree, leaf 5",
    "mdav_generic(k=5)": "mdav_generic, k = 5",
    "shuffling + pram(p=0.6)": "shuffling, PRAM",
    OURS: "**calibrated**",
    "evolve honest": "**evolve**",
}
INDEPENDENT = ", independent judge"
TITLES = (
    "",
    "cuts",
    "file",
    "loss V",
    "loss I",
    "found V",
    "found I",
    "learned",
    "nearness V",
    "nearness I",
    "tracing V",
    "tracing I",
    "numbers of one person",
    "seconds",
)


def main(folders: list[str]) -> None:
    found: dict[str, dict] = {}
    cuts: dict[str, int] = {}
    for folder in map(Path, folders):
        study = json.loads((folder / "front.json").read_text(encoding="utf-8"))
        found |= {line["what"]: line for line in study["lines"]}
        cuts |= {
            table: study["spec"].get("cuts", 3)
            for table in TABLES
            if any(line["bar"] for line in _lines(study["lines"], table))  # else not all cuts were done
        }
        for picture in folder.glob("front-*.svg"):
            shutil.copy(picture, PICTURES / picture.name)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text[: text.index(BEGIN)], text[text.index(END) :]
    told = "\n".join([*_table(found, cuts), "", *_bars(list(found.values()), cuts)])
    PAGE.write_text(f"{before}{BEGIN}\n{told}\n\n{rest}", encoding="utf-8")


def _lines(lines: list[dict], table: str) -> list[dict]:
    return [line for line in lines if line["what"].startswith(f"{table}, ")]


def _table(found: dict[str, dict], cuts: dict[str, int]):
    yield (
        'Means over so many cuts. Nearness stands beside its control, "numbers" beside people outside. A guess finds one person in as many\n'
        "as are inside. `V` is the verdict, `I` the independent judge; seconds are of the processor, for making the file.\n"
    )
    yield f"| {' | '.join(TITLES)} |"
    yield "|" + "---|" * len(TITLES)
    for table in sorted(cuts, key=TABLES.index):
        first = True
        for name, short in FILES.items():
            cells = _cells(found, f"{table}, {name}")
            if cells:
                times = max(1, cuts[table] // 3) if table == "Adult whole" else cuts[table]
                yield f"| {table if first else ''} | {times if first else ''} | {short} | {' | '.join(cells)} |"
                first = False


def _cells(found: dict[str, dict], here: str) -> list[str]:
    def value(what: str, judge: str = "") -> float | None:
        line = found.get(f"{here}{judge}: {what}")
        return None if line is None else line["ours"]

    def shown(number: float | None, digits: int = 1) -> str:
        return "–" if number is None else f"{number:.{digits}f}"

    judges = ("", INDEPENDENT)
    loss = [value("analyst loss"), value("loss", INDEPENDENT)]
    if loss[0] is None:
        return []
    seen = [value("people found (%)", judge) for judge in judges]
    near = [(value("membership by nearness", j), value("membership by nearness, control", j)) for j in judges]
    trace = [value("membership by tracing", judge) for judge in judges]
    numbers = value("numbers of one person (%)"), value("numbers of one person outside (%)")
    return [
        *map(shown, loss),
        *(shown(one, 2) for one in seen),
        shown(value("learned (points)")),
        *(f"{shown(a)} / {shown(b)}" for a, b in near),
        *map(shown, trace),
        f"{shown(numbers[0])} / {shown(numbers[1])}",
        shown(value("processor seconds"), 2),
    ]


def _bars(lines: list[dict], cuts: dict[str, int]):
    yield "| | bars that hold | missed |"
    yield "|---|---|---|"
    for table in sorted(cuts, key=TABLES.index):
        judged = [line for line in _lines(lines, table) if line["bar"]]
        missed = [line for line in judged if line["verdict"] != "holds"]
        told = "; ".join(
            f"{line['what'].split(', ', 1)[1]} ({line['ours']:.3g}, {line['bar']})" for line in missed
        )
        yield f"| {table} | {len(judged) - len(missed)} of {len(judged)} | {told or 'none'} |"


if __name__ == "__main__":
    main(sys.argv[1:])
