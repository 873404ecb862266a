"""What jobs share that write files: what goes out, what stays with the owner, which columns, what is said of them."""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar

from sfumato.core import FileError, param, progress
from sfumato.core.streams import KEY_FILE
from sfumato.data import WRITABLE, Proposal, Schema, Source, Table, private_beside
from sfumato.data.blocks import Blocks
from sfumato.data.formats.parquet import Parquet
from sfumato.jobs._job import Job
from sfumato.jobs._order import ORDER_FILE
from sfumato.jobs._paths import check_folder, output_file, same_file
from sfumato.jobs._randomness import Keyed
from sfumato.jobs._reading import FULL_SCHEMA
from sfumato.jobs._treatment import Treatments, treatments


class Releasing(Keyed):
    """A job that releases: some files go out, all others stay with the owner in a folder that nobody else can read.

    `public` are the endings of what goes out beside the released file, and `private` the names of what stays.
    """

    public: ClassVar[Mapping[str, str]] = {"schema": ".schema.toml", "about": ".about.html"}
    private: ClassVar[Mapping[str, str]] = {
        "report": "report.html",
        "board": "board.html",
        "record": "record.json",
        "study": "study.toml",
        "secret": KEY_FILE,
        "order": ORDER_FILE,
        "full_schema": FULL_SCHEMA,
        "map": "risk-utility.svg",
        "swaps": "swaps.csv",
    }

    output: Path | None = output_file(
        "where to write the protected file; its suffix says the format", WRITABLE
    )
    keep: tuple[str, ...] = param(
        default=(), word="NAME", help="identifiers and doubtful columns to release all the same"
    )

    @property
    def private_folder(self) -> Path | None:
        return None if self.output is None else private_beside(self.output)

    def targets(self) -> dict[str, Path]:
        out, folder = self.output, self.private_folder
        if out is None or folder is None:
            return super().targets()
        beside = {name: out.with_name(out.stem + ending) for name, ending in self.public.items()}
        kept = {name: folder / file for name, file in self.private.items()}
        return {"output": out, **beside, **kept, **super().targets()}

    def check_files(self) -> None:
        """The private folder need not be there, but must be one that can be made."""
        folder = self.private_folder
        if folder is not None and folder.exists() and not folder.is_dir():
            raise FileError(f"Output {self.output}: {folder} is a file, where the private folder has to be.")
        super().check_files()

    def check_target(self, name: str, target: Path) -> None:
        if target.parent == self.private_folder:
            check_folder(target.parent if target.parent.exists() else target.parent.parent, target)
        else:
            super().check_target(name, target)

    def treated(
        self,
        table: Table | Blocks,
        masked: Collection[str],
        source: Source | Proposal | None = None,
        *,
        linked: bool = True,
    ) -> Treatments:
        """What becomes of each column, of which some are masked; what a user should know of it is said.

        A source or a proposal says what was not declared.
        """
        found = self.treatments(table, masked, source, linked=linked)
        for sentence in found.sentences():
            progress.note(sentence)
        return found

    def treatments(
        self,
        table: Table | Blocks,
        masked: Collection[str],
        source: Source | Proposal | None = None,
        *,
        linked: bool = True,
    ) -> Treatments:
        """The same, and nothing is said."""
        found = partial(treatments, table, masked=masked, keep=self.keep, linked=linked)
        if source is None:
            return found()
        proposed = isinstance(source, Proposal) or source.proposed
        return found(reasons=source.reasons, doubts=source.doubts, proposed=proposed)

    def check_disk(self, source: Source) -> None:
        """Refuse an output that a file worked on from disk cannot be written as."""
        if source.on_disk and self.output is not None and self.output.suffix.lower() not in Parquet.suffixes:
            raise FileError(
                f"Output {self.output}: what is worked on from disk is written as Parquet; use .parquet."
            )


class Recorded(Job):
    """A job that keeps what `--json` prints; its outcome has the content `record`."""

    record: Path | None = param(
        default=None,
        word="FILE.json",
        help="write what --json prints to this file, to keep it; it is for the owner alone",
        writes=True,
        suffixes=(".json",),
    )

    def check_files(self) -> None:
        super().check_files()
        others = [target for name, target in self.targets().items() if name != "record"]
        if self.record is not None and any(same_file(self.record, other) for other in others):
            raise FileError(f"Output {self.record}: the record needs a name of its own.")


def without_identifier_values(schema: Schema) -> Schema:
    """The schema without the domains of identifiers: such a domain is a list of people."""
    return schema.replace(
        schema[name].evolve(categories=(), covers={}, labels={}, hierarchy=None)
        for name in schema.with_role("identifier")
    )
