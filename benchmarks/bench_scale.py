"""The capacity model: processor seconds of each stage of work from disk, how they grow, and what larger files need.

Stages are run in one process on files of several sizes; cost = a · n^b is fitted to them, and the time of a file of any
size on any number of cores follows. `docs/scale.md` holds the table that this prints.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.large_people import CATEGORIES, NUMBERS, write_people
from benchmarks.timing import Row
from sfumato.core import stream
from sfumato.data import Table
from sfumato.data.block_spool import spool
from sfumato.data.parquet_source import parquet_source
from sfumato.data.parquet_stream import write_parquet_blocks
from sfumato.data.workplace import Workplace
from sfumato.jobs import Work
from sfumato.jobs.evaluate import scored
from sfumato.jobs.mask import masked_blocks
from sfumato.masking import make_masking
from sfumato.parallel import crew
from sfumato.search.maskings.candidates import Judge

LONG = True

SIZES = (250_000, 500_000, 1_000_000, 2_000_000)
ASKED = (10**7, 10**8, 10**9)
CANDIDATES = (2_000, 8_000, 32_000)
MDAV = {"method": "mdav", "k": 5, "attributes": list(NUMBERS)}
PRAM = {"method": "pram", "p": 0.8, "matrix": "invariant", "attributes": list(CATEGORIES)}


def rows() -> Iterator[Row]:
    costs = {n: stages(n) for n in SIZES}
    for name in costs[SIZES[0]]:
        seconds = [costs[n][name] for n in SIZES]
        exponent, constant = fitted(SIZES, seconds)
        for n, one in zip(SIZES, seconds, strict=True):
            yield Row(f"{name}, {n} records: processor", one, digits=2)
        yield Row(f"{name}: grows with n to the power of", exponent, "", digits=2)
        for n in ASKED:
            yield Row(
                f"{name}, {n:.0e} records: hours of a core", constant * n**exponent / 3600, "h", digits=2
            )
    judged = {n: candidate(n) for n in CANDIDATES}
    for n, one in judged.items():
        yield Row(f"a candidate in memory, {n} records: processor", one, digits=3)
    yield Row(
        "a candidate: grows with n to the power of",
        fitted(tuple(judged), list(judged.values()))[0],
        "",
        digits=2,
    )


def stages(n: int) -> dict[str, float]:
    """Processor seconds of reading, masking, judging and writing a file of so many people."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name, crew(None, workers=1) as workers:
        folder = Path(name)
        write_people(folder / "people.parquet", n)
        work = Work(memory=10**9)
        place = work.place = Workplace(folder / "work", workers, memory=10**9)
        source = parquet_source(folder / "people.parquet")
        schema = source.stored_schema()
        original = timed(found, "spool", lambda: spool(source, place.folder, schema=schema, crew=workers))
        grouped = timed(
            found, "mdav k=5 × 6", lambda: masked_blocks(original, make_masking(MDAV), work, seed=1)
        )
        masked = timed(found, "pram × 6", lambda: masked_blocks(grouped, make_masking(PRAM), work, seed=1))
        timed(found, "evaluate 12 keys", lambda: scored(original, masked, work))
        timed(found, "write", lambda: write_parquet_blocks(masked, folder / "masked.parquet"))
    return found


def timed(found: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    start = time.process_time()
    outcome = work()
    found[name] = time.process_time() - start
    return outcome


def fitted(sizes: tuple[int, ...], seconds: list[float]) -> tuple[float, float]:
    """Exponent and constant of the power law through the measurements."""
    exponent, logarithm = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(exponent), float(np.exp(logarithm))


def candidate(n: int) -> float:
    """Processor seconds to mask and judge one candidate of the portfolio in memory."""
    from benchmarks.large_people import people

    table: Table = people(n, seed=int(stream(0, "candidate").integers(1000)))
    judge = Judge(table, seed=1)
    masking = make_masking([MDAV, PRAM])
    judge.judge(masking)
    start = time.process_time()
    judge.judge(masking)
    return time.process_time() - start
