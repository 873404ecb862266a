"""What can be written of an outcome: its pages, its record, its picture, the part of a table that goes out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import Result
from sfumato.data.blocks import Blocks


@dataclass(frozen=True)
class Report:
    """The page that tells people of an outcome, which says by what it is `reported_by`."""

    of: Any


@dataclass(frozen=True)
class Board:
    """The one page about a release for those who decide on it."""

    of: Any


@dataclass(frozen=True)
class About:
    """The page for the users of a release, made of its public facts."""

    of: Any


@dataclass(frozen=True)
class Record:
    """A result for machines, as JSON; `source` names the file that it came from."""

    of: Result
    source: str = ""


@dataclass(frozen=True)
class Repetition:
    """The study that does the job of an outcome again, exactly; its paths start where it is written."""

    of: Any


@dataclass(frozen=True)
class Picture:
    """A result as it is drawn, or a function that draws."""

    of: Result | Callable[[], Any]

    def figure(self) -> Any:
        return self.of.plot() if isinstance(self.of, Result) else self.of()


@dataclass(frozen=True)
class Columns:
    """Some columns of a table that stays on disk."""

    blocks: Blocks
    names: Sequence[str]

    def write(self, path: Path) -> None:
        from sfumato.data.parquet_stream import stream_parquet

        stream_parquet(self.blocks, path, self.names)


Content = Any
"""A table, a graph, a text, an Arrow table for CSV, something that can write itself, or one of the above."""
