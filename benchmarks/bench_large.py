"""Files larger than memory: 20 million people microaggregated, PRAMmed and judged from disk, on two cores.

The command is that of a user; memory is that of all its processes together. A million people are also protected in
memory and from disk, which shows what cutting the file into partitions costs. Takes about a quarter of an hour and
four gigabytes of disk; `SFUMATO_PEOPLE=2000000` asks for fewer people.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.large_people import CATEGORIES, NUMBERS, write_people
from benchmarks.timing import Row
from benchmarks.watched import Watched, watched
from sfumato.data import read_table
from sfumato.masking import make_masking, masked_with
from sfumato.measures import Sse

LONG = True

PEOPLE = int(os.environ.get("SFUMATO_PEOPLE", "20000000"))
SAMPLE = 1_000_000
K, P = 5, 0.8
MASKING = [
    {"method": "mdav", "k": K, "attributes": list(NUMBERS)},
    {"method": "pram", "p": P, "matrix": "invariant", "attributes": list(CATEGORIES)},
]
MEMORY = "100MB"  # more than that is worked on from disk
MINUTES, GIGABYTES, APART = 20.0, 4.0, 5.0


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        write_people(folder / "few.parquet", SAMPLE)
        loss, seconds = in_memory(folder / "few.parquet")
        few, parted = protected(folder / "few.parquet")
        apart = 100 * abs(parted["sse"] - loss) / loss
        yield Row(f"mdav k={K}, {SAMPLE}: IL in memory", loss, "%", digits=3)
        yield Row(f"mdav k={K}, {SAMPLE} from disk: IL", parted["sse"], "%", digits=3)
        yield Row(f"mdav k={K}, {SAMPLE} from disk: IL apart", apart, "%", bar=APART, digits=2)
        yield Row(f"protect {SAMPLE}×12 from disk, mdav in memory", few.seconds, twin=seconds, digits=1)

        write_people(folder / "many.parquet", PEOPLE)
        many, lost = protected(folder / "many.parquet")
        yield Row(f"mdav + pram + evaluate {PEOPLE}×12", many.seconds / 60, "min", bar=MINUTES, digits=2)
        yield Row(
            f"mdav + pram + evaluate {PEOPLE}×12: memory", many.peak / 1e9, "GB", bar=GIGABYTES, digits=2
        )
        yield Row(f"mdav + pram + evaluate {PEOPLE}×12: processors", many.processor / 60, "min", digits=2)
        yield Row(f"mdav k={K}, {PEOPLE} from disk: IL of numbers", lost["sse"], "%", digits=3)


def in_memory(file: Path) -> tuple[float, float]:
    """Information loss of the microaggregation in memory, and its seconds."""
    table = read_table(file)
    masking = make_masking(MASKING[0])
    start = time.perf_counter()
    masked = masked_with(masking, table, seed=1)
    seconds = time.perf_counter() - start
    return Sse(attributes=NUMBERS).bind(table).score(masked).value, seconds


def protected(file: Path) -> tuple[Watched, dict[str, float]]:
    """Protect a file by the chain, from disk; what it took, and the losses and risks it recorded."""
    out = file.with_name("out.parquet")
    took = watched(
        *("protect", str(file), "--output", str(out), "--masking", json.dumps(MASKING)),
        *("--memory", MEMORY, "--workers", "2", "--seed", "1", "--quiet"),
    )
    scores = json.loads(out.with_name("out.record.json").read_text())["evaluation"]["scores"]
    return took, {name: score["value"] for name, score in scores.items()}
