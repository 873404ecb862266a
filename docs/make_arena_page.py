"""Writes what came out of the public arena into its page: `python docs/make_arena_page.py FOLDER...`.

Each folder is what `sfumato reproduce arena -o FOLDER` wrote, of all feature sets and files or of some; of what is in several of
them the last one counts.
"""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE, PICTURES = HERE / "arena.md", HERE / "pictures"
BEGIN, END = "## What came out\n", "## How cells within areas were chosen\n"
SETS = (
    "demographic",
    "industry",
    "family",
    "simple",
    "all",
    "demographic without deye",
    "family with deye",
)
BEST = "calibrated_synthesis"
OURS = {
    "no coincidences": "calibrated_synthesis(coincidences=false)",
    "ε = 1": "calibrated_synthesis(epsilon=1)",
    "`mdav_generic` k = 5": "mdav_generic(k=5)",
    "`shuffling`": "shuffling",
    "`tree_synthesis`": "tree_synthesis",
}


def main(folders: list[str]) -> None:
    found = {}
    for folder in map(Path, folders):
        lines = json.loads((folder / "arena.json").read_text(encoding="utf-8"))["lines"]
        found |= {line["what"]: line for line in lines}
    for picture in Path(folders[0]).glob("arena-*.svg"):  # the first has all files in them
        shutil.copy(picture, PICTURES / picture.name)
    lines = {features: some for features in SETS if (some := _of(list(found.values()), features))}
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text[: text.index(BEGIN)], text[text.index(END) :]
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(_told(lines)) + "\n\n" + rest, encoding="utf-8")


def _of(lines: list[dict], features: str) -> list[dict]:
    return [line for line in lines if line["what"].startswith(f"{features},")]


def _told(lines: dict[str, list[dict]]):
    judged = [line for found in lines.values() for line in found if line["bar"]]
    holds = sum(line["verdict"] == "holds" for line in judged)
    yield (
        f"Of {len(lines)} feature sets, each with one key (seed 0): {holds} of {len(judged)} bars hold. k-marginal / UEM:\n"
    )
    titles = [
        "feature set",
        f"`{BEST}`",
        "unique people inside / outside (%), fifths held out",
        "pMSE",
        "impossible (%)",
    ]
    yield f"| {' | '.join([*titles, *OURS])} |"
    yield "|" + "---|" * (len(titles) + len(OURS))
    for features, found in lines.items():
        yield f"| {' | '.join([features.replace('deye', 'DEYE'), *_row(found)])} |"
    yield "\n`shuffling` masks only features with an order, and leaves the others as they are.\n"
    missed = [line for line in judged if line["verdict"] != "holds"]
    yield "Missed:\n" if missed else "No bar was missed."
    for line in missed:
        yield f"- {line['what']}: {line['ours']:.4g}, where {line['bar']} is asked for"
    left = [features for features in SETS if features not in lines]
    if left:
        yield f"\nNot run for this page: {', '.join(left)}."


def _row(lines: list[dict]):
    yield _pair(lines, BEST)
    yield f"{_value(lines, BEST, 'UEM of people inside (%)'):.1f} / {_value(lines, BEST, 'UEM of people outside (%)'):.1f}"
    yield f"{_value(lines, BEST, 'pMSE'):.4f}"
    impossible = _value(lines, BEST, "impossible records (%)")
    yield "–" if impossible is None else f"{impossible:.2f}"
    for text in OURS.values():
        yield _pair(lines, text)


def _pair(lines: list[dict], text: str) -> str:
    scores = [_value(lines, text, what) for what in ("k-marginal", "UEM (%)")]
    return "–" if None in scores else f"{scores[0]:.1f} / {scores[1]:.1f}"


def _value(lines: list[dict], text: str, what: str) -> float | None:
    """What a file scored; lines of it may also say how much it covers, or whom it is compared with."""
    for line in lines:
        file, _, name = line["what"].split(", ", 1)[1].rpartition(": ")
        if name == what and (file == text or file.startswith((f"{text},", f"{text} ("))):
            return line["ours"]
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
