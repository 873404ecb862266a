"""Writes what `python -m benchmarks` measured into its page: `python -m docs.make_speed_page FILE...`.

Rows of these files are put into `speed.json`, where they take the place of earlier rows of the same name; the page is made of that,
of the recorded figures of others in `benchmarks/peers.toml`, and of the partitions told of in `records`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_kernels import KERNELS, Kernel
from benchmarks.peers import Figure, best_known, figures

from benchmarks import records

HERE = Path(__file__).parent
PAGE, KEPT = HERE / "speed.md", HERE / "speed.json"
BEGIN, END = "<!-- begin of what is measured -->\n", "<!-- end of what is measured -->\n"
TEN = 10.0  # times as fast as plain numpy is what is asked for
SECONDS = 300.0  # of the processor, what a record of the classic files may take
NAMES = {"tarragona": "Tarragona", "census": "Census", "eia": "EIA"}
OTHERS = ("mdav ", "noise ", "evolve ", "slow method ")  # rows beside the kernels that the page shows


def main(files: list[str]) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for file in files:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
        for row in found["rows"]:
            if row["name"].startswith(("kernel ", *OTHERS)):
                kept[row["name"]] = row
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page_text(page: str) -> str:
    """The page with its tables made anew."""
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    before, rest = page[: page.index(BEGIN)], page[page.index(END) :]
    told = "\n".join([*_kernels(rows), "", *_reasons(rows), "", *_others(rows), "", *_records()])
    return f"{before}{BEGIN}\n{told}\n\n{rest}"


def _kernels(rows: dict[str, dict]) -> Iterator[str]:
    yield "## Kernel by kernel\n"
    yield (
        "| work | records | seconds | time grows with | plain numpy: seconds | times as fast | others: seconds | times as fast, "
        "side by side then | others / ours today |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for kernel in KERNELS:
        for n in kernel.sizes:
            row = rows[f"kernel {kernel.name}, {n:,} records"]
            first = n == kernel.sizes[0]
            yield f"| {' | '.join((_named(kernel) if first else '', f'{n:,}', *_cells(row, figures(kernel.name, n))))} |"


def _named(kernel: Kernel) -> str:
    return f"`{kernel.name}`, {kernel.what}"


def _cells(row: dict, others: list[Figure]) -> Iterator[str]:
    yield _short(row["value"])
    yield "" if row["growth"] is None else f"n^{row['growth']:.2f}"
    yield "" if row["twin"] is None else _short(row["twin"])
    yield "" if row["twin"] is None else _times(row["ratio"])
    yield "; ".join(f"{other.who} {_short(other.seconds)}" for other in others)
    yield "; ".join(_times(other.seconds / other.ours) for other in others if other.ours)
    yield "; ".join(_times(other.seconds / row["value"]) for other in others)


def _reasons(rows: dict[str, dict]) -> Iterator[str]:
    yield "## Where plain numpy is not left ten times behind\n"
    for kernel in KERNELS:
        ratio = rows[f"kernel {kernel.name}, {kernel.beside:,} records"]["ratio"]
        if ratio < TEN:
            if not kernel.why:
                raise SystemExit(
                    f"{kernel.name} is {ratio:.1f} times as fast as plain numpy: say why in bench_kernels.py."
                )
            yield f"- `{kernel.name}` ({_times(ratio)}): {kernel.why}"


def _others(rows: dict[str, dict]) -> Iterator[str]:
    yield "## Bars, growth and what is told beforehand\n"
    yield (
        "The twin of a kernel of before is that kernel, in the same run; that of a slow method is the time it says beforehand that it "
        "will take, where that is long.\n"
    )
    yield "| | measured | bar | twin | twin / measured | grows with | bar is |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for family in OTHERS:
        for row in rows.values():
            if row["name"].startswith(family):
                shown = [_with_unit(row, row[what]) for what in ("value", "bar", "twin")]
                ratio = "" if row["ratio"] is None else _times(row["ratio"])
                growth = "" if row["growth"] is None else f"n^{row['growth']:.2f}"
                yield f"| {row['name']} | {' | '.join(shown)} | {ratio} | {growth} | {row['verdict']} |"


def _records() -> Iterator[str]:
    yield "## The least loss known\n"
    found = records.read()
    bars = [(found.get((file, k)), best) for file, by_k in best_known().items() for k, best in by_k.items()]
    held = sum(ours is not None and round(ours.loss, records.DIGITS) <= best for ours, best in bars)
    yield (
        f"{held} of {len(bars)} cells are at or below the least 100·SSE/SST that was known, which is the bar. Each may take "
        f"{SECONDS:.0f} seconds.\n"
    )
    yield "| file | k | ours | best known | | processor seconds |"
    yield "|---|--:|--:|--:|---|--:|"
    for file, by_k in best_known().items():
        for k, best in by_k.items():
            ours = found.get((file, k))
            if ours is None:
                yield f"| {NAMES[file]} | {k} | – | {best:.4f} | not tried | |"
            else:
                yield f"| {NAMES[file]} | {k} | {ours.loss:.4f} | {best:.4f} | {_standing(ours.loss, best)} | {ours.seconds:.0f} |"


def _standing(ours: float, best: float) -> str:
    ours = round(ours, records.DIGITS)
    if ours < best:
        return "**new**"
    return "equal" if ours == best else f"missed by {100 * (ours / best - 1):.2g} %"


def _with_unit(row: dict, number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.{row['digits']}f} {row['unit']}".rstrip()


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


def _times(ratio: float) -> str:
    return f"{ratio:.1f}×" if ratio < TEN else f"{ratio:,.0f}×"


if __name__ == "__main__":
    main(sys.argv[1:])
