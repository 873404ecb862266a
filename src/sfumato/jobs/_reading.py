"""What jobs share that read files: how text is laid out, what the columns are, what an intruder may know."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import DataError, ParameterError, param, progress
from sfumato.core.quantities import Size
from sfumato.data import CsvOptions, Schema, Source, private_beside, schema_beside
from sfumato.data.csv_options import DATES, DECIMALS, QUOTES
from sfumato.jobs._job import Job
from sfumato.jobs._order import aligned, found_order, order_file
from sfumato.jobs._work import Work

UNNAMED_SCHEMA = Path("SCHEMA.toml")  # stands for one that came from no file
FULL_SCHEMA = "schema.toml"  # of a release, in its private folder
MARKS = {"\\t": "\t", "tab": "\t", "space": " ", "none": ""}  # as people spell them
FOUND_OUT = "found out"


class Text(Job):
    """How files of delimited text are read and written."""

    delimiter: str | None = param(
        default=None, help="between cells; \\t or tab for a tabulator", word="CHARACTER", usual=FOUND_OUT
    )
    encoding: str | None = param(default=None, help="encoding of the text", word="NAME", usual=FOUND_OUT)
    header: bool = param(default=False, help="the first line names the columns, whatever it looks like")
    no_header: bool = param(default=False, help="the first line is a record; columns become c1, c2, …")
    decimal: str | None = param(
        default=None, help="before the decimals of numbers: . or ,", choices=DECIMALS, usual=FOUND_OUT
    )
    thousands: str | None = param(
        default=None,
        help="between thousands, as in 1.234.567; none for nothing",
        word="CHARACTER",
        usual=FOUND_OUT,
    )
    quote: str | None = param(
        default=None, help="around cells that hold a delimiter", choices=QUOTES, usual=FOUND_OUT
    )
    comment: str | None = param(
        default=None,
        help="begins lines that are no records; none for nothing",
        word="CHARACTER",
        usual=FOUND_OUT,
    )
    dates: str | None = param(
        default=None,
        help="order of day, month and year in dates: dmy, mdy or ymd; text leaves them as they are",
        choices=DATES,
        usual=FOUND_OUT,
    )

    sheet: str | None = param(
        default=None, help="the sheet of a spreadsheet", word="NAME", usual="the first that is not empty"
    )

    @property
    def text(self) -> CsvOptions:
        if self.header and self.no_header:
            raise ParameterError("Give --header or --no-header, not both.")
        return CsvOptions(
            delimiter=_mark(self.delimiter),
            encoding=self.encoding,
            header=True if self.header else False if self.no_header else None,
            decimal=self.decimal,
            thousands=_mark(self.thousands),
            quote=self.quote,
            comment=_mark(self.comment),
            dates=self.dates,
            sheet=self.sheet,
        )

    @staticmethod
    def settings_of(options: CsvOptions) -> dict[str, Any]:
        """These options as a study file would have them."""
        said = {name: one for name, one in vars(options).items() if name not in ("header", "names")}
        header = {"header": options.header is True, "no-header": options.header is False}
        return {name: "none" if one == "" else one for name, one in said.items() if one is not None} | header


def _mark(said: str | None) -> str | None:
    """A character as people spell it."""
    return MARKS.get(said, said) if said is not None else None


class Reading(Text):
    """A job on one file."""

    data: ClassVar[tuple[str, ...]] = ("file",)

    file: Path | None = param(default=None, help="the file", argument=True, needed=True)
    schema: Path | None = param(
        default=None,
        help="what the columns are; make one with: sfumato describe FILE --save-schema FILE.toml",
        word="FILE.toml",
    )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        schema = given.get("schema", self.schema)
        return (work.open(given.get("file", self.file), schema=schema, options=self.text),)


class KeyedReading(Reading):
    """A job on one file of which some columns are what an intruder may know."""

    keys: tuple[str, ...] = param(
        default=(),
        option="key",
        help="the key attributes, in place of those proposed or declared",
        word="NAME",
    )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        (source,) = super().read(work, **given)
        source = source.keyed_by(self.keys)
        say_keys(source)
        return (source,)


def second_schema(file: str) -> Any:
    """Declare the option for the schema of the other version of a file."""
    help = f"the schema of {file}; without it STEM.schema.toml beside {file}, else the original's"
    return param(default=None, help=help, word="FILE.toml")


class ReadingPair(Text):
    """A job on a file and another version of it, with the same records: in the same order, or in one that is known."""

    original: Path | None = param(default=None, help="the original file", argument=True, needed=True)
    schema: Path | None = param(
        default=None, help="what the columns of ORIGINAL are; without one they are proposed", word="FILE.toml"
    )
    order: Path | None = order_file("the other file")

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        """Both sources, read alike; if the first has no schema, the keys of the second are those of both."""
        original, masked = (given.get(name, getattr(self, name)) for name in self.data)
        schemas = given.get("schema", self.schema), self._schema_of(masked, given)
        before = work.open(original, schema=schemas[0], options=self.text)
        after = work.open(masked, schema=schemas[1], like=before.schema, options=self.text)
        if before.on_disk != after.on_disk:  # then neither is read into memory
            work.memory = 1
            before = work.open(original, schema=schemas[0], options=self.text)
            after = work.open(masked, schema=schemas[1], like=before.schema, options=self.text)
        if before.proposed and not after.borrowed:
            before = before.keyed_by([n for n in after.schema.with_role("key") if n in before.schema])
        say_keys(before)
        order = found_order(self.order, masked)
        return (before, after) if order is None else aligned(before, after, order, work)

    def _schema_of(self, masked: Any, given: Mapping[str, Any]) -> Any:
        """The schema of the second file where one is given, or is kept for it, or lies beside it."""
        name = f"{self.data[1]}_schema"
        stated = given.get(name, getattr(self, name))
        if stated is None and isinstance(masked, Path | str):
            path = Path(masked)
            known = [
                one for one in (private_beside(path) / FULL_SCHEMA, schema_beside(path)) if one.is_file()
            ]
            for stated in known[:1]:
                progress.note(f"reading {masked} by its schema, {stated}.")
        return stated


class FromDisk(Job):
    """A job that can also be done on files larger than memory."""

    memory: Size | None = param(
        default=None,
        help="parquet that would need more than this, such as 2GB, is worked on from disk",
        usual="half of the machine's",
    )
    folder: Path | None = param(
        default=None,
        option="work",
        help="keep the files made on the way here, so that a stopped job goes on; on a cluster all workers must see it",
        word="FOLDER",
        usual="a folder that is removed at the end",
        where=True,
        writes=True,
    )


def processes(*, usual: str) -> Any:
    """Declare how many processes do a job, and how many where nothing is said."""
    help = "processes to use; the result does not depend on it"
    return param(default=None, low=1, help=help, usual=usual, where=True)


class Working(Job):
    """A job that several processes, or a cluster, can do together."""

    workers: int | None = processes(usual="all cores")
    cluster: str = param(
        default="", help="work on a Dask cluster: local, or tls://host:port", word="ADDRESS", where=True
    )
    open_cluster: bool = param(
        default=False,
        help="let the cluster be one without encryption, tcp://host:port, on a network where everybody is trusted",
        where=True,
    )


def say_keys(source: Source) -> None:
    """Say which columns are taken as known to an intruder, where only a guess says so."""
    keys = source.schema.with_role("key")
    if source.proposed and keys:
        progress.note(f"no schema given: taking {', '.join(keys)} as what an intruder may know.")


def check_keys(schema: Schema) -> None:
    """Refuse a file of which nothing is known to an intruder."""
    if not schema.with_role("key"):
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
