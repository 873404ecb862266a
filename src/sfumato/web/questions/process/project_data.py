"""What a question is about: a project in the state it is in now, and what the question process holds of it."""

import csv
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.core.quantities import Size
from sfumato.data import Proposal, Schema, Table, propose_schema, read_arrow
from sfumato.data.parquet_source import is_parquet, parquet_source
from sfumato.web.projects import Project

MOST_KEPT = 6
PER_BYTE = (
    5  # bytes of memory that a byte of a file takes whose footer does not tell: as text, as codes, and copies
)
COPIES = 2  # of what a table takes by its footer, since questions sort and count
ELSEWHERE = "use the command line, which works from disk, or open a sample of its records."

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ProjectState(Project):
    """A project with its saved schema and how its file is; an answer holds for as long as none of them changes."""

    schema: str | None
    changed: int
    size: int


def project_state(project: Project) -> ProjectState:
    try:
        facts = project.path.stat()
    except OSError:
        raise FileError(f"{project.name} is no longer where it was opened: open it again.") from None
    return ProjectState(
        **vars(project), schema=project.schema_text, changed=facts.st_mtime_ns, size=facts.st_size
    )


class RecentCache:
    """The last few costly things that were made, by what they were made from."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self._things: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], T]) -> T:
        """The thing of a key, made now if it is not there.

        >>> cache = RecentCache(most=1)
        >>> [cache.get(key, lambda: made) for key, made in (("a", 1), ("a", 2), ("b", 3), ("a", 4))]
        [1, 1, 3, 4]
        """
        if key not in self._things:
            self._things[key] = make()
        self._things.move_to_end(key)
        while len(self._things) > self.most:
            self._things.popitem(last=False)
        found: T = self._things[key]
        return found


class ProjectData:
    """A project as questions see it; each part is read when it is first needed and kept for the next question."""

    def __init__(self, subject: ProjectState, kept: RecentCache, *, memory: int | None = None) -> None:
        self.subject = subject
        self._kept, self._memory = kept, memory
        self._file = (subject.path, subject.options, subject.changed, subject.size)

    @property
    def arrow(self) -> pa.Table:
        """The file as it is, before any schema."""
        subject = self.subject
        self.check_size()
        return self._kept.get(
            ("arrow", self._file), lambda: read_arrow(subject.path, options=subject.options)
        )

    @property
    def proposal(self) -> Proposal:
        """The schema proposed for the file, with reasons."""
        subject = self.subject
        self.check_size()
        return self._kept.get(
            ("proposal", self._file), lambda: propose_schema(subject.path, options=subject.options)
        )

    def check_size(self) -> None:
        """Refuse a file that would take too much memory before any of it is decoded: a small one may be a huge table."""
        if self._memory is None:
            return
        subject = self.subject
        most, records = Size(self._memory), ""
        needed = PER_BYTE * subject.size
        if is_parquet(subject.path):
            source = parquet_source(subject.path)
            needed = COPIES * source.bytes_in_memory
            records = f"has {source.n:,} records, which "
        if needed > most:
            raise DataError(
                f"{subject.name} {records}may take {needed / 1e9:,.1f} GB of memory, and a page may use {most}: "
                + ELSEWHERE
            )

    @property
    def schema(self) -> Schema:
        """The saved schema, or the proposed one."""
        text = self.subject.schema
        return self.proposal.schema if text is None else Schema.from_toml(text, source="the saved schema")

    @property
    def table(self) -> Table:
        source = self.subject.name
        return self.keep("table", lambda: Table.from_arrow(self.arrow, self.schema, source=source))

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Something else made from the table, kept under a name of its own."""
        return self._kept.get((name, self._file, self.subject.schema), make)

    def keys(self, arguments: dict[str, Any]) -> tuple[str, ...]:
        """The key attributes that a question is about: those it names, or those of the schema."""
        if arguments.get("keys") is None:
            return self.schema.with_role("key")
        names = tuple(dict.fromkeys(filter(None, listed(arguments["keys"]))))
        for name in names:
            if self.schema[name].role == "identifier":
                raise DataError(f"Column {name} is an identifier: it names people without being a key.")
        return names


def listed(given: Any) -> list[str]:
    """Names as a list, or as an address has them: `a,b,"c, d"`."""
    names = next(csv.reader([given]), []) if isinstance(given, str) else given
    return [str(name).strip() for name in names]
