"""What the formats of statistics packages share, which pyreadstat reads and writes.

A file declares all it can about a column. What a format cannot keep is noted, and a missing code it cannot declare
is written as an ordinary missing value: never as a number that could be taken for a value.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, FileError, MissingExtraError
from sfumato.core.progress import note
from sfumato.core.quantities import Size
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER
from sfumato.data.attribute import Attribute
from sfumato.data.csv_options import CsvOptions
from sfumato.data.encoding import decode
from sfumato.data.formats import _statistics_child
from sfumato.data.formats._declared_columns import declared_columns
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.reader_process import ReaderFailure, ReaderProcess
from sfumato.data.table import Table

LEAST_MEMORY = Size(256 * 10**6)
LEAST_SECONDS, BYTES_A_SECOND = 5, 20_000  # of processor time; readers take a thousandth of it


@dataclass(frozen=True)
class Spelling:
    """How missing codes are written: for each code the cell that stands for it, and what the file declares.

    Codes left out are lost.
    """

    cells: dict[str, Any] = field(default_factory=dict)
    declared: list[Any] = field(default_factory=list)
    renamed: bool = False


@dataclass(frozen=True)
class StatisticsColumn:
    """A column as pyreadstat takes it: a pandas series, labels by value, missing codes."""

    series: Any
    labels: dict[Any, str]
    missing: list[Any]


class StatisticsReading(Format):
    """A format that a function of pyreadstat reads."""

    package: ClassVar[str]
    reader: ClassVar[str]
    reading: ClassVar[Mapping[str, Any]] = {"user_missing": True}

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        if find_spec("pyreadstat") is None:
            raise self._not_installed()
        reader = ReaderProcess(
            script=Path(_statistics_child.__file__),
            statuses=_statistics_child.STATUSES,
            memory=max(memory, LEAST_MEMORY),
            seconds=LEAST_SECONDS + path.stat().st_size // BYTES_A_SECOND,
        )
        try:
            found = reader.read(file=str(path.absolute()), reader=self.reader, options=dict(self.reading))
        except ReaderFailure as failure:
            raise self._refusal(path, failure.why, memory) from None
        return declared_columns(found)

    def _refusal(self, path: Path, why: str, memory: Size) -> Exception:
        if why == "package":
            return self._not_installed()
        rules = {
            "time": "it takes too long, as only a damaged file does",
            "memory": f"it needs more memory than {memory}",
        }
        rule = rules.get(why, "it is damaged or in another format")
        return FileError(f"{path} cannot be read as a {self.package} file: {rule}.")

    def _not_installed(self) -> MissingExtraError:
        return MissingExtraError(f"A {self.package} file", "stats")

    def pyreadstat(self) -> Any:
        """The optional package behind these formats, or a sentence that says how to install it."""
        try:
            import pandas  # noqa: F401 -- pyreadstat writes from its frames
            import pyreadstat
        except ImportError:
            raise self._not_installed() from None
        return pyreadstat


class StatisticsFormat(StatisticsReading):
    """One that a function of pyreadstat also writes.

    Names of columns have certain `letters`, digits and `marks`. `missing_option` is what pyreadstat calls missing codes,
    where the format keeps them and labels of values.
    """

    writer: ClassVar[str]
    longest_name: ClassVar[int] = 32
    letters: ClassVar[re.RegexFlag] = re.UNICODE
    marks: ClassVar[str] = ""
    missing_option: ClassVar[str] = ""

    @abstractmethod
    def spelling(self, attribute: Attribute, values: pa.Array) -> Spelling:
        """How the missing codes of an attribute are written among these values, numbers or texts."""

    def label_key(self, number: float) -> float | None:
        """The number by which a label is kept, if it is."""
        return None

    def text_labels(self, attribute: Attribute, values: list[str]) -> dict[Any, str]:
        return {}

    def declarations(
        self, table: Table, columns: Mapping[str, StatisticsColumn], target: Path
    ) -> dict[str, Any]:
        """What else pyreadstat is told."""
        return {}

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        library = self.pyreadstat()
        import pandas as pd

        for name in table.names:
            self._check_name(name)
        columns = {a.name: self._column(table, a) for a in table.schema}
        frame = pd.DataFrame({name: column.series for name, column in columns.items()})
        declared: dict[str, Any] = {"column_labels": {a.name: a.label for a in table.schema if a.label}}
        if self.missing_option:
            labels = {name: column.labels for name, column in columns.items() if column.labels}
            missing = {name: column.missing for name, column in columns.items() if column.missing}
            declared |= {"variable_value_labels": labels, self.missing_option: missing}
        declared |= self.declarations(table, columns, target)
        try:
            getattr(library, self.writer)(frame, str(target), **declared)
        except (library.PyreadstatError, library.ReadstatError, OverflowError):
            raise FileError(
                f"The table cannot be written as a {self.package} file: a name, text or label breaks its rules."
            ) from None

    def _column(self, table: Table, attribute: Attribute) -> StatisticsColumn:
        import pandas as pd

        array = _writable(decode(table[attribute.name], None, attribute))
        numeric, text = bool(pa.types.is_floating(array.type)), pa.types.is_string(array.type)
        reasons = table.reasons(attribute.name)
        words = self.spelling(attribute, array) if numeric or text else Spelling()
        values: list[Any] = array.to_pylist()
        if reasons is not None:
            _say_what_is_lost(attribute, reasons, words)
            for row in np.flatnonzero(reasons):
                values[row] = words.cells.get(attribute.missing[reasons[row] - 1])
        named = sorted({value for value in values if isinstance(value, str)}) if numeric else []
        if text:
            values = ["" if value is None else value for value in values]
        series = pd.Series(values, dtype=float if numeric and not named else object)
        labels: dict[Any, str] = {}
        if numeric or text:
            labels = self._number_labels(attribute, words) if numeric else self.text_labels(attribute, values)
        if len(labels) < len(attribute.labels):
            note(
                f"Column {attribute.name}: {len(attribute.labels) - len(labels)} value labels cannot be kept."
            )
        return StatisticsColumn(series, labels, named or words.declared)

    def _number_labels(self, attribute: Attribute, words: Spelling) -> dict[Any, str]:
        """Labels by number, or by what stands for a missing code."""
        labels: dict[Any, str] = {}
        for text, label in attribute.labels.items():
            value = words.cells.get(text) if text in attribute.missing else _number(text)
            value = self.label_key(value) if isinstance(value, float) else value
            if value is not None:
                labels[value] = label
        return labels

    def _check_name(self, name: str) -> None:
        rule = rf"[^\W\d][\w{self.marks}]*"
        if not re.fullmatch(rule, name, self.letters) or len(name.encode()) > self.longest_name:
            raise DataError(
                f"Column {name}: a name in a {self.package} file is a letter followed by letters, digits or "
                f"_{self.marks}, at most {self.longest_name} bytes; rename it."
            )


def _number(text: str) -> float | None:
    try:
        return float({"false": "0", "true": "1"}.get(text, text))
    except ValueError:
        return None


def _writable(array: pa.Array) -> pa.Array:
    kind = array.type
    if pa.types.is_boolean(kind):
        return array.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_integer(kind):
        long = np.any(np.abs(array.drop_null().to_numpy().astype(float)) > LARGEST_EXACT_INTEGER)
        return array.cast(pa.string() if long else pa.float64())  # as numbers, long codes would run together
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return array.cast(pa.timestamp(kind.unit))
    return array


def _say_what_is_lost(attribute: Attribute, reasons: np.ndarray, words: Spelling) -> None:
    used = [attribute.missing[position - 1] for position in np.unique(reasons[reasons > 0])]
    for code in used:
        cell = words.cells.get(code)
        if cell is None:
            note(f"Column {attribute.name}: missing code {code} is written as an ordinary missing value.")
        elif words.renamed and f".{cell}" != code:
            note(f"Column {attribute.name}: missing code {code} is written as .{cell}.")
