"""Recorded figures of other programs, and the least losses known: what `peers.toml` holds."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("peers.toml")


@dataclass(frozen=True)
class Figure:
    """Processor seconds of another program, and of ours in the same run where there was one."""

    work: str
    who: str
    records: int
    seconds: float
    ours: float | None = None


def figures(work: str, records: int) -> list[Figure]:
    """What others took for some work on so many records, the fastest first."""
    found = [Figure(**one) for one in _read()["figures"] if (one["work"], one["records"]) == (work, records)]
    return sorted(found, key=lambda figure: figure.seconds)


def best_known() -> dict[str, dict[int, float]]:
    """The least loss known of each classic file, by k."""
    return {name: {int(k): loss for k, loss in by_k.items()} for name, by_k in _read()["best_known"].items()}


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
